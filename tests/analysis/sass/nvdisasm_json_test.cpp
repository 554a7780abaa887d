#include "analysis/disassembly/nvdisasm_json.h"

#include "core/isa/version.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using disassembly::parse_nvdisasm_json;

namespace {

// The layout of nvdisasm 13.5, cut down by hand; the header keeps a nested object and a misleading
// key.
const std::string header =
    R"({"ELF":{"layout-id":4,"Producer":"no"},"SM":{"version":{"major":9,"minor":0}},)"
    R"("Producer":"nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.1_0","Description":""})";

std::string nvdisasm_json_listing(const std::string& functions) {
  return "[" + header + ",[" + functions + "]]";
}

TEST(NvdisasmJson, ReadsFunctions) {
  const auto read = parse_nvdisasm_json(nvdisasm_json_listing(
      R"({"function-name":"k","start":0,"length":48,"other-attributes":[{"opcode":"no"}],)"
      R"("sass-instructions":[{"opcode":"LDC","operands":"R1,c[0x0][0x28]"},)"
      R"({"predicate":"@!P0","opcode":"BRA","operands":"0x20",)"
      R"("other-attributes":{"control-flow":"True","opcode":"no"}},{"opcode":"EXIT"}]},)"
      R"({"function-name":"l","start":0,"length":16,"sass-instructions":[{"opcode":"EXIT"}]})"));
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(isa::version_in_banner(read->producer), "13.5.37");
  ASSERT_EQ(read->functions.size(), 2U);
  EXPECT_EQ(read->functions[0].name, "k");
  EXPECT_EQ(read->functions[0].length, 48U);
  ASSERT_EQ(read->functions[0].instructions.size(), 3U);
  EXPECT_EQ(read->functions[0].instructions[0].operands, "R1,c[0x0][0x28]");
  EXPECT_EQ(read->functions[0].instructions[1].predicate, "@!P0");
  EXPECT_EQ(read->functions[0].instructions[1].opcode, "BRA");
  EXPECT_EQ(read->functions[0].instructions[2].predicate, "");
  EXPECT_EQ(read->functions[1].name, "l");
}

// As nvdisasm 13.5 gives the words 0x1ff117803, 0x1ff110803 and 0x1ff117804 for sm_90; its text has
// "P2R R17, PR, RZ, 0x1", "@P0 P2R R17, PR, RZ, 0x1" and "R2P PR, RZ, 0x1".
TEST(NvdisasmJson, PutsThePredicateFileAmongTheOperands) {
  const auto read = parse_nvdisasm_json(
      nvdisasm_json_listing(R"({"function-name":"k","start":0,"length":48,"sass-instructions":[)"
                            R"({"predicate":"PR","opcode":"P2R","operands":"R17,RZ,0x1"},)"
                            R"({"predicate":"PR","opcode":"P2R","operands":"R17,@P0,RZ,0x1"},)"
                            R"({"opcode":"R2P","operands":"PR,RZ,0x1"},)"
                            R"({"opcode":"LDGSTS.E.128","operands":"[R7][R2.64]"}]})"));
  ASSERT_TRUE(read) << read.error().text();
  const auto& code = read->functions[0].instructions;
  EXPECT_EQ(code[0].predicate + "|" + code[0].operands, "|R17,PR,RZ,0x1");
  EXPECT_EQ(code[1].predicate + "|" + code[1].operands, "@P0|R17,PR,RZ,0x1");
  EXPECT_EQ(code[2].predicate + "|" + code[2].operands, "|PR,RZ,0x1");
  EXPECT_EQ(code[3].operands, "[R7],[R2.64]");
}

TEST(NvdisasmJson, RefusesWhatHoldsNothing) {
  const struct {
    std::string text, message;
  } rows[] = {
      {nvdisasm_json_listing(""), "disassemble: nvdisasm's JSON holds no function"},
      {nvdisasm_json_listing(
           R"({"function-name":"k","start":0,"length":0,"sass-instructions":[]})"),
       "disassemble: nvdisasm's JSON has a function 'k' with 0 instructions"},
      {nvdisasm_json_listing(
           R"({"function-name":"k","start":0,"length":16,"sass-instructions":[{}]})"),
       "disassemble: nvdisasm's JSON has an instruction without opcode in k"},
      {R"([{},[]])", "disassemble: nvdisasm's JSON names no producer"},
      {R"({"a":1})",
       "disassemble: nvdisasm's JSON cannot be read: the outermost value is not a list"},
      {nvdisasm_json_listing("[]"),
       "disassemble: nvdisasm's JSON cannot be read: a function is not an object"},
      {nvdisasm_json_listing(R"({"function-name":"k","sass-instructions":[["opcode","EXIT"]]})"),
       "disassemble: nvdisasm's JSON cannot be read: an instruction is not an object"},
      {nvdisasm_json_listing(
           R"({"function-name":"k","opcode":"x","sass-instructions":[["EXIT"]]})"),
       "disassemble: nvdisasm's JSON cannot be read: an instruction is not an object"},
  };
  for (const auto& row : rows) {
    const auto read = parse_nvdisasm_json(row.text);
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().text(), row.message);
  }
}

TEST(NvdisasmJson, EveryTruncationIsAnError) {
  const std::string whole = nvdisasm_json_listing(
      R"({"function-name":"k","start":0,"length":16,"sass-instructions":[{"opcode":"EXIT"}]})");
  ASSERT_TRUE(parse_nvdisasm_json(whole));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(parse_nvdisasm_json(whole.substr(0, size))) << size;
}

}  // namespace
}  // namespace phasebit::test
