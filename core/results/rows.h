// Rows to SQL and back.
#pragma once

#include "core/results/record.h"
#include "core/results/summary.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <nlohmann/json.hpp>

namespace phasebit::results {

// Whether two rows of an id mean the same variant: axes that one of them lacks are at their default
// in the other, since a component may get axes.
bool same_key(const VariantRow& a, const VariantRow& b);

// These throw SQLite::Exception. Devices and runs that are there already stay as they are.
void insert_device(SQLite::Database& sqlite, const DeviceRow& device);
void insert_run(SQLite::Database& sqlite, const RunRow& run);
// An Error when it is there with another key.
Status insert_variant(SQLite::Database& sqlite, const VariantRow& variant);
void insert_catalogue(SQLite::Database& sqlite, const launch::CatalogueFacts& facts);
// An Error when the row cannot be kept: an unknown device or run, a clock that is not a number.
Status insert_point(SQLite::Database& sqlite, const PointRow& point);

std::vector<DeviceRow> select_devices(SQLite::Database& sqlite);
std::vector<RunRow> select_runs(SQLite::Database& sqlite);
// An Error when the text of a row is not what this program wrote.
Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite);
// Those of one run.
Result<std::vector<PointRow>> select_points(SQLite::Database& sqlite, const std::string& run);
Result<std::vector<VariantRow>> select_variants(SQLite::Database& sqlite);
Result<launch::CatalogueFacts> select_catalogue(SQLite::Database& sqlite);

// Figures as one JSON object: what a store keeps in addition to the samples.

nlohmann::ordered_json json_of(const Summary& summary);
// Throws nlohmann::json::exception for what is not of that form.
Summary summary_of_json(const nlohmann::ordered_json& value);

}  // namespace phasebit::results
