#include "analysis/cubin/cubin.h"

#include "analysis/disassembly/disassembler.h"
#include "core/base/hash.h"
#include "core/base/process.h"
#include "tests/analysis/sass/support.h"
#include "tests/home.h"

#include <random>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::read_cubin;

namespace {

using test::assemble;
using test::ring;

const test::RingVerbs mbarrier_ring = {
    "L_w:\nmbarrier.test_wait.parity.shared.b64 p, [a+64], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a];",
    "L_w:\nmbarrier.test_wait.parity.shared.b64 p, [a], r;\n@!p bra L_w;",
    "mbarrier.arrive.shared.b64 s, [a+64];"};

TEST(Cubin, ReadsKernels) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    SCOPED_TRACE(target);
    const auto bytes = assemble({ring(mbarrier_ring, "k1"), ring(mbarrier_ring, "k2")}, target);
    ASSERT_TRUE(bytes) << bytes.error().text();
    const auto cubin = read_cubin(*bytes);
    ASSERT_TRUE(cubin) << cubin.error().text();
    EXPECT_EQ(fmt::format("sm_{}", cubin->sm),
              std::string(target).substr(0, std::string(target).find('a')));
    ASSERT_EQ(cubin->kernels.size(), 2U);
    ASSERT_NE(cubin->find("k1"), nullptr);
    ASSERT_NE(cubin->find("k2"), nullptr);
    EXPECT_EQ(cubin->find("k3"), nullptr);
    EXPECT_EQ(cubin->find("k1")->text, cubin->find("k2")->text);  // the same statements
    // Equal code is disassembled once and belongs to both.
    const auto disassembler = disassembly::Disassembler::open(test::find_tools()->nvdisasm);
    ASSERT_TRUE(disassembler);
    const auto listing = disassembler->listing(cubin->sm, *cubin->find("k2"));
    ASSERT_TRUE(listing) << listing.error().text();
    EXPECT_EQ(listing->name, "k2");
    const auto kernels = kernels_of(*disassembler, *cubin);
    ASSERT_TRUE(kernels) << kernels.error().text();
    EXPECT_EQ(kernels->at("k1").instructions.size(), cubin->find("k1")->size());
    EXPECT_EQ(kernels->at("k2").instructions.size(), cubin->find("k2")->size());
  }
}

// nvdisasm's own text of the encoding is the independent reader of the words.
TEST(Cubin, WordsAreThoseOfTheDisassembler) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring(mbarrier_ring)}, "sm_90a");
  ASSERT_TRUE(bytes);
  const auto folder = base::TempDir::create();
  ASSERT_TRUE(folder);
  const std::string file = (folder->path() / "a.cubin").string();
  ASSERT_TRUE(base::write_file(file, *bytes));
  const auto output = base::run_process({test::find_tools()->nvdisasm, "-c", "-hex", file});
  ASSERT_TRUE(output);
  const auto cubin = read_cubin(*bytes);
  ASSERT_TRUE(cubin);
  const cubin::CubinKernel& kernel = cubin->kernels.front();
  std::size_t at = 0;
  for (std::size_t i = 0; i < kernel.size(); ++i)
    for (const std::uint64_t half : {kernel.word(i).low, kernel.word(i).high}) {
      at = output->out.find(fmt::format("/* {:#018x} */", half), at);
      ASSERT_NE(at, std::string::npos) << "instruction " << i;
    }
}

TEST(Cubin, ComparesTwoAssemblies) {
  PHASEBIT_NEEDS_TOOLS();
  for (const char* target : {"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_107a", "sm_120a"}) {
    SCOPED_TRACE(target);
    auto verbs = mbarrier_ring;
    if (std::string(target) == "sm_75")
      verbs = {"bar.sync 1, 64;", "bar.arrive 2, 64;", "bar.sync 2, 64;", "bar.arrive 1, 64;"};
    const std::string version = std::string(target) == "sm_107a" ? "9.5" : "8.7";
    const auto plain = assemble({ring(verbs)}, target, false, version);
    const auto with_loc = assemble({ring(verbs)}, target, true, version);
    ASSERT_TRUE(plain) << plain.error().text();
    ASSERT_TRUE(with_loc) << with_loc.error().text();
    const auto a = read_cubin(*plain), b = read_cubin(*with_loc);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->kernels.front().text, b->kernels.front().text);
  }
}

TEST(Cubin, RefusesOtherFiles) {
  EXPECT_EQ(read_cubin("").error().text(), "disassemble: cubin: not an ELF file (0 bytes)");
  EXPECT_EQ(read_cubin("no ELF", "m.cubin").error().text(),
            "disassemble: m.cubin: not an ELF file (6 bytes)");
  const auto self = base::read_file("/proc/self/exe");
  ASSERT_TRUE(self);
  const auto read = read_cubin(*self);
  ASSERT_FALSE(read);
  EXPECT_TRUE(read.error().text().starts_with("disassemble: cubin: an ELF file for machine "));
  EXPECT_TRUE(read.error().text().ends_with(", not a cubin (190)"));
}

// Committed cubins, named by the ptxas and the -arch that made them. Up to 12.9 the header of sm_90
// and older names a release alone.
TEST(Cubin, SaysWhichToolMadeIt) {
  const struct {
    std::string file, tool, version, target;
  } rows[] = {
      {"k_11.8.89_sm_90", "", "11.8", "sm_90"},
      {"k_12.4.131_sm_90a", "", "12.4", "sm_90a"},
      {"k_12.9.86_sm_100a", "ptxas", "12.9.86", "sm_100a"},
      {"k_13.5.37_sm_90", "ptxas", "13.5.37", "sm_90"},
      {"k_13.5.37_sm_107a", "ptxas", "13.5.37", "sm_107a"},
  };
  for (const auto& row : rows) {
    const auto bytes =
        base::read_file(test::home().data / "tests/fuzz/corpus/cubin" / (row.file + ".cubin"));
    ASSERT_TRUE(bytes) << bytes.error().text();
    const auto cubin = read_cubin(*bytes);
    ASSERT_TRUE(cubin) << cubin.error().text();
    EXPECT_EQ(cubin->tool, row.tool) << row.file;
    EXPECT_EQ(cubin->tool_version, row.version) << row.file;
    EXPECT_EQ(cubin->target, row.target) << row.file;
    EXPECT_TRUE(cubin->kernels.front().is_entry) << row.file;
  }
}

// A parse is only accepted when it is the whole kernel.
TEST(Cubin, TruncationsAreErrors) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring(mbarrier_ring)}, "sm_90a");
  ASSERT_TRUE(bytes);
  const auto whole = read_cubin(*bytes);
  ASSERT_TRUE(whole);
  for (std::size_t size = 0; size < bytes->size(); size += 16) {
    const auto read = read_cubin(std::string_view(*bytes).substr(0, size));
    if (!read) {
      EXPECT_EQ(read.error().step, Step::disassemble);
    } else {
      EXPECT_EQ(read->kernels.front().text, whole->kernels.front().text) << size;
    }
  }
}

TEST(Cubin, DamageNeverCrashes) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring(mbarrier_ring)}, "sm_90a");
  ASSERT_TRUE(bytes);
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = *bytes;
    for (int i = 0; i < 4; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto read = read_cubin(damaged);
    if (!read) {
      EXPECT_EQ(read.error().step, Step::disassemble);
    }
  }
}

}  // namespace
}  // namespace phasebit::test
