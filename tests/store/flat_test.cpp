// Results as CSV: core/store/flat.h.
#include "core/store/flat.h"

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/zstd.h"
#include "core/store/flat_columns.h"
#include "core/store/load.h"
#include "tests/store/rows.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using record::PointRow;
using record::Results;
using record::VariantRow;
using record::Verdict;
using store::read_flat;
using store::to_csv;

namespace {

VariantRow keyed(const image::KeyAxes& defaults, const image::KeyAxes& named) {
  VariantRow row{{}, {}, std::make_shared<const image::KeyAxes>(defaults), named};
  row.id = record::display_id(defaults, named);
  row.hash = base::short_hash(row.id);
  return row;
}

const image::KeyAxes ring = {{"probe", "ring"}, {"protocol", "mbarrier"}, {"mover", "none"},
                             {"work", "none"},  {"wait", "try_wait"},     {"num_stages", "4"}};

PointRow point_of(const VariantRow& variant, int repetition = 0) {
  PointRow point = with_figures(some_point(variant.id, repetition));
  point.variant_hash = variant.hash;
  return point;
}

// Every field at something that is not its default.
PointRow full_point(const VariantRow& variant) {
  PointRow point = some_reading_point(variant.id);
  point.variant_hash = variant.hash;
  for (std::size_t n = 8; n < 12; ++n) point.samples[n].cycles = 100 + 15 * point.samples[n].items;
  for (record::Sample& sample : point.samples) sample.readings[1] = sample.cycles;
  record::add_summary(point);
  EXPECT_EQ(point.summary->modes, (std::vector<double>{12, 15}));
  point.kind = record::PointKind::modes;
  point.aa_control = true;
  point.conditions.start_offset = 208;
  point.conditions.padding = 32;
  point.conditions.gap_after = 1;
  point.conditions.gap_warps = 3;
  point.sms = {4, 5, 12};
  point.state = {1980, 3201, 645};
  record::Quality& quality = point.quality;
  quality.items_only = quality.modes = quality.throttled = quality.first_use = true;
  quality.outputs_verified = quality.padded = quality.clock_ok = false;
  quality.gate = "by_rules_file";
  quality.too_wide = {"", "late"};
  quality.bends = {{"", {10, 10.02, 517.5}}, {"polls", {-1, 2, 3}}};
  return point;
}

Results some_results() {
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
  return store::in_file_order(results);
}

Results without_samples(Results results) {
  for (PointRow& point : results.points) point.samples.clear();
  return results;
}

using Table = std::vector<std::vector<std::string>>;

// Of a text without quoted fields.
Table table_of(const std::string& text) {
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

std::string text_of(const Table& table) {
  std::string text;
  for (const auto& row : table) text += fmt::format("{}\n", fmt::join(row, ","));
  return text;
}

// Two rows of one variant, whose fields need no quotes.
Results plain_results() {
  Results results{{some_device()}, {some_run()}, {}, {keyed(ring, {{"wait", "test_wait"}})}, {}};
  results.points = {point_of(results.variants[0], 0), point_of(results.variants[0], 1)};
  results.catalogue = store::facts_of(results);
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

TEST(Flat, KeepsEveryField) {
  const Results results = some_results();
  const std::string text = to_csv(results);
  const auto back = read_flat("a.csv", text);
  ASSERT_TRUE(back) << back.error().text();
  const Results expected = without_samples(results);
  EXPECT_EQ(back->points, expected.points);
  EXPECT_EQ(back->variants, expected.variants);
  EXPECT_EQ(*back, expected);
  EXPECT_EQ(to_csv(*back), text);
}

// The names of columns are no row before the first.
TEST(Flat, KeepsValuesThatAreNamesOfColumns) {
  Results results = plain_results();
  results.points[0].module = "module";
  results.points[0].ptx_hash = "ptx_hash";
  EXPECT_EQ(read_flat("a.csv", to_csv(results))->points, results.points);
}

TEST(Flat, NamesDeviceRunAndKeyInEveryRow) {
  const Table table = table_of(to_csv(plain_results()));
  const Changed columns;
  for (std::size_t row = 1; row < table.size(); ++row) {
    const auto cell = [&](const char* name) { return table[row][columns.column(name)]; };
    EXPECT_EQ(cell("device_name"), "NVIDIA H200");
    EXPECT_EQ(cell("run_driver"), "580.1");
    EXPECT_EQ(cell("run_ptxas"), "13.5.37");
    EXPECT_EQ(cell("run_commit"), "abc123");
    EXPECT_EQ(cell("run_command"), "phasebit-bench --bundle b");
    EXPECT_EQ(cell("run_order_seed"), "18446744073709551614");
    EXPECT_EQ(cell("axis.wait"), "test_wait");
    EXPECT_EQ(cell("axis.num_stages"), "4");
    EXPECT_EQ(cell("named"), "wait=try_wait");
    EXPECT_EQ(cell("hash"), "");
  }
}

TEST(Flat, PointsToTheRowWithTheFigures) {
  Results shown = some_results();
  PointRow& measured = shown.points.at(3);
  ASSERT_TRUE(measured.summary.has_value());
  measured.kind = record::PointKind::point;
  measured.aa_control = false;
  for (PointRow& point : shown.points) point.sass_class = "class";
  for (PointRow& point : shown.points) point.error.reset();
  const Table table = table_of(to_csv(shown));
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(table[0], name) - table[0].begin());
  };
  int rows = 0;
  for (std::size_t row = 1; row < table.size(); ++row)
    if (table[row][column("verdict")] == "same_code") {
      EXPECT_EQ(table[row][column("figure_point")], "3");
      ++rows;
    }
  EXPECT_EQ(rows, 1);
}

// Words with blanks, commas, quotes and line breaks, an empty value, and an id with a word more.
TEST(Flat, KeepsOddWordsOfKeys) {
  Results results{{some_device()}, {some_run()}, {}, {}, {}};
  const image::KeyAxes odd = {{"probe", "ring"}, {"a b", "x=1 %y"}, {"c", ""}, {"d", "\"q\",\n"}};
  results.variants = {keyed(odd, {{"a b", "1,2"}, {"other", ""}}), keyed(odd, {{"c", "5%20"}})};
  results.variants[1].id = "ring/c=5%20";
  results.variants[1].hash = "another";
  for (const auto& variant : results.variants) results.points.push_back(point_of(variant));
  results = store::in_file_order(without_samples(results));
  const auto back = read_flat("a.csv", to_csv(results));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->variants, results.variants);
  EXPECT_EQ(back->points, results.points);
}

TEST(Flat, KeepsOrdersThatContradictEachOther) {
  Results results{{some_device()}, {some_run()}, {}, {}, {}};
  results.variants = {keyed({{"probe", "a"}, {"x", "1"}, {"y", "2"}, {"z", "3"}}, {}),
                      keyed({{"probe", "b"}, {"y", "2"}, {"x", "1"}}, {{"x", "7"}}),
                      keyed({{"probe", "c"}, {"z", "3"}, {"w", "1"}, {"x", "1"}}, {})};
  for (const auto& variant : results.variants) results.points.push_back(point_of(variant));
  const auto back = read_flat("a.csv", to_csv(results));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->variants, results.variants);
}

TEST(Flat, MergesTheOrdersOfKeys) {
  Results results{{some_device()}, {some_run()}, {}, {}, {}};
  results.variants = {
      keyed({{"probe", "a"}, {"x", "1"}, {"z", "3"}}, {{"edit", "e"}}),
      keyed({{"probe", "b"}, {"x", "1"}, {"y", "2"}, {"z", "1"}}, {{"ptxas", "1"}})};
  for (const auto& variant : results.variants) results.points.push_back(point_of(variant));
  const std::string text = to_csv(results);
  EXPECT_NE(text.find(",axis.probe,axis.x,axis.y,axis.z,axis.edit,axis.ptxas,named,axis_order,"),
            std::string::npos)
      << text.substr(0, text.find('\n'));
}

TEST(Flat, ColumnsMatchByName) {
  const Results read = Changed().reverse().read().value(), expected = Changed().read().value();
  EXPECT_EQ(read.points, expected.points);
  EXPECT_EQ(read.runs, expected.runs);
  EXPECT_EQ(read.devices, expected.devices);
  // The axes of a key have the order of the columns.
  image::KeyAxes reversed = *expected.variants[0].defaults;
  std::ranges::reverse(reversed);
  EXPECT_EQ(*read.variants[0].defaults, reversed);
  EXPECT_EQ(read.variants[0].named, expected.variants[0].named);
}

TEST(Flat, KeepsColumnsThatItDoesNotKnow) {
  const auto read = Changed().add({"\"wa,tts\"", "", "\"\""}).add({"room", "cold", ""}).read();
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(read->points[0].extra.text(), R"({"room":"cold"})");
  EXPECT_EQ(read->points[1].extra.text(), R"({"wa,tts":""})");
  EXPECT_EQ(read_flat("b.csv", to_csv(*read)).value(), *read);
}

TEST(Flat, AColumnThatIsMissingIsNotKnown) {
  const Changed file = Changed().drop("padding").drop("r2").drop("gpu_watts").set(1, "sm", "");
  const Results read = file.read().value();
  EXPECT_EQ(read.points[0].lacks.text(), "r2,sm,padding");
  EXPECT_EQ(read.points[1].lacks.text(), "r2,padding");
  const std::string text = to_csv(read);
  const Table table = table_of(text);
  EXPECT_EQ(table[1][Changed().column("padding")], "");
  EXPECT_EQ(table[2][Changed().column("padding")], "");
  EXPECT_EQ(table[2][Changed().column("sm")], "7");
  EXPECT_EQ(read_flat("b.csv", text).value(), read);
}

TEST(Flat, AnAxisThatIsMissingIsNotThere) {
  const Results read = Changed().drop("axis.num_stages").read().value();
  EXPECT_EQ(read.variants[0].find("num_stages"), nullptr);
}

TEST(Flat, RefusesFilesWithoutARequiredColumn) {
  EXPECT_EQ(Changed().set(0, "verdict", "verdlct").error(),
            "store: a.csv: header: no column 'verdict' (did you mean 'verdlct'?)");
  EXPECT_EQ(read_flat("a.csv", "").error().text(),
            "store: a.csv: no header (`phasebit export` writes such files)");
}

struct Bad {
  const char *column, *value, *message;
};

TEST(Flat, RefusesValuesOfAnotherTypeOrRange) {
  const Bad values[] = {
      {"cycles", "x", "column 'cycles': 'x' is not a number"},
      {"cycles", "nan", "column 'cycles': 'nan' is not a number"},
      {"cycles", "1.5 ", "column 'cycles': '1.5 ' is not a number"},
      {"repetition", "-1", "column 'repetition': '-1' is not a whole number in range"},
      {"rounds", "-1", "column 'rounds': '-1' is not a whole number in range"},
      {"rounds", "1.0", "column 'rounds': '1.0' is not a whole number in range"},
      {"sm", "2147483648", "column 'sm': '2147483648' is not a whole number in range"},
      {"start_offset", "4294967296",
       "column 'start_offset': '4294967296' is not a whole number in range"},
      {"aa_control", "1", "column 'aa_control': '1' is not true or false"},
      {"modes", "1  2", "column 'modes': '1  2' is not numbers with blanks between"},
      {"verdict", "fine", "column 'verdict': 'fine' is not a word that it can have"},
      {"kind", "Point", "column 'kind': 'Point' is not a word that it can have"},
      {"error_step", "now", "column 'error_step': 'now' is not a word that it can have"},
      {"verdict", "wrong", "column 'error_step': NULL, and the verdict is 'wrong'"},
      {"error", "why", "column 'error': a message without a step"},
      {"ci_low", "1e9", "column 'ci_low': 1000000000 is above ci_high, 13"},
      {"gate", "frob", "column 'gate': 'frob' is not by_rules_file or none"},
      {"gate", "passed", "column 'gate': 'passed' is not by_rules_file or none"},
      {"sass_class", "other",
       "column 'sass_class': ring/mbarrier/none/none/wait=test_wait has other here and class "
       "ring/mbarrier/none/none/wait=test_wait in an earlier row of the same code"},
      {"id", "", "column 'id': NULL"},
      {"device", "", "column 'device': NULL"},
      {"point", "0", "column 'point': 0 is the number of an earlier row"},
      {"run_commit", "other",
       "column 'run_commit': run-1 has other here and abc123 in an earlier row"},
      {"device_name", "H100",
       "column 'device_name': GPU-1 has H100 here and NVIDIA H200 in an earlier row"},
      {"axis.wait", "poll",
       "column 'id': ring/mbarrier/none/none/wait=test_wait has another key in an earlier row"},
      {"sm", "\"7", "a quoted field has no end"},
      {"sm", "\"7\"8", "text after the closing quote of a field"},
      {"sm", "7\"8", "a quote inside a field without quotes"},
  };
  for (const Bad& bad : values)
    EXPECT_EQ(Changed().set(2, bad.column, bad.value).error(),
              fmt::format("store: a.csv: row 2: {}", bad.message));
}

// A median is within its interval. Noise may push a slope below 0, but not with its whole interval.
TEST(Flat, RefusesFiguresThatContradictTheirIntervals) {
  const auto error = [](const char* cycles, const char* low, const char* high) {
    return Changed().set(2, "cycles", cycles).set(2, "ci_low", low).set(2, "ci_high", high).error();
  };
  EXPECT_EQ(error("12", "13", "11"),
            "store: a.csv: row 2: column 'ci_low': 13 is above ci_high, 11");
  EXPECT_EQ(error("12", "1", "0"), "store: a.csv: row 2: column 'ci_low': 1 is above ci_high, 0");
  EXPECT_EQ(error("1e308", "11", "13"),
            "store: a.csv: row 2: column 'cycles': 1e+308 is outside of its interval, 11 to 13");
  EXPECT_EQ(error("-5", "-6", "-4"),
            "store: a.csv: row 2: column 'cycles': -5 and its interval are below 0");
  EXPECT_EQ(error("-5", "-60", "40"), "");
  EXPECT_EQ(error("12", "", ""), "");  // not known
  EXPECT_EQ(Changed()
                .set(1, "reading_2", "polls")
                .set(1, "reading_2_value", "2")
                .set(1, "reading_2_ci_low", "3")
                .set(1, "reading_2_ci_high", "4")
                .error(),
            "store: a.csv: row 1: column 'reading_2_value': 2 is outside of its interval, 3 to 4");
}

TEST(Flat, RefusesIdsThatSayAnotherKey) {
  const auto error = [](const char* id) { return Changed().set(1, "id", id).error(); };
  EXPECT_EQ(error("ring/mbarrier/none/none/wait=poll"),
            "store: a.csv: row 1: column 'axis.wait': 'test_wait', and the id says otherwise: "
            "ring/mbarrier/none/none/wait=poll");
  for (const char* id : {"handoff/mbarrier/none/none/wait=test_wait", "ring/mbarrier/none/none"})
    EXPECT_TRUE(error(id).ends_with("make ring/mbarrier/none/none/wait=test_wait")) << error(id);
}

// An id leaves out what is at its default.
TEST(Flat, RefusesADefaultThatOtherRowsContradict) {
  Results results = plain_results();
  results.variants.push_back(keyed(ring, {{"num_stages", "8"}}));
  results.points.push_back(point_of(results.variants[1]));
  EXPECT_EQ(Changed(results).error(), "");
  EXPECT_EQ(Changed(results).set(1, "axis.wait", "banana").error(),
            "store: a.csv: row 2: column 'axis.wait': 'try_wait' is the default of "
            "ring/mbarrier/none/none here, and 'banana' in an earlier row");
}

// Rows 1 and 2 are of repetitions 0 and 1, 12 cycles each.
TEST(Flat, RefusesTwoFiguresOfOnePoint) {
  const auto twice = [] { return Changed().set(2, "repetition", "0"); };
  EXPECT_EQ(twice().error(), "");
  EXPECT_EQ(twice().set(2, "cycles", "12.5").error(),
            "store: a.csv: row 2: column 'cycles': ring/mbarrier/none/none/wait=test_wait "
            "(repetition 0) has 12.5 here and 12 in an earlier row of the same device and "
            "conditions, and neither has samples");
  // Another condition, a control, or no word of where it ran.
  EXPECT_EQ(twice().set(2, "cycles", "12.5").set(2, "sm", "8").error(), "");
  EXPECT_EQ(twice().set(2, "cycles", "12.5").set(2, "aa_control", "true").error(), "");
  EXPECT_EQ(twice().set(2, "cycles", "12.5").drop("sm").error(), "");
  EXPECT_EQ(Changed().set(2, "cycles", "12.5").error(), "");
}

TEST(Flat, RefusesARowOfTheSameCodeWithAnotherClass) {
  const auto of_the_first = [] {
    return Changed().set(2, "figure_point", "0").set(2, "text_hash", "other");
  };
  EXPECT_EQ(of_the_first().error(), "");
  EXPECT_EQ(of_the_first().set(2, "sass_class", "another").error(),
            "store: a.csv: row 2: column 'sass_class': another, and point 0, whose figures it has, "
            "class ring/mbarrier/none/none/wait=test_wait");
  EXPECT_EQ(of_the_first().set(2, "sass_class", "").error(), "");  // not known
}

// So has a file that lost its last rows: packed frame by frame, a cut between two shows no damage.
TEST(Flat, RefusesARowWhoseFiguresAreNotThere) {
  const std::string text = Changed().set(1, "figure_point", "1").text();
  const std::size_t cut = text.find('\n', text.find('\n') + 1) + 1;
  const std::string first = base::zstd(text.substr(0, cut)), rest = base::zstd(text.substr(cut));
  EXPECT_TRUE(read_flat("a.csv.zst", first + rest));
  EXPECT_EQ(read_flat("a.csv.zst", first).error().text(),
            "store: a.csv.zst: row 1: column 'figure_point': there is no point 1 (the file may be "
            "cut: copy it again from where it is whole)");
}

TEST(Flat, RefusesKeysThatNameWhatIsNotThere) {
  EXPECT_EQ(Changed().drop("axis.wait").error(),
            "store: a.csv: row 1: column 'axis.wait': NULL, though the key names it");
}

TEST(Flat, RefusesOtherNumbersOfFields) {
  std::string text = Changed().text();
  const std::size_t columns = table_of(text)[0].size();
  text.insert(text.size() - 1, ",");
  EXPECT_EQ(read_flat("a.csv", text).error().text(),
            fmt::format("store: a.csv: row 2: {} fields for {} columns", columns + 1, columns));
  for (const char* name : {"sm", "axis.wait"})
    EXPECT_EQ(Changed().add({name, "1", "1"}).error(),
              fmt::format("store: a.csv: header: column '{}': twice", name));
}

TEST(Flat, ReadsWhatOtherProgramsWrite) {
  const Results expected = Changed().read().value();
  std::string text = Changed().set(1, "aa_control", "False").set(2, "id", "").text();
  text = Changed().set(1, "aa_control", "False").set(1, "sm", "\"7\"").text();
  EXPECT_EQ(read_flat("a.csv", text).value(), expected);
  std::string with_returns;
  for (const char letter : text) with_returns += letter == '\n' ? "\r\n" : std::string(1, letter);
  EXPECT_EQ(read_flat("a.csv", with_returns).value(), expected);
  text.pop_back();
  EXPECT_EQ(read_flat("a.csv", text).value(), expected);
  EXPECT_EQ(read_flat("a.csv", "\xEF\xBB\xBF" + text).value(), expected);
}

// Below a row nothing is lost: a cut inside a row is an error, one after it leaves whole rows.
TEST(Flat, ACutIsNeverAnotherResult) {
  const std::string text = to_csv(some_results());
  const Results whole = read_flat("a.csv", text).value();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto read = read_flat("a.csv", std::string_view(text).substr(0, size));
    if (!read) continue;
    ASSERT_LE(read->points.size(), whole.points.size());
    for (std::size_t n = 0; n + 1 < read->points.size(); ++n)
      ASSERT_EQ(read->points[n], whole.points[n]) << size;
  }
}

TEST(FlatZstd, RefusesEveryCutAndEveryFlippedByte) {
  const std::string packed = base::zstd(to_csv(plain_results()));
  ASSERT_TRUE(read_flat("a.csv.zst", packed));
  for (std::size_t size = 0; size < packed.size(); ++size)
    EXPECT_FALSE(read_flat("a.csv.zst", std::string_view(packed).substr(0, size))) << size;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto read = read_flat("a.csv.zst", damaged);
    if (read) {  // a bit without a meaning
      EXPECT_EQ(*read, plain_results()) << at;
    }
  }
  EXPECT_EQ(read_flat("a.csv.zst", packed.substr(0, 40)).error().text(),
            "io: a.csv.zst: cut short (copy it again from where it is whole)");
  EXPECT_EQ(read_flat("a.csv.zst", "\x1f\x8b gzip").error().text(),
            "io: a.csv.zst does not begin like a zstd file");
  EXPECT_FALSE(read_flat("a.csv.zst", packed + "more"));
  EXPECT_EQ(read_flat("a.csv", packed).value(), plain_results());  // by its first bytes
}

class FlatFiles : public testing::Test {
 protected:
  base::TempDir folder_ = base::TempDir::create().value();
  fs::path path_ = folder_.path() / "a.csv.zst", samples_ = folder_.path() / "a.samples.csv.zst";

  Result<Results> read(const store::SampleWish& wanted = {}) {
    return read_flat(path_, base::read_file(path_).value(), wanted);
  }
  std::string samples_text() {
    std::string text;
    EXPECT_TRUE(base::unzstd(base::read_file(samples_).value(), "s", [&](std::string_view piece) {
      text += piece;
      return Status();
    }));
    return text;
  }
};

TEST_F(FlatFiles, KeepSamplesInAFileOfTheirOwn) {
  const Results results = some_results();
  ASSERT_TRUE(store::write_flat(path_, results));
  EXPECT_EQ(read().value(), results);
  EXPECT_EQ(read(store::no_samples).value(), without_samples(results));
  EXPECT_TRUE(samples_text().starts_with("point,items,cycles,reading_1,reading_2\n0,8,196,,\n"))
      << samples_text().substr(0, 100);
}

TEST_F(FlatFiles, EarlierSamplesAreNotLost) {
  const Results results = some_results();
  ASSERT_TRUE(store::write_flat(path_, results));
  EXPECT_EQ(store::write_flat(path_, without_samples(results)).error().text(),
            fmt::format("store: {} has the samples of an earlier file, and these rows have none "
                        "(move it, or choose another name)",
                        samples_.string()));
  EXPECT_EQ(read().value(), results);
}

TEST_F(FlatFiles, FiguresAreThoseOfTheirSamples) {
  Results results = plain_results();
  results.points = {point_of(results.variants[0])};
  path_ = folder_.path() / "a.csv";
  ASSERT_TRUE(store::write_flat(path_, results));
  const std::string text = base::read_file(path_).value();
  const auto error = [&](const std::string& name, const std::string& value) {
    Table table = table_of(text);
    table[1][Changed().column(name)] = value;
    EXPECT_TRUE(base::write_file(path_, text_of(table)));
    const auto made = read();
    return made ? "" : made.error().text();
  };
  const std::string row = fmt::format("store: {}: row 1: ", path_.string());
  // Rounds of 12, 12 and 13 cycles an item: too few for an interval, so it is their range.
  EXPECT_EQ(error("cycles", "12"), "");
  EXPECT_EQ(error("cycles", "12.5"), row + "column 'cycles': 12.5, but its samples give 12");
  EXPECT_EQ(error("ci_low", "11"), row + "column 'ci_low': 11, but its samples give 12");
  EXPECT_EQ(error("rounds", "4"), row + "column 'rounds': 4, but its samples give 3");
  EXPECT_EQ(error("r2", ""), "");  // not known
}

TEST_F(FlatFiles, ADeviceHasOneName) {
  const fs::path other = folder_.path() / "other.csv", store = folder_.path() / "a.sqlite";
  Results results = some_results();
  ASSERT_TRUE(store::write_flat(path_, results));
  results.devices[0].name = "NVIDIA H100";
  ASSERT_TRUE(store::write_flat(other, results));
  const std::string twice =
      "device GPU-1 is 'NVIDIA H100' here, and 'NVIDIA H200' in what was read before";
  EXPECT_EQ(store::load_results({path_, other}).error().text(),
            fmt::format("store: {}: {}", other.string(), twice));
  ASSERT_TRUE(store::import_results(store, {path_}));
  EXPECT_EQ(store::import_results(store, {other}).error().text(),
            fmt::format("store: {}: {}: {}", other.string(), store.string(), twice));
}

TEST_F(FlatFiles, GoThroughAStoreWithoutLoss) {
  const fs::path store = folder_.path() / "a.sqlite", again = folder_.path() / "again.csv.zst";
  Results results = some_results();
  results.points[0].extra = R"({"watts":"3"})";
  results.points[1].lacks = "sm,padding";
  results.points[1].conditions = {};
  ASSERT_TRUE(store::write_flat(path_, results));
  ASSERT_TRUE(store::import_results(store, {path_}));
  const auto back = store::load_results({store});
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->points, results.points);
  ASSERT_TRUE(store::write_flat(again, *back));
  EXPECT_EQ(base::read_file(again).value(), base::read_file(path_).value());
  EXPECT_EQ(base::read_file(folder_.path() / "again.samples.csv.zst").value(),
            base::read_file(samples_).value());
}

TEST_F(FlatFiles, RefuseSamplesThatDoNotMatch) {
  ASSERT_TRUE(store::write_flat(path_, some_results()));
  const std::string text = samples_text(), name = samples_.string();
  const auto error = [&](const std::string& changed) {
    EXPECT_TRUE(base::write_file(samples_, base::zstd(changed)));
    const auto made = read();
    return made ? "" : made.error().text();
  };
  const auto with = [&](const std::string& row) { return text + row + "\n"; };
  const std::size_t rows = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const auto at = [&](const char* what) {
    return fmt::format("store: {}: row {}: {}", name, rows, what);
  };
  EXPECT_EQ(error(with("99,1,2,,")), at("column 'point': the results have no point 99"));
  EXPECT_EQ(error(with("3,1,2,,")), at("column 'reading_1': point 3 has 2 readings"));
  EXPECT_EQ(error(with("3,4294967296,2,1,1")),
            at("column 'items': '4294967296' is not a whole number in range"));
  EXPECT_EQ(error(with("3,1,-2,1,1")), at("column 'cycles': '-2' is not a whole number in range"));
  EXPECT_EQ(error(with("3,1,2,1")), at("4 fields for 5 columns"));
  EXPECT_EQ(error(with("3,1,2,1,1")),
            fmt::format("store: {}: 13 samples of point 3, of which the results count 12", name));
  EXPECT_EQ(error("point,items\n"), fmt::format("store: {}: header: no column 'cycles'", name));
  ASSERT_TRUE(fs::remove(samples_));
  EXPECT_EQ(read().error().text(),
            fmt::format("io: cannot read {}: No such file or directory", name));
}

TEST_F(FlatFiles, SamplesMayBeNamedWithTheirResults) {
  const Results results = some_results();
  ASSERT_TRUE(store::write_flat(path_, results));
  EXPECT_EQ(store::load_results({path_, samples_})->points, results.points);
}

TEST(FlatFacts, ADefaultIsTheOneOfMostVariants) {
  Results results;
  results.variants = {keyed({{"probe", "a"}, {"x", "2"}, {"y", "b"}}, {}),
                      keyed({{"probe", "b"}, {"x", "1"}, {"y", "a"}}, {}),
                      keyed({{"probe", "c"}, {"x", "2"}}, {})};
  const image::CatalogueFacts facts = store::facts_of(results);
  EXPECT_EQ(facts.axes.size(), 2U);
  EXPECT_EQ(*facts.default_of("x"), "2");
  EXPECT_EQ(*facts.default_of("y"), "a");
}

}  // namespace
}  // namespace phasebit::test
