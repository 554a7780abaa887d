#include "analysis/protocol/check.h"

#include "core/base/error.h"
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace phasebit::protocol {

using ptx::run::Finding;
using ptx::run::FindingKind;
using ptx::run::Grade;
using ptx::run::RunLaunch;
using ptx::run::RunOutcome;
using ptx::run::RunPlace;
using ptx::run::RunProgram;

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved: return "proved";
    case Verdict::explored: return "explored";
    case Verdict::unsupported: return "unsupported";
    case Verdict::error: return "error";
  }
  bug("a verdict without a name");
}

int exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::proved: return 0;
    case Verdict::explored: return 24;
    case Verdict::unsupported: return 25;
    case Verdict::error: return 1;
  }
  bug("a verdict without an exit code");
}

std::string describe(const RunLaunch& launch) {
  const auto count = [](int number, const char* what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
  };
  const int size = launch.ctas_of_cluster();
  const std::string threads = " of " + count(launch.threads(), "thread");
  if (size == 1) return count(launch.ctas(), "CTA") + threads;
  return count(launch.ctas() / size, "cluster") + " of " + count(size, "CTA") + threads;
}

namespace {

class Checker {
 public:
  Checker(const ptx::PtxFile& file, const ptx::PtxFunction& entry, const RunProgram& program,
          const RunLaunch& launch)
      : file_(file),
        entry_(entry),
        program_(program),
        launch_(launch),
        sources_(ptx::sources_of(file)) {}

  void take(const RunOutcome& outcome, Checked& checked) const {
    checked.instructions += outcome.instructions;
    for (const Finding& one : outcome.findings) {
      Checked::Found found{one.kind, one.grade, remark(one.at, one.what), {}};
      for (const Finding::Related& other : one.related)
        found.related.push_back(remark(other.at, other.what));
      checked.found.push_back(std::move(found));
    }
  }

  Remark remark(const RunPlace& at, const std::string& what) const {
    const ptx::run::Instruction& one = program_.code[at.pc];
    return {ptx::run::place_of(file_, one), ptx::run::text_of(file_, one), source_of(one.statement),
            thread_of(at.thread), what};
  }

  Remark of_kernel(const Error& error) const {
    return {file_.place(file_.statements[entry_.signature]), ".entry " + entry_.name, "", "",
            error.message};
  }

 private:
  std::string source_of(std::size_t statement) const {
    if (const int heading = file_.statements[statement].heading; heading >= 0) {
      const ptx::PtxHeading& one = file_.headings[static_cast<std::size_t>(heading)];
      const std::string words =
          one.role + (one.role.empty() || one.verb.empty() ? "" : " ") + one.verb;
      const std::string place = one.line > 0 ? fmt::format("{}:{}", one.file, one.line) : one.file;
      return words.empty() ? place : words + ", " + place;
    }
    const std::optional<ptx::PtxSource>& source = sources_[statement];
    if (!source) return "";
    std::string words;
    for (const std::string& function : source->functions)
      words += (words.empty() ? "" : " in ") + function;
    return fmt::format("{}{}{}:{}", words, words.empty() ? "" : ", ", source->file, source->line);
  }

  std::string thread_of(int thread) const {
    if (thread < 0) return "";
    constexpr int lanes = ptx::run::lanes_of_warp;
    const int warps = launch_.warps(), warp = thread / lanes;
    return fmt::format("CTA {}, warp {}, lane {}", warp / warps, warp % warps, thread % lanes);
  }

  const ptx::PtxFile& file_;
  const ptx::PtxFunction& entry_;
  const RunProgram& program_;
  const RunLaunch& launch_;
  std::vector<std::optional<ptx::PtxSource>> sources_;
};

RunOutcome run(const RunProgram& program, const RunLaunch& launch, const CheckOptions& options,
               std::uint32_t seed) {
  ptx::run::RunOptions made;
  made.most_steps = options.most_steps;
  made.is_strict = options.is_strict;
  made.seed = seed;
  made.elects_each = options.elects_each && seed == 0;
  return ptx::run::run_launch(program, launch, made);
}

// Of one run: the worst that it found.
Verdict verdict_of(const RunOutcome& outcome) {
  const auto has = [&](Grade grade) {
    return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                       [&](const Finding& one) { return one.grade == grade; });
  };
  if (has(Grade::error)) return Verdict::error;
  if (has(Grade::unsupported)) return Verdict::unsupported;
  return has(Grade::unproved) || !outcome.ended ? Verdict::explored : Verdict::proved;
}

// What a run left in memory, against what it should be. False: it is wrong.
bool verify(const Checker& checker, const RunOutcome& outcome, const CheckOptions& options,
            Checked& checked) {
  if (!options.verify || outcome.has_unfollowed) return true;
  const Status right = options.verify(outcome);
  if (right) return true;
  checked.verdict = Verdict::error;
  checked.found.push_back(
      {FindingKind::payload, Grade::error, checker.of_kernel(right.error()), {}});
  return false;
}

// What is verified must not depend on the schedule: with other words where it decides, it is as
// right.
void verify_unsure(const Checker& checker, const RunOutcome& outcome, const CheckOptions& options,
                   Checked& checked) {
  if (!options.verify || outcome.has_unfollowed) return;
  for (const RunOutcome::UnsureWord& one : outcome.unsure) {
    RunOutcome other;
    other.memory = outcome.memory;
    for (const RunOutcome::UnsureWord& same : outcome.unsure)
      if (same.from.pc == one.from.pc) other.memory[same.buffer][same.word] ^= 0x5a5a5a5aU;
    if (options.verify(other)) continue;
    const std::string what = "what the launch leaves is verified, and depends on " + one.why;
    checked.verdict = Verdict::explored;
    checked.found.push_back(
        {FindingKind::decision, Grade::unproved, checker.remark(one.from, what), {}});
    return;
  }
}

// What one run did not prove: schedules that are drawn, until one of them goes wrong.
void explore(const Checker& checker, const RunProgram& program, const RunLaunch& launch,
             const CheckOptions& options, Checked& checked) {
  for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(options.schedules); ++seed) {
    RunOutcome outcome = run(program, launch, options, seed);
    ++checked.schedules;
    std::erase_if(outcome.findings, [](const Finding& one) { return one.grade != Grade::error; });
    checker.take(outcome, checked);
    if (outcome.findings.empty() && (!outcome.ended || verify(checker, outcome, options, checked)))
      continue;
    checked.verdict = Verdict::error;
    checked.schedule = seed;
    return;
  }
}

// One drawn schedule again, with all that it shows.
void replay(const Checker& checker, const RunProgram& program, const RunLaunch& launch,
            const CheckOptions& options, Checked& checked) {
  const RunOutcome outcome = run(program, launch, options, options.replay);
  checked.schedules = 1;
  checker.take(outcome, checked);
  const Verdict verdict = verdict_of(outcome);
  checked.verdict = verdict == Verdict::proved ? Verdict::explored : verdict;  // one of many
  if (checked.verdict != Verdict::error && outcome.ended)
    verify(checker, outcome, options, checked);
  if (checked.verdict == Verdict::error) checked.schedule = options.replay;
}

}  // namespace

Checked check(const ptx::PtxFile& file, const ptx::PtxFunction& entry, const RunLaunch& launch,
              const CheckOptions& options) {
  Checked checked;
  checked.kernel = entry.name;
  checked.launch = describe(launch);
  checked.found = check_text(file, entry, launch.threads());
  if (!checked.found.empty()) {
    checked.verdict = Verdict::error;
    return checked;
  }
  const auto program = ptx::run::decode(file, entry);
  if (!program) {
    checked.verdict = Verdict::unsupported;
    checked.reason = program.error().message;
    return checked;
  }
  const Checker checker(file, entry, *program, launch);
  if (options.replay != 0) {
    replay(checker, *program, launch, options, checked);
    return checked;
  }
  const RunOutcome outcome = run(*program, launch, options, 0);
  checker.take(outcome, checked);
  checked.verdict = verdict_of(outcome);
  if (checked.verdict == Verdict::proved && verify(checker, outcome, options, checked))
    verify_unsure(checker, outcome, options, checked);
  if (checked.verdict == Verdict::explored) {
    // Another schedule of what does not end would not end, either.
    const bool is_endless =
        std::any_of(outcome.findings.begin(), outcome.findings.end(),
                    [](const Finding& one) { return one.kind == FindingKind::steps; });
    if (!is_endless) explore(checker, *program, launch, options, checked);
  }
  return checked;
}

namespace {

// "13, 14 and 25 items"
std::string text_of_items(const std::vector<ItemsLaunch>& launches) {
  std::string text;
  for (std::size_t n = 0; n < launches.size(); ++n)
    text += fmt::format("{}{}",
                        n == 0                     ? ""
                        : n + 1 == launches.size() ? " and "
                                                   : ", ",
                        launches[n].items);
  return text + (text == "1" ? " item" : " items");
}

}  // namespace

Checked check(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
              const std::vector<ItemsLaunch>& launches, const CheckOptions& options) {
  Checked worst;
  std::uint64_t instructions = 0;
  std::uint32_t fewest = ~std::uint32_t{0};
  for (const ItemsLaunch& one : launches) fewest = std::min<std::uint32_t>(fewest, one.items);
  for (const ItemsLaunch& one : launches) {
    CheckOptions own = options;
    own.elects_each = options.elects_each && one.items == fewest;
    own.verify = one.verify;
    // Once schedules were drawn for one number, a run of the others shows errors only.
    const bool is_first = worst.verdict == Verdict::proved;
    if (!is_first) own.schedules = 0;
    Checked checked = check(file, entry, one.launch, own);
    instructions += checked.instructions;
    const bool is_proved = checked.verdict == Verdict::proved;
    if (is_first || checked.verdict == Verdict::error) {
      worst = std::move(checked);
      worst.launch += ", " + text_of_items(is_proved ? launches : std::vector{one});
    }
    if (worst.verdict > Verdict::explored || options.replay != 0) break;
  }
  worst.instructions = instructions;
  return worst;
}

}  // namespace phasebit::protocol
