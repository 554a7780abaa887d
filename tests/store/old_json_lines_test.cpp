// Files of versions 1 and 2, written by hand from the form that core/store/json/old_lines.h states.
#include "core/record/statistics.h"
#include "core/store/json/lines.h"
#include "tests/store/rows.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using store::json::from_json_lines;

namespace {

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
    R"("repetition":0,"sm":7,"first_warp":1,"megahertz":1979.9384083658276,"flags":["throttled"],)"
    R"("items":[8,16,24,32],"cycles":[[196,292,388,484],[204,308,412,516]],)"
    R"("sass_class":"class ring/a","text_hash":"text ring/a","ptx_hash":"ptx ring/a",)"
    R"("module":"module","device":"GPU-1","run":"run-1"})";

std::string file_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(OldJsonLines, AreRead) {
  const record::Results results = {
      {some_device()}, {some_run()}, {with_figures(some_point("ring/a", 0, {12, 13}))}};
  const std::string text = file_of({header, device_line, run_line, point_line});
  EXPECT_EQ(from_json_lines(text, "a.jsonl").value(), results);
}

TEST(OldJsonLines, WithReadingsAreReadToo) {
  record::PointRow point = some_point("ring/a", 0, {12, 13});
  point.readings = {{"polls", "polls per item"}};
  for (record::Sample& sample : point.samples) sample.readings = {2 * sample.items + 1};
  std::string line = point_line, first = header;
  line.insert(line.find(",\"sass_class\""),
              R"(,"readings":[{"name":"polls","unit":"polls per item",)"
              R"("sums":[[17,33,49,65],[17,33,49,65]]}])");
  first.replace(first.find(":1"), 2, ":2");
  const record::Results results = {{some_device()}, {some_run()}, {with_figures(point)}};
  EXPECT_EQ(from_json_lines(file_of({first, device_line, run_line, line}), "a").value(), results);
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

TEST(OldJsonLines, NameFileAndLineOfWhatIsWrong) {
  const std::string cut = std::string(point_line).substr(0, 100);
  const DamageRow rows[] = {
      {1, "hello",
       "a.jsonl has no header of phasebit results (`phasebit export` writes such files)"},
      {1, "{\"results\":1}",
       "a.jsonl has no header of phasebit results (`phasebit export` writes such files)"},
      {1, changed(header, "results\":1", "results\":5"),
       "a.jsonl:1: results of version 5, this program reads version 4 (use a newer phasebit)"},
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
TEST(OldJsonLines, RefuseEveryCut) {
  const std::string text = file_of({header, device_line, run_line, point_line});
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(from_json_lines(text.substr(0, size), "a.jsonl")) << size;
  EXPECT_TRUE(from_json_lines(text.substr(0, text.size() - 1), "a.jsonl"));
}

}  // namespace
}  // namespace phasebit::test
