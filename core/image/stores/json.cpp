#include "core/image/stores/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::image::stores {

using nlohmann::json;

namespace {

template <typename Enum>
void read_word(const json& value, const std::vector<std::string>& words, Enum& into) {
  const auto at = std::find(words.begin(), words.end(), value.get<std::string>());
  if (at == words.end())
    throw json::other_error::create(501, "unknown word " + value.dump(), &value);
  into = static_cast<Enum>(at - words.begin());
}

}  // namespace

void to_json(json& value, const StoreShape& stored) {
  value = {{"buffer", stored.buffer},
           {"map", stored.map},
           {"operation", store_operation_words()[static_cast<std::size_t>(stored.operation)]},
           {"rewrite", store_rewrite_words()[static_cast<std::size_t>(stored.rewrite)]}};
}

void from_json(const json& value, StoreShape& stored) {
  value.at("buffer").get_to(stored.buffer);
  value.at("map").get_to(stored.map);
  read_word(value.at("operation"), store_operation_words(), stored.operation);
  read_word(value.at("rewrite"), store_rewrite_words(), stored.rewrite);
}

}  // namespace phasebit::image::stores
