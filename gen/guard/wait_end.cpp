#include "gen/guard/wait_end.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::guard {
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
