#include "core/base/hash.h"
#include "core/store/json/lines.h"
#include "core/store/store.h"
#include "tests/store/rows.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using record::Results;
using store::json::from_json_lines;
using store::json::to_json_lines;

namespace {

std::string file_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Written by hand from the form that json/lines.h states. The slopes are 12 and 13: median 12.5, no
// interval of two rounds. The line through all eight samples has the slope 12.5 too, its intercept
// is 100; residuals are half a cycle an item, at most 16 (the first that is as large counts: -16).
// A cycle apart are two modes.
const std::vector<std::string>& lines() {
  static const std::vector<std::string> all = {
      R"({"phasebit_results":4,"columns":{"variant":["defaults","axes","id","hash"],)"
      R"("code":["text_hash","sass_class"],"image":["code","module","ptx_hash"],)"
      R"("point":["series","variant","image","repetition","aa_control","sm","first_warp",)"
      R"("megahertz","flags","error","figures"],"error":["step","message"],)"
      R"("figures":["rounds","cycles","ci_low","ci_high","ci_reached","slope","intercept","r2",)"
      R"("worst_residual","modes","readings"],)"
      R"("reading":["value","ci_low","ci_high","ci_reached"],)"
      R"("same_code":["series","variant","sm","first_warp","megahertz","flags","repetitions",)"
      R"("variants_and_images"]},"counts":{"devices":1,"runs":1,"defaults":1,"variants":2,)"
      R"("codes":1,"modules":1,"images":1,"series":1,"points":2,"same_code":1,"samples":1},)"
      R"("sample_files":[]})",
      R"({"axes":{"wait":{"default":"try_wait","label":"wait"}},)"
      R"("protocols":{"mbarrier":{"waits_on":"{wait}"}}})",
      R"({"type":"device","uuid":"GPU-1","name":"NVIDIA H200","driver":"580.1","target":"sm_90",)"
      R"("multiprocessors":132,"l2_bytes":62914560,"max_clock_khz":1980000})",
      R"({"type":"run","id":"run-1","started":"2026-01-02T03:04:05Z",)"
      R"("command":"phasebit-bench --bundle b","commit":"abc123","ptxas":"13.5.37",)"
      R"("target":"sm_90a","sweep":"core","order_seed":18446744073709551614,)"
      R"("timer_tick_ns":32.1,"driver":"580.1"})",
      R"({"probe":"ring","protocol":"mbarrier","wait":"try_wait","stages":"4"})",
      R"([0,{"wait":"test_wait"}])",
      R"([0,{"wait":"a"},"own id","own hash"])",
      R"(["text","class"])",
      R"("module")",
      R"([0,0,"ptx"])",
      R"({"kind":"point","unit":"cycles per item","device":0,"run":0,"readings":[]})",
      R"([0,0,0,0,false,7,1,1979.9,["throttled"],null,)"
      R"([2,12.5,12,13,false,12.5,100,0.9905,-16,[12,13],[]]])",
      R"([0,0,0,1,true,7,1,0,[],["launch","killed"],null])",
      R"([0,0,7,1,0,[],[0,1],[[1,0]]])",
      R"({"point":0,"items":[8,16,24,32],"cycles":[[196,292,388,484],[8,16,24,32]]})",
  };
  return all;
}

record::PointRow of_image(record::PointRow row, const record::VariantRow& variant) {
  row.variant_id = variant.id;
  row.variant_hash = variant.hash;
  row.ptx_hash = "ptx";
  row.text_hash = "text";
  row.sass_class = "class";
  return row;
}

// What these lines say.
Results results() {
  Results made = {{some_device()}, {some_run()}, {}};
  record::VariantRow first = some_variant(), second = some_variant("a");
  first.hash = base::short_hash(first.id);
  second.id = "own id";
  second.hash = "own hash";
  made.variants = {first, second};
  made.catalogue.axes["wait"] = {"try_wait", "wait"};
  made.catalogue.protocols["mbarrier"] = {"{wait}", {}};
  record::PointRow failed = of_image(failed_point("", Step::launch, "killed", 1), first);
  failed.aa_control = true;
  failed.quality = {};
  made.points = {of_image(with_figures(some_point("", 0, {12, 13})), first), failed};
  for (const int repetition : {0, 1}) {
    record::PointRow same = of_image(some_point("", repetition), second);
    same.samples.clear();
    same.megahertz = 0;
    same.quality = {};
    same.verdict = record::Verdict::same_code;
    same.same_as = first.id;
    made.points.push_back(same);
  }
  return made;
}

TEST(JsonLines, HaveTheStatedForm) {
  const std::string text = file_of(lines());
  // Residuals are x/2: their squares sum to 960, those of the cycles about their mean to 2 *
  // 12.5^2 * 320 + 960 = 100960.
  EXPECT_EQ(results().points[0].summary->fit.r2, 0.9905);
  EXPECT_EQ(to_json_lines(results()), text);
  EXPECT_EQ(from_json_lines(text, "a.jsonl").value(), results());
}

record::Quality random_quality(std::mt19937_64& random) {
  const auto either = [&] { return random() % 2 == 0; };
  record::Quality quality;
  quality.items_only = either();
  if (either()) quality.gate = either() ? "none" : "by_rules_file";
  quality.outputs_verified = either();
  if (either()) quality.too_wide = {""};
  quality.modes = either();
  if (either()) quality.bends = {{"", {-0.25, 10, 517.5, 1e6}}};
  quality.padded = either();
  quality.clock_ok = either();
  quality.throttled = either();
  quality.first_use = either();
  return quality;
}

// Random rows, among them odd samples, strings with every kind of character, extreme numbers.
record::PointRow random_point(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  record::PointRow point =
      some_point("ring/" + std::to_string(below(50)), static_cast<int>(below(3)));
  point.kind = static_cast<record::PointKind>(below(3));
  point.aa_control = below(2) == 0;
  point.conditions = {{static_cast<int>(below(132)), static_cast<int>(below(4))},
                      static_cast<std::uint32_t>(below(2) * below(32)),
                      static_cast<int>(below(2) * 16)};
  if (below(4) == 0) point.conditions.gap_after = 1, point.conditions.gap_warps = 3;
  if (below(4) == 0) point.sms = {static_cast<int>(below(132)), 131};
  if (below(4) == 0) point.state = {static_cast<int>(below(2000)), 2619, 0};
  point.megahertz = static_cast<double>(below(20000)) / 10;
  point.quality = random_quality(random);
  if (below(4) == 0) {
    const auto step = static_cast<Step>(below(14));
    point.set_error(record::verdict_of(step), {step, "a\x01\xc3\xa9 \"quoted\"\nline"});
    point.samples.clear();
  } else if (below(4) == 0) {
    point.samples.clear();
    for (std::uint64_t i = below(20); i > 0; --i)
      point.samples.push_back({static_cast<std::uint32_t>(random()), random()});
  }
  for (std::uint64_t n = point.samples.empty() ? 0 : below(3); n > 0; --n) {
    point.readings.push_back({"name \" " + std::to_string(n), "unit"});
    for (record::Sample& sample : point.samples) sample.readings.push_back(random());
  }
  return with_figures(point);
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
    EXPECT_EQ(back, store::json::in_file_order(results));
    EXPECT_EQ(to_json_lines(back), text);
    store::Store store = store::Store::open_in_memory().value();
    ASSERT_TRUE(store.merge(back));
    EXPECT_EQ(to_json_lines(store.results().value()), text);
  }
}

TEST(JsonLines, DoNotDependOnTheOrderOfMerging) {
  const Results a = {{some_device()}, {some_run()}, {some_point("ring/a"), some_point("ring/b")}};
  Results b = {{some_device("GPU-0")}, {some_run("run-0")}, {some_point("ring/c")}};
  b.points[0].device_uuid = "GPU-0";
  b.points[0].run_id = "run-0";
  store::Store ab = store::Store::open_in_memory().value(),
               ba = store::Store::open_in_memory().value();
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
    record::PointRow point = some_point("ring/mbarrier/st_shared/none/wait=test_wait/num_stages=8",
                                        i, std::vector<std::uint64_t>(30, 4321));
    point.variant_hash = "0123456789ab";
    point.ptx_hash = point.text_hash = point.sass_class = point.module = std::string(32, 'a');
    results.points.push_back(point);
  }
  EXPECT_LT(to_json_lines(results).size(), 3000000U);
}

TEST(JsonLines, KeepSamplesInFilesBesideThem) {
  const base::TempDir folder = base::TempDir::create().value();
  const fs::path path = folder.path() / "a.jsonl";
  ASSERT_TRUE(base::write_file(folder.path() / "a.samples-1.jsonl.gz", "of an earlier writing"));
  ASSERT_TRUE(store::json::write_json_lines(path, results()));
  EXPECT_FALSE(fs::exists(folder.path() / "a.samples-1.jsonl.gz"));
  const std::string text = base::read_file(path).value();
  EXPECT_EQ(text.find("\"cycles\":[["), std::string::npos);
  EXPECT_EQ(from_json_lines(text, "a", folder.path()).value(), results());
  Results without = results();
  without.points[0].samples.clear();
  EXPECT_EQ(from_json_lines(text, "a", folder.path(), store::json::no_samples).value(), without);
  const fs::path samples = folder.path() / "a.samples-0.jsonl.gz";
  const std::string whole = base::read_file(samples).value();
  for (size_t size = 0; size < whole.size(); ++size) {
    ASSERT_TRUE(base::write_file(samples, whole.substr(0, size)));
    EXPECT_FALSE(from_json_lines(text, "a", folder.path())) << size;
  }
  fs::remove(samples);
  EXPECT_EQ(from_json_lines(text, "a", folder.path()).error().text(),
            "io: cannot read " + samples.string() + ": No such file or directory");
  EXPECT_TRUE(from_json_lines(text, "a", folder.path(), store::json::no_samples));
}

// A line that is replaced, and what the reader says.
struct DamageRow {
  size_t line;  // 1-based
  std::string from, to;
  std::string error;
};

TEST(JsonLines, NameFileAndLineOfWhatIsWrong) {
  const std::string hint = " (is the file cut short, or merged by hand?)";
  const DamageRow rows[] = {
      {1, "results\":4", "results\":5",
       "a.jsonl:1: results of version 5, this program reads version 4 (use a newer phasebit)"},
      {1, "results\":4", "results\":3",
       "a.jsonl:1: results of version 3, this program reads version 4 (export it again with the "
       "phasebit that made it)"},
      {1, "\"megahertz\",", "", "a.jsonl:1: other columns than those of this version"},
      {1, "\"series\":1", "\"serie\":1", "a.jsonl:1: no 'series'"},
      {1, "\"points\":2", "\"points\":-1",
       "a.jsonl:1: 'points' is -1, not a whole number in range"},
      {1, "\"samples\":1", "\"samples\":2",
       "a.jsonl:14: the file ends with 1 samples of 2 (export it again)"},
      {3, "GPU-1", "GPU-1\",\"x\":\"",
       "a.jsonl:3: unknown key 'x', one of: type, uuid, name, driver, target, multiprocessors, "
       "l2_bytes, max_clock_khz"},
      {6, "[0,{", "[1,{", "a.jsonl:6: column 3: defaults 1 of 1" + hint},
      {6, "\"}]", "\"]", "a.jsonl:6: column 24: cut short" + hint},
      {7, ",\"own hash\"", "", "a.jsonl:7: column 26: too few values" + hint},
      {10, "[0,0", "[0,5", "a.jsonl:10: column 5: module 5 of 1" + hint},
      {11, "\"unit\"", "\"units\"",
       "a.jsonl:11: column 25: unknown key 'units', did you mean 'unit'?" + hint},
      {11, "\"kind\":\"point\"", "\"kind\":\"pint\"",
       "a.jsonl:11: column 15: 'pint' is no kind of point" + hint},
      {12, "[0,0,0", "[0,0,9", "a.jsonl:12: column 7: image 9 of 1" + hint},
      {12, "false,7", "0,7", "a.jsonl:12: column 10: neither true nor false" + hint},
      {12, "12.5,12,13", "12.5,nan,13", "a.jsonl:12: column 54: not a number" + hint},
      {9, "module\"", "module", "a.jsonl:9: column 8: a string without its end" + hint},
      {12, "throttled", "throttle",
       "a.jsonl:12: column 44: an unknown flag among: throttle" + hint},
      {13, "\"launch\"", "\"lunch\"", "a.jsonl:13: column 32: 'lunch' is no step" + hint},
      {13, "0,1,true", "0,1.5,true", "a.jsonl:13: column 9: neither a comma nor an end" + hint},
      {14, "[[1,0]]", "[[2,0]]", "a.jsonl:14: column 24: variant 2 of 2" + hint},
      {15, "\"point\":0", "\"point\":2", "a.jsonl:15: samples of point 2 of 2"},
      {15, "[8,16,24,32]]", "[16,24,32]]", "a.jsonl:15: a row of 3 cycles for 4 chain lengths"},
  };
  for (const DamageRow& row : rows) {
    std::vector<std::string> changed = lines();
    std::string& line = changed[row.line - 1];
    ASSERT_NE(line.find(row.from), std::string::npos) << row.from;
    line.replace(line.find(row.from), row.from.size(), row.to);
    const auto read = from_json_lines(file_of(changed), "a.jsonl");
    ASSERT_FALSE(read) << row.error;
    EXPECT_EQ(read.error().text(), "store: " + row.error);
  }
}

// A row of an older program keeps no more digits than one of today.
TEST(JsonLines, RoundTheFiguresOfOlderFiles) {
  std::vector<std::string> older = lines();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    older[11].replace(older[11].find(from), from.size(), to);
  };
  replaced("1979.9", "1979.9384083658276");
  replaced("12.5,12,13", "12.500000000000002,11.99999999999,13.00004");
  replaced("0.9905", "0.9904912836767037");
  EXPECT_EQ(from_json_lines(file_of(older), "a.jsonl").value(), results());
}

// Cut anywhere, a file is refused or, but for its last line feed, whole.
TEST(JsonLines, RefuseEveryCut) {
  const std::string text = file_of(lines());
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(from_json_lines(text.substr(0, size), "a.jsonl")) << size;
  EXPECT_TRUE(from_json_lines(text.substr(0, text.size() - 1), "a.jsonl"));
}

}  // namespace
}  // namespace phasebit::test
