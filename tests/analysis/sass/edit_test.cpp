#include "analysis/cubin/change/edit.h"

#include "analysis/cubin/cubin.h"
#include "analysis/disassembly/disassembler.h"
#include "tests/analysis/sass/rings.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::SassWord;
using cubin::change::edit_cubin;
using cubin::change::parse_edits;

namespace {

TEST(ParseEdits, ReadsWhatTheAxisHas) {
  const auto one = parse_edits("0x920.NOP");
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_EQ(one->size(), 1U);
  EXPECT_EQ(one->front().address, 0x920U);
  EXPECT_EQ(one->front().opcode, "NOP");
  const auto three = parse_edits("0x0.YIELD+0x9f0.NOP+0x10.YIELD");
  ASSERT_TRUE(three) << three.error().text();
  ASSERT_EQ(three->size(), 3U);
  EXPECT_EQ((*three)[0].opcode, "YIELD");
  EXPECT_EQ((*three)[1].address, 0x9f0U);
  EXPECT_EQ((*three)[2].address, 0x10U);
}

TEST(ParseEdits, SaysWhatItCannotRead) {
  const std::pair<const char*, const char*> rows[] = {
      {"", ""},
      {"920.NOP", "920.NOP"},                  // no 0x
      {"0x.NOP", "0x.NOP"},                    // no number
      {"0x92g.NOP", "0x92g.NOP"},              // no hexadecimal number
      {"0x-10.NOP", "0x-10.NOP"},              // nothing lies before a kernel
      {"0x100000000.NOP", "0x100000000.NOP"},  // beyond 32 bits
      {"0x921.NOP", "0x921.NOP"},              // between two instructions
      {"0x920", "0x920"},
      {"0x920.", "0x920."},
      {"0x920.nop", "0x920.nop"},
      {"0x920.EXIT", "0x920.EXIT"},
      {"0x920.NOP+", ""},
      {"0x920.NOP+0x930", "0x930"},  // the part that is wrong
      {"0x920.NOP,0x930.NOP", "0x920.NOP,0x930.NOP"},
  };
  for (const auto& [text, part] : rows) {
    const auto edits = parse_edits(text);
    ASSERT_FALSE(edits) << text;
    EXPECT_EQ(edits.error().text(),
              fmt::format("usage: edit={}: cannot be read (an address and NOP or YIELD, such as "
                          "0x920.NOP or 0x920.NOP+0x9f0.YIELD)",
                          part));
  }
}

// A module of two kernels: k1, which is edited, and k2.
class EditCubin : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    PHASEBIT_NEEDS_TOOLS();
    const RingVerbs verbs = {test_wait_empty, arrive_full, test_wait_full, arrive_empty};
    auto made = assemble({ring(verbs, "k1"), ring(barrier_ring, "k2")}, GetParam());
    ASSERT_TRUE(made) << made.error().text();
    bytes_ = std::move(*made);
    auto cubin = cubin::read_cubin(bytes_);
    ASSERT_TRUE(cubin) << cubin.error().text();
    cubin_ = std::move(*cubin);
    code_ = cubin_.find("k1")->text;
    begin_ = bytes_.find(code_);
    ASSERT_NE(begin_, std::string::npos);
    ASSERT_EQ(bytes_.find(code_, begin_ + 1), std::string::npos) << "sm_100 keeps a copy";
  }

  SassWord word_at(const std::string& bytes, std::size_t address) const {
    SassWord word;
    std::copy_n(bytes.data() + begin_ + address, sizeof word, reinterpret_cast<char*>(&word));
    return word;
  }

  std::map<std::string, cubin::SassKernel> disassembled(const std::string& bytes) const {
    const auto disassembler = disassembly::Disassembler::open(find_tools()->nvdisasm);
    const auto cubin = cubin::read_cubin(bytes);
    if (!disassembler || !cubin) return {};
    return kernels_of(*disassembler, *cubin).value_or(std::map<std::string, cubin::SassKernel>());
  }

  std::string bytes_, code_;
  cubin::Cubin cubin_;
  std::size_t begin_ = 0;  // of k1's code in the file
};

// Bits 105..109 (stall, yield) and 116..121 (wait mask) of the word, 110..115 (both scoreboards),
// 122..124 (reuse): the table of docs/sass.md. Bit 105 is bit 41 of the high half.
constexpr std::uint64_t kept_bits = std::uint64_t{0x1f} << 41 | std::uint64_t{0x3f} << 52;
constexpr std::uint64_t scoreboard_bits = std::uint64_t{0x3f} << 46;
constexpr std::uint64_t reuse_bits = std::uint64_t{7} << 58;

// Every instruction of the kernel in turn.
TEST_P(EditCubin, ChangesTheWordAskedFor) {
  int with_scoreboard = 0, with_wait = 0, with_yield = 0;
  for (std::uint32_t address = 0; address < code_.size(); address += 16) {
    for (const char* opcode : {"NOP", "YIELD"}) {
      SCOPED_TRACE(fmt::format("{:#x}.{}", address, opcode));
      const auto edited = edit_cubin(bytes_, "k1", {{address, opcode}});
      ASSERT_TRUE(edited) << edited.error().text();
      ASSERT_EQ(edited->size(), bytes_.size());
      const std::size_t at = begin_ + address;
      EXPECT_EQ(edited->substr(0, at), bytes_.substr(0, at));
      EXPECT_EQ(edited->substr(at + 16), bytes_.substr(at + 16));
      const SassWord before = word_at(bytes_, address), after = word_at(*edited, address);
      EXPECT_EQ(after.high & kept_bits, before.high & kept_bits);
      EXPECT_EQ(after.high & scoreboard_bits, scoreboard_bits);
      EXPECT_EQ(after.high & reuse_bits, 0U);
      with_scoreboard += (before.high & scoreboard_bits) != scoreboard_bits ? 1 : 0;
      with_wait += (before.high >> 52 & 0x3f) != 0 ? 1 : 0;
      with_yield += (before.high >> 45 & 1) == 0 ? 1 : 0;
    }
  }
  // Otherwise the loop has shown nothing.
  EXPECT_GT(with_scoreboard, 0);
  EXPECT_GT(with_wait, 0);
  EXPECT_GT(with_yield, 0);
}

// nvdisasm is the independent reader of the new words.
TEST_P(EditCubin, TheDisassemblerReadsIt) {
  const auto before = disassembled(bytes_);
  ASSERT_EQ(before.size(), 2U);
  const std::vector<cubin::Instruction>& old = before.at("k1").instructions;
  std::vector<cubin::change::InstructionEdit> edits;
  for (std::size_t i = 3; i < old.size(); i += 3)
    edits.push_back({static_cast<std::uint32_t>(16 * i), i % 2 == 0 ? "NOP" : "YIELD"});
  const auto edited = edit_cubin(bytes_, "k1", edits);
  ASSERT_TRUE(edited) << edited.error().text();
  const auto after = disassembled(*edited);
  ASSERT_EQ(after.size(), 2U);
  ASSERT_EQ(after.at("k1").instructions.size(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) {
    SCOPED_TRACE(i);
    const cubin::Instruction& one = after.at("k1").instructions[i];
    const bool is_edited = i >= 3 && i % 3 == 0;
    EXPECT_EQ(one.opcode, !is_edited ? old[i].opcode : i % 2 == 0 ? "NOP" : "YIELD");
    EXPECT_EQ(one.operands, is_edited ? "" : old[i].operands);
    EXPECT_EQ(one.predicate, is_edited ? "" : old[i].predicate);
  }
  EXPECT_NE(after.at("k1").text_hash, before.at("k1").text_hash);
  EXPECT_EQ(after.at("k2").text_hash, before.at("k2").text_hash);
}

TEST_P(EditCubin, SaysWhatIsNotThere) {
  const auto size = static_cast<std::uint32_t>(code_.size());
  EXPECT_TRUE(edit_cubin(bytes_, "k1", {{size - 16, "NOP"}}));
  for (const std::uint32_t address : {size, size + 16, 0xfffffff0U}) {
    const auto beyond = edit_cubin(bytes_, "k1", {{0, "NOP"}, {address, "YIELD"}});
    ASSERT_FALSE(beyond);
    EXPECT_EQ(beyond.error().text(),
              fmt::format("assemble: edit={:#x}.YIELD: the kernel has {:#x} bytes of code", address,
                          size));
  }
  EXPECT_EQ(edit_cubin(bytes_, "k3", {{0, "NOP"}}).error().text(),
            "disassemble: the module has no kernel k3");
  EXPECT_EQ(edit_cubin("no cubin", "k1", {{0, "NOP"}}).error().step, Step::disassemble);
  EXPECT_EQ(*edit_cubin(bytes_, "k1", {}), bytes_);
}

INSTANTIATE_TEST_SUITE_P(Targets, EditCubin, testing::Values("sm_80", "sm_90a", "sm_120a"),
                         [](const auto& target) { return std::string(target.param); });

}  // namespace
}  // namespace phasebit::test
