#include "gen/kernel/merge.h"

#include "core/base/hash.h"
#include "core/base/process.h"
#include "gen/kernel/text.h"

namespace phasebit::kernel {

using base::write_file;

namespace {

struct Merged {
  std::string text;
  bool clean = true;
};

Result<Merged> merge_texts(const std::string& ours, const std::string& base,
                           const std::string& theirs) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  PHASEBIT_TRY(write_file(path("ours"), ours));
  PHASEBIT_TRY(write_file(path("base"), base));
  PHASEBIT_TRY(write_file(path("theirs"), theirs));
  const auto output = base::run_process({"git", "merge-file", "-p", "-L", "the fork", "-L",
                                         "the parent as recorded", "-L", "the current parent",
                                         path("ours"), path("base"), path("theirs")});
  if (!output) return fail(Step::toolchain, "git merge-file: {}", output.error().message);
  // Its exit status is the number of conflicts, at most 127.
  constexpr int most_conflicts = 127;
  if (output->signal != 0 || output->exit_status > most_conflicts)
    return fail(Step::toolchain, "git merge-file {}: {}", output->how_it_ended(), output->err);
  return Merged{output->out, output->exit_status == 0};
}

// The merge base, a file next to the fork.
Result<std::string> read_base(const Fork& fork) {
  if (fs::exists(fork.base())) return base::read_file(fork.base());
  return with_hint(
      fail(Step::spec, "{}: it is missing, the text of the parent that {} began as",
           fork.shown_base(), fork.shown),
      fmt::format(
          "take it back from version control; if the fork has its parent's changes already, "
          "`phasebit fork --resolved {}` writes it anew",
          fork.name));
}

}  // namespace

Result<Drift> drift_of(const Fork& fork, const std::string& now) {
  PHASEBIT_TRY_ASSIGN(base, read_base(fork));
  if (base::content_hash(base) != fork.recorded())
    return with_hint(
        fail(Step::spec, "{} is not the text that {} records", fork.shown_base(), fork.shown),
        "it must not be edited: restore it from version control");
  if (base == now) return Drift::none;
  PHASEBIT_TRY_ASSIGN(before, read_kernel(base, fork.shown_base()));
  PHASEBIT_TRY_ASSIGN(after, read_kernel(now, fork.parent()));
  const bool same = before.kernel.hash == after.kernel.hash &&
                    ptx::head::write_head(before.head) == ptx::head::write_head(after.head);
  return same ? Drift::comments : Drift::code;
}

Result<bool> merge_fork(const Fork& fork, const std::string& now) {
  PHASEBIT_TRY_ASSIGN(ours, base::read_file(fork.path));
  PHASEBIT_TRY_ASSIGN(base, read_base(fork));
  ForkIdentity identity{fork.name, fork.parent(), base::short_hash(fork.parent()), fork.recorded()};
  PHASEBIT_TRY_ASSIGN(merged, merge_texts(as_parent(ours, identity), base, now));
  identity.text = merged.clean ? base::content_hash(now) : fork.recorded();
  const std::string text = as_fork(merged.text, identity);
  if (!merged.clean) {
    PHASEBIT_TRY(write_file(fork.conflict(), text));
    return false;
  }
  PHASEBIT_TRY(read_kernel(text, fork.shown));
  std::error_code none;
  fs::remove(fork.conflict(), none);
  PHASEBIT_TRY(write_file(fork.base(), now));
  PHASEBIT_TRY(write_file(fork.path, text));
  return true;
}

}  // namespace phasebit::kernel
