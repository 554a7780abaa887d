#include "analysis/listing/listing.h"

#include "tests/analysis/sass/support.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using disassembly::Disassembler;
using gate::GateInput;
using listing::list_kernel;
using listing::ListingFormat;

namespace {

const test::RingVerbs try_wait_ring = {
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a+64], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a];",
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a+64];"};

GateInput input_of(const test::Script& kernel) {
  GateInput input{kernel.entry, &kernel.source, {}};
  input.spec.known = true;
  input.spec.verbs = {{"wait", "", {{"SYNCS.PHASECHK*TRYWAIT", 1}}, {}}};
  return input;
}

std::vector<std::string> lines_with(const std::string& text, const std::string& what) {
  std::vector<std::string> found;
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line))
    if (line.find(what) != std::string::npos) found.push_back(line);
  return found;
}

TEST(Listing, ShowsControlVerbAndTemplate) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring(try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a");
  ASSERT_TRUE(cubin) << cubin.error().text();
  const auto disassembler = Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  const auto text = list_kernel(*disassembler, *cubin, input_of(kernel), {ListingFormat::text});
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(lines_with(*text, "SYNCS.ARRIVE").size(), 2U) << *text;
  const auto waits = lines_with(*text, "consumer.wait");
  ASSERT_GE(waits.size(), 2U) << *text;
  const auto release = lines_with(*text, "consumer.release");
  ASSERT_FALSE(release.empty());
  EXPECT_NE(release.front().find("  hot    consumer.release     SYNCS.ARRIVE"), std::string::npos)
      << release.front();
  EXPECT_NE(release.front().find(" release.ptx:"), std::string::npos);
  EXPECT_EQ(lines_with(*text, "  cold   consumer.wait        SYNCS.PHASECHK").size(), 1U) << *text;
  EXPECT_EQ(lines_with(*text, "nvdisasm 13.5.37, gate passed").size(), 1U) << *text;
  EXPECT_EQ(lines_with(*text, "consumer: clock read at 0x").size(), 1U) << *text;
}

TEST(Listing, JsonHoldsEveryInstruction) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring(try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a");
  ASSERT_TRUE(cubin) << cubin.error().text();
  const auto disassembler = Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  const auto text = list_kernel(*disassembler, *cubin, input_of(kernel), {ListingFormat::json});
  ASSERT_TRUE(text) << text.error().text();
  const auto json = nlohmann::json::parse(*text);
  EXPECT_EQ(json["entry"], "k");
  EXPECT_EQ(json["gate"]["verdict"], "passed");
  EXPECT_EQ(json["windows"].size(), 2U);
  int hot_waits = 0;
  for (const auto& instruction : json["instructions"])
    hot_waits += instruction["verb"] == "wait" && instruction["heat"] == "hot" &&
                 instruction["opcode"] == "SYNCS.PHASECHK.TRANS64.TRYWAIT";
  EXPECT_EQ(hot_waits, 1);
  EXPECT_EQ(json["instructions"][1]["address"], 16);
}

TEST(Listing, NamesAMissingKernel) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring(try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a");
  ASSERT_TRUE(cubin);
  const auto disassembler = Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  GateInput input = input_of(kernel);
  input.entry = "other";
  const auto text = list_kernel(*disassembler, *cubin, input, {ListingFormat::text});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().text(), "disassemble: the module has no kernel other");
}

// Without `.loc` there is a listing, without verbs.
TEST(Listing, WithoutLineTable) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring(try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a", false);
  ASSERT_TRUE(cubin);
  const auto disassembler = Disassembler::open(test::find_tools()->nvdisasm);
  ASSERT_TRUE(disassembler);
  const auto text = list_kernel(*disassembler, *cubin, input_of(kernel), {ListingFormat::text});
  ASSERT_TRUE(text);
  EXPECT_EQ(lines_with(*text, "SYNCS.ARRIVE").size(), 2U);
  EXPECT_EQ(lines_with(*text, "producer: no instruction of clock_start reads the clock").size(), 2U)
      << *text;
}

}  // namespace
}  // namespace phasebit::test
