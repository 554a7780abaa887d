// Tests of what needs no GPU: statistics, rows, watchdog. Plain C++17; exit status 1 on failure.
#include "evaluate.h"
#include "row_text.h"
#include "watchdog.h"

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

int num_failed = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++num_failed;
  std::printf("FAILED: %s\n", what);
}

bool near(double a, double b) {
  return std::abs(a - b) < 1e-9;
}

// Chains as a machine would give them: each item and each iteration cost a constant.
independent::Chains chains(int body_items, double item, double loop, double start) {
  independent::Chains result;
  result.body_items = body_items;
  for (int i = 1; i <= 4; ++i) result.items.push_back(256.0 * i);
  for (int sample = 0; sample < 8; ++sample) {
    std::vector<double> cycles;
    for (const double items : result.items) {
      cycles.push_back(start + 7 * sample + items * item + items / body_items * loop);
    }
    result.cycles.push_back(cycles);
  }
  return result;
}

void test_statistics() {
  const independent::Line line = independent::fit_line({1, 2, 3, 4}, {12, 22, 32, 42});
  expect(near(line.slope, 10) && near(line.intercept, 2), "fit of a line");
  expect(near(line.r2, 1) && near(line.worst_residual, 0), "a line fits itself");
  const independent::Line bent = independent::fit_line({1, 2, 3, 4}, {0, 0, 0, 10});
  expect(near(bent.slope, 3) && near(bent.worst_residual, 4), "fit of what is no line");
  expect(near(independent::median({3, 1, 2}), 2), "median of an odd number");
  expect(near(independent::median({4, 1, 3, 2}), 2.5), "median of an even number");
  expect(near(independent::median_half_width({5, 5, 5, 5}), 0), "no spread, no interval");
  expect(near(independent::median_half_width({1, 2, 3, 4}), 1.5), "few samples: all of them");
  expect(near(independent::segment_difference({10, 20, 30, 41}), 0.1), "segments");
}

void test_the_loop_is_subtracted() {
  const auto row = independent::evaluate(chains(4, 17.25, 21, 300), chains(8, 17.25, 21, 900));
  expect(near(row.value, 17.25), "item without the loop");
  expect(near(row.loop, 21), "loop without the items");
  expect(near(row.half_width, 0) && row.num_samples == 8, "samples differ in the intercept only");
  expect(!row.not_linear && !row.imprecise, "no flags");
}

void test_flags() {
  auto staircase = chains(4, 10, 0, 0);
  for (auto& sample : staircase.cycles) sample[3] += 100;
  const auto row = independent::evaluate(staircase, chains(8, 10, 0, 0));
  expect(row.not_linear, "a staircase is flagged");
  auto scattered = chains(4, 10, 0, 0);
  for (size_t i = 0; i < scattered.cycles.size(); ++i) scattered.cycles[i][3] += 3000.0 * i;
  expect(independent::evaluate(scattered, chains(8, 10, 0, 0)).imprecise, "scatter is flagged");
}

void test_row_text() {
  independent::Figure figure;
  figure.name = "a/b";
  figure.axes = {{"who", "one \"lane\""}};
  const std::string text = independent::error_text(figure, {"GPU", "1.2", "13.0"}, "it\nhangs");
  expect(text ==
             "{\"name\":\"a/b\",\"who\":\"one \\\"lane\\\"\",\"device\":\"GPU\",\"driver\":\"1.2\","
             "\"nvcc\":\"13.0\",\"guarded\":false,\"error\":\"it hangs\"}",
         "row of an error");
}

// Unit 1 dies, unit 2 reports an error and asks for a new child, unit 3 is silent.
void work(size_t first, const independent::Channel& channel) {
  for (size_t unit = first; unit < 5; ++unit) {
    if (unit == 1) _exit(9);
    if (unit == 3) pause();
    const std::string text = std::to_string(unit);
    unit == 2 ? channel.error_row(text) : channel.row(text);
    if (unit == 2) {
      channel.unit_done_and_end();
      _exit(1);
    }
    channel.unit_done();
  }
}

void test_watchdog() {
  std::string rows, lost;
  independent::WatchdogHooks hooks;
  hooks.work = work;
  hooks.row = [&](const std::string& text) { rows += text; };
  hooks.summary = [](const std::string&) {};
  hooks.lost = [&](size_t unit, const std::string&) { lost += std::to_string(unit); };
  expect(!independent::Watchdog(5, hooks, 300).run(), "errors are reported");
  expect(rows == "024", "a dead child costs one unit");
  expect(lost == "13", "lost units are named");
  expect(independent::Watchdog(1, hooks, 300).run(), "a run without errors");
  hooks.work = [](size_t, const independent::Channel& channel) { channel.stop("no GPU"); };
  lost.clear();
  expect(!independent::Watchdog(2, hooks, 300).run() && lost.empty(), "a child stops the run");
}

}  // namespace

int main() {
  test_statistics();
  test_the_loop_is_subtracted();
  test_flags();
  test_row_text();
  test_watchdog();
  std::printf("%s\n", num_failed ? "failed" : "all host tests hold");
  return num_failed ? 1 : 0;
}
