#include "join/bundle/pack.h"

#include "analysis/cubin/change/padding.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/process.h"
#include "core/launch/bundle.h"
#include "core/launch/external.h"
#include "core/launch/manifest.h"
#include "gen/kernel/variant_head.h"
#include "gen/space/hand_made.h"
#include "join/images/anchors.h"
#include "join/images/assembled.h"
#include "join/images/gate_images.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace phasebit::join::bundle {

using images::ImageSet;
using images::make_images;
using images::prepare;
using images::Prepared;
using images::Tools;
using launch::Build;
using launch::BundleVariant;
using launch::ExternalLaunch;
using launch::Image;
using launch::VariantKey;
using select::Space;

namespace {

// What a git command prints in a folder; none where it fails, as in an installed copy.
std::optional<std::string> said_by_git(const fs::path& folder, std::vector<std::string> words) {
  base::ProcessOptions options;
  options.working_directory = folder.string();
  words.insert(words.begin(), "git");
  const auto output = base::run_process(words, options);
  if (!output || !output->ok()) return std::nullopt;
  return output->out;
}

// Whether the templates differ from their commit, by a file that git does not know too.
bool are_changed(const fs::path& templates) {
  return !said_by_git(templates, {"status", "--porcelain", "--", "."}).value_or("").empty();
}

// "3f2a9c1", with "-dirty" where a file of the checkout differs from it.
std::string commit_of(const fs::path& templates) {
  const auto described = said_by_git(templates, {"describe", "--always", "--dirty"});
  if (!described) return {};
  std::string commit = described->substr(0, described->find('\n'));
  return commit.ends_with("-dirty") || !are_changed(templates) ? commit : commit + "-dirty";
}

// All files of a folder of templates, by name.
Result<std::string> hash_of_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    PHASEBIT_TRY_ASSIGN(text, base::read_file(entry.path()));
    files.emplace(fs::relative(entry.path(), folder).string(), std::move(text));
  }
  std::string all;
  for (const auto& [name, text] : files) all += fmt::format("{} {}\n{}", name, text.size(), text);
  return base::short_hash(all);
}

// What templates that no commit has make, from `first` on, is not a variant of the catalogue, so
// its id names them. The bench finds the anchors before it by their names.
Status name_templates(const select::SpaceRequest& request, std::size_t first,
                      launch::Manifest& manifest) {
  const fs::path shipped = request.home.data / "templates";
  PHASEBIT_TRY_ASSIGN(own, hash_of_folder(select::templates_folder(request)));
  PHASEBIT_TRY_ASSIGN(known, hash_of_folder(shipped));
  if (own == known && !are_changed(shipped)) return {};
  manifest.commit += fmt::format("{}templates {}", manifest.commit.empty() ? "" : ", ", own);
  for (std::size_t n = first; n < manifest.variants.size(); ++n) {
    BundleVariant& variant = manifest.variants[n];
    if (launch::is_external(variant.key)) continue;
    variant.key.axes.emplace_back(space::templates_axis, own);
    variant.key.id += fmt::format("/{}={}", space::templates_axis, own);
    variant.key.hash = base::short_hash(variant.key.id);
  }
  return {};
}

// Variants are shown with a refusal rather than lost: the bench makes an error row of it.
void add_image(Packing& packing, BundleVariant& variant, const Result<Image>& image) {
  if (image) {
    variant.images.push_back(*image);
    return;
  }
  Image refused;
  refused.gate.verdict = launch::GateVerdict::failed;
  refused.gate.reason = image.error().text();
  variant.images.push_back(refused);
  packing.refused.push_back({variant.key.id, image.error()});
}

// What a padded image is made of goes into the bundle, and how.
Status add_modules(Packing& packing, Tools& tools, const ImageSet& set) {
  for (const Result<Image>& image : set.images) {
    if (!image) continue;
    const std::string& hash = image->padding_bytes == 0 ? image->module : image->base_module;
    if (packing.modules.contains(hash)) continue;
    PHASEBIT_TRY_ASSIGN(code, ptxas::module_code(*set.assembly, tools.cache_or_null(), hash));
    packing.modules[hash] = std::move(code);
  }
  return {};
}

// Timed code that cannot be padded is measured where it lies; why is said once a reason.
void add_moves(Packing& packing) {
  std::map<std::string, size_t> reasons;
  for (const BundleVariant& variant : packing.manifest.variants)
    for (const Image& image : variant.images) {
      const std::string& hash = image.padding_bytes == 0 ? image.module : image.base_module;
      const auto code = packing.modules.find(hash);
      if (image.build != Build::timed || code == packing.modules.end() ||
          packing.moves.contains(hash))
        continue;
      auto moves = cubin::change::find_code_moves(code->second);
      if (moves)
        packing.moves[hash] = std::move(*moves);
      else
        ++reasons[moves.error().text()];
    }
  for (const auto& [reason, count] : reasons)
    fmt::print(stderr, "{:8}  images that cannot be padded: {}\n", count, reason);
}

// What buffers hold goes from the folder of the launch file into the bundle.
Status add_contents(Packing& packing, const fs::path& folder, ExternalLaunch& launch) {
  for (launch::ExternalContents& one : launch.contents) {
    PHASEBIT_TRY_ASSIGN(bytes, launch::read_contents(folder, one));
    one.file = launch::contents_file("contents", bytes);
    packing.contents[one.file] = std::move(bytes);
  }
  return {};
}

// The facts of kernels without a head, by id. Each must have all that a launch needs.
Result<std::map<std::string, ExternalLaunch>> external_launches(
    Packing& packing, const Space& space, const capture::ExternalFacts& facts) {
  std::map<std::string, ExternalLaunch> launches;
  for (const kernel::Rendered& one : space.files) {
    if (one.has_head) continue;
    PHASEBIT_TRY_ASSIGN(text, base::read_file(one.path));
    PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, one.kernel.source.front().file));
    PHASEBIT_TRY_ASSIGN(
        launch, capture::external_launch(file, *file.find(one.kernel.entry), one.path, facts));
    PHASEBIT_TRY(add_contents(packing, fs::path(facts.captured).parent_path(), launch));
    launches[one.head.key.id] = std::move(launch);
  }
  if (launches.empty() && !facts.empty())
    return with_hint(fail(Step::usage,
                          "--param, --launch, --grid and --block apply only to kernels without a "
                          "head; all of these have one"),
                     "what has a head says it there");
  return launches;
}

// An external kernel is launched as a user says, and no launch of another kind is its equal.
void add_external(BundleVariant& variant, const ExternalLaunch& external) {
  variant.external = external;
  variant.launch.threads = static_cast<int>(external.threads());
  variant.launch.dynamic_shared_bytes = external.shared_bytes;
  variant.launch.cluster_size = static_cast<int>(external.ctas_of_cluster());
  for (Image& image : variant.images) {
    image.sass_class = launch::sass_class_word(image.sass_class, external);
    if (image.gate.verdict == launch::GateVerdict::ungated && image.build == Build::timed)
      image.gate.reason = "none: no head, outputs not verified";
  }
}

// Whether a stranger's text has waits that the guard pass can bound; why not goes to standard
// error.
bool can_be_guarded(const VariantKey& key, const Result<Prepared>& guarded) {
  if (!guarded)
    fmt::print(stderr, "note: {}: no guarded build: {}\n", key.id, guarded.error().text());
  return guarded && !guarded->sites.empty();
}

// The guarded builds of those that wait, whose head says so from now on, in their order.
Result<std::vector<Prepared>> guard_waiting(std::vector<Prepared>& timed, unsigned jobs) {
  std::vector<std::optional<Result<Prepared>>> made(timed.size());
  base::parallel_for(timed.size(), jobs, [&](size_t i) {
    if (timed[i].head.launch.guarded || launch::is_external(timed[i].key))
      made[i] = images::guarded_of(timed[i]);
  });
  std::vector<Prepared> guarded;
  for (size_t i = 0; i < timed.size(); ++i) {
    if (!made[i]) continue;
    bool& waits = timed[i].head.launch.guarded;
    if (launch::is_external(timed[i].key)) waits = can_be_guarded(timed[i].key, *made[i]);
    if (!waits) continue;
    if (!*made[i]) return tl::unexpected<Error>(made[i]->error());
    guarded.push_back(std::move(**made[i]));
  }
  return guarded;
}

Status pack_variants(Packing& packing, Tools& tools, const Space& space,
                     std::vector<Prepared> timed, const PackRequest& request) {
  PHASEBIT_TRY_ASSIGN(launches, external_launches(packing, space, request.external));
  PHASEBIT_TRY_ASSIGN(guarded, guard_waiting(timed, request.tools.jobs));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  packing.manifest.nvdisasm = disassembler.version();
  const std::vector<images::CodeColumn> column{{request.target, {}}};
  std::vector<ImageSet> timed_sets = make_images(tools, timed, column);
  PHASEBIT_TRY(images::gate_images(tools, disassembler, timed, column, timed_sets));
  ImageSet& timed_set = timed_sets.front();
  if (!request.rules.empty())
    PHASEBIT_TRY(images::gate_by_rules(tools, disassembler, request.rules, timed, column.front(),
                                       timed_set));
  PHASEBIT_TRY(images::check_plain_text(tools, timed, column.front(), timed_set));
  PHASEBIT_TRY_ASSIGN(executions, images::run_all(tools, space, request.space, timed));
  images::hold_executions(executions, timed, request.unchecked, timed_set, packing.notes);
  ImageSet guarded_set;
  if (!guarded.empty())
    guarded_set = std::move(make_images(tools, guarded, {{request.target, {}}}).front());
  size_t next_guarded = 0;
  for (size_t i = 0; i < timed.size(); ++i) {
    BundleVariant variant{timed[i].key, timed[i].head.launch, {}};
    add_image(packing, variant, timed_set.images[i]);
    if (variant.launch.guarded) {
      add_image(packing, variant, guarded_set.images[next_guarded]);
      variant.images.back().guard = images::guard_table(guarded[next_guarded++]);
    }
    if (const auto external = launches.find(timed[i].head.key.id); external != launches.end())
      add_external(variant, external->second);
    packing.manifest.variants.push_back(std::move(variant));
  }
  PHASEBIT_TRY(add_modules(packing, tools, timed_set));
  return add_modules(packing, tools, guarded_set);
}

void say_left_out(const std::string& reason, std::size_t count) {
  fmt::print(stderr, "{:8}  variants left out: {}\n", count, reason);
}

// The timed builds. Variants whose text their ptxas cannot be asked about at all (check_takes) are
// left out, counted by the reason.
Result<std::vector<Prepared>> prepare_taken(Tools& tools, const Space& space,
                                            const PackRequest& request) {
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, request.tools.jobs));
  std::map<std::string, size_t> reasons;
  std::vector<Prepared> kept;
  for (Prepared& one : prepared) {
    PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(one.choice.ptxas));
    if (const Status takes = ptxas::check_takes(*toolchain, one.kernel, request.target); takes)
      kept.push_back(std::move(one));
    else
      ++reasons[takes.error().message];
  }
  for (const auto& [reason, count] : reasons) say_left_out(reason, count);
  if (kept.empty()) return fail(Step::usage, "no variant is left to pack for {}", request.target);
  return kept;
}

// Several anchors share a kernel with different launch shapes: each distinct entry is assembled
// once.
Status pack_anchors(Packing& packing, Tools& tools, const Space& space,
                    const PackRequest& request) {
  PHASEBIT_TRY_ASSIGN(anchors, images::prepare_anchors(space.templates));
  std::map<std::string, size_t> first_of;
  std::vector<Prepared> distinct;
  for (const Prepared& anchor : anchors)
    if (first_of.emplace(anchor.kernel.entry, distinct.size()).second) distinct.push_back(anchor);
  const ImageSet set = std::move(make_images(tools, distinct, {{request.target, {}}}).front());
  for (const Prepared& anchor : anchors) {
    BundleVariant variant{anchor.key, anchor.head.launch, {}};
    add_image(packing, variant, set.images[first_of[anchor.kernel.entry]]);
    packing.manifest.variants.push_back(std::move(variant));
  }
  return add_modules(packing, tools, set);
}

}  // namespace

Result<Packing> pack(const PackRequest& request) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, request.target));
  PHASEBIT_TRY_ASSIGN(space, select::open_together(request.space, select::Forks::included));
  space.target = request.target;
  PHASEBIT_TRY_ASSIGN(left_out, select::leave_out_forms(space, request.target));
  for (const auto& [reason, count] : left_out) say_left_out(reason, count);
  PHASEBIT_TRY_ASSIGN(timed, prepare_taken(tools, space, request));
  Packing packing;
  launch::Manifest& manifest = packing.manifest;
  manifest.target = request.target;
  manifest.ptxas = tools.toolchain.version.text();
  manifest.ptxas_flags = fmt::format("{}", fmt::join(tools.options.flags, " "));
  manifest.commit = commit_of(select::templates_folder(request.space));
  manifest.sweep = space.sweep;
  // Results know a snippet by its parent.
  Result<space::Catalogue> plain = space.catalogue;
  if (space.snippet_folder) plain = select::load_catalogue(request.space);
  if (!plain) return tl::unexpected<Error>(plain.error());
  manifest.catalogue = launch::facts_of(kernel::catalogue_facts(*plain));
  if (request.anchors) PHASEBIT_TRY(pack_anchors(packing, tools, space, request));
  const std::size_t anchors = manifest.variants.size();
  PHASEBIT_TRY(pack_variants(packing, tools, space, std::move(timed), request));
  PHASEBIT_TRY(name_templates(request.space, anchors, manifest));
  add_moves(packing);
  return packing;
}

Status write_packing(const fs::path& folder, const Packing& packing) {
  std::error_code ignored;
  for (const char* own : {"modules", "contents"}) fs::remove_all(folder / own, ignored);
  return launch::write_bundle(folder, packing.manifest, packing.modules, packing.moves,
                              packing.contents);
}

}  // namespace phasebit::join::bundle
