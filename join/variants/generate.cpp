#include "join/variants/generate.h"

#include "gen/space/compilers.h"
#include "join/images/prepare.h"
#include "join/images/progress.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"
#include "join/variants/forks.h"

#include <algorithm>

namespace phasebit::join::variants {

using base::Home;
using select::Space;

namespace {

// ptx/NAME.ptx: the id with what a file name cannot hold replaced.
std::string file_name(const launch::VariantKey& variant) {
  std::string name = variant.id;
  for (char& c : name)
    if (c == '/') c = '.';
  return name + ".ptx";
}

struct Written {
  fs::path path;
  std::string text;
};

struct Texts {
  std::vector<Written> files;
  std::vector<std::string> refused;
};

Result<Texts> texts(const Space& space, const fs::path& folder, launch::Build build,
                    kernel::HeadingLines lines) {
  Texts out;
  const auto progress = images::progress_on_terminal("variants rendered");
  images::VariantMaker maker(space);
  for (const launch::VariantKey& variant : space.expansion.variants) {
    if (progress) progress(out.files.size(), space.expansion.variants.size());
    auto rendered = maker.make(variant, build);
    if (!rendered && space::llvm_of(variant).version.empty())
      return tl::unexpected<Error>(rendered.error());
    if (rendered)
      out.files.push_back(
          {folder / file_name(variant), kernel::kernel_file(space.catalogue, *rendered, lines)});
    else
      out.refused.push_back(fmt::format("{}: {}", variant.id, rendered.error().text()));
  }
  return out;
}

// The first line that differs, for a message.
std::string first_difference(const std::string& before, const std::string& after) {
  const auto at = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first;
  return fmt::format("line {}", 1 + std::count(before.begin(), at, '\n'));
}

Status check_curated(const std::vector<Written>& files, const fs::path& folder) {
  std::vector<std::string> stale;
  for (const Written& file : files) {
    const auto present = base::read_file(file.path);
    const std::string name = file.path.filename().string();
    if (!present)
      stale.push_back(name + ": missing");
    else if (*present != file.text)
      stale.push_back(name + ": differs at " + first_difference(*present, file.text));
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool known = std::any_of(files.begin(), files.end(),
                                   [&](const Written& file) { return file.path == entry.path(); });
    if (!known && entry.path().extension() == ".ptx")
      stale.push_back(entry.path().filename().string() + ": no curated variant has this name");
  }
  if (stale.empty()) return {};
  return with_hint(
      fail(Step::render, "{} of the listings in {} are not what the templates give:\n  {}",
           stale.size(), folder.string(), fmt::join(stale, "\n  ")),
      "look at the difference, then `phasebit generate --curated`");
}

Status check_forks(const Home& home, const Space& space) {
  const auto drifted = drifted_forks(home, space.templates, space.catalogue);
  if (drifted.empty()) return {};
  return with_hint(fail(Step::render, "{}", fmt::join(drifted, "\n  ")), "`phasebit fork --merge`");
}

Result<Generated> write_files(const Home& home, const Space& space, const Texts& made,
                              const fs::path& folder) {
  for (const Written& file : made.files) PHASEBIT_TRY(base::write_file(file.path, file.text));
  const auto drifted = drifted_forks(home, space.templates, space.catalogue);
  return Generated{made.files.size(), folder, space.expansion.pruned, made.refused, drifted};
}

Result<Generated> generate_curated(const GenerateRequest& options) {
  PHASEBIT_TRY(
      select::take_only(options.space, {}, "--curated", "the curated variants are all written"));
  select::SpaceRequest request = options.space;
  const Home& at = request.home;
  request.spec = (at.data / "specs" / "curated.toml").string();
  request.sweep = "curated";
  const fs::path listings = (options.check ? at.data : at.work) / "ptx";
  const fs::path folder = options.out.empty() ? listings : fs::path(options.out);
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request));
  // Committed: a line more in a template must not change every file.
  PHASEBIT_TRY_ASSIGN(made,
                      texts(space, folder, launch::Build::timed, kernel::HeadingLines::left_out));
  if (!options.check) return write_files(at, space, made, folder);
  PHASEBIT_TRY(check_curated(made.files, folder));
  PHASEBIT_TRY(check_forks(at, space));
  return Generated{made.files.size(), folder, {}, {}, {}};
}

}  // namespace

Result<Generated> generate(const GenerateRequest& options) {
  if (options.curated) return generate_curated(options);
  PHASEBIT_TRY_ASSIGN(space, select::open_space(options.space));
  PHASEBIT_TRY_ASSIGN(build, select::parse_build(options.build));
  const fs::path folder = options.out.empty() ? fs::path("generated") : fs::path(options.out);
  PHASEBIT_TRY_ASSIGN(made, texts(space, folder, build, kernel::HeadingLines::shown));
  return write_files(options.space.home, space, made, folder);
}

}  // namespace phasebit::join::variants
