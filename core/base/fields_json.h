// JSON in and out, and signatures, by a type's list of fields (fields.h). Below the functions is
// what lets nlohmann's own containers and macros hold such types.
#pragma once

#include "core/base/fields.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::base {

// A type with a `to_json` and `from_json` of its own, next to it.
template <typename T>
concept HasJson = requires(nlohmann::json& json, const T& value) { to_json(json, value); };

template <typename T>
concept HasListedJson = !HasJson<T> && (HasFields<T> || HasWords<T> || HasText<T>);

template <typename T>
concept IsNumber = std::integral<T> && !std::same_as<T, bool>;

// The numbers of a list, an array, or a map; void of another type.
template <typename T>
struct NumbersIn {
  using Type = void;
};
template <IsNumber T>
struct NumbersIn<std::vector<T>> {
  using Type = T;
};
template <IsNumber T, std::size_t size>
struct NumbersIn<std::array<T, size>> {
  using Type = T;
};
template <IsNumber T>
struct NumbersIn<std::map<std::string, T>> {
  using Type = T;
};

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;

// All fields, or those alone that count in a signature.
enum class JsonPart { all, signature };

template <typename T>
nlohmann::json as_json(const T& value, JsonPart part = JsonPart::all);

template <typename T>
struct JsonWriter {
  const T& value;
  JsonPart part;
  nlohmann::json json = nlohmann::json::object();
  const T empty = {};

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (part == JsonPart::signature && !field.in_signature) return;
    if constexpr (HasFields<Member> && requires { (value.*member).empty(); })
      if (field.if_set && (value.*member).empty()) return;
    nlohmann::json one = as_json(value.*member, part);
    if (!field.if_set || one != as_json(empty.*member, part)) json[name] = std::move(one);
  }
};

template <typename T>
nlohmann::json as_json(const T& value, JsonPart part) {
  if constexpr (HasListedJson<T> && HasFields<T>) {
    JsonWriter<T> writer{value, part};
    fields(writer, &value);
    return std::move(writer.json);
  } else if constexpr (HasListedJson<T> && HasWords<T>) {
    return word_of(value);
  } else if constexpr (HasListedJson<T>) {
    return to_string(value);
  } else if constexpr (is_list_of_tables<T>) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& one : value) list.push_back(as_json(one, part));
    return list;
  } else if constexpr (is_optional<T>) {
    return value ? as_json(*value, part) : nlohmann::json();
  } else {
    return value;
  }
}

// Whether it is a whole number that the type holds.
template <IsNumber Number>
bool holds_whole(const nlohmann::json& json) {
  return json.is_number_unsigned()
             ? std::in_range<Number>(json.get<std::uint64_t>())
             : json.is_number_integer() && std::in_range<Number>(json.get<std::int64_t>());
}

// Throws for a number that is not whole, or none from `least` to `most` that the type holds.
template <IsNumber Number>
void check_number(const nlohmann::json& json, const Field& field) {
  if (!json.is_number()) return;  // reading it says what it is
  if (holds_whole<Number>(json))
    if (const auto number = json.get<Number>();
        std::cmp_greater_equal(number, field.least) && std::cmp_less_equal(number, field.most))
      return;
  const auto most = std::min(static_cast<std::uint64_t>(field.most),
                             static_cast<std::uint64_t>(std::numeric_limits<Number>::max()));
  throw nlohmann::json::other_error::create(
      501, fmt::format("{} is not a whole number from {} to {}", json.dump(), field.least, most),
      &json);
}

// Of a list: coordinates and offsets may be below zero.
inline constexpr Field any_number = {.least = std::numeric_limits<std::int64_t>::min()};

// A field without `if_set` must be there; further keys are left alone.
template <typename T>
struct JsonReader {
  const nlohmann::json& json;
  T& into;

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (field.if_set && !json.contains(name)) return;
    const nlohmann::json& value = json.at(name);
    using Numbers = typename NumbersIn<Member>::Type;
    if constexpr (IsNumber<Member>) check_number<Member>(value, field);
    if constexpr (IsNumber<Numbers>)
      for (const nlohmann::json& one : value)
        check_number<Numbers>(one, is_list<Member> ? any_number : field);
    if constexpr (is_optional<Member>)
      value.get_to((into.*member).emplace());
    else
      value.get_to(into.*member);
  }
};

// Throws nlohmann::json::exception for a key that is missing, a value of another type and a word
// that is none.
template <HasListedJson T>
void take_json(const nlohmann::json& json, T& into) {
  if constexpr (HasFields<T>) {
    JsonReader<T> reader{json, into};
    fields(reader, &into);
  } else {
    const auto value = value_of_word<T>(json.is_string() ? json.get<std::string>() : "");
    if (!value)
      throw nlohmann::json::other_error::create(501, "unknown word " + json.dump(), &json);
    into = *value;
  }
}

}  // namespace phasebit::base

template <phasebit::base::HasListedJson T>
struct nlohmann::adl_serializer<T, void> {
  static void to_json(json& value, const T& one) { value = phasebit::base::as_json(one); }
  static void from_json(const json& value, T& one) { phasebit::base::take_json(value, one); }
};
