#include "analysis/listing/listing.h"

#include "analysis/foreign/module.h"
#include "analysis/gate/gate.h"
#include "tests/analysis/sass/support.h"

#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using disassembly::Disassembler;
using listing::ListingFormat;

namespace {

const test::RingVerbs listing_try_wait_ring = {
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a+64], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a];",
    "L_w:\nmbarrier.try_wait.parity.shared.b64 p, [a], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a+64];"};

// Of what was assembled of statements, and gated.
Result<std::string> list(const test::Script& kernel, const std::string& cubin,
                         ListingFormat format) {
  PHASEBIT_TRY_ASSIGN(disassembler, Disassembler::open(test::find_tools()->nvdisasm));
  PHASEBIT_TRY_ASSIGN(read, cubin::read_cubin(cubin));
  const foreign::CodeImage image{"m.cubin", cubin, std::move(read)};
  PHASEBIT_TRY_ASSIGN(
      subjects, foreign::read_code_kernels(
                    disassembler, {{&image, image.cubin.find(kernel.entry), &kernel.source}}));
  const reading::CodeSubject& subject = subjects.front();
  isa::GateSpec spec;
  spec.known = true;
  spec.verbs = {{"wait", "", {{"SYNCS.PHASECHK*TRYWAIT", 1}}, {}}};
  listing::ListingRequest request;
  request.format = format;
  request.disassembler = disassembler.version();
  request.gate = gate::apply_gate(spec, subject.windows, subject.kernel, subject.source);
  return listing::list_subject(subject, request);
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
  const auto kernel = test::ring(listing_try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a");
  ASSERT_TRUE(cubin) << cubin.error().text();
  const auto text = list(kernel, *cubin, ListingFormat::text);
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
  const auto kernel = test::ring(listing_try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a");
  ASSERT_TRUE(cubin) << cubin.error().text();
  const auto text = list(kernel, *cubin, ListingFormat::json);
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

// Without `.loc` there is a listing, without verbs.
TEST(Listing, WithoutLineTable) {
  PHASEBIT_NEEDS_TOOLS();
  const auto kernel = test::ring(listing_try_wait_ring);
  const auto cubin = test::assemble({kernel}, "sm_90a", false);
  ASSERT_TRUE(cubin);
  const auto text = list(kernel, *cubin, ListingFormat::text);
  ASSERT_TRUE(text);
  EXPECT_EQ(lines_with(*text, "SYNCS.ARRIVE").size(), 2U);
  EXPECT_EQ(lines_with(*text, "producer: no instruction of clock_start reads the clock").size(), 2U)
      << *text;
}

}  // namespace
}  // namespace phasebit::test
