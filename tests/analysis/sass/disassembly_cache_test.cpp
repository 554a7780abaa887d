#include "analysis/disassembly/cache.h"
#include "analysis/disassembly/disassembler.h"
#include "tests/analysis/sass/rings.h"

#include <algorithm>
#include <fstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using base::read_file;
using base::write_file;
using cubin::CubinKernel;
using cubin::read_cubin;
using disassembly::DisassembledFunction;
using disassembly::Disassembler;
using disassembly::ListingCache;

namespace {

CubinKernel disassembly_cache_kernel_of(int size, const std::string& entry = "k") {
  CubinKernel kernel;
  kernel.entry = entry;
  kernel.text.assign(static_cast<std::size_t>(size) * 16, static_cast<char>('a' + size % 26));
  return kernel;
}

DisassembledFunction listing_of(const CubinKernel& kernel, const std::string& last = "0x10") {
  DisassembledFunction function{{}, 0, kernel.text.size(), {}};
  for (std::size_t i = 0; i + 1 < kernel.size(); ++i)
    function.instructions.push_back(
        {i % 2 == 0 ? "@!P0" : "", "IADD3.X", fmt::format("R{}", i), false});
  function.instructions.push_back({"", "BRA", last, true});
  return function;
}

std::string disassembly_cache_as_text(const DisassembledFunction& function) {
  std::string text = fmt::format("{} {} {}\n", function.name, function.start, function.length);
  for (const disassembly::DisassembledInstruction& one : function.instructions)
    text += one.predicate + "|" + one.opcode + "|" + one.operands + "\n";
  return text;
}

class ListingCacheTest : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "cache"; }
  std::optional<DisassembledFunction> find(int sm, const CubinKernel& kernel,
                                           const std::string& version = "13.5.37") const {
    return ListingCache(base::Cache::open(path()).value(), version).find(sm, {kernel.text})[0];
  }
  Status add(int sm, const CubinKernel& kernel, const DisassembledFunction& listing) const {
    return ListingCache(base::Cache::open(path()).value(), "13.5.37")
        .add(sm, {kernel.text}, {listing});
  }
  // nvdisasm called by a script that notes each call but those that ask for its version.
  fs::path counted_nvdisasm() const {
    const fs::path script = folder_.path() / "nvdisasm";
    EXPECT_TRUE(write_file(
        script, fmt::format("#!/bin/sh\n[ \"$1\" = --version ] || echo \"$@\" >> {}\nexec {} "
                            "\"$@\"\n",
                            calls().string(), find_tools()->nvdisasm)));
    fs::permissions(script, fs::perms::owner_all);
    return script;
  }
  fs::path calls() const { return folder_.path() / "calls"; }
  std::ptrdiff_t count_calls() const {
    const std::string text = read_file(calls()).value_or("");
    return std::count(text.begin(), text.end(), '\n');
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

TEST_F(ListingCacheTest, GivesBackWhatWasKept) {
  const CubinKernel kernel = disassembly_cache_kernel_of(5);
  EXPECT_FALSE(find(90, kernel));
  ASSERT_TRUE(add(90, kernel, listing_of(kernel)));
  const auto found = find(90, kernel);
  ASSERT_TRUE(found);
  EXPECT_EQ(disassembly_cache_as_text(*found), disassembly_cache_as_text(listing_of(kernel)));
  EXPECT_FALSE(find(90, disassembly_cache_kernel_of(6)));
}

// Equal bytes mean other instructions on another SM, and another nvdisasm may name them otherwise.
TEST_F(ListingCacheTest, KnowsSmAndVersion) {
  const CubinKernel kernel = disassembly_cache_kernel_of(5);
  ASSERT_TRUE(add(90, kernel, listing_of(kernel, "0x20")));
  EXPECT_FALSE(find(100, kernel));
  EXPECT_FALSE(find(90, kernel, "13.4.92"));
  ASSERT_TRUE(add(100, kernel, listing_of(kernel, "0x30")));
  EXPECT_EQ(find(90, kernel)->instructions.back().operands, "0x20");
  EXPECT_EQ(find(100, kernel)->instructions.back().operands, "0x30");
}

// A mark of the format inside a part would make two parts of it.
TEST_F(ListingCacheTest, LeavesOutWhatItsFormatCannotHold) {
  const CubinKernel kernel = disassembly_cache_kernel_of(3);
  for (const char* last : {"a\tb", "a\nb"}) {
    ASSERT_TRUE(add(90, kernel, listing_of(kernel, last)));
    EXPECT_FALSE(find(90, kernel));
  }
}

// One of two kernels is known: nvdisasm is asked for the other alone, then not at all.
TEST_F(ListingCacheTest, SavesRunsOfNvdisasm) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring(barrier_ring, "one"), ring(try_wait_ring, "two")}, "sm_90a");
  ASSERT_TRUE(bytes) << bytes.error().text();
  const auto cubin = read_cubin(*bytes);
  const std::vector<const CubinKernel*> both = {cubin->find("one"), cubin->find("two")};
  const auto plain = Disassembler::open(find_tools()->nvdisasm);
  const auto expected = plain->listings(90, both);
  const auto cached = Disassembler::open(counted_nvdisasm(), path());
  ASSERT_TRUE(cached) << cached.error().text();
  ASSERT_TRUE(cached->listing(90, *both[1]));
  EXPECT_EQ(count_calls(), 1);
  for (int round = 0; round < 2; ++round) {
    const auto found = cached->listings(90, both);
    for (std::size_t i = 0; i < both.size(); ++i) {
      ASSERT_TRUE(found[i]) << found[i].error().text();
      EXPECT_EQ(disassembly_cache_as_text(*found[i]), disassembly_cache_as_text(*expected[i]));
    }
    EXPECT_EQ(count_calls(), 2);
  }
  EXPECT_TRUE(kernels_of(*cached, *cubin));
  EXPECT_EQ(count_calls(), 2);
}

// The division is a function next to each kernel, called by a name that holds the module's count.
TEST_F(ListingCacheTest, KeepsCallsByTheirNames) {
  PHASEBIT_NEEDS_TOOLS();
  const auto divide = [](const std::string& entry) {
    return script("| .visible .entry " + entry +
                      "()\n| {\n| .reg .f64 x;\n| .reg .b64 q;\n| mov.b64 q, 0;\n"
                      "| ld.global.f64 x, [q];\n| div.rn.f64 x, x, x;\n"
                      "| st.global.f64 [q], x;\n| ret;\n| }\n",
                  entry);
  };
  const auto bytes = assemble({divide("one"), divide("two")}, "sm_90a");
  ASSERT_TRUE(bytes) << bytes.error().text();
  const auto cubin = read_cubin(*bytes);
  const std::vector<const CubinKernel*> both = {cubin->find("one"), cubin->find("two")};
  EXPECT_EQ(both[0]->text, both[1]->text);
  const auto plain = Disassembler::open(find_tools()->nvdisasm)->listings(90, both);
  ASSERT_TRUE(plain[0]) << plain[0].error().text();
  EXPECT_NE(disassembly_cache_as_text(*plain[0]).find("__cuda_sm20_div_rn_f64_full"),
            std::string::npos);
  EXPECT_NE(disassembly_cache_as_text(*plain[0]), disassembly_cache_as_text(*plain[1]));
  const auto cached = Disassembler::open(find_tools()->nvdisasm, path());
  for (std::size_t i = 0; i < both.size(); ++i)
    for (int round = 0; round < 2; ++round) {
      const auto one = cached->listing(90, *both[i]);
      ASSERT_TRUE(one) << one.error().text();
      EXPECT_EQ(disassembly_cache_as_text(*one), disassembly_cache_as_text(*plain[i]));
    }
}

TEST_F(ListingCacheTest, CostsTimeNotTheResultWhereItIsDamaged) {
  PHASEBIT_NEEDS_TOOLS();
  const auto bytes = assemble({ring(barrier_ring)}, "sm_90a");
  const auto cubin = read_cubin(*bytes);
  const auto cached = Disassembler::open(find_tools()->nvdisasm, path());
  ASSERT_TRUE(cached) << cached.error().text();
  std::ofstream(path() / "index.sqlite") << std::string(5000, 'x');
  EXPECT_TRUE(cached->listing(90, cubin->kernels[0]));
  ASSERT_TRUE(write_file(folder_.path() / "file", ""));
  const auto none = Disassembler::open(find_tools()->nvdisasm, folder_.path() / "file");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().step, Step::io);
}

}  // namespace
}  // namespace phasebit::test
