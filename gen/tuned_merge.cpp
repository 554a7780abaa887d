#include "gen/tuned_merge.h"

#include "core/base/hash.h"
#include "core/base/process.h"
#include "gen/readable.h"

#include <algorithm>

namespace phasebit {
namespace {

struct Merged {
  std::string text;
  bool clean = true;
};

Result<Merged> merge_texts(const std::string& ours, const std::string& base,
                           const std::string& theirs) {
  PHASEBIT_TRY_ASSIGN(folder, TempDir::create());
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  PHASEBIT_TRY(write_file(path("ours"), ours));
  PHASEBIT_TRY(write_file(path("base"), base));
  PHASEBIT_TRY(write_file(path("theirs"), theirs));
  const auto output =
      run_process({"git", "merge-file", "-p", "-L", "the fork", "-L", "the parent as recorded",
                   "-L", "the parent of today", path("ours"), path("base"), path("theirs")});
  if (!output) return fail(Step::toolchain, "git merge-file: {}", output.error().message);
  // Its exit status is the number of conflicts, at most 127.
  constexpr int most_conflicts = 127;
  if (output->signal != 0 || output->exit_status > most_conflicts)
    return fail(Step::toolchain, "git merge-file {}: {}", output->how_it_ended(), output->err);
  return Merged{output->out, output->exit_status == 0};
}

}  // namespace

Result<Drift> drift_of(const Fork& fork, const ParentTexts& now) {
  Drift drift = Drift::none;
  for (const Build build : both_builds) {
    PHASEBIT_TRY_ASSIGN(base, read_file(fork.base(build)));
    if (content_hash(base) != fork.recorded(build))
      return with_hint(
          fail(Step::spec, "{} is not the text that fork.toml records", fork.base(build).string()),
          "nobody edits it: take it back from version control");
    if (base == now.of(build)) continue;
    PHASEBIT_TRY_ASSIGN(before, read_readable(base, fork.base(build).string(), build));
    PHASEBIT_TRY_ASSIGN(after, read_readable(now.of(build), fork.parent, build));
    drift =
        std::max(drift, before.kernel.hash == after.kernel.hash ? Drift::comments : Drift::code);
  }
  return drift;
}

Result<MergeOutcome> merge_fork(const Fork& fork, const ParentTexts& now) {
  Merged merged[2];
  MergeOutcome outcome;
  for (const Build build : both_builds) {
    PHASEBIT_TRY_ASSIGN(ours, read_file(fork.text(build)));
    PHASEBIT_TRY_ASSIGN(base, read_file(fork.base(build)));
    PHASEBIT_TRY_ASSIGN(text, merge_texts(ours, base, now.of(build)));
    if (!text.clean) outcome.conflicts.push_back(fork.conflict(build));
    if (text.clean) PHASEBIT_TRY(read_readable(text.text, fork.text(build).string(), build));
    merged[static_cast<int>(build)] = std::move(text);
  }
  for (const Build build : both_builds) {
    const Merged& text = merged[static_cast<int>(build)];
    std::error_code none;
    fs::remove(fork.conflict(build), none);
    if (!text.clean) PHASEBIT_TRY(write_file(fork.conflict(build), text.text));
    if (outcome.clean()) PHASEBIT_TRY(write_file(fork.text(build), text.text));
  }
  if (outcome.clean()) PHASEBIT_TRY(record_parent(fork, now));
  return outcome;
}

}  // namespace phasebit
