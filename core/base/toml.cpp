#include "core/base/toml.h"

#include "core/base/text.h"
#include "core/base/toml_table.h"

#include <algorithm>

namespace phasebit::base {
namespace {

int line_of(const toml::source_region& region) {
  return static_cast<int>(region.begin.line);
}

TomlValue convert(const toml::node& node);

TomlValue convert_table(const toml::table& table) {
  struct Item {
    toml::source_position at;
    std::string key;
    const toml::node* node;
  };
  std::vector<Item> items;
  for (const auto& [key, node] : table)
    items.push_back({key.source().begin, std::string(key.str()), &node});
  // toml++ sorts by name.
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.at < b.at; });
  TomlValue value;
  for (const Item& item : items) {
    value.keys.push_back(item.key);
    value.items.push_back(convert(*item.node));
    // Of an array of tables the array knows no line of its own.
    value.items.back().line = static_cast<int>(item.at.line);
  }
  return value;
}

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.kind = TomlValue::Kind::other;
  if (const toml::table* table = node.as_table()) {
    value = convert_table(*table);
  } else if (const toml::array* array = node.as_array()) {
    value.kind = TomlValue::Kind::array;
    for (const toml::node& item : *array) value.items.push_back(convert(item));
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlValue::Kind::text;
    value.text = text->get();
  } else if (const auto* number = node.as_integer()) {
    value.kind = TomlValue::Kind::number;
    value.number = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.kind = TomlValue::Kind::truth;
    value.number = truth->get() ? 1 : 0;
  }
  value.line = line_of(node.source());
  return value;
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto entry = std::find(keys.begin(), keys.end(), key);
  return entry == keys.end() ? nullptr : &items[static_cast<size_t>(entry - keys.begin())];
}

nlohmann::ordered_json to_json(const TomlValue& value) {
  nlohmann::ordered_json json;
  switch (value.kind) {
    case TomlValue::Kind::truth: return value.number != 0;
    case TomlValue::Kind::number: return value.number;
    case TomlValue::Kind::text: return value.text;
    case TomlValue::Kind::other: return json;
    case TomlValue::Kind::array:
      json = nlohmann::ordered_json::array();
      for (const TomlValue& item : value.items) json.push_back(to_json(item));
      return json;
    case TomlValue::Kind::table:
      json = nlohmann::ordered_json::object();
      for (size_t i = 0; i < value.keys.size(); ++i) json[value.keys[i]] = to_json(value.items[i]);
      return json;
  }
  bug("no such TomlValue::Kind");
}

Result<TomlValue> parse_toml(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(table, parse_toml_table(text, file));
  return convert(table);
}

Result<TomlValue> read_toml(const fs::path& path) {
  auto text = read_file(path);
  if (!text) return fail(Step::spec, "{}", text.error().message);
  return parse_toml(*text, path.string());
}

TomlReader::TomlReader(std::string file, const TomlValue& table, std::string name,
                       std::vector<std::string> known, Status& status)
    : file_(std::move(file)), table_(table), name_(std::move(name)), status_(status) {
  if (table_.kind != TomlValue::Kind::table) refuse({}, "must be a table");
  for (const std::string& key : table_.keys)
    if (std::find(known.begin(), known.end(), key) == known.end())
      refuse(key, "no such key", nearest_word_hint(key, known));
}

const TomlValue* TomlReader::get(std::string_view key, TomlValue::Kind kind,
                                 std::string_view what) {
  const TomlValue* value = table_.find(key);
  if (value == nullptr || value->kind == kind) return value;
  refuse(key, fmt::format("must be {}", what));
  return nullptr;
}

std::string TomlReader::text(std::string_view key) {
  if (!has(key)) refuse({}, fmt::format("lacks '{}'", key));
  return text_or(key, {});
}

std::string TomlReader::text_or(std::string_view key, std::string_view fallback) {
  const TomlValue* value = get(key, TomlValue::Kind::text, "a text");
  return value != nullptr ? value->text : std::string(fallback);
}

std::int64_t TomlReader::number_or(std::string_view key, std::int64_t fallback) {
  const TomlValue* value = get(key, TomlValue::Kind::number, "a whole number");
  return value != nullptr ? value->number : fallback;
}

bool TomlReader::truth_or(std::string_view key, bool fallback) {
  const TomlValue* value = get(key, TomlValue::Kind::truth, "true or false");
  return value != nullptr ? value->number != 0 : fallback;
}

std::vector<std::string> TomlReader::words(std::string_view key) {
  std::vector<std::string> all;
  const TomlValue* value = get(key, TomlValue::Kind::array, "an array");
  if (value == nullptr) return all;
  for (const TomlValue& item : value->items) {
    if (item.kind == TomlValue::Kind::text)
      all.push_back(item.text);
    else if (item.kind == TomlValue::Kind::number)
      all.push_back(std::to_string(item.number));
    else
      refuse(key, "must hold words or whole numbers");
  }
  return all;
}

std::vector<const TomlValue*> TomlReader::tables(std::string_view key) {
  std::vector<const TomlValue*> all;
  const TomlValue* value = get(key, TomlValue::Kind::array, fmt::format("tables, [[{}]]", key));
  if (value == nullptr) return all;
  for (const TomlValue& item : value->items) all.push_back(&item);
  return all;
}

const TomlValue* TomlReader::table(std::string_view key) {
  return get(key, TomlValue::Kind::table, "a table");
}

std::string TomlReader::where(std::string_view key) const {
  const TomlValue* value = table_.find(key);
  return fmt::format("{}:{}", file_, value != nullptr ? value->line : table_.line);
}

void TomlReader::refuse(std::string_view key, std::string message, std::string hint) {
  if (!status_) return;
  const std::string subject = key.empty() ? name_ : std::string(key);
  status_ = tl::unexpected<Error>(
      Error{Step::spec, fmt::format("{}: {}: {}", where(key), subject, message), std::move(hint)});
}

}  // namespace phasebit::base
