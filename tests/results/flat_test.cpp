// Results as CSV: core/results/flat.h.
#include "core/results/flat.h"

#include "core/base/file.h"
#include "core/results/load.h"
#include "tests/results/flat_rows.h"

namespace phasebit::test {
namespace {

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

// The names of columns are not a row before the first.
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
  measured.kind = results::PointKind::point;
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
  const launch::KeyAxes odd = {{"probe", "ring"}, {"a b", "x=1 %y"}, {"c", ""}, {"d", "\"q\",\n"}};
  results.variants = {keyed(odd, {{"a b", "1,2"}, {"other", ""}}), keyed(odd, {{"c", "5%20"}})};
  results.variants[1].id = "ring/c=5%20";
  results.variants[1].hash = "another";
  for (const auto& variant : results.variants) results.points.push_back(point_of(variant));
  results = results::in_file_order(without_samples(results));
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
  launch::KeyAxes reversed = *expected.variants[0].defaults;
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
      {"counters", "a=1 b=x",
       "column 'counters': 'a=1 b=x' is not names with numbers, NAME=NUMBER, with blanks between"},
      {"counters", "1 2",
       "column 'counters': '1 2' is not names with numbers, NAME=NUMBER, with blanks between"},
      {"counters", "a-b=1",
       "column 'counters': 'a-b=1' is not names with numbers, NAME=NUMBER, with blanks between"},
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

// Rounds of 12, 12 and 13 cycles an item, the farthest sample 21 cycles from the line of 12.333.
TEST(Flat, RefusesFiguresThatContradictTheirLine) {
  const auto error = [](const char* cycles, const char* worst) {
    return Changed()
        .set(2, "cycles", cycles)
        .set(2, "ci_low", "0")
        .set(2, "ci_high", "99")
        .set(2, "worst_residual_cycles", worst)
        .error();
  };
  EXPECT_EQ(error("50", "21"), "");
  EXPECT_EQ(error("50", "-21"), "");
  EXPECT_EQ(error("12", "0"), "");
  EXPECT_EQ(error("50", "0"),
            "store: a.csv: row 2: column 'cycles': 50, but the line through its samples has a "
            "slope of 12.333 and they are 0 cycles from it at most");
  EXPECT_EQ(error("50", ""), "");  // not known
}

TEST(Flat, RefusesConditionsThatCannotBe) {
  EXPECT_EQ(Changed().set(2, "sm", "999").set(2, "device_multiprocessors", "").error(),
            "store: a.csv: row 2: column 'device_multiprocessors': GPU-1 has NULL here and 132 in "
            "an earlier row");
  EXPECT_EQ(Changed().set(2, "sm", "132").error(),
            "store: a.csv: row 2: column 'sm': 132 of a device with 132 multiprocessors");
  EXPECT_EQ(Changed().set(2, "sm", "131").error(), "");
  EXPECT_EQ(Changed().set(2, "padding", "7").error(),
            "store: a.csv: row 2: column 'padding': 7 is not a number of NOPs, of 16 bytes");
  EXPECT_EQ(Changed().set(2, "padding", "208").error(), "");
  EXPECT_EQ(Changed().set(2, "error_step", "gate").error(),
            "store: a.csv: row 2: column 'error_step': a reason against figures, and the verdict "
            "is 'measured'");
  EXPECT_EQ(Changed().set(2, "verdict", "same_code").error(),
            "store: a.csv: row 2: column 'same_as': NULL, and the verdict is 'same_code'");
}

// Of the first two rows of some_results() one has the figures of the other.
TEST(Flat, RefusesFiguresOfAVariantThatIsNotNamed) {
  Results results = some_results();
  std::erase_if(results.points, [](const PointRow& one) { return one.error.has_value(); });
  for (PointRow& point : results.points) {
    point.counters.clear();
    point.aa_control = false;
    point.kind = results::PointKind::point;
    point.quality = {};
    point.sass_class = "0240c4f3e0a9-2";
  }
  std::size_t same = 1;
  while (results.points[same - 1].verdict != Verdict::same_code) ++same;
  const auto error = [&](const char* column, const std::string& value) {
    return Changed(results).set(same, column, value).error();
  };
  EXPECT_EQ(error("same_as", results.points[same - 1].same_as.text()), "");
  EXPECT_TRUE(error("figure_point", "")
                  .ends_with(fmt::format("column 'figure_point': NULL, and there are figures of {}",
                                         results.points[same - 1].same_as)))
      << error("figure_point", "");
  EXPECT_TRUE(error("same_as", "ring/mbarrier/st_shared/none")
                  .ends_with("and same_as is ring/mbarrier/st_shared/none"))
      << error("same_as", "ring/mbarrier/st_shared/none");
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
  EXPECT_EQ(
      twice().error(),
      "store: a.csv: row 2: column 'repetition': ring/mbarrier/none/none/wait=test_wait has a "
      "figure of repetition 0 in an earlier row of the same device and conditions");
  // Another condition, a control, or no word of where it ran.
  EXPECT_EQ(twice().set(2, "sm", "8").error(), "");
  EXPECT_EQ(twice().set(2, "aa_control", "true").error(), "");
  EXPECT_EQ(twice().drop("sm").error(), "");
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

TEST(FlatFacts, ADefaultIsTheOneOfMostVariants) {
  Results results;
  results.variants = {keyed({{"probe", "a"}, {"x", "2"}, {"y", "b"}}, {}),
                      keyed({{"probe", "b"}, {"x", "1"}, {"y", "a"}}, {}),
                      keyed({{"probe", "c"}, {"x", "2"}}, {})};
  const launch::CatalogueFacts facts = results::facts_of(results);
  EXPECT_EQ(facts.axes.size(), 2U);
  EXPECT_EQ(*facts.default_of("x"), "2");
  EXPECT_EQ(*facts.default_of("y"), "a");
}

}  // namespace
}  // namespace phasebit::test
