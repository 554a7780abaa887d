#include "analysis/listing/page.h"

#include "analysis/compare/diff.h"
#include "tests/analysis/sass/handmade.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using listing::Page;
using listing::page_data;
using listing::run_lengths;

namespace {

listing::PageCode code(const std::vector<std::string>& lines, const std::string& hash) {
  Handmade made = handmade(lines);
  made.kernel.text_hash = hash;
  return {reading::CodeSubject{"v", 90, std::move(made.kernel), std::move(made.source), {}},
          nullptr};
}

// Two columns of one code and one of another, and a cell without code.
Page small_page() {
  Page page;
  page.made_with = "ptxas </script>";
  page.variants = {"v"};
  page.codes = {code({"a.wait| MOV R1,R2", "a.wait| BAR.SYNC 1", "| EXIT"}, "0123456789abcdef"),
                code({"a.wait| MOV R1,R3", "a.wait| BAR.SYNC 1", "| EXIT"}, "fedcba9876543210")};
  page.views = {{"architectures",
                 {"sm_80", "sm_90", "sm_90a", "sm_100"},
                 1,
                 {{{"needs sm_90, the target is sm_80", -1}, {"", 0}, {"", 0}, {"", 1}}}}};
  return page;
}

TEST(Page, RunLengths) {
  EXPECT_EQ(run_lengths(""), "");
  EXPECT_EQ(run_lengths("="), "=");
  EXPECT_EQ(run_lengths("===s<<>="), "3=s2<>=");
  EXPECT_EQ(run_lengths(std::string(120, 'x')), "120x");
}

TEST(Page, EachThingOnce) {
  const Page page = small_page();
  const auto text = page_data(page, 2);
  ASSERT_TRUE(text) << text.error().text();
  const auto data = nlohmann::json::parse(*text);
  EXPECT_EQ(data["views"][0]["cells"], nlohmann::json::parse("[[-1, 0, 0, 1]]"));
  EXPECT_EQ(data["problems"][0], "needs sm_90, the target is sm_80");
  // MOV R1,R2; MOV R1,R3; and what both have.
  EXPECT_EQ(data["texts"],
            nlohmann::json::parse(R"(["MOV R1,R2", "BAR.SYNC 1", "EXIT", "MOV R1,R3"])"));
  EXPECT_EQ(data["listings"], nlohmann::json::parse(R"(["0,1,2", "3,1,2"])"));
  EXPECT_EQ(data["codes"][1]["hash"], "fedcba987654");
  // Both directions of the one pair: the first row differs in an operand.
  EXPECT_EQ(data["diffs"], nlohmann::json::parse(R"([[0, 1, "o2="], [1, 0, "o2="]])"));
}

nlohmann::json data_of(const Page& page) {
  const auto text = page_data(page, 1);
  EXPECT_TRUE(text) << text.error().text();
  return text ? nlohmann::json::parse(*text) : nlohmann::json();
}

TEST(Page, BeginsWithTheFirstColumnThatHasCode) {
  Page page = small_page();
  EXPECT_EQ(data_of(page)["views"][0]["reference"], 1);  // as it was asked for
  page.views[0].reference.reset();
  EXPECT_EQ(data_of(page)["views"][0]["reference"], 1);  // sm_80 has no code
  page.views[0].reference = 3;
  EXPECT_EQ(data_of(page)["views"][0]["reference"], 3);
}

TEST(Page, FiguresStandByRowAndColumn) {
  Page page = small_page();
  page.views[0].cells[0][2].figure = listing::PageFigure{
      "104.00", "0.01", "cycles per item", "NVIDIA H200", "2026-11-22", "sm_90a"};
  EXPECT_EQ(data_of(page)["views"][0]["figures"], nlohmann::json::parse(R"([[0, 2, {
      "cycles": "104.00", "half_width": "0.01", "unit": "cycles per item",
      "device": "NVIDIA H200", "date": "2026-11-22", "target": "sm_90a"}]])"));
}

TEST(Page, NamesTheChangesAndTheirMarks) {
  const auto data = data_of(small_page());
  ASSERT_GE(data["changes"].size(), 4U);
  EXPECT_EQ(data["changes"].front(), nlohmann::json::parse(R"(["identical", "="])"));
  EXPECT_EQ(data["changes"].back(), nlohmann::json::parse(R"(["instructions", "x"])"));
}

// A loop over floats from 0x10 on, with a wait in it at 0x20.
TEST(Page, KernelsOfFilesHaveLoops) {
  Page page;
  page.of_files = true;
  page.variants = {"ns::k(int)"};
  page.symbols = {"_ZN2ns1kEi"};
  page.codes = {code({"| MOV R1,R2 # 1", "| FFMA R0,R0,R1,R2 # 4",
                      "| SYNCS.PHASECHK.TRANS64.TRYWAIT P0,[UR4],R2 # 2", "| @!P0 BRA 0x20 # 5",
                      "| @P1 BRA 0x10 # 5", "| EXIT # 5"},
                     "0123456789abcdef")};
  page.codes[0].side.has_lines = true;
  page.codes[0].side.loops = reading::find_code_loops(page.codes[0].side.kernel, {});
  page.views = {{"targets", {"sm_90a"}, std::nullopt, {{{"", 0}}}}};
  const auto one = data_of(page)["codes"][0];
  ASSERT_EQ(one["all_loops"].size(), 2U);
  EXPECT_EQ(one["hottest"], 0);
  EXPECT_EQ(one["opens_at"], 1);
  EXPECT_EQ(one["all_loops"][0]["own"][1], 4 + 5);  // issue cycles
  EXPECT_EQ(one["all_loops"][0]["inside"], 2);
  EXPECT_EQ(one["all_loops"][0]["waits"], false);
  EXPECT_EQ(one["all_loops"][1]["waits"], true);
  EXPECT_EQ(one["loops"][0][0], "hottest loop");
  // Depth, place, heat, PTX: the wait is in the loop, and no part of a turn of it.
  const auto data = data_of(page);
  std::vector<std::string> places;
  for (const auto& row : data["rows"]) {
    const std::string place = data["places"][row[2].get<std::size_t>()];
    places.push_back(place.substr(0, place.find('\n')) +
                     (place.find("\nhot\n") != std::string::npos ? " hot" : ""));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"", "1 hot", "2", "2", "1 hot", ""}));
}

TEST(Page, NothingIsTheSameAsNothing) {
  Page page = small_page();
  page.codes[1].side.kernel.instructions.clear();
  const auto text = page_data(page, 1);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text(),
            "disassemble: v: no instruction in it, so there is nothing to compare");
}

// One file: nothing is loaded, and no text of the data ends its script.
TEST(Page, OneFile) {
  const auto html = listing::page_as_html(small_page(), 1);
  ASSERT_TRUE(html) << html.error().text();
  for (const char* mark : {"/* style */", "/* script */", "http:", "https:", " src="})
    EXPECT_EQ(html->find(mark), std::string::npos) << mark;
  EXPECT_NE(html->find(R"("made_with":"ptxas <\/script>")"), std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
