#include "core/store/json_lines.h"

#include "core/store/store.h"
#include "tests/store/rows.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace phasebit {
namespace {

using namespace test;

// Written by hand from the form that json_lines.h states.
constexpr const char* header = R"({"phasebit_results":1,"devices":1,"runs":1,"points":1})";
constexpr const char* device_line =
    R"({"type":"device","uuid":"GPU-1","name":"NVIDIA H200","driver":"580.1","target":"sm_90",)"
    R"("multiprocessors":132,"l2_bytes":62914560,"max_clock_khz":1980000})";
constexpr const char* run_line =
    R"({"type":"run","id":"run-1","started":"2026-01-02T03:04:05Z",)"
    R"("command":"phasebit-bench --bundle b","commit":"abc123","ptxas":"13.5.37",)"
    R"("target":"sm_90a","sweep":"core","order_seed":18446744073709551614,"timer_tick_ns":32.1,)"
    R"("driver":"580.1"})";
constexpr const char* point_line =
    R"({"type":"point","id":"ring/a","hash":"hash of ring/a","unit":"cycles per item",)"
    R"("repetition":0,"sm":7,"first_warp":1,"megahertz":1979.9999999999998,"flags":["throttled"],)"
    R"("items":[8,16,24,32],"cycles":[[196,292,388,484],[204,308,412,516]],)"
    R"("sass_class":"class ring/a","text_hash":"text ring/a","ptx_hash":"ptx ring/a",)"
    R"("module":"module","device":"GPU-1","run":"run-1"})";

std::string file_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(JsonLines, HaveTheStatedForm) {
  const Results results = {{some_device()}, {some_run()}, {some_point("ring/a", 0, {12, 13})}};
  const std::string text = file_of({header, device_line, run_line, point_line});
  EXPECT_EQ(to_json_lines(results), text);
  EXPECT_EQ(from_json_lines(text, "a.jsonl").value(), results);
}

// The header's version is that of the first program that can read all of it.
TEST(JsonLines, WithReadingsHaveTheStatedFormToo) {
  PointRow point = some_point("ring/a", 0, {12, 13});
  point.readings = {{"polls", "polls per item"}};
  for (Sample& sample : point.samples) sample.readings = {2 * sample.items + 1};
  std::string line = point_line, first = header;
  line.insert(line.find(",\"sass_class\""),
              R"(,"readings":[{"name":"polls","unit":"polls per item",)"
              R"("sums":[[17,33,49,65],[17,33,49,65]]}])");
  first.replace(first.find(":1"), 2, ":2");
  const Results results = {{some_device()}, {some_run()}, {point}};
  EXPECT_EQ(to_json_lines(results), file_of({first, device_line, run_line, line}));
  EXPECT_EQ(from_json_lines(file_of({first, device_line, run_line, line}), "a").value(), results);
}

// Random rows, among them odd samples, strings with every kind of character, extreme numbers.
PointRow random_point(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  PointRow point = some_point("ring/" + std::to_string(below(50)), static_cast<int>(below(3)));
  point.kind = static_cast<PointKind>(below(3));
  point.aa_control = below(2) == 0;
  point.placement = {static_cast<int>(below(132)), static_cast<int>(below(4))};
  point.megahertz = std::uniform_real_distribution<double>(0, 2000)(random);
  point.flags.clear();
  for (std::uint64_t i = below(3); i > 0; --i)
    point.flags.push_back("flag \"\\\n\t" + std::to_string(i));
  if (below(4) == 0) {
    point.error = PointError{static_cast<Step>(below(14)), "a\x01\xc3\xa9 \"quoted\"\nline"};
    point.samples.clear();
  } else if (below(4) == 0) {
    point.samples.clear();
    for (std::uint64_t i = below(20); i > 0; --i)
      point.samples.push_back({static_cast<std::uint32_t>(random()), random()});
  }
  for (std::uint64_t n = point.samples.empty() ? 0 : below(3); n > 0; --n) {
    point.readings.push_back({"name \" " + std::to_string(n), "unit"});
    for (Sample& sample : point.samples) sample.readings.push_back(random());
  }
  return point;
}

TEST(JsonLines, ComeBackAsTheyWereForRandomRows) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    Results results = {{some_device(), some_device("GPU-2")}, {some_run(), some_run("run-2")}, {}};
    for (int i = 0; i < 30; ++i) {
      results.points.push_back(random_point(random));
      if (random() % 2 == 0) results.points.back().run_id = "run-2";
    }
    const std::string text = to_json_lines(results);
    const Results back = from_json_lines(text, "a.jsonl").value();
    EXPECT_EQ(back, in_file_order(results));
    EXPECT_EQ(to_json_lines(back), text);
    Store store = Store::open_in_memory().value();
    ASSERT_TRUE(store.merge(back));
    EXPECT_EQ(to_json_lines(store.results().value()), text);
  }
}

TEST(JsonLines, DoNotDependOnTheOrderOfMerging) {
  const Results a = {{some_device()}, {some_run()}, {some_point("ring/a"), some_point("ring/b")}};
  Results b = {{some_device("GPU-0")}, {some_run("run-0")}, {some_point("ring/c")}};
  b.points[0].device_uuid = "GPU-0";
  b.points[0].run_id = "run-0";
  Store ab = Store::open_in_memory().value(), ba = Store::open_in_memory().value();
  for (const Results& results : {a, b}) ASSERT_TRUE(ab.merge(results));
  for (const Results& results : {b, a}) ASSERT_TRUE(ba.merge(results));
  EXPECT_NE(ab.results().value(), ba.results().value());
  EXPECT_EQ(to_json_lines(ab.results().value()), to_json_lines(ba.results().value()));
}

TEST(JsonLines, ReplaceBytesThatAreNotText) {
  Results results = {{some_device()}, {some_run()}, {}};
  results.points = {failed_point("ring/a", Step::assemble, "bad \xff byte")};
  const Results back = from_json_lines(to_json_lines(results), "a.jsonl").value();
  EXPECT_EQ(back.points[0].error->message, "bad \xef\xbf\xbd byte");
}

TEST(JsonLines, StayWithinAFewMegabytesForASweep) {
  Results results = {{some_device()}, {some_run()}, {}};
  for (int i = 0; i < 1500; ++i) {
    PointRow point = some_point("ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8", i,
                                std::vector<std::uint64_t>(30, 4321));
    point.variant_hash = "0123456789ab";
    point.ptx_hash = point.text_hash = point.sass_class = point.module = std::string(32, 'a');
    results.points.push_back(point);
  }
  EXPECT_LT(to_json_lines(results).size(), 3000000U);
}

// The line of a file that is replaced by something else, and what the reader says.
struct DamageRow {
  size_t line;  // 1-based
  std::string replacement;
  std::string error;
};

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(JsonLines, NameFileAndLineOfWhatIsWrong) {
  const std::string cut = std::string(point_line).substr(0, 100);
  const DamageRow rows[] = {
      {1, "hello",
       "a.jsonl has no header of phasebit results (`phasebit export` writes such files)"},
      {1, "{\"results\":1}",
       "a.jsonl has no header of phasebit results (`phasebit export` writes such files)"},
      {1, changed(header, "results\":1", "results\":3"),
       "a.jsonl:1: results of version 3, this program reads version 2 (use a newer phasebit)"},
      {1, changed(header, "points\":1", "points\":2"),
       "a.jsonl:4: the file ends with 1 points of 2 (export it again)"},
      {2, "[1]", "a.jsonl:2: no JSON object"},
      {4, cut, "a.jsonl:4: no JSON (is the file cut short, or merged by hand?)"},
      {4, "", "a.jsonl:4: no JSON (is the file cut short, or merged by hand?)"},
      {4, changed(point_line, "\"point\"", "\"pint\""),
       "a.jsonl:4: unknown type 'pint', did you mean 'point'?"},
      {4, changed(point_line, "\"repetition\":0,", ""), "a.jsonl:4: no 'repetition'"},
      {4, changed(point_line, "\"repetition\":0", "\"repetition\":0.5"),
       "a.jsonl:4: 'repetition' is 0.5, not a whole number in range"},
      {4, changed(point_line, "\"repetition\":0", "\"repetition\":5000000000"),
       "a.jsonl:4: 'repetition' is 5000000000, not a whole number in range"},
      {4, changed(point_line, "\"hash of ring/a\"", "7"), "a.jsonl:4: 'hash' is 7, not a string"},
      {4, changed(point_line, "\"megahertz\":", "\"megaherz\":"), "a.jsonl:4: no 'megahertz'"},
      {4, changed(point_line, "\"flags\"", "\"flag\""),
       "a.jsonl:4: unknown key 'flag', did you mean 'flags'?"},
      {4, changed(point_line, "[204,308,412,516]", "[204,308,412]"),
       "a.jsonl:4: a row of 3 cycles for 4 chain lengths"},
      {4, changed(point_line, "204", "-204"), "a.jsonl:4: -204 is no number of cycles"},
      {4, changed(point_line, "\"items\":[8", "\"items\":[\"8\""),
       "a.jsonl:4: \"8\" is no number of items"},
      {4, changed(point_line, "\"unit\"", "\"error_step\":\"verfy\",\"error\":\"x\",\"unit\""),
       "a.jsonl:4: 'verfy' is no step"},
      {4, changed(point_line, "\"run\":\"run-1\"", "\"run\":\"run-9\""),
       "a.jsonl:4: run 'run-9' stands on no line above"},
      {3, changed(run_line, "18446744073709551614", "-1"),
       "a.jsonl:3: 'order_seed' is -1, not a whole number in range"},
      {2, changed(device_line, "GPU-1", "GPU-7"),
       "a.jsonl:4: device 'GPU-1' stands on no line above"},
  };
  for (const DamageRow& row : rows) {
    std::vector<std::string> lines = {header, device_line, run_line, point_line};
    lines[row.line - 1] = row.replacement;
    const auto results = from_json_lines(file_of(lines), "a.jsonl");
    ASSERT_FALSE(results) << row.error;
    EXPECT_EQ(results.error().text(), "store: " + row.error);
  }
  EXPECT_EQ(from_json_lines("", "a.jsonl").error().text(),
            "store: a.jsonl has no header of phasebit results (`phasebit export` writes such "
            "files)");
}

// Cut anywhere, a file is refused or, but for its last line feed, whole.
TEST(JsonLines, RefuseEveryCut) {
  const std::string text = file_of({header, device_line, run_line, point_line});
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(from_json_lines(text.substr(0, size), "a.jsonl")) << size;
  EXPECT_TRUE(from_json_lines(text.substr(0, text.size() - 1), "a.jsonl"));
}

}  // namespace
}  // namespace phasebit
