// TOML in and out by a type's list of fields (fields.h). A value is written on one line:
// `{ name = "table", bytes = 4096 }`.
#pragma once

#include "core/base/fields.h"
#include "core/base/text.h"
#include "core/base/toml.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::base {

std::string in_quotes(std::string_view text);

// A table on one line.
class InlineTable {
 public:
  void add(const std::string& key, const std::string& value) {
    items_.push_back(key + " = " + value);
  }
  bool empty() const { return items_.empty(); }
  std::string text() const { return fmt::format("{{ {} }}", fmt::join(items_, ", ")); }

 private:
  std::vector<std::string> items_;
};

template <HasFields T>
std::string toml_of(const T& value);

template <typename T>
  requires(!HasFields<T>)
std::string toml_of(const T& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    return in_quotes(value);
  } else if constexpr (HasWords<T>) {
    return in_quotes(word_of(value));
  } else if constexpr (HasText<T>) {
    return in_quotes(to_string(value));
  } else if constexpr (is_list<T> || is_array<T>) {
    std::vector<std::string> all;
    for (const auto& one : value) all.push_back(toml_of(one));
    return fmt::format("[{}]", fmt::join(all, ", "));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::to_string(value);
  } else {
    return toml_of(*value);  // an optional one, which is written where it is set
  }
}

// Calls put(key, value) for each field of one TOML table that TOML has to say.
template <typename T, typename Put>
struct TomlWriter {
  const T& value;
  std::string_view table;
  Put& put;
  const T usually = usual(value);
  bool has_last = false;

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (!field.is_in(table)) return;
    has_last = field.always || field.by_hand || field.must != nullptr ||
               (field.with_last && has_last) || !is_unset(value.*member, usually.*member);
    if (has_last) put(field.key(name), value.*member);
  }
};

template <HasFields T, typename Put>
void write_fields(const T& value, std::string_view table, Put&& put) {
  TomlWriter<T, Put> writer{value, table, put};
  fields(writer, &value);
}

template <HasFields T>
void add_fields(InlineTable& table, const T& value) {
  write_fields(value, "", [&](const char* key, const auto& one) { table.add(key, toml_of(one)); });
}

template <HasFields T>
std::string toml_of(const T& value) {
  InlineTable table;
  add_fields(table, value);
  return table.text();
}

// The keys of one TOML table, for TomlReader.
struct TomlKeys {
  std::string_view table;
  std::vector<std::string> keys = {};
  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* /*member*/, const Field& field = {}) {
    if (field.is_in(table)) keys.emplace_back(field.key(name));
  }
};

template <HasFields T>
std::vector<std::string> toml_keys(std::string_view table = {}) {
  TomlKeys visit{table};
  fields(visit, static_cast<const T*>(nullptr));
  return std::move(visit.keys);
}

// Refuses a key that is missing, with a hint.
void must_have(TomlReader& reader, std::string_view key, std::string hint);

// A number of the type, from `least` to `most`; `fallback` without the key. One of 32 bits is at
// most the largest int.
template <typename Number>
Number toml_number(TomlReader& reader, std::string_view key, Number fallback,
                   std::int64_t least = 0,
                   std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  if (!reader.has(key)) return fallback;
  const std::int64_t value = reader.number_or(key, static_cast<std::int64_t>(fallback));
  const bool is_wide = sizeof(Number) == sizeof(std::int64_t);
  if (value >= least && value <= most && (is_wide || value <= std::numeric_limits<int>::max()))
    return static_cast<Number>(value);
  reader.refuse(key, fmt::format("{} is out of range", value),
                most == std::numeric_limits<std::int64_t>::max()
                    ? fmt::format("{} or more", least)
                    : fmt::format("{} to {}", least, most));
  return fallback;
}

template <typename Number>
std::vector<Number> toml_numbers(TomlReader& reader, std::string_view key) {
  std::vector<Number> all;
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return all;
  static_cast<void>(reader.words(key));  // refuses what is not a list
  for (const TomlValue& item : value->items) {
    const bool fits = item.number >= std::numeric_limits<Number>::min() &&
                      item.number <= std::numeric_limits<Number>::max();
    if (item.kind != TomlValue::Kind::number || !fits)
      reader.refuse(key, "holds what is not a whole number, or one out of range");
    all.push_back(static_cast<Number>(item.number));
  }
  return all;
}

// Reads a key that is there. "no role 'produser'": of `timed_role` the last word is what it is.
template <typename T>
void read_toml_text(TomlReader& reader, std::string_view key, T& into) {
  const std::string text = reader.text_or(key, {});
  if (const auto value = value_of_word<T>(text)) return void(into = *value);
  std::string hint;
  if constexpr (HasWords<T>) {
    std::vector<std::string> words = words_of(into);
    std::erase(words, std::string());
    hint = nearest_word_hint(text, words);
  } else {
    hint = T::forms;
  }
  const std::string_view what = key.substr(key.rfind('_') + 1);
  reader.refuse(key, fmt::format("no {} '{}'", what, text), std::move(hint));
}

// Reads the fields of one TOML table into a value. Of each table below it `on_table(reader, value)`
// is called when it has been read: to refuse what no single field shows, to note where it is.
template <typename T, typename OnTable>
struct TomlFields {
  TomlReader& reader;
  T& into;
  std::string_view table;
  OnTable& on_table;

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (!field.is_in(table) || field.by_hand) return;
    const char* key = field.key(name);
    if (reader.has(key)) return read(key, field, into.*member);
    into.*member = usual(into).*member;
    if (field.must != nullptr) must_have(reader, key, field.must);
  }

 private:
  template <typename Member>
  void read(const char* key, const Field& field, Member& value) {
    if constexpr (std::is_same_v<Member, bool>) {
      value = reader.truth_or(key, value);
    } else if constexpr (std::is_integral_v<Member>) {
      value = toml_number(reader, key, value, field.least, field.most);
    } else if constexpr (std::is_same_v<Member, std::string>) {
      value = reader.text_or(key, value);
    } else if constexpr (HasWords<Member> || HasText<Member>) {
      read_toml_text(reader, key, value);
    } else if constexpr (is_list_of_tables<Member>) {
      for (const TomlValue* one : reader.tables(key)) read_table(key, *one, value.emplace_back());
    } else if constexpr (std::is_same_v<Member, std::vector<std::string>>) {
      value = reader.words(key);
    } else if constexpr (is_array<Member>) {
      const auto all = toml_numbers<typename Member::value_type>(reader, key);
      if (all.size() != value.size())
        reader.refuse(key, fmt::format("{} numbers, not {}", all.size(), value.size()));
      else
        std::copy(all.begin(), all.end(), value.begin());
    } else if constexpr (is_list<Member>) {
      value = toml_numbers<typename Member::value_type>(reader, key);
    } else if (const TomlValue* one = reader.table(key)) {
      if constexpr (HasFields<Member>)
        read_table(key, *one, value);
      else
        read_table(key, *one, value.emplace());
    }
  }

  template <typename Member>
  void read_table(const char* key, const TomlValue& one, Member& value) {
    TomlReader own(reader.file(), one, key, toml_keys<Member>(), reader.status());
    TomlFields<Member, OnTable> below{own, value, {}, on_table};
    fields(below, &value);
    on_table(own, value);
  }
};

template <HasFields T, typename OnTable>
void read_fields(TomlReader& reader, T& into, std::string_view table, OnTable&& on_table) {
  TomlFields<T, OnTable> visit{reader, into, table, on_table};
  fields(visit, &into);
}

template <HasFields T>
void read_fields(TomlReader& reader, T& into) {
  read_fields(reader, into, {}, [](TomlReader& /*own*/, const auto& /*value*/) {});
}

// A field with `by_key` that two values differ in: its key, what each has, and what to write.
struct FieldDifference {
  std::string key, said, wanted, hint;
};

template <typename T>
struct FieldComparison {
  const T &said, &wanted;
  const char* place;
  std::optional<FieldDifference> found = {};

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    const Member &one = said.*member, &other = wanted.*member;
    if (!field.by_key || found || one == other) return;
    const std::string key = field.key(name);
    std::string hint = fmt::format("write `{} = {}`", key, toml_of(other));
    if constexpr (HasFields<Member>)
      hint = is_unset(other, Member{}) ? fmt::format("leave `{}` out", key) : hint + " in " + place;
    else if constexpr (std::is_arithmetic_v<Member>)
      hint += ", or the axes of [key] that decide it";
    found = {key, shown(key, one), shown(key, other), hint};
  }

 private:
  template <typename Member>
  static std::string shown(const std::string& key, const Member& value) {
    if constexpr (std::is_same_v<Member, std::string>) return fmt::format("'{}'", value);
    if constexpr (HasWords<Member>) return word_of(value);
    if constexpr (HasFields<Member>)
      if (is_unset(value, Member{})) return "no " + key;
    return toml_of(value);
  }
};

// `place`: the table that a table among the fields is written in.
template <HasFields T>
std::optional<FieldDifference> first_difference(const T& said, const T& wanted, const char* place) {
  FieldComparison<T> comparison{said, wanted, place};
  fields(comparison, &said);
  return std::move(comparison.found);
}

}  // namespace phasebit::base
