#include "join/select/choices.h"

#include "core/base/text.h"
#include "gen/space/form_space.h"
#include "gen/space/hand_made.h"

#include <algorithm>

namespace phasebit::join::select {

using launch::Build;
using launch::VariantKey;
using space::AxisValues;
using space::CompilerChoice;

namespace {

// Every n-th variant, so that a limited sweep still has all kinds of them.
void keep_spread(std::vector<VariantKey>& variants, int limit) {
  const auto wanted = static_cast<size_t>(limit);
  if (wanted == 0 || variants.size() <= wanted) return;
  std::vector<VariantKey> kept;
  for (size_t i = 0; i < wanted; ++i)
    kept.push_back(std::move(variants[i * variants.size() / wanted]));
  variants = std::move(kept);
}

// Each variant once for each choice.
void add_choices(const space::Catalogue& catalogue, const std::vector<CompilerChoice>& choices,
                 std::vector<VariantKey>& variants) {
  std::vector<VariantKey> all;
  for (const VariantKey& variant : variants)
    for (const CompilerChoice& choice : choices) {
      // Hand-written PTX is not made by LLVM.
      if (space::names_llvm(catalogue, choice) && space::is_hand_made(variant)) continue;
      all.push_back(space::with_choice(catalogue, variant, choice));
    }
  variants = std::move(all);
}

}  // namespace

Result<std::vector<AxisValues>> compiler_axes(const SpaceRequest& request,
                                              const space::Catalogue& catalogue,
                                              std::vector<AxisValues> of_sweep,
                                              std::vector<std::string>& rest) {
  std::vector<AxisValues> asked;
  const auto is_asked = [&](const AxisValues& one) {
    return std::ranges::count(asked, one.axis, &AxisValues::axis) > 0;
  };
  for (const std::string& text : request.overrides) {
    const size_t equals = std::min(text.find('='), text.size());
    if (equals == text.size() || catalogue.compiler(text.substr(0, equals)) == nullptr) {
      rest.push_back(text);
      continue;
    }
    PHASEBIT_TRY_ASSIGN(
        values, space::parse_compiler_values(request.home, catalogue, text.substr(0, equals),
                                             text.substr(equals + 1)));
    if (is_asked(values))
      return fail(Step::usage, "-a {}: axis '{}' is already given", text, values.axis);
    asked.push_back(std::move(values));
  }
  if (!request.toolchains.empty()) {
    PHASEBIT_TRY_ASSIGN(values, space::parse_compiler_values(
                                    request.home, catalogue, "ptxas",
                                    fmt::format("{}", fmt::join(request.toolchains, ","))));
    if (is_asked(values))
      return fail(Step::usage, "--toolchain and -a ptxas= are one and the same: give one of them");
    asked.push_back(std::move(values));
  }
  std::erase_if(of_sweep, is_asked);
  of_sweep.insert(of_sweep.end(), asked.begin(), asked.end());
  return of_sweep;
}

Result<std::vector<AxisValues>> compiler_axes_alone(const SpaceRequest& request,
                                                    const space::Catalogue& catalogue,
                                                    std::string_view owner,
                                                    std::string_view place) {
  std::vector<std::string> rest, names;
  PHASEBIT_TRY_ASSIGN(asked, compiler_axes(request, catalogue, {}, rest));
  if (rest.empty()) return asked;
  for (const space::Axis& axis : catalogue.compilers()) names.push_back(axis.name);
  return with_hint(fail(Step::usage, "-a {}: {} has its axes", rest.front(), owner),
                   fmt::format("{}: {}", place, fmt::join(names, ", ")));
}

Status choose(const SpaceRequest& request, const space::Catalogue& catalogue,
              const std::vector<CompilerChoice>& choices, std::vector<VariantKey>& variants) {
  // Before the choices are in the ids: those that will pass with one of them.
  const std::string first = variants.front().id;
  std::erase_if(variants, [&](const VariantKey& variant) {
    if (choices.empty()) return variant.id.find(request.filter) == std::string::npos;
    return std::none_of(choices.begin(), choices.end(), [&](const CompilerChoice& choice) {
      return space::with_choice(catalogue, variant, choice).id.find(request.filter) !=
             std::string::npos;
    });
  });
  if (variants.empty())
    return with_hint(
        fail(Step::usage, "--filter {}: no variant has this in its id", request.filter),
        fmt::format("an id is {}", first));
  keep_spread(variants, request.limit);
  if (choices.empty()) return {};
  const std::string by_hand = variants.front().id;
  add_choices(catalogue, choices, variants);
  if (variants.empty())
    return with_hint(fail(Step::usage, "-a llvm: {} is hand-written PTX", by_hand),
                     "LLVM can only generate the PTX of templates");
  std::erase_if(variants, [&](const VariantKey& variant) {
    return variant.id.find(request.filter) == std::string::npos;
  });
  return {};
}

Result<Build> parse_build(const std::string& word) {
  if (word == "timed") return Build::timed;
  if (word == "guarded") return Build::guarded;
  return with_hint(fail(Step::usage, "--build {}: no such build", word),
                   base::nearest_word_hint(word, {"timed", "guarded"}));
}

std::vector<std::string> given_options(const SpaceRequest& request) {
  const std::pair<const char*, bool> options[] = {
      {"--spec", !request.spec.empty()},         {"--sweep", !request.sweep.empty()},
      {"--variants", !request.variants.empty()}, {"--id", !request.ids.empty()},
      {"-a", !request.overrides.empty()},        {"--toolchain", !request.toolchains.empty()},
      {"--snippet", !request.snippets.empty()},  {"--filter", !request.filter.empty()},
      {"--limit", request.limit != 0},           {"--tuned", request.tuned_only},
      {"--kernel", !request.kernel.empty()},
  };
  std::vector<std::string> given;
  for (const auto& [name, is_given] : options)
    if (is_given) given.emplace_back(name);
  return given;
}

Status take_only(const SpaceRequest& request, const std::vector<std::string_view>& allowed,
                 std::string_view what, std::string_view hint) {
  std::vector<std::string> refused = given_options(request);
  std::erase_if(refused, [&](const std::string& name) {
    return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  });
  if (refused.empty()) return {};
  return with_hint(fail(Step::usage, "{}: no {} with it", what, fmt::join(refused, ", ")),
                   std::string(hint));
}

namespace {

Result<std::string> why_left_out(const forms::FormBook& book, const VariantKey& key,
                                 const std::string& target) {
  PHASEBIT_TRY_ASSIGN(placed, book.placed(key.value("form")));
  if (!book.table().accepts(*placed->form, target))
    return fmt::format("ptxas does not accept the form for {}", target);
  if (!placed->needs.empty()) return fmt::format("the form needs {}", placed->needs);
  return std::string();
}

}  // namespace

Result<std::vector<std::pair<std::string, int>>> leave_out_forms(Space& space,
                                                                 const std::string& target) {
  std::vector<std::pair<std::string, int>> reasons;
  std::vector<VariantKey> kept;
  for (VariantKey& key : space.expansion.variants) {
    std::string why;
    if (space::is_form(key)) {
      PHASEBIT_TRY_ASSIGN(book, forms::FormBook::get());
      PHASEBIT_TRY_ASSIGN(reason, why_left_out(*book, key, target));
      why = std::move(reason);
    }
    if (why.empty()) {
      kept.push_back(std::move(key));
      continue;
    }
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& entry) { return entry.first == why; });
    if (known == reasons.end())
      reasons.emplace_back(why, 1);
    else
      ++known->second;
  }
  space.expansion.variants = std::move(kept);
  return reasons;
}

}  // namespace phasebit::join::select
