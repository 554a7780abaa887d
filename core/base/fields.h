// One list of the fields of a value type, next to the type:
//
//   template <typename Visit>
//   void fields(Visit& visit, const DataShape*) {
//     visit("bytes", &DataShape::bytes, {.always = true});
//     visit("tile_bytes", &DataShape::tile_bytes, {.toml = "tile", .least = 4, .always = true});
//   }
//
// All that must name every field goes over that list: TOML in and out (fields_toml.h), JSON in and
// out and signatures (fields_json.h), and a comparison that says which field differs
// (gen/kernel/head_plan.cpp). So a new field is its declaration and one line of the list.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace phasebit::base {

// What the list says of a field. JSON has every field by the name that the list gives, but for
// those `if_set`, which it leaves out at their default.
struct Field {
  const char* toml = "";   // its key in TOML; "": the same name; null: TOML lacks it
  const char* table = "";  // the TOML table that has the key, of a type with several tables
  // Of a number; in JSON of each number of an array too.
  std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max();
  const char* must = nullptr;  // TOML without the key is refused with this hint; "": without one
  bool always = false;         // TOML has it even at its default; so has it with `must`
  bool with_last = false;      // TOML has it wherever it has the field before it
  bool by_hand = false;        // its reader and writer of TOML know it by name
  bool if_set = false;         // left out of JSON and signature at its default
  bool in_signature = true;    // false: launches that differ in it alone share a figure
  bool by_key = false;         // a head must agree with the variant of its key
  const char* key(const char* name) const { return std::string_view(toml).empty() ? name : toml; }
  bool is_in(std::string_view one) const { return toml != nullptr && one == table; }
};

// Visits nothing: for asking whether a type has a list.
struct NoVisit {
  template <typename Type, typename Member>
  void operator()(const char* /*name*/, Member Type::* /*member*/, const Field& /*field*/ = {}) {}
};

template <typename T>
concept HasFields = requires(NoVisit& visit, const T* type) { fields(visit, type); };

// An enumeration whose values are words: `words_of(T)` gives them in its order. A value with an
// empty word cannot be written or read.
template <typename T>
concept HasWords = std::is_enum_v<T> && requires(T value) {
  { words_of(value) } -> std::same_as<const std::vector<std::string>&>;
};

template <HasWords T>
const std::string& word_of(T value) {
  return words_of(value)[static_cast<std::size_t>(value)];
}

template <HasWords T>
std::optional<T> value_of_word(std::string_view word) {
  const std::vector<std::string>& words = words_of(T{});
  for (std::size_t n = 0; n < words.size(); ++n)
    if (!word.empty() && words[n] == word) return static_cast<T>(n);
  return std::nullopt;
}

// Another type that is one text: `to_string(value)`, `T::of_text(text)` and, for messages, the
// forms of the text.
template <typename T>
concept HasText = requires(const T& value, std::string_view text) {
  { to_string(value) } -> std::same_as<std::string>;
  { T::of_text(text) } -> std::same_as<std::optional<T>>;
  { T::forms } -> std::convertible_to<std::string>;
};
template <HasText T>
std::optional<T> value_of_word(std::string_view text) {
  return T::of_text(text);
}

// A type with a list and `empty()` says by itself when TOML and JSON leave it out.
template <typename T>
bool is_unset(const T& value, const T& otherwise) {
  if constexpr (HasFields<T> && requires { value.empty(); })
    return value.empty();
  else
    return value == otherwise;
}

template <typename T>
inline constexpr bool is_list = false;
template <typename T>
inline constexpr bool is_list<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_array = false;
template <typename T, std::size_t size>
inline constexpr bool is_array<std::array<T, size>> = true;
template <typename T>
inline constexpr bool is_list_of_tables = false;
template <HasFields T>
inline constexpr bool is_list_of_tables<std::vector<T>> = true;

// The value that TOML means where it leaves a key out, given the fields before it: a type whose
// defaults follow from others declares a `usual` of its own.
template <typename T>
T usual(const T& /*value*/) {
  return T{};
}

}  // namespace phasebit::base
