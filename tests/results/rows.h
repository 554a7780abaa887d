// Rows for tests, every field set to something that is not its default.
#pragma once

#include "core/results/record.h"
#include "core/results/statistics.h"

namespace phasebit::test {

inline results::DeviceRow some_device(const std::string& uuid = "GPU-1") {
  return {uuid, "NVIDIA H200", "580.1", "sm_90", 132, 62914560, 1980000};
}

inline results::RunRow some_run(const std::string& id = "run-1") {
  results::RunRow run;
  run.id = id;
  run.started = "2026-01-02T03:04:05Z";
  run.command = "phasebit-bench --bundle b";
  run.commit = "abc123";
  run.ptxas = "13.5.37";
  run.target = "sm_90a";
  run.sweep = "core";
  run.order_seed = 0xFFFFFFFFFFFFFFFEULL;  // beyond a signed integer
  run.timer_tick_ns = 32.1;
  run.driver = "580.1";
  return run;
}

// Rounds of 8, 16, 24, 32 items with cycles = 100 + slope * items.
inline std::vector<results::Sample> rounds_of(const std::vector<std::uint64_t>& slopes) {
  std::vector<results::Sample> samples;
  for (const std::uint64_t slope : slopes)
    for (const std::uint32_t items : {8U, 16U, 24U, 32U})
      samples.push_back({items, 100 + slope * items});
  return samples;
}

inline results::PointRow some_point(const std::string& id, int repetition = 0,
                                    const std::vector<std::uint64_t>& slopes = {12, 12, 13}) {
  results::PointRow point;
  point.variant_id = id;
  point.variant_hash = "hash of " + id;
  point.unit = "cycles per item";
  point.ptx_hash = "ptx " + id;
  point.text_hash = "text " + id;
  point.sass_class = "class " + id;
  point.module = "module";
  point.device_uuid = "GPU-1";
  point.run_id = "run-1";
  point.repetition = repetition;
  point.conditions.sm = 7;
  point.conditions.first_warp = 1;
  point.samples = rounds_of(slopes);
  point.megahertz = 1979.9;
  point.quality.throttled = true;
  return point;
}

// A point with two readings: polls is 3 an item, late as the cycles.
inline results::PointRow some_reading_point(const std::string& id) {
  results::PointRow point = some_point(id);
  point.readings = {{"polls", "polls per item"}, {"late", "cycles per item"}};
  for (results::Sample& sample : point.samples) sample.readings = {3 * sample.items, sample.cycles};
  return point;
}

inline results::PointRow failed_point(const std::string& id, Step step, const std::string& message,
                                      int repetition = 0) {
  results::PointRow point = some_point(id, repetition);
  point.samples.clear();
  point.megahertz = 0;
  point.set_error(results::verdict_of(step), {step, message});
  return point;
}

// The code is covered by no rule.
inline results::PointRow ungated_point(const std::string& id, const std::string& why) {
  results::PointRow point = failed_point(id, Step::gate, "not gated: " + why);
  point.verdict = results::Verdict::ungated;
  return point;
}

// As a store or a file gives it back.
inline results::PointRow with_figures(results::PointRow point) {
  results::add_summary(point);
  return point;
}

// A key of two axes in addition to the components', one of them named.
inline results::VariantRow some_variant(const std::string& named = "test_wait") {
  static const auto defaults = std::make_shared<const launch::KeyAxes>(launch::KeyAxes{
      {"probe", "ring"}, {"protocol", "mbarrier"}, {"wait", "try_wait"}, {"stages", "4"}});
  results::VariantRow row{{}, {}, defaults, {{"wait", named}}};
  row.id = results::display_id(*defaults, row.named);
  row.hash = "hash of " + row.id;
  return row;
}

}  // namespace phasebit::test
