// Results as CSV for tests: rows with every field set, and tables whose fields can be changed.
#pragma once

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/results/flat.h"
#include "core/results/flat_columns.h"
#include "tests/results/rows.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using results::PointRow;
using results::read_flat;
using results::Results;
using results::to_csv;
using results::VariantRow;
using results::Verdict;

inline VariantRow keyed(const launch::KeyAxes& defaults, const launch::KeyAxes& named) {
  VariantRow row{{}, {}, std::make_shared<const launch::KeyAxes>(defaults), named};
  row.id = results::display_id(defaults, named);
  row.hash = base::short_hash(row.id);
  return row;
}

inline const launch::KeyAxes ring = {{"probe", "ring"},    {"protocol", "mbarrier"},
                                     {"mover", "none"},    {"work", "none"},
                                     {"wait", "try_wait"}, {"num_stages", "4"}};

inline PointRow point_of(const VariantRow& variant, int repetition = 0) {
  PointRow point = with_figures(some_point(variant.id, repetition));
  point.variant_hash = variant.hash;
  return point;
}

// Every field at something that is not its default.
inline PointRow full_point(const VariantRow& variant) {
  PointRow point = some_reading_point(variant.id);
  point.variant_hash = variant.hash;
  for (std::size_t n = 8; n < 12; ++n) point.samples[n].cycles = 100 + 15 * point.samples[n].items;
  for (results::Sample& sample : point.samples) sample.readings[1] = sample.cycles;
  results::add_summary(point);
  EXPECT_EQ(point.summary->modes, (std::vector<double>{12, 15}));
  point.kind = results::PointKind::modes;
  point.aa_control = true;
  point.conditions.start_offset = 208;
  point.conditions.padding = 32;
  point.conditions.gap_after = 1;
  point.conditions.gap_warps = 3;
  point.sms = {4, 5, 12};
  point.state = {1980, 3201, 645};
  point.counters = {{"issue_slots_percent", 12.5}, {"dram_read_bytes", 1e9}};
  results::Quality& quality = point.quality;
  quality.items_only = quality.modes = quality.throttled = quality.first_use = true;
  quality.outputs_verified = quality.padded = quality.clock_ok = false;
  quality.gate = "by_rules_file";
  quality.no_counters = "it \"says\", why";
  quality.too_wide = {"", "late"};
  quality.bends = {{"", {10, 10.02, 517.5}}, {"polls", {-1, 2, 3}}};
  return point;
}

inline Results some_results() {
  Results results{{some_device()}, {some_run()}, {}, {}, {}};
  results.variants = {keyed(ring, {{"wait", "test_wait"}}),
                      keyed(ring, {{"num_stages", "8"}, {"ptxas", "12.4"}}),
                      keyed({{"probe", "anchor"}}, {{"anchor", "fma_32"}})};
  results.points = {full_point(results.variants[0]), point_of(results.variants[1]),
                    point_of(results.variants[2], 1)};
  PointRow& same = results.points[1];
  same.samples.clear();
  same.summary.reset();
  same.verdict = Verdict::same_code;
  same.same_as = results.points[0].variant_id;
  results.points.push_back(failed_point(results.variants[1].id, Step::gate, "a \"b\",\nc"));
  results.points.back().variant_hash = results.variants[1].hash;
  results.points.back().verdict = Verdict::refused;
  for (const auto& variant : results.variants)
    for (const auto& [axis, value] : *variant.defaults)
      if (!base::contains({"probe", "protocol", "mover", "work"}, axis))
        results.catalogue.axes[axis].default_value = value;
  results.catalogue.protocols["mbarrier"] = {"{wait}[, hint {hint_ns} ns]", {"wait", "a b"}};
  return results::in_file_order(results);
}

inline Results without_samples(Results results) {
  for (PointRow& point : results.points) point.samples.clear();
  return results;
}

using Table = std::vector<std::vector<std::string>>;

// Of a text without quoted fields.
inline Table table_of(const std::string& text) {
  Table table;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    auto& row = table.emplace_back();
    std::size_t at = 0;
    for (std::size_t end = 0; (end = line.find(',', at)) != std::string::npos; at = end + 1)
      row.push_back(line.substr(at, end - at));
    row.push_back(line.substr(at));
  }
  return table;
}

inline std::string text_of(const Table& table) {
  std::string text;
  for (const auto& row : table) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

// Two rows of one variant, whose fields need no quotes.
inline Results plain_results() {
  Results results{{some_device()}, {some_run()}, {}, {keyed(ring, {{"wait", "test_wait"}})}, {}};
  results.points = {point_of(results.variants[0], 0), point_of(results.variants[0], 1)};
  results.catalogue = results::facts_of(results);
  return without_samples(results);
}

class Changed {
 public:
  explicit Changed(const Results& results = plain_results())
      : table_(table_of(to_csv(without_samples(results)))) {}
  std::size_t column(const std::string& name) const {
    const auto at = std::ranges::find(table_[0], name);
    EXPECT_NE(at, table_[0].end()) << name;
    return static_cast<std::size_t>(at - table_[0].begin());
  }
  Changed& set(std::size_t row, const std::string& name, const std::string& value) {
    table_[row][column(name)] = value;
    return *this;
  }
  Changed& add(const std::vector<std::string>& fields) {
    for (std::size_t row = 0; row < table_.size(); ++row) table_[row].push_back(fields[row]);
    return *this;
  }
  Changed& drop(const std::string& name) {
    const auto at = static_cast<std::ptrdiff_t>(column(name));
    for (auto& row : table_) row.erase(row.begin() + at);
    return *this;
  }
  // The last column first, and so on.
  Changed& reverse() {
    for (auto& row : table_) std::ranges::reverse(row);
    return *this;
  }
  std::string text() const { return text_of(table_); }
  Result<Results> read() const { return read_flat("a.csv", text()); }
  std::string error() const {
    const auto made = read();
    return made ? "" : made.error().text();
  }

 private:
  Table table_;
};

}  // namespace phasebit::test
