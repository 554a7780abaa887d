#include "join/variants/forks.h"

#include "gen/kernel/merge.h"
#include "gen/kernel/snippet.h"
#include "gen/space/hand_made.h"
#include "join/images/prepare.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"
#include "join/select/ptx_files.h"

namespace phasebit::join::variants {

using base::Home;
using kernel::Drift;
using kernel::Fork;
using space::Catalogue;

namespace {

// The file that the parent's templates give today.
Result<std::string> file_of(const fs::path& templates, const Catalogue& catalogue,
                            const launch::VariantKey& parent) {
  PHASEBIT_TRY_ASSIGN(rendered,
                      images::render_one(templates, catalogue, parent, launch::Build::timed));
  return kernel::parent_file(catalogue, rendered);
}

Result<std::string> drift_line(const Home& home, const fs::path& templates,
                               const Catalogue& catalogue, const Fork& fork) {
  const auto parent = select::parent_of(home, catalogue, fork);
  if (!parent) return parent.error().text();
  PHASEBIT_TRY_ASSIGN(now, file_of(templates, catalogue, *parent));
  PHASEBIT_TRY_ASSIGN(drift, kernel::drift_of(fork, now));
  switch (drift) {
    case Drift::none: return std::string();
    case Drift::comments:
      return fmt::format("fork '{}': comments of its parent {} have changed since", fork.name,
                         fork.parent());
    case Drift::code:
      return fmt::format("fork '{}': its parent {} has changed since", fork.name, fork.parent());
  }
  bug("unknown drift");
}

// All of them, or the one that is named.
Result<kernel::FoundForks> chosen_forks(const Home& home, const std::string& name) {
  if (name.empty()) return kernel::read_forks(home);
  PHASEBIT_TRY_ASSIGN(fork, kernel::read_fork(home, name));
  return kernel::FoundForks{{fork}, {}};
}

Result<std::string> parent_today(const select::SpaceRequest& request, const Catalogue& catalogue,
                                 const Fork& fork) {
  PHASEBIT_TRY_ASSIGN(parent, select::parent_of(request.home, catalogue, fork));
  return file_of(select::templates_folder(request), catalogue, parent);
}

// What became of it, in a line.
Result<std::string> merge_one(const Fork& fork, const std::string& now) {
  PHASEBIT_TRY_ASSIGN(drift, kernel::drift_of(fork, now));
  if (drift == Drift::none) return fork.name + ": its parent is as recorded";
  PHASEBIT_TRY_ASSIGN(clean, kernel::merge_fork(fork, now));
  if (clean) return fork.name + ": merged with its current parent";
  return with_hint(
      fail(Step::render, "fork '{}': the merge conflicts; the fork is as it was, see {}", fork.name,
           fork.conflict().string()),
      fmt::format("edit the fork, then `phasebit fork --resolved {}`", fork.name));
}

Result<std::string> resolve_one(const Fork& fork, const std::string& now) {
  PHASEBIT_TRY(kernel::record_parent(fork, now));
  std::error_code none;
  fs::remove(fork.conflict(), none);
  return fork.name + ": its current parent is recorded";
}

// "ring/mbarrier/st_shared/none" has no short name of its own: a number is appended to "tuned".
std::string free_name(const Home& home) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("tuned{}", n);
    if (!fs::exists(kernel::tuned_folder(home) / (name + ".ptx"))) return name;
  }
}

}  // namespace

Result<Fork> begin_fork(const ForkRequest& options) {
  if (options.variant.empty())
    return with_hint(fail(Step::usage, "fork: no variant"),
                     "phasebit fork VARIANT --name NAME, or phasebit fork --merge [NAME]");
  if (select::is_ptx_file(options.variant))
    return with_hint(
        fail(Step::usage, "{}: a file is not a variant of the templates", options.variant),
        "edit the file itself, which every command reads; or fork the variant that it began as, "
        "by its id");
  PHASEBIT_TRY_ASSIGN(space, select::open_one(options.space, options.variant));
  const launch::VariantKey& parent = space.expansion.variants.front();
  if (space::is_hand_made(parent))
    return with_hint(fail(Step::usage, "{} is made by hand itself", parent.id),
                     "fork a variant of the templates");
  PHASEBIT_TRY_ASSIGN(rendered, images::render_one(space, parent, launch::Build::timed));
  const std::string name = options.name.empty() ? free_name(options.space.home) : options.name;
  return kernel::make_fork(options.space.home, space.catalogue, name, rendered);
}

Result<MergedForks> merge_forks(const ForkRequest& options, bool resolved) {
  PHASEBIT_TRY(select::take_only(options.space, {}, resolved ? "--resolved" : "--merge",
                                 "a fork is named as its file is"));
  PHASEBIT_TRY_ASSIGN(catalogue, select::load_catalogue(options.space));
  PHASEBIT_TRY_ASSIGN(found, chosen_forks(options.space.home, options.variant));
  if (found.forks.empty() && found.broken.empty())
    return fail(Step::usage, "no fork under {}", kernel::tuned_folder(options.space.home).string());
  MergedForks merged{{}, std::move(found.broken)};
  for (const Fork& fork : found.forks) {
    const auto now = parent_today(options.space, catalogue, fork);
    const auto done = !now       ? tl::unexpected<Error>(now.error())
                      : resolved ? resolve_one(fork, *now)
                                 : merge_one(fork, *now);
    if (done)
      merged.done.push_back(*done);
    else
      merged.failed.push_back(done.error());
  }
  return merged;
}

std::vector<std::string> drifted_forks(const Home& home, const fs::path& templates,
                                       const Catalogue& catalogue) {
  const kernel::FoundForks found = kernel::read_forks(home);
  std::vector<std::string> lines;
  for (const Error& error : found.broken) lines.push_back(error.text());
  for (const Fork& fork : found.forks) {
    const auto line = drift_line(home, templates, catalogue, fork);
    if (!line || !line->empty()) lines.push_back(line ? *line : line.error().text());
  }
  return lines;
}

}  // namespace phasebit::join::variants
