// The curated set from text to gated images: one assembly with `.loc`, of which the plain one is
// the same code, and outcomes that are kept.
#include "join/images/gate_images.h"
#include "tests/app/spaces.h"
#include "tests/app/tools.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Made {
  std::vector<join::images::Prepared> prepared;
  std::vector<join::images::ImageSet> sets;
};

const std::vector<join::images::CodeColumn> columns = {
    {"sm_90a", {}}, {"sm_80", {}}, {"sm_107a", {}}};

Result<join::images::Tools> tools_in(const fs::path& cache) {
  join::images::ToolOptions options;
  options.home = test::home();
  options.cache = cache.string();
  return join::images::open_tools(options);
}

Result<Made> make(join::images::Tools& tools) {
  PHASEBIT_TRY_ASSIGN(disassembler, join::images::open_disassembler(tools));
  const join::select::Space space = test::space_of("curated");
  PHASEBIT_TRY_ASSIGN(prepared, join::images::prepare(space, launch::Build::timed, 0));
  Made made{std::move(prepared), {}};
  made.sets = join::images::make_images(tools, made.prepared, columns);
  PHASEBIT_TRY(join::images::gate_images(tools, disassembler, made.prepared, columns, made.sets));
  return made;
}

std::string as_text(const Result<launch::Image>& image) {
  if (!image) return image.error().text();
  std::string text = fmt::format("{} {} {} {}", image->sass_class, image->text_hash,
                                 static_cast<int>(image->gate.verdict), image->gate.reason);
  for (const launch::VerbCensus& one : image->census) {
    text += fmt::format("\n{} {}", one.verb, one.role);
    for (const auto& [opcode, count] : one.hot) text += fmt::format(" {} {}", opcode, count);
    text += " |";
    for (const auto& [opcode, count] : one.cold) text += fmt::format(" {} {}", opcode, count);
  }
  return text;
}

class Images : public WithListing {};

TEST_F(Images, LinesLeaveTheCodeOfTheCuratedSetAsItIs) {
  auto tools = tools_in(folder_.path());
  ASSERT_TRUE(tools) << tools.error().text();
  auto made = make(*tools);
  ASSERT_TRUE(made) << made.error().text();
  std::size_t compared = 0;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    const std::vector<Result<launch::Image>> before = made->sets[column].images;
    ASSERT_TRUE(join::images::check_plain_text(*tools, made->prepared, columns[column],
                                               made->sets[column]));
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(as_text(made->sets[column].images[i]), as_text(before[i]));
      if (!before[i]) continue;
      EXPECT_EQ(before[i]->gate.verdict, launch::GateVerdict::passed) << before[i]->gate.reason;
      EXPECT_FALSE(before[i]->sass_class.empty());
      ++compared;
    }
  }
  EXPECT_GT(compared, 50U);
  // Other code than the plain assembly's is not an image.
  std::size_t first = 0;
  while (!made->sets[0].images.at(first)) ++first;
  made->sets[0].images[first]->text_hash = "of other code";
  ASSERT_TRUE(join::images::check_plain_text(*tools, made->prepared, columns[0], made->sets[0]));
  ASSERT_FALSE(made->sets[0].images[first]);
  EXPECT_EQ(made->sets[0].images[first].error().text(),
            "gate: " + made->prepared[first].key.id +
                ": `.loc` changed its code for sm_90a, so its lines say nothing");
}

TEST_F(Images, ACacheThatCannotBeMadeSaysWhatToDo) {
  ASSERT_TRUE(base::write_file(folder_.path() / "file", ""));
  const auto tools = tools_in(folder_.path() / "file" / "cache");
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().text(),
            fmt::format("io: cannot make the folder {}: Not a directory (--cache FOLDER names "
                        "another, --no-cache keeps nothing)",
                        (folder_.path() / "file" / "cache").string()));
}

TEST_F(Images, OutcomesThatAreKeptAreThoseThatWereMade) {
  auto tools = tools_in(folder_.path());
  ASSERT_TRUE(tools) << tools.error().text();
  const auto cold = make(*tools);
  ASSERT_TRUE(cold) << cold.error().text();
  // Without listings and nvdisasm's runs: what is known comes from the outcomes alone.
  const fs::path listings = folder_.path() / "disassembly";
  EXPECT_GT(fs::file_size(listings / "index.sqlite"), 100'000U);
  fs::remove_all(listings);
  const auto warm = make(*tools);
  ASSERT_TRUE(warm) << warm.error().text();
  EXPECT_LT(fs::file_size(listings / "index.sqlite"), 10'000U);
  for (std::size_t column = 0; column < columns.size(); ++column)
    for (std::size_t i = 0; i < cold->prepared.size(); ++i)
      EXPECT_EQ(as_text(warm->sets[column].images[i]), as_text(cold->sets[column].images[i]));
}

// Of sm_80 an arrival is MEMBAR and ATOMS.ARRIVE, and ptxas calls its own warpsync: `prime`, which
// arrives at every slot before the clocks, may hold them.
TEST_F(Images, PrimeArrivesBySoftwareBeforeHopper) {
  auto tools = tools_in(folder_.path());
  ASSERT_TRUE(tools) << tools.error().text();
  auto disassembler = join::images::open_disassembler(*tools);
  ASSERT_TRUE(disassembler) << disassembler.error().text();
  auto request = test::at_home<join::select::SpaceRequest>();
  for (const char* arrival : {"", "/arrival=thread", "/arrival=warp_no_complete"})
    request.ids.push_back(std::string("ring/mbarrier/st_shared/none/wait=test_wait/operand=state") +
                          arrival);
  auto space = join::select::open_space(request);
  ASSERT_TRUE(space) << space.error().text();
  auto prepared = join::images::prepare(*space, launch::Build::timed, 1);
  ASSERT_TRUE(prepared) << prepared.error().text();
  const std::vector<join::images::CodeColumn> ampere = {{"sm_80", {}}};
  auto sets = join::images::make_images(*tools, *prepared, ampere);
  const auto gated = join::images::gate_images(*tools, *disassembler, *prepared, ampere, sets);
  ASSERT_TRUE(gated) << gated.error().text();
  for (const Result<launch::Image>& image : sets.front().images) {
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ(image->gate.verdict, launch::GateVerdict::passed) << image->gate.reason;
  }
}

}  // namespace
}  // namespace phasebit::test
