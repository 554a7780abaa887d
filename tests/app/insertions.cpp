#include "tests/app/insertions.h"

#include "core/base/hash.h"
#include "core/isa/rule.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace phasebit::test {

using join::images::Prepared;
using launch::Census;
using launch::SourceLine;
using ptxas::Kernel;

namespace {

constexpr Insertion everywhere[] = {
    {0, "SYNCS.PHASECHK*", "mbarrier.test_wait.parity.shared.b64 ins_p, [ring], 0;"},
    {1, "SYNCS.PHASECHK*TRYWAIT", "mbarrier.try_wait.parity.shared.b64 ins_p, [ring], 0;"},
    {2, "SYNCS.ARRIVE*", "mbarrier.arrive.shared.b64 _, [ring];"},
    {3, "SYNCS.ARRIVE*A0TR", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [ring], 16;"},
    {4, "SYNCS.ARRIVE*A0TX", "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [ring], 16;"},
    {0, "BAR.SYNC*", "bar.sync 15;"},
    {1, "BAR.ARV*", "bar.arrive 15, 64;"},
    {2, "BAR.RED*", "bar.red.popc.u32 ins_r, 15, ins_p;"},
    {0, "UCGABAR_ARV", "barrier.cluster.arrive.relaxed.aligned;"},
    {4, "UCGABAR_WAIT", "barrier.cluster.wait.aligned;"},
    {0, "MEMBAR.SC.CTA", "fence.sc.cta;"},
    {1, "MEMBAR.SC.SYS", "membar.sys;"},
    {2, "CCTL.IVALL", "fence.acq_rel.gpu;"},
    {3, "FENCE.VIEW.ASYNC*", "fence.proxy.async;"},
    {0, "ATOMS*", "atom.shared.add.u32 ins_r, [ring], 3;"},
    {1, "ATOMS*", "atom.shared.exch.b32 ins_r, [ring], 3;"},
    {2, "[AR]*G.E*", "atom.global.add.u32 ins_r, [payload_out], 3;"},
    {0, "NANOSLEEP", "nanosleep.u32 20;"},
    {0, "LDGDEPBAR", "cp.async.commit_group;"},
    {1, "LDGSTS*", "cp.async.ca.shared.global [ring], [payload_out], 4;"},
    {3, "ARRIVES*", "cp.async.mbarrier.arrive.noinc.shared.b64 [ring];"},
    {1, "UBLKCP*",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ring], "
     "[payload_out], 16, [ring];"},
    {4, "STAS*",
     "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [ring], ins_r, [ring];"},
    {0, "ACQBULK", "griddepcontrol.wait;"},
};
constexpr Insertion flag_load = {3, "LDS", "ld.volatile.shared.u32 ins_r, [ring];"};
constexpr Insertion flag_store = {4, "STS", "st.volatile.shared.u32 [ring], ins_r;"};

// As core/isa/sass_opcodes.toml has them.
const std::set<std::string> looking = {"acquire",  "try_acquire", "commit", "wait",
                                       "try_wait", "release",     "tail"};
const std::set<std::string> storing = {"acquire", "try_acquire", "commit", "wait",  "try_wait",
                                       "release", "quit",        "tail",   "leave", "advance"};
const std::set<std::string> of_forms = {"form", "other_half"};

bool is_timed(const Kernel& kernel, const std::string& role) {
  return std::any_of(kernel.source.begin(), kernel.source.end(), [&](const SourceLine& line) {
    return line.verb == "clock_start" && line.role == role;
  });
}

std::size_t first_of(const Kernel& kernel, const Place& place) {
  const auto found = std::find_if(
      kernel.source.begin(), kernel.source.end(),
      [&](const SourceLine& line) { return line.verb == place.verb && line.role == place.role; });
  return static_cast<std::size_t>(found - kernel.source.begin());
}

std::size_t behind_clock(const Kernel& kernel, const std::string& role) {
  const auto last = std::find_if(
      kernel.source.rbegin(), kernel.source.rend(),
      [&](const SourceLine& line) { return line.verb == "clock_start" && line.role == role; });
  return static_cast<std::size_t>(kernel.source.rend() - last);
}

// A block of its own; off the path it is a loop that ptxas cannot know to turn once.
std::vector<std::string> block_of(const Place& place, const std::vector<Insertion>& what) {
  std::vector<std::string> lines = {"{", ".reg .pred ins_p;", ".reg .b32 ins_r;",
                                    "mov.b32 ins_r, zero;", "setp.ne.u32 ins_p, zero, 0;"};
  const bool loops = place.where == Where::cold;
  if (loops) lines.insert(lines.end(), {"L_inserted:", ".pragma \"nounroll\";"});
  for (const Insertion& one : what) lines.emplace_back(one.statement);
  if (loops) lines.insert(lines.end(), {"setp.ne.u32 ins_p, zero, 0;", "@ins_p bra L_inserted;"});
  lines.emplace_back("}");
  return lines;
}

std::map<std::string, int> counts_of(const Census& census, const char* pattern) {
  std::map<std::string, int> sum;
  for (const launch::VerbCensus& one : census)
    for (const isa::OpcodeCounts* counts : {&one.hot, &one.cold, &one.beside})
      for (const auto& [opcode, count] : *counts)
        if (isa::opcode_matches(pattern, opcode)) sum[opcode] += count;
  return sum;
}

std::string_view behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + word.size());
}

// "A x1, B x2 hot": has it the opcode?
bool lists(std::string_view list, const std::string& opcode) {
  std::istringstream words{std::string(list)};
  for (std::string word; words >> word;)
    if (word == opcode) return true;
  return false;
}

}  // namespace

std::string Place::name() const {
  const char* at = where == Where::hot ? "hot" : where == Where::cold ? "cold" : "beside";
  return fmt::format("{} ({}), {}", verb, role, at);
}

std::vector<Insertion> insertions_of(const std::string& verb) {
  std::vector<Insertion> all(std::begin(everywhere), std::end(everywhere));
  if (looking.contains(verb)) all.push_back(flag_load);
  if (storing.contains(verb)) all.push_back(flag_store);
  return all;
}

std::set<std::pair<std::string, std::string>> verbs_of(const Kernel& kernel) {
  std::set<std::pair<std::string, std::string>> all;
  for (const SourceLine& line : kernel.source)
    if ((storing.contains(line.verb) || of_forms.contains(line.verb)) && !line.role.empty() &&
        is_timed(kernel, line.role))
      all.emplace(line.verb, line.role);
  return all;
}

Prepared insert(const Prepared& original, const Place& place, const std::vector<Insertion>& what,
                const std::string& entry) {
  Prepared made = original;
  Kernel& kernel = made.kernel;
  const std::size_t first = first_of(original.kernel, place);
  const auto at = static_cast<std::ptrdiff_t>(
      place.where == Where::beside ? behind_clock(original.kernel, place.role) : first);
  const std::vector<std::string> lines = block_of(place, what);
  kernel.statements.insert(kernel.statements.begin() + at, lines.begin(), lines.end());
  const SourceLine line = original.kernel.source[first];
  kernel.source.insert(kernel.source.begin() + at, lines.size(), line);
  for (std::string& statement : kernel.statements)
    if (const std::size_t name = statement.find(kernel.entry); name != std::string::npos)
      statement.replace(name, kernel.entry.size(), entry);
  kernel.entry = entry;
  kernel.ptx_version = "8.6";
  kernel.ptx_target = "sm_90";
  kernel.hash = base::content_hash(fmt::format("{}", fmt::join(kernel.statements, "\n")));
  return made;
}

std::vector<std::string> added(const Insertion& what, const Census& before, const Census& after) {
  const auto had = counts_of(before, what.opcode);
  std::vector<std::string> more;
  for (const auto& [opcode, count] : counts_of(after, what.opcode))
    if (const auto known = had.find(opcode); known == had.end() || known->second < count)
      more.push_back(opcode);
  return more;
}

bool names(const std::string& refusal, const std::string& opcode) {
  for (std::size_t begin = 0; begin < refusal.size();) {
    const std::size_t end =
        std::min(refusal.find(')', refusal.find("(hot: ", begin)), refusal.size());
    std::string_view one = std::string_view(refusal).substr(begin, end - begin);
    one = one.substr(0, one.find("(hot: "));
    if (lists(behind(one, "no rule counts "), opcode)) return true;
    if (one.find("forbidden ") != std::string_view::npos && lists(behind(one, "found "), opcode))
      return true;
    const std::string_view pattern = behind(one, "expected ");
    if (!pattern.empty() &&
        isa::opcode_matches(std::string(pattern.substr(0, pattern.find(' '))), opcode))
      return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace phasebit::test
