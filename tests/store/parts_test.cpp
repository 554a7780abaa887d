// A file of results above a megabyte is several, and they say the same.
#include "core/store/json/parts.h"

#include "core/store/json/lines.h"
#include "core/store/load.h"
#include "tests/store/rows.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::read_file;
using record::PointRow;
using record::Results;
using record::VariantRow;
using store::import_results;
using store::load_results;
using store::json::split_results;
using store::json::write_json_lines;

namespace {

PointRow of_class(PointRow row, const std::string& sass_class) {
  row.sass_class = sass_class;
  return row;
}

PointRow same_code(const std::string& id, const std::string& as, const std::string& sass_class) {
  PointRow row = of_class(some_point(id), sass_class);
  row.samples.clear();
  row.verdict = record::Verdict::same_code;
  row.same_as = as;
  return row;
}

// Three families: {a, b, c} by code and by name, {d} with all it has, {e}.
Results families() {
  PointRow control = of_class(some_point("b"), "one");
  control.aa_control = true;
  PointRow modes = some_point("d", 1);
  modes.kind = record::PointKind::modes;
  Results results = {{some_device()}, {some_run(), some_run("run-2")}, {}};
  results.points = {
      of_class(some_point("a"), "one"), some_point("d"), control, some_point("e"), modes,
      // of another class by now, and yet of a's family, for it names it
      same_code("c", "a", "two"), of_class(failed_point("d", Step::launch, "killed", 2), "")};
  results.catalogue.axes["wait"] = {"try_wait", "wait"};
  return results;
}

std::vector<std::vector<std::string>> ids_of(const std::vector<Results>& parts) {
  std::vector<std::vector<std::string>> ids;
  for (const Results& part : parts) {
    ids.emplace_back();
    for (const PointRow& point : part.points) ids.back().push_back(point.variant_id);
  }
  return ids;
}

TEST(Parts, KeepFamiliesTogetherInTheirOrder) {
  const std::vector<std::string> abc = {"a", "b", "c"}, d = {"d", "d", "d"}, e = {"e"};
  struct Row {
    size_t count;
    std::vector<std::vector<std::string>> parts;
  };
  // Sizes: 27 + 27 + 13, 27 + 15 + 15, 27 of 151; middles at 33.5, 95.5 and 137.5.
  const Row rows[] = {{1, {{"a", "d", "b", "e", "d", "c", "d"}}},
                      {2, {abc, {"d", "e", "d", "d"}}},
                      {3, {abc, d, e}},
                      {100, {abc, d, e}}};
  for (const Row& row : rows) {
    const auto parts = split_results(families(), row.count);
    EXPECT_EQ(ids_of(parts), row.parts) << row.count;
    for (const Results& part : parts) {
      EXPECT_EQ(part.devices, families().devices);
      EXPECT_EQ(part.runs, families().runs);
      EXPECT_EQ(part.catalogue, families().catalogue);
    }
  }
  EXPECT_TRUE(split_results({{some_device()}, {some_run()}, {}}, 2).empty());
}

// Two families are never in one part of two, however large one of them is.
TEST(Parts, AreTwoAtLeast) {
  for (const bool large_first : {false, true})
    for (const size_t count : {2U, 3U, 7U}) {
      Results results = {{some_device()}, {some_run()}, {}};
      for (int n = 0; n < 100; ++n) results.points.push_back(some_point("large", n));
      results.points.insert(large_first ? results.points.end() : results.points.begin(),
                            some_point("small"));
      EXPECT_EQ(split_results(results, count).size(), 2U) << count;
    }
}

constexpr size_t most = 80000;

class PartFiles : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path path_ = folder_.path() / "a.jsonl";
  // A published file: repetitions, controls, and rows of other rows' code.
  const Results& published() {
    static const Results read = [] {
      auto results = load_results({base::source_root() / "results/nvidia-h200/protocols.jsonl"});
      if (!results) bug(results.error().text());
      return std::move(*results);
    }();
    return read;
  }

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& file : fs::directory_iterator(folder_.path()))
      found.insert(file.path().filename().string());
    return found;
  }
  // By their numbers.
  std::vector<fs::path> texts() const {
    std::vector<fs::path> found;
    for (const std::string& name : names())
      if (name.ends_with(".jsonl")) found.push_back(folder_.path() / name);
    std::ranges::stable_sort(found, {}, [](const fs::path& file) { return file.native().size(); });
    return found;
  }
};

// Rows in an order that does not hang on the files.
std::vector<PointRow> sorted_rows(const Results& results) {
  std::multimap<std::string, const PointRow*> order;
  for (const PointRow& point : results.points)
    order.emplace(fmt::format("{} {} {} {} {} {} {} {} {} {} {}", point.run_id, point.variant_id,
                              record::to_string(point.kind), point.repetition, point.aa_control,
                              point.device_uuid, point.same_as, point.sass_class, point.text_hash,
                              point.conditions.sm, point.conditions.first_warp),
                  &point);
  std::vector<PointRow> rows;
  for (const auto& [text, point] : order) rows.push_back(*point);
  return rows;
}

std::map<std::string, VariantRow> keys_of(const Results& results) {
  std::map<std::string, VariantRow> keys;
  for (const VariantRow& variant : results.variants) keys.emplace(variant.id, variant);
  return keys;
}

void expect_same(const Results& a, const Results& b) {
  EXPECT_EQ(a.devices, b.devices);
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_EQ(a.catalogue, b.catalogue);
  EXPECT_EQ(keys_of(a), keys_of(b));
  const auto ours = sorted_rows(a), theirs = sorted_rows(b);
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t n = 0; n < ours.size(); ++n)
    ASSERT_EQ(ours[n], theirs[n]) << ours[n].variant_id.text();
}

TEST_F(PartFiles, SayTogetherWhatOneFileSays) {
  ASSERT_TRUE(write_json_lines(path_, published(), most));
  const auto files = texts();
  EXPECT_GE(files.size(), 5U);
  for (const fs::path& file : files) EXPECT_LE(fs::file_size(file), most) << file;
  const fs::path whole = folder_.path() / "whole.jsonl";
  ASSERT_TRUE(write_json_lines(whole, published(), 100 * store::json::most_file_bytes));
  expect_same(load_results({whole}).value(), load_results(files).value());

  const fs::path one = folder_.path() / "one.sqlite", many = folder_.path() / "many.sqlite";
  const record::MergeCounts counts = import_results(one, {whole}).value();
  EXPECT_EQ(import_results(many, files)->points, counts.points);
  EXPECT_EQ(import_results(many, files)->points_known, counts.points);
  const Results of_store = load_results({many}).value();
  expect_same(load_results({one}).value(), of_store);
  expect_same(published(), of_store);
}

// A part read alone has no name that it does not know: its rows of other rows' code find these.
TEST_F(PartFiles, StandAlone) {
  ASSERT_TRUE(write_json_lines(path_, published(), most));
  std::set<std::string> seen;
  for (const fs::path& file : texts()) {
    const Results part = load_results({file}).value();
    std::set<std::string> variants, classes;
    for (const PointRow& point : part.points) {
      variants.insert(point.variant_id);
      if (!point.sass_class.empty()) classes.insert(point.sass_class);
    }
    variants.insert("");
    for (const PointRow& point : part.points)
      EXPECT_TRUE(variants.contains(point.same_as)) << file << " " << point.variant_id.text();
    for (const std::string& one : classes) EXPECT_TRUE(seen.insert(one).second) << one;
    EXPECT_EQ(keys_of(part).size() + 1, variants.size());
  }
}

TEST_F(PartFiles, WrittenAgainAreTheSameBytes) {
  ASSERT_TRUE(write_json_lines(path_, published(), most));
  std::map<std::string, std::string> first;
  for (const std::string& name : names()) first[name] = read_file(folder_.path() / name).value();
  ASSERT_TRUE(write_json_lines(path_, load_results(texts()).value(), most));
  for (const std::string& name : names())
    EXPECT_TRUE(first[name] == read_file(folder_.path() / name).value()) << name;
}

TEST_F(PartFiles, OfAnEarlierWritingGo) {
  ASSERT_TRUE(write_json_lines(path_, families(), 1));
  EXPECT_EQ(names(), (std::set<std::string>{"a.jsonl", "a.samples-0.jsonl.gz", "a-2.jsonl",
                                            "a-2.samples-0.jsonl.gz", "a-3.jsonl",
                                            "a-3.samples-0.jsonl.gz"}));
  EXPECT_NE(read_file(folder_.path() / "a-3.jsonl")->find(R"("part":[3,3]})"), std::string::npos);
  ASSERT_TRUE(write_json_lines(path_, families()));
  EXPECT_EQ(names(), (std::set<std::string>{"a.jsonl", "a.samples-0.jsonl.gz"}));
  EXPECT_EQ(read_file(path_)->find("\"part\""), std::string::npos);
}

TEST_F(PartFiles, DoNotReplaceOtherFiles) {
  const fs::path other = folder_.path() / "a-2.jsonl";
  ASSERT_TRUE(write_json_lines(other, families()));
  const std::set<std::string> before = names();
  EXPECT_EQ(write_json_lines(path_, families(), 1).error().text(),
            "store: " + other.string() +
                " is there and is no part of a.jsonl (export under another name, or move that file "
                "away)");
  EXPECT_EQ(names(), before);
  ASSERT_TRUE(write_json_lines(path_, families()));
  EXPECT_TRUE(fs::exists(other));
}

TEST_F(PartFiles, SayWhichTheyAre) {
  ASSERT_TRUE(write_json_lines(path_, families(), 1));
  std::string text = read_file(path_).value();
  const std::string part = R"("part":[1,3])";
  for (const char* wrong : {R"("part":[0,3])", R"("part":[4,3])", R"("part":3)",
                            R"("part":["1",3])", R"("part":[1,3,3])", R"("part":null)"}) {
    std::string changed = text;
    changed.replace(changed.find(part), part.size(), wrong);
    EXPECT_EQ(store::json::from_json_lines(changed, "a.jsonl", folder_.path()).error().text(),
              "store: a.jsonl:1: 'part' is not [number, of how many]")
        << wrong;
  }
}

TEST(Parts, HaveSampleFilesBelowAMegabyte) {
  const base::TempDir folder = base::TempDir::create().value();
  std::mt19937_64 random(3);
  Results big = {{some_device()}, {some_run()}, {}};
  for (int i = 0; i < 400; ++i) {
    record::PointRow point = some_point("ring/" + std::to_string(i));
    point.samples.clear();
    for (int n = 0; n < 300; ++n)
      for (const std::uint32_t items : {8U, 16U, 24U, 32U})
        point.samples.push_back({items, random() % 1000000});
    big.points.push_back(with_figures(point));
  }
  const fs::path path = folder.path() / "a.jsonl";
  ASSERT_TRUE(write_json_lines(path, big));
  size_t files = 0;
  for (const auto& file : fs::directory_iterator(folder.path())) {
    if (file.path().extension() != ".gz") continue;
    EXPECT_LE(fs::file_size(file.path()), 1000000U);
    ++files;
  }
  EXPECT_GE(files, 2U);
  EXPECT_EQ(store::json::from_json_lines(read_file(path).value(), "a", folder.path()).value(), big);
}

}  // namespace
}  // namespace phasebit::test
