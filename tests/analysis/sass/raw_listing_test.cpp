// Raw listings against what nvdisasm prints of whole cubins, over real kernels of several SMs.
#include "analysis/cubin/sass_word.h"
#include "analysis/disassembly/disassembler.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/analysis/sass/class_images.h"
#include "tests/analysis/sass/random_ptx.h"
#include "tests/analysis/sass/rings.h"

#include <algorithm>
#include <regex>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::CubinKernel;
using cubin::read_cubin;
using disassembly::Disassembler;

namespace {

std::string as_text(const disassembly::DisassembledInstruction& one) {
  return one.predicate + "|" + one.opcode + "|" + one.operands;
}

std::string nvcc_text() {
  const fs::path folder = base::source_root() / "tests/analysis/sass/data";
  return base::read_file(folder / "nvcc_kernels.ptx").value_or("") +
         base::read_file(folder / "nvcc_diverged.ptx").value_or("");
}

struct RawListingModule {
  std::string what, target, bytes;
};

// Divisions, jump tables, calls, loops, divergence, on each SASS family.
std::vector<RawListingModule> modules() {
  std::vector<RawListingModule> all;
  const auto add = [&](const std::string& what, const std::string& target,
                       const Result<std::string>& bytes) {
    EXPECT_TRUE(bytes) << what << " for " << target << ": " << bytes.error().text();
    if (bytes) all.push_back({what, target, *bytes});
  };
  for (const char* target :
       {"sm_75", "sm_80", "sm_89", "sm_90a", "sm_100a", "sm_107a", "sm_120a"}) {
    add("data", target, assemble_text(data_kernel, target));
    add("nvcc", target, assemble_text(nvcc_text(), target));
    add("barrier ring", target, assemble({ring(barrier_ring)}, target, true, version_for(target)));
    if (std::string(target) >= "sm_90a" || std::string(target).size() > 5)
      add("try_wait ring", target,
          assemble({ring(try_wait_ring)}, target, true, version_for(target)));
  }
  return all;
}

std::vector<const CubinKernel*> pointers_to(const std::vector<CubinKernel>& kernels) {
  std::vector<const CubinKernel*> pointers;
  for (const CubinKernel& kernel : kernels) pointers.push_back(&kernel);
  return pointers;
}

// The kernels of all modules, by SM: nvdisasm takes a third of a second to start.
std::map<int, std::vector<CubinKernel>> kernels_by_sm() {
  std::map<int, std::vector<CubinKernel>> by_sm;
  for (const RawListingModule& module : modules()) {
    const auto cubin = read_cubin(module.bytes);
    if (!cubin) bug(cubin.error().text());
    std::vector<CubinKernel>& kernels = by_sm[cubin->sm];
    kernels.insert(kernels.end(), cubin->kernels.begin(), cubin->kernels.end());
  }
  return by_sm;
}

TEST(RawListing, SaysWhatIsPrintedOfWholeCubins) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  std::size_t instructions = 0, branches = 0, names = 0;
  std::map<int, std::vector<cubin::Cubin>> by_sm;
  std::map<std::pair<int, std::string>, std::vector<disassembly::Disassembly>> expected;
  for (const RawListingModule& module : modules()) {
    const auto cubin = read_cubin(module.bytes);
    ASSERT_TRUE(cubin);
    auto whole = disassembler->run(module.bytes);
    ASSERT_TRUE(whole) << whole.error().text();
    expected[{cubin->sm, ""}].push_back(std::move(*whole));
    by_sm[cubin->sm].push_back(*cubin);
  }
  for (const auto& [sm, cubins] : by_sm) {
    std::vector<const CubinKernel*> kernels;
    std::vector<const disassembly::Disassembly*> wholes;
    for (std::size_t i = 0; i < cubins.size(); ++i)
      for (const CubinKernel& kernel : cubins[i].kernels) {
        kernels.push_back(&kernel);
        wholes.push_back(&expected[{sm, ""}][i]);
      }
    const auto listings = disassembler->listings(sm, kernels);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      ASSERT_TRUE(listings[i]) << listings[i].error().text();
      const auto found = std::find_if(wholes[i]->functions.begin(), wholes[i]->functions.end(),
                                      [&](const disassembly::DisassembledFunction& one) {
                                        return one.name == kernels[i]->entry;
                                      });
      ASSERT_NE(found, wholes[i]->functions.end()) << kernels[i]->entry;
      ASSERT_EQ(found->instructions.size(), listings[i]->instructions.size());
      for (std::size_t n = 0; n < found->instructions.size(); ++n) {
        EXPECT_EQ(as_text(listings[i]->instructions[n]), as_text(found->instructions[n]))
            << "sm_" << sm << " " << kernels[i]->entry << " at " << n * 16;
        branches += found->instructions[n].opcode.starts_with("BRA") ? 1U : 0U;
        names += found->instructions[n].operands.find('_') != std::string::npos ? 1U : 0U;
      }
      instructions += found->instructions.size();
    }
  }
  EXPECT_GT(instructions, 6000U);
  EXPECT_GT(branches, 300U);
  EXPECT_GT(names, 20U);
}

// In a relocatable image a place that a relocation fills names its symbol. nvdisasm 13.5 dies of
// these as they are, so there is nothing else to compare them with.
TEST(RawListing, NamesRelocatedOperands) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  std::size_t named = 0;
  for (const char* target : {"sm_75", "sm_80", "sm_90a", "sm_100a"})
    for (const std::string& source : {data_kernel, nvcc_text()}) {
      const auto bytes = assemble_text(source, target, {"-c"});
      ASSERT_TRUE(bytes) << bytes.error().text();
      const auto cubin = read_cubin(*bytes);
      const auto listings = disassembler->listings(cubin->sm, pointers_to(cubin->kernels));
      for (std::size_t i = 0; i < listings.size(); ++i) {
        const CubinKernel& kernel = cubin->kernels[i];
        const auto& listing = listings[i];
        ASSERT_TRUE(listing) << listing.error().text();
        std::map<std::size_t, std::string> relocated;
        for (const cubin::RelocatedOperand& one : kernel.relocated)
          relocated[one.instruction] = one.name;
        for (std::size_t n = 0; n < listing->instructions.size(); ++n) {
          const std::string text = as_text(listing->instructions[n]);
          const auto name = relocated.find(n);
          if (name == relocated.end()) continue;
          EXPECT_NE(text.find(name->second), std::string::npos)
              << target << ": " << text << " lacks " << name->second;
          ++named;
        }
      }
    }
  EXPECT_GT(named, 100U);
}

// Shared memory, constants of this file and of another one, an index into a jump table, predicates
// that are kept over a call.
const std::string relocated_kernel = R"(
.extern .func (.param .b32 result) outside(.param .b32 given);
.extern .const .align 8 .b8 theirs[64];
.const .align 8 .b8 mine[64] = {1,2,3};
.shared .align 16 .b8 room[4096];
.shared .align 16 .b8 two[4096];
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b64 a; .reg .b32 x,y,z,s; .reg .f64 d; .reg .pred q,r;
  ld.param.u64 a, [p];
  ld.param.u32 s, [n];
  mov.u32 x, room;
  shl.b32 y, s, 4;
  add.u32 x, x, y;
  cp.async.ca.shared.global [x+32], [a], 16;
  cp.async.wait_all;
  bar.sync 0;
  ld.shared.u32 z, [x+64];
  st.shared.u32 [two+16], z;
  ld.const.u32 y, [mine+8];
  ld.const.u32 x, [theirs+12];
  ld.const.f64 d, [mine+16];
  mul.f64 d, d, 0d3FF1999999999999;
  st.global.f64 [a+8], d;
  add.u32 z, z, y;
  add.u32 z, z, x;
  atom.shared.add.u32 z, [two+20], z;
  setp.gt.u32 q, z, 3;
  setp.gt.u32 r, y, 5;
  {
    .param .b32 given;
    .param .b32 result;
    st.param.b32 [given], z;
    call (result), outside, (given);
    ld.param.b32 y, [result];
  }
  @q add.u32 z, z, y;
  @r mul.lo.u32 z, z, y;
  T: .branchtargets A, B, C, D, E;
  brx.idx s, T;
  A: add.u32 z, z, 3; bra E;
  B: mul.lo.u32 z, z, z; bra E;
  C: shl.b32 z, z, 2; bra E;
  D: xor.b32 z, z, 99; bra E;
  E:
  st.global.u32 [a], z;
  ret;
}
)";

// The text of `nvdisasm FILE` in our spelling, by address: "@P0|LDS|R0,[R0.X16+room+0x40]". Places
// in the code have labels there and distances here; they are left out.
std::map<std::size_t, std::string> printed_by_nvdisasm(const std::string& bytes) {
  const auto folder = base::TempDir::create();
  const fs::path file = folder->path() / "k.cubin";
  EXPECT_TRUE(base::write_file(file, bytes));
  const auto ran = base::run_process({find_tools()->nvdisasm, file.string()});
  EXPECT_TRUE(ran && ran->ok());
  std::map<std::size_t, std::string> lines;
  const std::regex line(R"(/\*([0-9a-f]{4})\*/\s+(@!?U?P\w+ )?([A-Z][\w.]*) ?(.*?) *;)");
  for (std::sregex_iterator one(ran->out.begin(), ran->out.end(), line), end; one != end; ++one) {
    std::string operands = (*one)[4];
    if (operands.find(".L_") != std::string::npos || operands.find(".text") != std::string::npos)
      continue;
    std::string guard = (*one)[2];
    if (!guard.empty()) guard.pop_back();
    operands = std::regex_replace(operands, std::regex(R"(`\(\(([\w.]+) \+ -(\w+)\)\))"), "$1-$2");
    operands = std::regex_replace(operands, std::regex(R"(`\(\(([\w.]+) \+ (\w+)\)\))"), "$1+$2");
    operands = std::regex_replace(operands, std::regex(R"(`\((.*?)\))"), "$1");
    operands = std::regex_replace(operands, std::regex(", "), ",");
    lines[std::stoul((*one)[1], nullptr, 16)] =
        guard + "|" + std::string((*one)[3]) + "|" + operands;
  }
  return lines;
}

// In a relocatable image: symbols at the operands where nvdisasm's own text has them, with index
// registers; and a bank, which it leaves out.
TEST(RawListing, IsNvdisasmsTextOfRelocatableImages) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  std::map<std::string, int> seen;
  for (const char* target : {"sm_80", "sm_90a", "sm_100a", "sm_120a"}) {
    const auto bytes = assemble_text(relocated_kernel, target, {"-c"});
    ASSERT_TRUE(bytes) << bytes.error().text();
    const auto cubin = read_cubin(*bytes);
    const auto listing = disassembler->listing(cubin->sm, cubin->kernels[0]);
    ASSERT_TRUE(listing) << listing.error().text();
    const auto printed = printed_by_nvdisasm(*bytes);
    const std::regex symbolic(R"(c\[(0x[0-9a-f]+)\]\[([^\]]*(mine|theirs|const_opt)[^\]]*)\])");
    for (std::size_t i = 0; i < listing->instructions.size(); ++i) {
      const disassembly::DisassembledInstruction& one = listing->instructions[i];
      const auto theirs = printed.find(i * cubin::instruction_bytes);
      if (theirs == printed.end()) continue;
      const std::string text = one.predicate + "|" + one.opcode + "|" + one.operands;
      std::smatch match;
      if (std::regex_search(text, match, symbolic)) {
        EXPECT_EQ(match[1], match[3] == "const_opt" ? "0x2" : "0x3") << target << ": " << text;
      }
      // What is filled in makes nvdisasm choose another name of the same opcode.
      if (one.opcode == "IMAD.MOV.U32") continue;
      EXPECT_EQ(std::regex_replace(text, symbolic, "c[$2]"), theirs->second)
          << target << " at " << i * 16;
      for (const char* what : {"LDGSTS", "P2R", "room", "mine", "theirs", "const_opt"})
        seen[what] += theirs->second.find(what) != std::string::npos ? 1 : 0;
    }
  }
  for (const char* what : {"LDGSTS", "P2R", "room", "mine", "theirs", "const_opt"})
    EXPECT_GT(seen[what], 3) << what;
}

// One code that nvdisasm cannot read is an error of its own.
TEST(RawListing, RefusesOneCodeAlone) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  const auto cubin = read_cubin(*assemble({ring(barrier_ring)}, "sm_90a"));
  CubinKernel broken = cubin->kernels[0];
  broken.text = std::string(160, '\xff');
  const auto listings = disassembler->listings(90, {&cubin->kernels[0], &broken});
  EXPECT_TRUE(listings[0]) << listings[0].error().text();
  ASSERT_FALSE(listings[1]);
  EXPECT_EQ(listings[1].error().step, Step::disassemble);
}

// No constant that nvdisasm prints is missed in the words, and none of a bank is another.
TEST(ConstantOperand, IsThatOfTheListing) {
  PHASEBIT_NEEDS_TOOLS();
  const auto disassembler = Disassembler::open(find_tools()->nvdisasm);
  const std::regex printed(R"(c\[0x([0-9a-f]+)\]\[(U?R[0-9Z]+)?\+?(?:0x([0-9a-f]+))?\])");
  std::size_t seen = 0, indexed = 0;
  for (const auto& [sm, kernels] : kernels_by_sm()) {
    const auto listings = disassembler->listings(sm, pointers_to(kernels));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const auto kernel = disassembly::join_kernel(kernels[i], listings[i]);
      ASSERT_TRUE(kernel) << kernel.error().text();
      for (const cubin::Instruction& one : kernel->instructions) {
        std::smatch match;
        if (!std::regex_search(one.operands, match, printed)) continue;
        const auto found = cubin::constant_operand(one.word);
        const std::string where = fmt::format("sm_{} {} {}", sm, one.opcode, one.operands);
        ASSERT_TRUE(found) << where;
        EXPECT_EQ(found->bank, std::stoi(match[1], nullptr, 16)) << where;
        EXPECT_EQ(found->offset, match[3].matched ? std::stoul(match[3], nullptr, 16) : 0U)
            << where;
        const bool by_register = match[2].matched && match[2] != "RZ" && match[2] != "URZ";
        EXPECT_EQ(found->indexed, by_register) << where;
        ++seen;
        indexed += by_register ? 1U : 0U;
      }
    }
  }
  EXPECT_GT(seen, 200U);
  EXPECT_GT(indexed, 5U);
}

}  // namespace
}  // namespace phasebit::test
