#include "core/store/old_keys.h"

#include "core/base/hash.h"
#include "core/image/renamed.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include <toml++/toml.h>

namespace phasebit::store {

using image::component_axes;
using image::KeyAxes;
using image::ProtocolLabels;
using record::KeyPool;
using record::Results;
using record::same_class_prefix;
using record::VariantRow;

namespace {

constexpr std::string_view old_keys_toml =
#include "core/store/old_keys.toml.inc"
    ;

// The order in which components' own axes stand in a key.
constexpr std::array<const char*, 4> own_order = {"protocol", "mover", "work", "probe"};
constexpr const char* anchor_probe = "anchor";

struct OldId {
  std::map<std::string, std::string> components;
  KeyAxes named;
};

OldId split_id(const std::string& id) {
  const std::string anchor = std::string(anchor_probe) + "/";
  if (id.starts_with(anchor))
    return {{{"probe", anchor_probe}}, {{anchor_probe, id.substr(anchor.size())}}};
  OldId parts;
  for (size_t at = 0, part = 0; at <= id.size(); ++part) {
    const size_t end = std::min(id.find('/', at), id.size());
    const std::string word = id.substr(at, end - at);
    at = end + 1;
    const size_t equals = word.find('=');
    if (equals != std::string::npos)
      parts.named.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else if (part < component_axes.size())
      parts.components[component_axes[part]] = word;
    else
      parts.named.emplace_back(word, "");
  }
  return parts;
}

KeyAxes axes_of(const toml::table& component) {
  KeyAxes axes;
  if (const toml::array* list = component["axes"].as_array())
    for (const toml::node& node : *list) {
      const std::string word = node.value_or("");
      const size_t equals = std::min(word.find('='), word.size());
      axes.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
    }
  return axes;
}

std::map<std::string, std::string> words_of(const toml::table& file, const char* name) {
  std::map<std::string, std::string> words;
  if (const toml::table* table = file[name].as_table())
    for (const auto& [key, value] : *table) words[std::string(key.str())] = value.value_or("");
  return words;
}

std::map<std::string, ProtocolLabels> protocols_of(const toml::table& file) {
  std::map<std::string, ProtocolLabels> protocols;
  const toml::table* list = file["protocol"].as_table();
  if (list == nullptr) return protocols;
  for (const auto& [name, node] : *list) {
    const toml::table* row = node.as_table();
    if (row == nullptr) continue;
    ProtocolLabels& facts = protocols[std::string(name.str())];
    facts.waits_on = (*row)["waits_on"].value_or("");
    if (const toml::array* blank = (*row)["blank"].as_array())
      for (const toml::node& axis : *blank) facts.blank.emplace_back(axis.value_or(""));
  }
  return protocols;
}

}  // namespace

Result<OldKeys> OldKeys::load() {
  return parse(old_keys_toml, "core/store/old_keys.toml");
}

Result<OldKeys> OldKeys::parse(std::string_view text, const std::string& name) {
  OldKeys keys;
  try {
    const toml::table file = toml::parse(text, name);
    for (const auto& [axis, value] : words_of(file, "defaults"))
      keys.catalogue_.axes[axis] = {value, ""};
    keys.catalogue_.protocols = protocols_of(file);
    const toml::array* components = file["component"].as_array();
    if (components == nullptr) return fail(Step::store, "{}: no [[component]]", name);
    for (const toml::node& node : *components) {
      const toml::table* row = node.as_table();
      if (row == nullptr || !(*row)["kind"].is_string() || !(*row)["name"].is_string())
        return fail(Step::store, "{}:{}: a component without kind and name", name,
                    node.source().begin.line);
      KeyAxes axes = axes_of(*row);
      const std::string component = (*row)["name"].value_or("");
      for (const auto& [axis, value] : axes) {
        const auto known =
            keys.catalogue_.axes.try_emplace(axis, image::AxisFacts{value, ""}).first;
        if (known->second.default_value != value)
          keys.catalogue_.axes[fmt::format("{}.{}", component, axis)] = {value, ""};
      }
      keys.components_[{(*row)["kind"].value_or(""), component}] = std::move(axes);
    }
  } catch (const toml::parse_error& error) {
    return fail(Step::store, "{}:{}: {}", name, error.source().begin.line, error.description());
  }
  return keys;
}

KeyAxes OldKeys::axes_of_component(const std::string& kind, const std::string& name) const {
  const auto at = components_.find({kind, name});
  return at == components_.end() ? KeyAxes() : at->second;
}

VariantRow OldKeys::key_of(const std::string& id, const std::string& hash, KeyPool& pool) const {
  OldId parts = split_id(id);
  KeyAxes defaults;
  for (const char* kind : component_axes)
    if (const auto at = parts.components.find(kind); at != parts.components.end())
      defaults.emplace_back(kind, at->second);
  if (parts.components.size() == component_axes.size()) {
    KeyAxes own = axes_of_component("common", "");
    for (const char* kind : own_order)
      for (auto& axis : axes_of_component(kind, parts.components[kind])) own.push_back(axis);
    defaults.insert(defaults.end(), own.begin(), own.end());
  }
  return {id, hash, pool.share(std::move(defaults)), std::move(parts.named)};
}

namespace {

using SharedAxes = std::shared_ptr<const KeyAxes>;

// `known` are lists of defaults that were looked at, and what they are today.
void rename(VariantRow& row, KeyPool& pool, std::unordered_map<SharedAxes, SharedAxes>& known) {
  const auto [at, is_new] = known.try_emplace(row.defaults, row.defaults);
  if (is_new && image::is_renamed(*row.defaults))
    at->second = pool.share(image::axes_today(*row.defaults));
  row.defaults = at->second;
  if (image::is_renamed(row.named)) row.named = image::axes_today(std::move(row.named));
  std::string id = image::id_today(row.id);
  if (id == row.id) return;
  row.id = std::move(id);
  row.hash = base::short_hash(row.id);
}

// Rows name variants by their ids, the flags of shared code too.
void rename_points(Results& results, const std::unordered_map<std::string, VariantRow>& changed) {
  for (record::PointRow& point : results.points) {
    if (const auto at = changed.find(point.variant_id); at != changed.end()) {
      point.variant_id = at->second.id;
      point.variant_hash = at->second.hash;
    }
    for (std::string& flag : point.flags)
      if (flag.starts_with(same_class_prefix))
        flag =
            std::string(same_class_prefix) + image::id_today(flag.substr(same_class_prefix.size()));
  }
}

// Of "unit" and "neighbour.path", where the default is one of a component's own.
std::string fact_today(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) return std::string(image::axis_today(name));
  std::string component = name.substr(0, dot);
  for (const char* kind : component_axes) component = image::value_today(kind, component);
  return fmt::format("{}.{}", component, image::axis_today(name.substr(dot + 1)));
}

void rename_catalogue(image::CatalogueFacts& facts) {
  std::map<std::string, image::AxisFacts> axes;
  for (auto& [name, fact] : facts.axes) {
    const std::string today = fact_today(name);
    fact.default_value = image::value_today(today.substr(today.find('.') + 1), fact.default_value);
    axes.emplace(today, std::move(fact));
  }
  facts.axes = std::move(axes);
}

}  // namespace

void import_keys(Results& results, const OldKeys& old) {
  std::unordered_set<std::string_view> known;
  for (const VariantRow& variant : results.variants) known.insert(variant.id);
  std::vector<VariantRow> unknown;
  for (const record::PointRow& point : results.points)
    if (known.insert(point.variant_id).second)
      unknown.push_back({point.variant_id, point.variant_hash, nullptr, {}});
  std::move(unknown.begin(), unknown.end(), std::back_inserter(results.variants));
  KeyPool pool;
  std::unordered_map<SharedAxes, SharedAxes> known_defaults;
  std::unordered_map<std::string, VariantRow> changed;
  bool any_old = false;
  for (VariantRow& variant : results.variants) {
    const std::string id = variant.id;
    if (!variant.has_key()) {
      any_old = true;
      variant = old.key_of(id, variant.hash, pool);
    }
    rename(variant, pool, known_defaults);
    if (variant.id != id) changed.emplace(id, variant);
  }
  if (any_old) results.catalogue.add(old.catalogue());
  rename_catalogue(results.catalogue);
  if (!changed.empty()) rename_points(results, changed);
}

Status import_keys(Results& results) {
  PHASEBIT_TRY_ASSIGN(old, OldKeys::load());
  import_keys(results, old);
  return {};
}

}  // namespace phasebit::store
