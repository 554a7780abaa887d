#include "pipeline/select/choices.h"

#include "gen/space/hand_made.h"

#include <algorithm>
#include <sstream>

namespace phasebit::pipeline::select {

using image::VariantKey;
using ptxas::AssemblerChoice;

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

bool asks_for_ptxas(const SpaceRequest& request) {
  return std::any_of(request.overrides.begin(), request.overrides.end(),
                     [](const std::string& text) { return text.starts_with("ptxas="); });
}

}  // namespace

Result<ptxas::AssemblerAxes> assembler_axes(const SpaceRequest& request, ptxas::AssemblerAxes axes,
                                            std::vector<std::string>& rest) {
  for (const std::string& text : request.overrides) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || !ptxas::is_assembler_axis(text.substr(0, equals))) {
      rest.push_back(text);
      continue;
    }
    std::vector<std::string> values;
    std::istringstream words(text.substr(equals + 1));
    for (std::string word; std::getline(words, word, ',');) values.push_back(word);
    PHASEBIT_TRY(ptxas::set_assembler_axis(request.home, axes, text.substr(0, equals), values));
  }
  if (!request.toolchains.empty() && asks_for_ptxas(request))
    return fail(Step::usage, "--toolchain and -a ptxas= are one and the same: give one of them");
  if (!request.toolchains.empty())
    PHASEBIT_TRY(ptxas::set_assembler_axis(request.home, axes, "ptxas", request.toolchains));
  return axes;
}

Status refuse_text_axes(const std::vector<std::string>& axes, std::string_view owner,
                        std::string_view place) {
  if (axes.empty()) return {};
  std::vector<std::string> others;
  for (const ptxas::AssemblerAxis& axis : ptxas::assembler_axis_facts())
    others.emplace_back(axis.name);
  return with_hint(fail(Step::usage, "-a {}: {} has its axes", axes.front(), owner),
                   fmt::format("{}: {}", place, fmt::join(others, ", ")));
}

void add_choices(std::vector<VariantKey>& variants, const std::vector<AssemblerChoice>& choices) {
  std::vector<VariantKey> all;
  for (const VariantKey& variant : variants)
    for (const AssemblerChoice& choice : choices) {
      // PTX of somebody's hand is not made by LLVM.
      if (!choice.llvm.version.empty() && space::is_hand_made(variant)) continue;
      all.push_back(ptxas::with_assembler(variant, choice));
    }
  variants = std::move(all);
}

Status choose(const SpaceRequest& request, const std::vector<AssemblerChoice>& choices,
              std::vector<VariantKey>& variants) {
  // Before the choices of ptxas stand in the ids: those that will pass with one of them.
  const std::string first = variants.front().id;
  std::erase_if(variants, [&](const VariantKey& variant) {
    if (choices.empty()) return variant.id.find(request.filter) == std::string::npos;
    return std::none_of(choices.begin(), choices.end(), [&](const AssemblerChoice& choice) {
      return ptxas::with_assembler(variant, choice).id.find(request.filter) != std::string::npos;
    });
  });
  if (variants.empty())
    return with_hint(
        fail(Step::usage, "--filter {}: no variant has this in its id", request.filter),
        fmt::format("an id is {}", first));
  keep_spread(variants, request.limit);
  if (choices.empty()) return {};
  const std::string by_hand = variants.front().id;
  add_choices(variants, choices);
  if (variants.empty())
    return with_hint(fail(Step::usage, "-a llvm: {} is PTX of somebody's hand", by_hand),
                     "LLVM makes the PTX of templates");
  std::erase_if(variants, [&](const VariantKey& variant) {
    return variant.id.find(request.filter) == std::string::npos;
  });
  return {};
}

}  // namespace phasebit::pipeline::select
