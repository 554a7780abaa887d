#include "gen/space/hand_made.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/ptx/head/head.h"
#include "gen/space/catalogue.h"

#include <algorithm>

namespace phasebit::space {

using launch::VariantKey;

namespace {

bool is_hand_made_axis(const std::string& axis) {
  return axis == tuned_axis || is_snippet_axis(axis);
}

}  // namespace

bool is_snippet_axis(std::string_view axis) {
  return axis.starts_with(snippet_axis);
}

bool is_later_axis(const Catalogue& catalogue, std::string_view axis) {
  return axis == file_axis || axis == templates_axis || is_hand_made_axis(std::string(axis)) ||
         catalogue.compiler(axis) != nullptr;
}

std::vector<std::string> axis_names(const Catalogue& catalogue) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!base::contains(names, name)) names.push_back(name);
  };
  const auto add_all = [&](const Component& component) {
    for (const Axis& axis : component.axes) add(axis.name);
  };
  add_all(catalogue.common());
  for (const ComponentKind kind : component_kinds) {
    add(std::string(to_string(kind)));
    for (const Component& one : catalogue.components(kind)) add_all(one);
  }
  for (const Axis& axis : catalogue.compilers()) add(axis.name);
  for (const char* axis : ptx::head::nvcc_axes) add(axis);
  add(tuned_axis);
  add(file_axis);
  add(templates_axis);
  return names;
}

bool is_hand_made(const VariantKey& key) {
  return std::any_of(key.axes.begin(), key.axes.end(),
                     [](const auto& axis) { return is_hand_made_axis(axis.first); });
}

std::string snippet_component(const VariantKey& key, ComponentKind kind) {
  std::string component = key.value(std::string(to_string(kind)));
  std::string snippets;
  for (const auto& [axis, label] : key.axes)
    if (is_snippet_axis(axis) && kind_of_verb(axis.substr(snippet_axis.size())) == kind)
      snippets += fmt::format("{}={}\n", axis, label);
  return snippets.empty() ? component : fmt::format("{}@{}", component, base::short_hash(snippets));
}

VariantKey template_key(const Catalogue& catalogue, const VariantKey& key) {
  VariantKey made{key.id, key.hash, {}};
  for (const auto& axis : key.axes)
    if (!is_hand_made_axis(axis.first) && catalogue.compiler(axis.first) == nullptr)
      made.axes.push_back(axis);
  for (auto& [axis, value] : made.axes)
    for (const ComponentKind kind : component_kinds)
      if (axis == to_string(kind)) value = snippet_component(key, kind);
  return made;
}

}  // namespace phasebit::space
