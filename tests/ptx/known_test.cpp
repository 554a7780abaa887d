// What is known of values and threads before a kernel runs. Expectations are the PTX ISA's words on
// each instruction, worked by hand.
#include "core/ptx/known/program.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using ptx::known::known_address;
using ptx::known::known_number;
using ptx::known::PtxValue;

namespace {

using Values = std::vector<PtxValue>;

PtxValue made(const std::string& opcode, const Values& operands) {
  const auto operation = ptx::known::PtxOperation::of(opcode);
  EXPECT_TRUE(operation) << opcode;
  return operation ? operation->of_operands(operands) : PtxValue();
}

TEST(PtxKnown, NumbersAreThoseOfTheirTypes) {
  const struct {
    const char* opcode;
    std::vector<std::uint64_t> operands;
    std::uint64_t result;
  } rows[] = {{"add.u32", {0xffffffff, 2}, 1},
              {"sub.s32", {1, 2}, 0xffffffff},
              {"mul.lo.u32", {0x10001, 0x10001}, 0x20001},
              {"mul.hi.u32", {0x80000000, 6}, 3},
              {"mul.hi.s32", {0xffffffff, 5}, 0xffffffff},
              {"mul.wide.s32", {0xffffffff, 3}, 0xfffffffffffffffd},
              {"mul.wide.u32", {0xffffffff, 3}, 0x2fffffffd},
              {"mad.lo.s32", {7, 8, 9}, 65},
              {"mad.wide.u32", {0x80000000, 2, 1}, 0x100000001},
              {"shl.b32", {1, 31}, 0x80000000},
              {"shl.b32", {1, 32}, 0},
              {"shr.u32", {0x80000000, 31}, 1},
              {"shr.s32", {0x80000000, 40}, 0xffffffff},
              {"and.b32", {0xc, 0xa}, 8},
              {"or.b32", {0xc, 0xa}, 0xe},
              {"xor.b32", {0xc, 0xa}, 6},
              {"not.b32", {0}, 0xffffffff},
              {"not.pred", {0}, 1},
              {"neg.s32", {1}, 0xffffffff},
              {"min.s32", {0xffffffff, 1}, 0xffffffff},
              {"max.s32", {0xffffffff, 1}, 1},
              {"popc.b32", {0xf0f}, 8},
              {"clz.b32", {1}, 31},
              {"div.u32", {7, 2}, 3},
              {"rem.u32", {7, 4}, 3},
              {"cvt.u64.s32", {0xffffffff}, 0xffffffffffffffff},
              {"cvt.u32.u64", {0x100000002}, 2},
              {"selp.b32", {5, 6, 1}, 5},
              {"selp.b32", {5, 6, 0}, 6},
              {"setp.lt.s32", {0xffffffff, 0}, 1},
              {"setp.lt.u32", {0xffffffff, 0}, 0},
              {"setp.hs.u32", {3, 3}, 1},
              {"setp.eq.and.u32", {3, 3, 0}, 0},
              {"setp.eq.xor.u32", {3, 3, 0}, 1}};
  for (const auto& row : rows) {
    Values operands;
    for (const std::uint64_t one : row.operands) operands.push_back(known_number(one));
    EXPECT_EQ(made(row.opcode, operands), known_number(row.result)) << row.opcode;
  }
}

TEST(PtxKnown, AnAddressStaysOne) {
  const PtxValue ring = known_address(0, 8), two = known_number(2), nothing;
  EXPECT_EQ(made("mad.lo.u32", {two, known_number(8), ring}), known_address(0, 24));
  EXPECT_EQ(made("add.u32", {ring, known_number(0xfffffff8)}), known_address(0, 0));
  EXPECT_EQ(made("sub.u32", {ring, known_address(0, 0)}), known_number(8));
  EXPECT_EQ(made("sub.u32", {ring, known_address(1, 0)}), nothing);
  EXPECT_EQ(made("cvta.to.shared.u64", {ring}), ring);
  EXPECT_EQ(made("cvt.u32.u64", {ring}), ring);
  EXPECT_EQ(made("cvt.u16.u32", {ring}), nothing);
  EXPECT_EQ(made("shl.b32", {ring, two}), nothing);
  EXPECT_EQ(made("setp.eq.u32", {ring, two}), nothing);
}

// One operand may decide alone.
TEST(PtxKnown, NothingIsMadeOfNothing) {
  const PtxValue zero = known_number(0), one = known_number(1), nothing;
  EXPECT_EQ(made("and.b32", {nothing, zero}), zero);
  EXPECT_EQ(made("or.pred", {nothing, one}), one);
  EXPECT_EQ(made("mul.lo.u32", {nothing, zero}), zero);
  EXPECT_EQ(made("selp.b32", {one, one, nothing}), one);
  EXPECT_EQ(made("selp.b32", {one, zero, nothing}), nothing);
  EXPECT_EQ(made("add.u32", {nothing, zero}), nothing);
  EXPECT_EQ(made("div.u32", {one, zero}), nothing);
  for (const char* opcode :
       {"add.f32", "cvt.rn.f32.u32", "add.sat.s32", "ld.shared.u32", "shfl.sync.idx.b32",
        "mapa.shared::cluster.u32", "add.cc.u32", "", "mov.u0", "shr.s-8", "not.b7"})
    EXPECT_FALSE(ptx::known::PtxOperation::of(opcode)) << opcode;
}

const std::string begin =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".extern .shared .align 128 .b8 ring[];\n"
    ".visible .entry k(.param .align 8 .b8 pb[96])\n{\n"
    ".reg .b32 tid, n, a; .reg .pred p, q;\nmov.u32 tid, %tid.x;\n";

// The first operands of the stores to shared memory that a thread may run: "8", or "?".
std::string stores_of(const std::string& body, ptx::known::PtxThread thread,
                      bool* complete = nullptr, std::optional<ptx::known::PtxThread> before = {}) {
  const auto file = ptx::read_ptx(begin + body + "\nexit;\n}\n", "t.ptx");
  EXPECT_TRUE(file);
  ptx::known::PtxLaunch launch;
  launch.threads = 64;
  launch.cluster_size = 2;
  launch.parameters[{52, 4}] = 0;
  const ptx::known::PtxProgram program =
      ptx::known::program_of(*file, *file->entries().front(), launch);
  ptx::known::PtxWalk walk(program);
  if (before) walk.run(launch, *before, [](const ptx::known::PtxStep&, const Values&) {});
  std::string out;
  const bool all =
      walk.run(launch, thread, [&](const ptx::known::PtxStep& step, const Values& operands) {
        if (!file->statements[step.statement].parsed.name.starts_with("st.shared")) return;
        const bool known = operands.front().kind == PtxValue::Kind::address;
        out += (out.empty() ? "" : " ") + (known ? std::to_string(operands.front().bits) : "?");
      });
  if (complete != nullptr) *complete = all;
  return out;
}

TEST(PtxWalk, KnowsAThreadsOwnNumber) {
  const std::string body = "mad.lo.u32 a, tid, 8, ring;\nst.shared.u32 [a+4], tid;";
  EXPECT_EQ(stores_of(body, {0, 0}), "4");
  EXPECT_EQ(stores_of(body, {5, 0}), "44");
  const std::string rank = "mov.u32 n, %cluster_ctarank;\nmad.lo.u32 a, n, 8, ring;\n";
  EXPECT_EQ(stores_of(rank + "st.shared.u32 [a], n;", {5, 1}), "8");
}

// A loop whose end is known is walked turn by turn; of one whose end is not, the first two and
// what all have in common.
TEST(PtxWalk, TakesTheWayThatIsKnown) {
  const std::string loop =
      "mov.u32 n, tid;\nL:\nmad.lo.u32 a, n, 8, ring;\nst.shared.u32 [a], n;\n"
      "add.u32 n, n, 64;\n";
  EXPECT_EQ(stores_of(loop + "setp.lt.u32 p, n, 130;\n@p bra L;", {1, 0}), "8 520 1032");
  EXPECT_EQ(stores_of(loop + "ld.param.u32 a, [pb+4];\nsetp.lt.u32 p, n, a;\n@p bra L;", {1, 0}),
            "8 520 ?");
  const std::string guarded =
      "setp.eq.u32 p, tid, 3;\n@p st.shared.u32 [ring], tid;\n"
      "@!p st.shared.u32 [ring+8], tid;";
  EXPECT_EQ(stores_of(guarded, {3, 0}), "0");
  EXPECT_EQ(stores_of(guarded, {4, 0}), "8");
}

TEST(PtxWalk, TakesBothWaysOfWhatIsNot) {
  const std::string both =
      "ld.shared.u32 n, [ring];\nsetp.eq.u32 p, n, 0;\nmov.u32 a, ring;\n@p bra L;\n"
      "st.shared.u32 [a+8], n;\nL:\nst.shared.u32 [a+16], n;";
  const std::string seen = stores_of(both, {0, 0});
  EXPECT_NE(seen.find("8 "), std::string::npos) << seen;
  EXPECT_NE(seen.find("16"), std::string::npos) << seen;
  const std::string maybe =
      "ld.shared.u32 n, [ring];\nsetp.eq.u32 p, n, 0;\nmov.u32 a, ring;\n@p add.u32 a, a, 8;\n"
      "st.shared.u32 [a], n;";
  EXPECT_EQ(stores_of(maybe, {0, 0}), "?");
  // The block's `zero` is 0 in every launch, so no thread leaves here.
  const std::string never =
      "ld.param.u32 n, [pb+52];\nsetp.ne.u32 p|q, n, 0;\n@p exit;\n"
      "@q st.shared.u32 [ring+24], n;";
  EXPECT_EQ(stores_of(never, {0, 0}), "24");
}

TEST(PtxWalk, KnowsWhatTheFirstLaneHandsOn) {
  const auto handed = [](const char* mask) {
    return std::string("shfl.sync.idx.b32 n, tid, 0, 31, ") + mask +
           ";\nmad.lo.u32 a, n, 8, ring;\nst.shared.u32 [a], n;";
  };
  EXPECT_EQ(stores_of(handed("0xffffffff"), {32, 0}), "256");
  EXPECT_EQ(stores_of(handed("0xffffffff"), {37, 0}, nullptr, {{32, 0}}), "256");
  EXPECT_EQ(stores_of(handed("0xffffffff"), {37, 0}, nullptr, {{0, 0}}), "?");  // another warp's
  EXPECT_EQ(stores_of(handed("0xffffffff"), {37, 0}, nullptr, {{32, 1}}), "?");
  EXPECT_EQ(stores_of(handed("0xffffffff"), {37, 0}), "?");
  EXPECT_EQ(stores_of(handed("0x0000ffff"), {37, 0}, nullptr, {{32, 0}}), "?");
}

TEST(PtxWalk, SaysThatALoopGoesOnTooLong) {
  bool complete = true;
  stores_of("L:\nmov.u32 n, 1;\nbra L;", {0, 0}, &complete);
  EXPECT_FALSE(complete);
}

}  // namespace
}  // namespace phasebit::test
