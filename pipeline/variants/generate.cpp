#include "cli/commands.h"
#include "pipeline/variants/forks.h"
#include "core/base/home.h"
#include "pipeline/images/estimate.h"
#include "pipeline/images/prepare.h"
#include "pipeline/images/progress.h"
#include "pipeline/select/given.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/words.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::json;

void print_list(const Expansion& expansion, bool as_json) {
  if (!as_json) {
    for (const VariantKey& variant : expansion.variants)
      fmt::print("{} {}\n", variant.hash, variant.id);
    return;
  }
  json list = json::array();
  for (const VariantKey& variant : expansion.variants)
    list.push_back({{"hash", variant.hash}, {"id", variant.id}, {"axes", variant.axes}});
  fmt::print("{}\n", list.dump(1));
}

json number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

void print_dry_run(const Expansion& expansion, bool as_json) {
  const Estimate cost = estimate(static_cast<double>(expansion.variants.size()));
  if (as_json) {
    json pruned = json::array();
    for (const auto& [reason, points] : expansion.pruned)
      pruned.push_back({{"reason", reason}, {"points", points}});
    fmt::print("{}\n",
               json({{"variants", expansion.variants.size()},
                     {"pruned", pruned},
                     {"assemble_core_seconds_per_target", number(cost.assemble_core_seconds)},
                     {"measure_seconds_per_repetition", number(cost.measure_seconds)}})
                   .dump(1));
    return;
  }
  fmt::print("{}{}\n", describe(expansion), describe(cost));
}

// ptx/NAME.ptx: the id with what a file name cannot hold replaced.
std::string file_name(const VariantKey& variant) {
  std::string name = variant.id;
  for (char& c : name)
    if (c == '/') c = '.';
  return name + ".ptx";
}

struct Written {
  fs::path path;
  std::string text;
};

Result<std::vector<Written>> texts(const Space& space, const fs::path& folder, Build build) {
  std::vector<Written> out;
  const auto progress = progress_on_terminal("variants rendered");
  for (const VariantKey& variant : space.expansion.variants) {
    if (progress) progress(out.size(), space.expansion.variants.size());
    PHASEBIT_TRY_ASSIGN(rendered, render_one(space, variant, build));
    out.push_back({folder / file_name(variant), kernel_file(rendered)});
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
    const auto present = read_file(file.path);
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

Status check_forks(const Space& space) {
  PHASEBIT_TRY_ASSIGN(drifted, drifted_forks(space.templates, space.catalogue));
  if (drifted.empty()) return {};
  return with_hint(fail(Step::render, "{}", fmt::join(drifted, "\n  ")), "`phasebit fork --merge`");
}

Status note_forks(const Space& space) {
  PHASEBIT_TRY_ASSIGN(drifted, drifted_forks(space.templates, space.catalogue));
  for (const std::string& line : drifted)
    fmt::print(stderr, "note: {}: `phasebit fork --merge`\n", line);
  return {};
}

Status run_curated(const GenerateOptions& options) {
  PHASEBIT_TRY(take_only(options.space, {}, "--curated", "the curated variants are all written"));
  SpaceRequest request = options.space;
  const Home at = home();
  request.spec = (at.data / "specs" / "curated.toml").string();
  request.sweep = "curated";
  const fs::path listings = (options.check ? at.data : at.work) / "ptx";
  const fs::path folder = options.out.empty() ? listings : fs::path(options.out);
  PHASEBIT_TRY_ASSIGN(space, open_space(request));
  PHASEBIT_TRY_ASSIGN(files, texts(space, folder, Build::timed));
  if (options.check) {
    PHASEBIT_TRY(check_curated(files, folder));
    PHASEBIT_TRY(check_forks(space));
    fmt::print("{} curated listings are what the templates give\n", files.size());
    return {};
  }
  for (const Written& file : files) PHASEBIT_TRY(write_file(file.path, file.text));
  fmt::print("{} curated listings written to {}\n", files.size(), folder.string());
  return note_forks(space);
}

}  // namespace

Status run_generate(const GenerateOptions& options) {
  if (options.curated) return run_curated(options);
  PHASEBIT_TRY_ASSIGN(space, open_space(options.space));
  if (options.list) {
    print_list(space.expansion, options.json);
    return {};
  }
  if (options.dry_run) {
    print_dry_run(space.expansion, options.json);
    return {};
  }
  PHASEBIT_TRY_ASSIGN(build, parse_build(options.build));
  const fs::path folder = options.out.empty() ? fs::path("generated") : fs::path(options.out);
  PHASEBIT_TRY_ASSIGN(files, texts(space, folder, build));
  for (const Written& file : files) PHASEBIT_TRY(write_file(file.path, file.text));
  fmt::print("{} variants written to {}\n", files.size(), folder.string());
  for (const auto& [reason, points] : space.expansion.pruned)
    fmt::print(stderr, "pruned {}: {}\n", points, reason);
  return note_forks(space);
}

}  // namespace phasebit
