#include "gen/space/fact_table.h"

#include "core/base/text.h"

#include <algorithm>

namespace phasebit::space {

using base::TomlReader;
using base::TomlValue;

FactTable::FactTable(const Catalogue& catalogue, const std::vector<File>& files,
                     const std::string& name, const std::vector<std::string>& keys, Status& status)
    : catalogue_(catalogue), name_("[" + name + "]") {
  empty_.line = 1;
  for (const File& file : files) {
    const TomlValue* table = file.table->find(name);
    readers_.emplace_back(file.name, table != nullptr ? *table : empty_, name_, keys, status);
  }
}

TomlReader* FactTable::reader(std::string_view key) {
  for (TomlReader& one : readers_)
    if (one.has(key)) return &one;
  return nullptr;
}

TomlReader* FactTable::need(std::string_view key, std::string_view what) {
  TomlReader* found = reader(key);
  if (found == nullptr)
    readers_.front().refuse({}, fmt::format("lacks '{}'", key), fmt::format("write {}", what));
  return found;
}

void FactTable::refuse(std::string_view key, std::string message, std::string hint) {
  TomlReader* found = reader(key);
  (found != nullptr ? found : &readers_.front())->refuse(key, std::move(message), std::move(hint));
}

std::int64_t FactTable::number(std::string_view key, std::string_view what) {
  TomlReader* found = need(key, what);
  return found != nullptr ? found->number_or(key, 0) : 0;
}

bool FactTable::truth(std::string_view key, std::string_view what) {
  TomlReader* found = need(key, what);
  return found != nullptr && found->truth_or(key, false);
}

std::string FactTable::word(std::string_view key, const std::vector<std::string>& valid) {
  TomlReader* found =
      need(key, fmt::format("{} = \"{}\"", key, fmt::join(valid, fmt::format("\" or \""))));
  if (found == nullptr) return {};
  const std::string text = found->text(key);
  if (std::find(valid.begin(), valid.end(), text) == valid.end())
    found->refuse(key, fmt::format("no '{}'", text), base::nearest_word_hint(text, valid));
  return text;
}

std::optional<Expression> FactTable::expression(std::string_view key, ValueKind kind,
                                                std::string_view what) {
  return need(key, what) != nullptr ? expression_if(key, kind) : std::nullopt;
}

std::optional<Expression> FactTable::expression_if(std::string_view key, ValueKind kind) {
  TomlReader* found = reader(key);
  if (found == nullptr) return {};
  const TomlValue& value = *found->find(key);
  const bool is_number = value.kind == TomlValue::Kind::number;
  auto compiled =
      catalogue_.compile(is_number ? std::to_string(value.number) : found->text(key), kind, true);
  if (compiled) return std::move(*compiled);
  found->refuse(key, compiled.error());
  return {};
}

std::vector<Expression> FactTable::numbers_if(std::string_view key) {
  std::vector<Expression> all;
  TomlReader* found = reader(key);
  if (found == nullptr) return all;
  for (const std::string& text : found->words(key)) {
    auto compiled = catalogue_.compile(text, ValueKind::number, true);
    if (!compiled) {
      found->refuse(key, compiled.error());
      return all;
    }
    all.push_back(std::move(*compiled));
  }
  return all;
}

AxisWord FactTable::axis_word(std::string_view key, const std::vector<std::string>& valid) {
  TomlReader* found = reader(key);
  if (found == nullptr) return {{}, valid.front()};
  const std::string text = found->text(key);
  if (text.starts_with('{') && text.ends_with('}')) {
    std::string axis = text.substr(1, text.size() - 2);
    if (const auto known = catalogue_.resolve(axis); !known) found->refuse(key, known.error());
    return {std::move(axis), {}};
  }
  if (std::find(valid.begin(), valid.end(), text) == valid.end())
    found->refuse(key, fmt::format("no '{}'", text), base::nearest_word_hint(text, valid));
  return {{}, text};
}

}  // namespace phasebit::space
