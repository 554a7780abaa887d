#include "gen/guard/insertions.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace phasebit::guard {

using ptx::PlacedStatement;
using ptx::PtxFile;

namespace {

PlacedStatement made(const std::string& text, std::string before, int heading) {
  PlacedStatement statement;
  statement.before = std::move(before);
  statement.text = text;
  statement.heading = heading;
  statement.parsed = ptx::take_apart(text);
  return statement;
}

}  // namespace

PtxFile Insertions::applied(const PtxFile& file, std::vector<int>& origins) const {
  PtxFile out = file;
  out.statements.clear();
  origins.clear();
  std::string blanks;  // what was before statements that are gone
  const auto put = [&](PlacedStatement statement, std::size_t origin) {
    out.statements.push_back(std::move(statement));
    origins.push_back(static_cast<int>(origin));
  };
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    PlacedStatement statement = file.statements[i];
    statement.before = blanks + statement.before;
    blanks.clear();
    if (const auto found = before_.find(i); found != before_.end())
      for (const std::string& line : found->second)
        put(made(line, std::exchange(statement.before, std::string("\n")), statement.heading), i);
    const int heading = statement.heading;
    if (removed_.contains(i))
      blanks = std::move(statement.before);
    else
      put(std::move(statement), i);
    if (const auto found = after_.find(i); found != after_.end())
      for (const std::string& line : found->second) put(made(line, "\n", heading), i);
  }
  out.after = blanks + out.after;
  return out;
}

namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) == 0) return false;
  return !text.starts_with("0f") && !text.starts_with("0d") && !text.starts_with("0F") &&
         !text.starts_with("0D") && text.find('.') == std::string_view::npos;
}

// How many bits a register of this type has; 0 for a predicate, -1 where it is not known.
int bits_of(const std::string& type) {
  if (type == ".pred") return 0;
  const std::size_t digit = type.find_first_of("0123456789");
  if (digit == std::string::npos || type.find('x') != std::string::npos) return -1;
  return std::atoi(type.c_str() + digit);
}

std::string first_name(const std::string& operand) {
  const std::vector<std::string> names = ptx::names_in(operand);
  return names.empty() ? std::string() : names.front();
}

}  // namespace

std::vector<std::string> capture_value(const ptx::PtxScopes& scopes, int scope,
                                       const std::string& operand, const std::string& to,
                                       const std::string& guard) {
  const std::string lead = guard.empty() ? "" : guard + " ";
  if (is_number(operand)) return {fmt::format("{}mov.u64 {}, {};", lead, to, operand)};
  const std::string name = first_name(operand);
  const std::string type = scopes.type_of(scope, name);
  const bool floats = type.starts_with(".f");
  switch (bits_of(type)) {
    case 0:
      return {fmt::format("{}selp.b64 {}, {}, {}, {};", lead, to, operand.starts_with('!') ? 0 : 1,
                          operand.starts_with('!') ? 1 : 0, name)};
    case 16:
      if (floats) return {};
      return {fmt::format("{}cvt.u64.u16 {}, {};", lead, to, name)};
    case 32:
      if (floats)
        return {"{", ".reg .b32 pbg_bits;", fmt::format("{}mov.b32 pbg_bits, {};", lead, name),
                fmt::format("{}cvt.u64.u32 {}, pbg_bits;", lead, to), "}"};
      return {fmt::format("{}cvt.u64.u32 {}, {};", lead, to, name)};
    case 64: return {fmt::format("{}mov.b64 {}, {};", lead, to, name)};
    default: return {};
  }
}

std::vector<std::string> capture_address(const ptx::PtxScopes& scopes, int scope,
                                         const std::string& operand, const std::string& to,
                                         const std::string& guard) {
  if (!operand.starts_with('[')) return {};
  const std::string inner = operand.substr(1, operand.find(']') - 1);
  const std::size_t plus = inner.find_first_of("+-", 1);
  std::string base = inner.substr(0, plus), offset;
  std::erase(base, ' ');
  if (plus != std::string::npos) {
    offset = inner.substr(inner[plus] == '+' ? plus + 1 : plus);
    std::erase(offset, ' ');
    if (offset.starts_with('-') && offset.find('-', 1) == 1) offset = offset.substr(2);
    std::erase(offset, '+');
  }
  const std::string lead = guard.empty() ? "" : guard + " ";
  std::vector<std::string> lines = capture_value(scopes, scope, base, to, guard);
  if (lines.empty() && !base.empty())
    lines = {fmt::format("{}mov.u64 {}, {};", lead, to, base)};  // a variable
  if (is_number(offset))
    lines.push_back(fmt::format("{}add.s64 {}, {}, {};", lead, to, to, offset));
  return lines;
}

namespace {

using Lines = std::vector<std::string>;

Lines progress(const Lines& condition, const std::string& guard, const std::string& since) {
  const std::string lead = guard.empty() ? "" : guard + " ";
  Lines lines = {"{", ".reg .b64 pbg_now;"};
  lines.insert(lines.end(), condition.begin(), condition.end());
  lines.push_back(fmt::format("{}mov.u64 pbg_now, %globaltimer;", lead));
  lines.push_back(fmt::format("{}st.volatile.global.u64 [pbg_base], pbg_now;", lead));
  lines.push_back(fmt::format("{}mov.u64 {}, 0;", lead, since));
  lines.emplace_back("}");
  return lines;
}

// pbg_out: the index is one of those that lead out of the loop, and the branch is taken.
Lines leaves_by_index(const ptx::PtxStatement& branch, const ptx::flow::PtxLoop& loop,
                      const ptx::flow::PtxJump& exit) {
  Lines lines = {".reg .pred pbg_out;"};
  std::string also;
  for (std::size_t index = 0; index < exit.table.size(); ++index) {
    if (loop.holds(exit.table[index])) continue;
    lines.push_back(fmt::format("setp.eq{}.u32 pbg_out, {}, {}{};", also.empty() ? "" : ".or",
                                branch.operands.front(), index, also));
    also = ", pbg_out";
  }
  if (exit.predicate.empty()) return lines;
  if (!branch.guard.starts_with("@!")) {
    lines.push_back(fmt::format("and.pred pbg_out, pbg_out, {};", exit.predicate));
    return lines;
  }
  lines.emplace_back(".reg .pred pbg_taken;");
  lines.push_back(fmt::format("not.pred pbg_taken, {};", exit.predicate));
  lines.emplace_back("and.pred pbg_out, pbg_out, pbg_taken;");
  return lines;
}

}  // namespace

WaitEnd end_of_wait(const ptx::PtxFile& file, const ptx::flow::PtxLoop& loop,
                    const ptx::flow::PtxJump& exit, const std::string& since) {
  const ptx::PtxStatement& branch = file.statements[exit.statement].parsed;
  const auto outside = [&](int block) { return !loop.holds(block); };
  const bool falls_out = exit.falls_to >= 0 && outside(exit.falls_to);
  const bool some_out =
      exit.leaves || std::any_of(exit.targets.begin(), exit.targets.end(), outside);
  const bool all_out =
      exit.leaves || (some_out && std::all_of(exit.targets.begin(), exit.targets.end(), outside));
  WaitEnd end;
  if (falls_out && all_out) {
    end.before = progress({}, "", since);
    return end;
  }
  if (falls_out) end.after = progress({}, "", since);
  if (all_out)
    end.before = progress({}, branch.guard, since);
  else if (some_out && !branch.operands.empty())
    end.before = progress(leaves_by_index(branch, loop, exit), "@pbg_out", since);
  return end;
}

}  // namespace phasebit::guard
