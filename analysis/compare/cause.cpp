#include "analysis/compare/cause.h"

#include "analysis/compare/diff.h"

#include <algorithm>

namespace phasebit::compare {

using flow::LoopFeatures;
using flow::RoleWindow;
using reading::CodeSubject;

namespace {

const RoleWindow* window_of(const CodeSubject& side, const std::string& role) {
  for (const RoleWindow& window : side.windows)
    if (window.role == role) return &window;
  return nullptr;
}

bool is_hot(const RoleWindow* window, int instruction) {
  return window != nullptr && instruction >= 0 &&
         static_cast<std::size_t>(instruction) < window->heat.size() &&
         window->heat[static_cast<std::size_t>(instruction)] == flow::Heat::hot;
}

Change change_of_hot_rows(const CodeSubject& left, const CodeSubject& right, const KernelDiff& diff,
                          const std::string& role) {
  const RoleWindow* a = window_of(left, role);
  const RoleWindow* b = window_of(right, role);
  Change change = Change::identical;
  for (const DiffRow& row : diff.rows) {
    const bool hot_left = is_hot(a, row.left), hot_right = is_hot(b, row.right);
    if (!hot_left && !hot_right) continue;
    // What only one side runs in a turn is a difference, however alike the instructions are.
    change = std::max(change, hot_left != hot_right ? Change::instructions : row.change);
  }
  return change;
}

std::string counts_of(const LoopCause& loop) {
  return fmt::format("{} -> {} instructions, {} -> {} issue cycles, {} -> {} scoreboard waits",
                     loop.left.instructions, loop.right.instructions, loop.left.issue_cycles,
                     loop.right.issue_cycles, loop.left.scoreboard_waits,
                     loop.right.scoreboard_waits);
}

std::string words_for(const LoopCause& loop) {
  if (!loop.opcodes.empty()) return loop.opcodes;
  if (loop.change == Change::instructions) return "the same opcodes in another order or place";
  if (loop.change == Change::renamed) return "the same instructions with registers renamed";
  if (loop.change == Change::operands) return "the same opcodes with other operands";
  return "the same instructions with another schedule";
}

}  // namespace

Cause find_cause(const CodeSubject& left, const CodeSubject& right, const KernelDiff& diff) {
  Cause cause;
  for (const LoopFeatures& a : diff.left.loops) {
    const auto b = std::find_if(diff.right.loops.begin(), diff.right.loops.end(),
                                [&](const LoopFeatures& loop) { return loop.role == a.role; });
    const bool there = b != diff.right.loops.end();
    if (!there || !a.problem.empty() || !b->problem.empty()) {
      const std::string why = !a.problem.empty() ? a.problem : there ? b->problem : "not in B";
      cause.problems.push_back((a.role.empty() ? "" : a.role + ": ") + why);
      continue;
    }
    cause.loops.push_back({a.role, change_of_hot_rows(left, right, diff, a.role),
                           opcode_changes(a.hot, b->hot), a.hot, b->hot, a.address, b->address});
  }
  for (const LoopFeatures& b : diff.right.loops)
    if (std::none_of(diff.left.loops.begin(), diff.left.loops.end(),
                     [&](const LoopFeatures& loop) { return loop.role == b.role; }))
      cause.problems.push_back((b.role.empty() ? "" : b.role + ": ") + "not in A");
  return cause;
}

std::vector<std::string> describe(const Cause& cause, const KernelDiff& diff) {
  if (diff.change == Change::identical) return {"none: the code is the same"};
  if (diff.change == Change::data) return diff.outside_text;
  std::vector<std::string> lines;
  for (const LoopCause& loop : cause.loops)
    if (loop.change != Change::identical)
      lines.push_back(fmt::format("{}{}; {}", loop.role.empty() ? "" : loop.role + ": ",
                                  words_for(loop), counts_of(loop)));
  if (lines.empty() && cause.problems.empty()) {
    std::string places;
    for (const LoopCause& loop : cause.loops)
      places += fmt::format("{}{}{:#x} -> {:#x}", places.empty() ? "" : ", ",
                            loop.role.empty() ? "" : loop.role + " ", loop.left_address,
                            loop.right_address);
    lines.push_back(
        fmt::format("none on the hot paths: they are the same, the loops lie at {}", places));
  }
  for (const std::string& problem : cause.problems) lines.push_back("not compared: " + problem);
  return lines;
}

}  // namespace phasebit::compare
