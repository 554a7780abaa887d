// JSON in and out, and signatures, by a type's list of fields (fields.h).
#pragma once

#include "core/base/fields.h"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::base {

// A type with a `to_json` and `from_json` of its own, next to it.
template <typename T>
concept HasJson = requires(nlohmann::json& json, const T& value) { to_json(json, value); };

[[noreturn]] inline void refuse_word(const nlohmann::json& json) {
  throw nlohmann::json::other_error::create(501, "unknown word " + json.dump(), &json);
}

// Throws, in the words of nlohmann, for a value of another type.
inline const nlohmann::json& of_type(const nlohmann::json& json, const char* type) {
  if (std::string(json.type_name()) == type) return json;
  throw nlohmann::json::type_error::create(
      302, std::string("type must be ") + type + ", but is " + json.type_name(), &json);
}

// All fields, or those alone that count in a signature.
enum class JsonPart { all, signature };

template <typename T>
nlohmann::json as_json(const T& value, JsonPart part = JsonPart::all);

// Throws nlohmann::json::exception for a key that is missing, a value of another type and a word
// that is none. Further keys are left alone.
template <typename T>
void take_json(const nlohmann::json& json, T& into);

template <typename T>
struct JsonWriter {
  const T& value;
  JsonPart part;
  nlohmann::json& json;
  const T empty = {};

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (part == JsonPart::signature && !field.in_signature) return;
    nlohmann::json one = as_json(value.*member, part);
    if (field.if_set && one == as_json(empty.*member, part)) return;
    json[name] = std::move(one);
  }
};

template <typename T>
struct JsonForm {
  static nlohmann::json write(const T& value, JsonPart part) {
    nlohmann::json json;
    if constexpr (HasJson<T>) {
      to_json(json, value);
    } else if constexpr (HasFields<T>) {
      json = nlohmann::json::object();
      JsonWriter<T> writer{value, part, json};
      fields(writer, &value);
    } else if constexpr (HasWords<T>) {
      json = word_of(value);
    } else if constexpr (HasText<T>) {
      json = to_string(value);
    } else {
      json = value;
    }
    return json;
  }
  static void read(const nlohmann::json& json, T& into);
};

template <typename T>
struct JsonForm<std::optional<T>> {
  static nlohmann::json write(const std::optional<T>& value, JsonPart part) {
    return value ? as_json(*value, part) : nlohmann::json();
  }
  static void read(const nlohmann::json& json, std::optional<T>& into) {
    JsonForm<T>::read(json, into.emplace());
  }
};

template <typename T>
struct JsonForm<std::vector<T>> {
  static nlohmann::json write(const std::vector<T>& list, JsonPart part) {
    nlohmann::json json = nlohmann::json::array();
    for (const T& one : list) json.push_back(as_json(one, part));
    return json;
  }
  static void read(const nlohmann::json& json, std::vector<T>& into) {
    into.clear();
    for (const nlohmann::json& one : of_type(json, "array"))
      JsonForm<T>::read(one, into.emplace_back());
  }
};

template <typename T>
struct JsonForm<std::map<std::string, T>> {
  static nlohmann::json write(const std::map<std::string, T>& map, JsonPart part) {
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [key, one] : map) json[key] = as_json(one, part);
    return json;
  }
  static void read(const nlohmann::json& json, std::map<std::string, T>& into) {
    into.clear();
    for (const auto& [key, one] : of_type(json, "object").items())
      JsonForm<T>::read(one, into[key]);
  }
};

template <typename T>
struct JsonReader {
  const nlohmann::json& json;
  T& into;

  template <typename Type, typename Member>
  void operator()(const char* name, Member Type::* member, const Field& field = {}) {
    if (!field.if_set || json.contains(name)) JsonForm<Member>::read(json.at(name), into.*member);
  }
};

template <typename T>
void JsonForm<T>::read(const nlohmann::json& json, T& into) {
  if constexpr (HasJson<T>) {
    from_json(json, into);
  } else if constexpr (HasFields<T>) {
    JsonReader<T> reader{json, into};
    fields(reader, &into);
  } else if constexpr (HasWords<T>) {
    const auto value =
        json.is_string() ? value_of_word<T>(json.get<std::string>()) : std::optional<T>();
    if (!value) refuse_word(json);
    into = *value;
  } else if constexpr (HasText<T>) {
    if (!read_text(json.get<std::string>(), into)) refuse_word(json);
  } else {
    json.get_to(into);
  }
}

// For types that nlohmann's own macros read and write, and that have members with a list.
template <typename T>
concept HasJsonForm = HasFields<T> || HasWords<T> || HasText<T>;

template <typename T>
nlohmann::json as_json(const T& value, JsonPart part) {
  return JsonForm<T>::write(value, part);
}

template <typename T>
void take_json(const nlohmann::json& json, T& into) {
  JsonForm<T>::read(json, into);
}

}  // namespace phasebit::base

template <phasebit::base::HasJsonForm T>
  requires(!phasebit::base::HasJson<T>)
struct nlohmann::adl_serializer<T, void> {
  static void to_json(json& value, const T& one) { value = phasebit::base::as_json(one); }
  static void from_json(const json& value, T& one) { phasebit::base::take_json(value, one); }
};
