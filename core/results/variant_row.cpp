#include "core/results/variant_row.h"

#include "core/base/error.h"
#include "core/base/hash.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::results {

using launch::component_axes;
using launch::KeyAxes;

std::string to_string(Origin origin) {
  switch (origin) {
    case Origin::template_: return "template";
    case Origin::form: return "form";
    case Origin::tuned: return "tuned";
    case Origin::snippet: return "snippet";
    case Origin::file: return "file";
    case Origin::nvcc: return "nvcc";
    case Origin::llvm: return "llvm";
  }
  bug("unknown origin");
}

Origin origin_of(const launch::KeyAxes& axes) {
  const auto names = [&](auto meant) { return std::any_of(axes.begin(), axes.end(), meant); };
  const auto named = [&](const char* axis) {
    return names([axis](const auto& one) { return one.first == axis; });
  };
  if (named("nvcc")) return Origin::nvcc;
  if (named("file")) return Origin::file;
  if (named("llvm")) return Origin::llvm;
  if (named("tuned")) return Origin::tuned;
  if (names([](const auto& one) { return one.first.starts_with("snippet."); }))
    return Origin::snippet;
  const bool form =
      names([](const auto& one) { return one.first == "probe" && one.second == "form"; });
  return form ? Origin::form : Origin::template_;
}

namespace {

bool is_component(const std::string& axis) {
  return std::find(component_axes.begin(), component_axes.end(), axis) != component_axes.end();
}

}  // namespace

const std::string* VariantRow::find(const std::string& axis) const {
  if (const std::string* value = launch::find_axis(named, axis)) return value;
  return defaults == nullptr ? nullptr : launch::find_axis(*defaults, axis);
}

std::string VariantRow::value(const std::string& axis) const {
  const std::string* found = find(axis);
  return found == nullptr ? std::string() : *found;
}

KeyAxes VariantRow::axes() const {
  KeyAxes whole = defaults == nullptr ? KeyAxes() : *defaults;
  for (const auto& [axis, value] : named) {
    const auto known = std::find_if(whole.begin(), whole.end(),
                                    [&](const auto& one) { return one.first == axis; });
    if (known == whole.end())
      whole.emplace_back(axis, value);
    else
      known->second = value;
  }
  return whole;
}

VariantRow VariantRow::without(const std::string& axis) const {
  VariantRow other = *this;
  std::erase_if(other.named, [&](const auto& one) { return one.first == axis; });
  if (other.named.size() == named.size()) return other;
  other.id = display_id(defaults == nullptr ? KeyAxes() : *defaults, other.named);
  other.hash = base::short_hash(other.id);
  return other;
}

bool VariantRow::operator==(const VariantRow& other) const {
  const bool same_defaults =
      defaults == other.defaults ||
      (defaults != nullptr && other.defaults != nullptr && *defaults == *other.defaults);
  return id == other.id && hash == other.hash && same_defaults && named == other.named;
}

std::string display_id(const KeyAxes& defaults, const KeyAxes& named) {
  std::string id;
  for (const auto& [axis, value] : defaults)
    if (is_component(axis)) id += (id.empty() ? "" : "/") + value;
  for (const auto& [axis, value] : named) id += fmt::format("/{}={}", axis, value);
  return id;
}

std::shared_ptr<const KeyAxes> KeyPool::share(KeyAxes defaults) {
  auto& known = known_[defaults];
  if (known == nullptr) known = std::make_shared<const KeyAxes>(std::move(defaults));
  return known;
}

VariantRow KeyPool::row_of(const launch::VariantKey& key, const launch::CatalogueFacts& facts) {
  std::vector<std::string> components;
  for (const char* axis : component_axes) components.push_back(key.value(axis));
  VariantRow row{key.id, key.hash, nullptr, {}};
  KeyAxes defaults;
  for (const auto& [axis, value] : key.axes) {
    const std::string* fact = facts.default_of(axis, components);
    if (is_component(axis)) fact = &value;
    if (fact != nullptr) defaults.emplace_back(axis, *fact);
    if (fact == nullptr || *fact != value) row.named.emplace_back(axis, value);
  }
  row.defaults = share(std::move(defaults));
  return row;
}

}  // namespace phasebit::results
