#include "join/select/ptx_files.h"

#include "analysis/cubin/source/names.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/isa/targets.h"
#include "core/launch/external.h"
#include "core/ptx/file.h"
#include "gen/kernel/head_plan.h"
#include "gen/kernel/snippet.h"
#include "gen/space/compilers.h"
#include "gen/space/hand_made.h"
#include "join/select/choices.h"

#include <algorithm>

namespace phasebit::join::select {

using kernel::Rendered;
using kernel::shown_path;
using kernel::Snippet;
using launch::VariantKey;
using space::Catalogue;
using space::file_axis;

namespace {

// After a file's name in every id, table and file of results: its rules, barriers, items or text
// are not those of the variant that its key names.
constexpr const char* not_held = "-not-held-to-its-key";

// "NAME@HASH8"
std::string label_of(const fs::path& path, const std::string& text) {
  constexpr size_t digits = 8;
  return fmt::format("{}@{}", path.stem().string(), base::content_hash(text).substr(0, digits));
}

// Whether the file is a fork of the project: its id names it, and no hash is needed. Any other file
// may say in its head that it is one.
bool is_fork(const base::Home& home, const fs::path& path) {
  const auto fork = kernel::read_fork(home, path.stem().string());
  std::error_code none;
  return fork && fs::equivalent(fork->path, path, none);
}

Result<const Catalogue*> load(HeadCatalogue& catalogue) {
  if (!catalogue.loaded) {
    PHASEBIT_TRY_ASSIGN(loaded, space::Catalogue::load(catalogue.templates));
    catalogue.loaded = std::move(loaded);
    catalogue.texts.emplace(*catalogue.loaded, catalogue.templates);
  }
  return &*catalogue.loaded;
}

// Whether head and text are those of the variant of its key.
Result<bool> check_key(HeadCatalogue& catalogue, Rendered& kernel, bool fork) {
  ptx::head::Head& head = kernel.head;
  PHASEBIT_TRY_ASSIGN(loaded, load(catalogue));
  PHASEBIT_TRY(kernel::complete_head(*loaded, head));
  PHASEBIT_TRY_ASSIGN(held, kernel::is_held_to_key(*loaded, head, head.key));
  std::string nearer;
  if (held && !head.own_components() && !fork) {
    PHASEBIT_TRY_ASSIGN(
        found, catalogue.texts->nearer(kernel.kernel, space::template_key(*loaded, head.key)));
    nearer = std::move(found);
  }
  return held && nearer.empty();
}

void name_after_file(Rendered& kernel, const std::string& label) {
  VariantKey& key = kernel.head.key;
  if (!kernel.has_head) {
    key.id = fmt::format("{}/{}/{}", launch::external_kind, label, kernel.kernel.entry);
    for (auto& [axis, value] : key.axes)
      if (axis == file_axis) value = label;
  } else {
    key.axes.emplace_back(file_axis, label);
    key.id += fmt::format("/{}={}", file_axis, label);
  }
  key.hash = base::short_hash(key.id);
}

// Two kernels of one key would be one row.
Status check_distinct(const std::vector<Rendered>& kernels, const std::string& file) {
  for (size_t b = 1; b < kernels.size(); ++b)
    for (size_t a = 0; a < b; ++a)
      if (kernels[a].head.key.id == kernels[b].head.key.id)
        return with_hint(
            fail(Step::spec, "{}: {} and {} have one key, {}", file, kernels[a].kernel.entry,
                 kernels[b].kernel.entry, kernels[b].head.key.id),
            "give one of them another value of an axis, or a file of its own");
  return {};
}

std::vector<std::string> names_of(const std::vector<Rendered>& kernels) {
  std::vector<std::string> names;
  for (const Rendered& one : kernels) names.push_back(one.kernel.entry);
  return names;
}

}  // namespace

bool is_ptx_file(const std::string& word) {
  return word.ends_with(".ptx");
}

bool lacks_heads(const fs::path& path) {
  const auto text = base::read_file(path);
  const auto file = text ? ptx::read_ptx(*text, path.string())
                         : Result<ptx::PtxFile>(tl::unexpected<Error>(text.error()));
  return file && std::all_of(file->functions.begin(), file->functions.end(),
                             [](const ptx::PtxFunction& one) { return one.head_lines.empty(); });
}

std::string default_target(const std::string& word) {
  constexpr const char* usual = "sm_90a";
  if (!is_ptx_file(word)) return usual;
  const auto text = base::read_file(word);
  const auto file =
      text ? ptx::read_ptx(*text, word) : Result<ptx::PtxFile>(tl::unexpected<Error>(text.error()));
  const auto known = isa::TargetTable::load();
  if (!file || !known) return usual;
  const std::string own = file->target.substr(0, file->target.find_first_of(", \t"));
  const auto target = known->find(own);
  return target && !target->family.empty() ? own : usual;  // no code is made for older ones
}

Result<std::vector<Rendered>> read_ptx_kernels(const fs::path& path, HeadCatalogue& catalogue) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  PHASEBIT_TRY_ASSIGN(kernels, kernel::read_kernels(text, shown_path(catalogue.home, path)));
  const std::string label = label_of(path, text);
  const bool fork = is_fork(catalogue.home, path);
  for (Rendered& one : kernels) {
    if (one.kernel.build == launch::Build::guarded)
      return with_hint(fail(Step::usage, "{}: {} is a guarded build",
                            shown_path(catalogue.home, path), one.kernel.entry),
                       "give the timed one: its guarded build is made from it");
    bool held = true;
    if (one.has_head) {
      PHASEBIT_TRY_ASSIGN(is_held, check_key(catalogue, one, fork));
      held = is_held;
    }
    if (!fork) name_after_file(one, held ? label : label + not_held);
    one.path = path;
  }
  PHASEBIT_TRY(check_distinct(kernels, shown_path(catalogue.home, path)));
  return std::move(kernels);
}

namespace {

// Without a question as they are.
Result<std::vector<space::CompilerChoice>> choices_of_files(const SpaceRequest& request,
                                                            HeadCatalogue& catalogue) {
  if (request.overrides.empty() && request.toolchains.empty())
    return std::vector<space::CompilerChoice>{};
  PHASEBIT_TRY_ASSIGN(loaded, load(catalogue));
  PHASEBIT_TRY_ASSIGN(asked, compiler_axes_alone(request, *loaded, "a file", "of a file"));
  for (const space::AxisValues& one : asked)
    if (space::is_llvm_axis(*loaded, one.axis))
      return with_hint(fail(Step::usage, "-a {}: a file is PTX already", one.axis),
                       "`phasebit llvm lower FILE.ll` makes PTX of IR");
  return space::combinations(*loaded, asked);
}

}  // namespace

Result<Space> open_files(const SpaceRequest& request, const std::vector<std::string>& files) {
  PHASEBIT_TRY(take_only(request, {"--kernel", "--filter", "--limit", "-a", "--toolchain"},
                         "files are not variants", "choose with --kernel and --filter"));
  Space space{templates_folder(request), {}, {}, {}};
  HeadCatalogue catalogue{request.home, space.templates};
  PHASEBIT_TRY_ASSIGN(choices, choices_of_files(request, catalogue));
  std::vector<VariantKey>& variants = space.expansion.variants;
  std::vector<std::string> names;
  std::string first;
  for (const std::string& file : files) {
    PHASEBIT_TRY_ASSIGN(kernels, read_ptx_kernels(file, catalogue));
    for (Rendered& one : kernels) {
      names.push_back(one.kernel.entry);
      if (first.empty()) first = one.head.key.id;
      if (one.kernel.entry.find(request.kernel) == std::string::npos &&
          cubin::source::demangled(one.kernel.entry).find(request.kernel) == std::string::npos)
        continue;
      variants.push_back(one.head.key);
      space.files.push_back(std::move(one));
    }
  }
  if (variants.empty())
    return with_hint(
        fail(Step::usage, "no kernel '{}' in {}", request.kernel, fmt::join(files, ", ")),
        base::nearest_word_hint(request.kernel, names));
  if (catalogue.loaded) space.catalogue = std::move(*catalogue.loaded);
  PHASEBIT_TRY(choose(request, space.catalogue, choices, variants));
  std::erase_if(space.files, [&](const Rendered& one) {
    return std::none_of(variants.begin(), variants.end(), [&](const VariantKey& key) {
      return space::text_key(space.catalogue, key).id == one.head.key.id;
    });
  });
  return space;
}

Result<Space> open_one_file(const SpaceRequest& request, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(space, open_files(request, {file}));
  if (space.files.size() > 1)
    return with_hint(fail(Step::usage, "{} has {} kernels", file, space.files.size()),
                     fmt::format("--kernel: one of {}", fmt::join(names_of(space.files), ", ")));
  if (space.expansion.variants.size() > 1)
    return fail(Step::usage, "{}: one kernel has one ptxas", file);
  return std::move(space);
}

namespace {

Result<std::vector<Snippet>> read_all(const SpaceRequest& request, const space::Sweep* sweep) {
  std::vector<Snippet> snippets;
  if (sweep != nullptr)
    for (const space::SweepSnippet& named : sweep->snippets) {
      PHASEBIT_TRY_ASSIGN(snippet,
                          kernel::read_snippet(named.verb, named.file).map_error([&](Error error) {
                            error.message = fmt::format("{}: {}", named.where, error.message);
                            return error;
                          }));
      snippets.push_back(std::move(snippet));
    }
  for (const std::string& assignment : request.snippets) {
    PHASEBIT_TRY_ASSIGN(snippet, kernel::read_snippet(assignment));
    snippets.push_back(std::move(snippet));
  }
  for (size_t i = 0; i < snippets.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (snippets[i].verb == snippets[j].verb)
        return fail(Step::usage, "two snippets for '{}': {} and {}", snippets[i].verb,
                    snippets[j].path.string(), snippets[i].path.string());
  return snippets;
}

Status check_protocols(const Catalogue& catalogue, const std::vector<Snippet>& snippets) {
  for (const Snippet& snippet : snippets)
    if (!snippet.protocol.empty())
      if (const Status known = catalogue.check_value("protocol", snippet.protocol); !known)
        return with_hint(fail(Step::spec, "{}: {}", snippet.path.string(), known.error().message),
                         known.error().hint);
  return {};
}

bool takes(const VariantKey& variant, const std::vector<Snippet>& snippets) {
  return std::all_of(snippets.begin(), snippets.end(), [&](const Snippet& snippet) {
    return snippet.protocol.empty() || snippet.protocol == variant.value("protocol");
  });
}

}  // namespace

Result<std::vector<Snippet>> read_snippets(const SpaceRequest& request, const Catalogue& catalogue,
                                           const space::Sweep* sweep) {
  PHASEBIT_TRY_ASSIGN(snippets, read_all(request, sweep));
  PHASEBIT_TRY(check_protocols(catalogue, snippets));
  return std::move(snippets);
}

void add_snippets(const Catalogue& catalogue, const std::vector<Snippet>& snippets,
                  std::vector<VariantKey>& variants) {
  if (snippets.empty()) return;
  std::vector<VariantKey> all;
  for (VariantKey& variant : variants) {
    all.push_back(std::move(variant));
    const VariantKey& key = all.back();
    // How a text is compiled comes after the snippets.
    if (!space::is_hand_made(key) && takes(key, snippets))
      all.push_back(space::with_choice(
          catalogue, kernel::snippet_key(space::text_key(catalogue, key), snippets),
          space::choice_of(catalogue, key)));
  }
  variants = std::move(all);
}

Status lay_snippets(Space& space, const std::vector<Snippet>& snippets) {
  if (snippets.empty()) return {};
  PHASEBIT_TRY_ASSIGN(folder, kernel::make_snippet_folder(space.templates, space.catalogue,
                                                          space.expansion.variants, snippets));
  auto catalogue = Catalogue::load(folder.path());
  if (!catalogue)
    return fail(Step::spec, "{}: {}", snippets.front().path.string(), catalogue.error().message);
  space.catalogue = std::move(*catalogue);
  space.templates = folder.path();
  space.snippet_folder = std::make_shared<const base::TempDir>(std::move(folder));
  return {};
}

}  // namespace phasebit::join::select
