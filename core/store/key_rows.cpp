// Keys and what the catalogue says of them, to SQL and back.
#include "core/store/rows.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace phasebit::store {

using image::CatalogueFacts;
using image::KeyAxes;
using record::VariantRow;

using nlohmann::ordered_json;
using SQLite::Statement;

namespace {

std::string text_of(const KeyAxes& axes) {
  ordered_json object = ordered_json::object();
  for (const auto& [axis, value] : axes) object[axis] = value;
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

KeyAxes axes_of(const std::string& text) {
  KeyAxes axes;
  const ordered_json object = ordered_json::parse(text);
  for (const auto& [axis, value] : object.items())
    axes.emplace_back(axis, value.get<std::string>());
  return axes;
}

// An axis that a component has got since stands in one key alone, and there at its default.
bool agree(const KeyAxes& a, const KeyAxes& b) {
  return std::all_of(a.begin(), a.end(), [&](const auto& one) {
    const auto other =
        std::find_if(b.begin(), b.end(), [&](const auto& axis) { return axis.first == one.first; });
    return other == b.end() || other->second == one.second;
  });
}

}  // namespace

bool same_key(const VariantRow& a, const VariantRow& b) {
  if (!a.has_key() || !b.has_key()) return a == b;
  return a.id == b.id && a.hash == b.hash && a.named == b.named && agree(*a.defaults, *b.defaults);
}

Status insert_variant(SQLite::Database& sqlite, const VariantRow& variant) {
  Statement row(sqlite, "INSERT OR IGNORE INTO variant(name, hash) VALUES(?, ?)");
  row.bind(1, variant.id);
  row.bind(2, variant.hash);
  row.exec();
  if (!variant.has_key()) return {};
  const std::string defaults = text_of(*variant.defaults), axes = text_of(variant.named);
  Statement known(sqlite,
                  "SELECT key_defaults.axes, variant.axes FROM variant JOIN key_defaults ON "
                  "key_defaults.id = variant.defaults WHERE name = ? AND hash = ?");
  known.bind(1, variant.id);
  known.bind(2, variant.hash);
  if (known.executeStep()) {
    if (known.getColumn(1).getString() == axes &&
        agree(axes_of(known.getColumn(0).getString()), *variant.defaults))
      return {};
    return fail(Step::store, "{} is there already with another key", variant.id);
  }
  Statement shared(sqlite, "INSERT OR IGNORE INTO key_defaults(axes) VALUES(?)");
  shared.bind(1, defaults);
  shared.exec();
  Statement key(sqlite,
                "UPDATE variant SET defaults = (SELECT id FROM key_defaults WHERE axes = ?), "
                "axes = ? WHERE name = ? AND hash = ?");
  key.bind(1, defaults);
  key.bind(2, axes);
  key.bind(3, variant.id);
  key.bind(4, variant.hash);
  key.exec();
  return {};
}

void insert_catalogue(SQLite::Database& sqlite, const CatalogueFacts& facts) {
  if (facts.empty()) return;
  CatalogueFacts whole;
  Statement known(sqlite, "SELECT facts FROM catalogue");
  if (known.executeStep())
    whole = image::facts_of(nlohmann::json::parse(known.getColumn(0).getString()));
  known.reset();
  whole.add(facts);
  Statement row(sqlite, "INSERT OR REPLACE INTO catalogue(id, facts) VALUES(1, ?)");
  row.bind(1, image::json_of(whole).dump());
  row.exec();
}

Result<std::vector<VariantRow>> select_variants(SQLite::Database& sqlite) {
  std::map<std::int64_t, std::shared_ptr<const KeyAxes>> shared;
  std::vector<VariantRow> variants;
  try {
    Statement defaults(sqlite, "SELECT id, axes FROM key_defaults");
    while (defaults.executeStep())
      shared[defaults.getColumn(0).getInt64()] =
          std::make_shared<const KeyAxes>(axes_of(defaults.getColumn(1).getString()));
    Statement row(sqlite,
                  "SELECT name, hash, defaults, axes FROM variant WHERE defaults IS NOT NULL "
                  "ORDER BY id");
    while (row.executeStep())
      variants.push_back({row.getColumn(0).getString(), row.getColumn(1).getString(),
                          shared[row.getColumn(2).getInt64()],
                          axes_of(row.getColumn(3).getString())});
  } catch (const nlohmann::json::exception& error) {
    return fail(Step::store, "the key of a variant: {}", error.what());
  }
  return variants;
}

Result<CatalogueFacts> select_catalogue(SQLite::Database& sqlite) {
  Statement row(sqlite, "SELECT facts FROM catalogue");
  if (!row.executeStep()) return CatalogueFacts();
  try {
    return image::facts_of(nlohmann::json::parse(row.getColumn(0).getString()));
  } catch (const nlohmann::json::exception& error) {
    return fail(Step::store, "the catalogue: {}", error.what());
  }
}

}  // namespace phasebit::store
