// Runs of one launch: until nothing is found any more that another schedule may change, and for
// each lane that elect.sync may choose.
#include "core/ptx/run/machine.h"

#include <algorithm>

namespace phasebit::ptx::run {

namespace {

// Each run may show more places of atomics, and more answers that another schedule changes, until
// what depends on them is not followed.
RunOutcome settle(const RunProgram& program, const RunLaunch& launch, RunOptions& options) {
  constexpr int most_tries = 8;
  RunOutcome outcome;
  for (int tries = 0; tries < most_tries; ++tries) {
    outcome = Machine(program, launch, options).run();
    if (outcome.contended.empty() && outcome.unsettled.empty()) return outcome;
    options.contended.insert(outcome.contended.begin(), outcome.contended.end());
    options.unsettled.insert(outcome.unsettled.begin(), outcome.unsettled.end());
  }
  Finding& open = outcome.findings.emplace_back();
  open.kind = FindingKind::decision;
  open.grade = Grade::unproved;
  open.what = "what another schedule may change is not settled";
  return outcome;
}

bool is_without_findings(const RunOutcome& outcome) {
  return std::all_of(outcome.findings.begin(), outcome.findings.end(),
                     [](const Finding& one) { return one.grade == Grade::note; });
}

}  // namespace

RunOutcome run_launch(const RunProgram& program, const RunLaunch& launch, RunOptions options) {
  RunOutcome outcome = settle(program, launch, options);
  bool is_clean = is_without_findings(outcome);
  if (!program.elects || options.elected != 0 || !is_clean) return outcome;
  // The ends of the masks first, which show most. GPUs choose the first lane: what that run left is
  // what is verified.
  Mask left = outcome.electable & ~(outcome.electable & (0 - outcome.electable));
  // Thirty runs more of what is long would take minutes.
  constexpr std::uint64_t most_instructions = 50'000;
  const bool is_long = outcome.instructions > most_instructions;
  if ((is_long || !options.elects_each) && left != 0) left = 1U << (31 - std::countl_zero(left));
  while (left != 0 && is_clean) {
    options.elected = 31 - std::countl_zero(left);
    left &= ~(1U << options.elected);
    RunOutcome other = settle(program, launch, options);
    outcome.instructions += other.instructions;
    outcome.findings = std::move(other.findings);
    outcome.ended = other.ended;
    is_clean = is_without_findings(outcome);
  }
  return outcome;
}

}  // namespace phasebit::ptx::run
