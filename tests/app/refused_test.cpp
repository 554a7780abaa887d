// What a command cannot honour is an error, and nothing is printed as if it had been.
#include "tests/app/program.h"
#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* refused_ring = "ring/mbarrier/st_shared/none";

std::string spec(const std::string& name) {
  return (test::home().data / "specs" / (name + ".toml")).string();
}

struct Refused {
  Words arguments;
  std::string message;  // a part of it
};
using RefusedLines = std::vector<Refused>;

void expect_refused(const RefusedLines& rows) {
  for (const Refused& row : rows) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(row.arguments, " ")));
    const base::ProcessOutput output = test::run_phasebit({}, row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_NE((output.err).find(row.message), std::string::npos) << output.err;
    EXPECT_EQ(output.out, "");
  }
}

TEST(Refused, OfVariants) {
  const std::string file =
      (test::home().data / "ptx" / "ring.mbarrier.st_shared.none.ptx").string();
  expect_refused({
      {{"generate", "--list", "--id", refused_ring, "--sweep", "core"}, "no --sweep with it"},
      {{"generate", "--list", "--id", refused_ring, "--spec", spec("core")}, "no --spec with it"},
      {{"generate", "--list", "--id", refused_ring, "-a", "stages=8"}, "-a stages=8: --id"},
      {{"generate", "--list", "--id", std::string(refused_ring) + "/opt_level=1", "-a",
        "opt_level=2"},
       "says itself how it is assembled"},
      {{"generate", "--list", "--toolchain", "13.5", "-a", "ptxas=13.5"}, "one and the same"},
      {{"generate", "--list", "--out", "x"}, "--out"},
      {{"generate", "--list", "--dry-run"}, "--list"},
      {{"generate", "--list", "--build", "guarded"}, "--build"},
      {{"generate", "--json", "--out", "x"}, "--out"},
      {{"generate", "--check"}, "--curated"},
      {{"generate", "--curated", "--limit", "3"}, "no --limit with it"},
      {{"show", refused_ring, "--sweep", "core"}, "no --sweep with it"},
      {{"show", std::string(refused_ring) + "/opt_level=1", "-a", "opt_level=2"},
       "/opt_level=1: it is opt_level=1, and opt_level=2 is asked for (leave -a opt_level out"},
      {{"show", std::string(refused_ring) + "/maxrregcount=32", "-a", "maxrregcount=64"},
       "it is maxrregcount=32, and maxrregcount=64 is asked for"},
      {{"show", refused_ring, "-a", "stages=8"}, "has its axes"},
      {{"show", refused_ring, "--filter", "x"}, "--filter"},
      {{"show", refused_ring, "--limit", "1"}, "--limit"},
      {{"show", refused_ring, "--kernel", "x"}, "no --kernel with it"},
      {{"fork", "--merge", "--name", "x"}, "--name"},
      {{"fork", "--merge", "-a", "stages=8"}, "no -a with it"},
      {{"assemble", "--gate", "--build", "guarded"}, "the timed build"},
      {{"assemble", "--kernel", "x"}, "--kernel x: it is for files"},
      {{"assemble", file, "--id", refused_ring}, "files are not variants: no --id with it"},
      {{"assemble", file, "--variants", "x"}, "files are not variants: no --variants with it"},
      {{"assemble", "--tuned", "--sweep", "core"}, "--tuned: no --sweep with it"},
      {{"assemble", "--tuned", "-a", "stages=8"}, "a fork has its axes"},
      {{"assemble", "--cache", "x", "--no-cache"}, "--cache"},
      {{"pack", "--block", "32", "--id", refused_ring},
       "--param, --launch, --grid and --block apply only to kernels without a head"},
  });
}

// Before a point of it is made.
TEST(Refused, OfASweepThatNobodyCouldKeep) {
  const base::ProcessOutput output = test::run_phasebit(
      {}, {"generate", "--list", "-a", "payload_bytes=16:65536", "-a", "num_stages=1:32"});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::spec));
  EXPECT_NE(output.err.find(" points, at most 2000000 (vary fewer axes"), std::string::npos)
      << output.err;
  EXPECT_EQ(output.out, "");
}

// What a bulk copy or a stream cannot be: the id says the value, the message the limit.
TEST(Refused, OfCopiesAndStreams) {
  const std::pair<const char*, const char*> rows[] = {
      {"ring/mbarrier_bulk/bulk/none/num_stages=16/payload_bytes=65536",
       "pruned: the slots must fit into the shared memory of an SM: at most 231424 bytes"},
      {"ring/mbarrier_bulk/bulk/none/payload_bytes=24",
       "pruned: bulk: a copy is a multiple of 16 bytes"},
      {"ring/mbarrier_bulk/bulk/none/copies_a_stage=8/payload_bytes=64",
       "pruned: bulk: a copy is a multiple of 16 bytes"},
      {"ring/mbarrier_bulk/bulk/none/payload_bytes=131072",
       "payload_bytes: no value '131072' (a whole number in 16..65536)"},
      {"ring/mbarrier_bulk/bulk/none/payload_bytes=512/read=first",
       "pruned: read=first: a thread's share of the slot is at most 16 bytes, and so all of it"},
      {"ring/mbarrier_bulk/st_shared/none",
       "pruned: mbarrier_bulk: the mover's copies must complete the bytes that the phase expects"},
      {"ring/mbarrier/bulk/none",
       "pruned: bulk copies complete bytes on a barrier that the protocol must expect"},
      {"ring/mbarrier_bulk/bulk_tensor/none/swizzle=128B/row_bytes=64",
       "pruned: tensor: a swizzle of 128 bytes takes rows of 128, eight in a pattern"},
      {"stream/mbarrier_bulk/bulk/none/payload_bytes=640",
       "pruned: stream: tiles are multiples of 512 bytes"},
      {"stream/mbarrier_bulk/bulk_tensor/none/payload_bytes=4096/edge=partial",
       "pruned: stream: a tile is all words of its place in the data, or their sum would not be "
       "known"},
      {"stream/mbarrier_bulk/bulk_tensor/none/payload_bytes=512/dimensions=1/element=f16",
       "pruned: stream: 8 GiB in one dimension are more elements than coordinates can name (2^31)"},
      {"stream/mbarrier_bulk/bulk/none/ctas_per_sm=8/payload_bytes=65536",
       "pruned: the slots must fit into the shared memory of an SM: at most 231424 bytes"},
      {"stream/mbarrier_bulk/bulk/none/ctas_per_sm=16", "pruned: stream: at most 8 CTAs on an SM"},
      {"stream/mbarrier_bulk/bulk/none/read=first/payload_bytes=4096",
       "pruned: stream: every word is read, or the sum would not show what came"},
      {"stream/none/ld_global/none/num_stages=1/payload_bytes=512/consumers=8",
       "pruned: ld_global: a tile is 1 to 16 loads of 16 bytes for each thread"},
      {"issue/mbarrier_bulk/bulk/none/producers=2/sharing=round_robin/resident=hbm",
       "pruned: issue from memory: one warp, tiles of powers of two, so that the data is whole "
       "tiles"},
      {"issue/mbarrier_bulk/bulk/none/resident=dram",
       "resident: no value 'dram' (one of: l2, hbm)"},
  };
  for (const auto& [id, message] : rows) {
    const base::ProcessOutput output = test::run_phasebit({}, {"show", id});
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage));
    EXPECT_EQ(output.err, fmt::format("phasebit: usage: {}: {}\n", id, message));
    EXPECT_EQ(output.out, "");
  }
}

TEST(Refused, OfMachineCode) {
  expect_refused({
      {{"sass", "diff", refused_ring, refused_ring, "--kernel", "k"}, "neither side is one"},
      {{"sass", "diff", refused_ring, refused_ring, "--all", "--context", "3"}, "--context"},
      {{"sass", "diff", "a.cubin", "b.cubin", "--build", "guarded"}, "for variants, not for files"},
      {{"sass", "diff", "a.cubin", "b.cubin", "-a", "opt_level=1"}, "no -a with it"},
      {{"sass", "show", "a.cubin", "--build", "guarded"}, "--build guarded is for variants"},
      {{"sass", "show", "a.cubin", "--max-registers", "9"}, "--max-registers"},
      {{"sass", "show", refused_ring, "--ptx"}, "--ptx is for code files"},
      {{"sass", "show", refused_ring, "--cfg", "--waits"}, "--cfg: no --waits with it"},
      {{"sass", "show", refused_ring, "--hot", "--loop", "1"}, "--hot"},
      {{"sass", "show", "a.cubin", "--toolchain", "13.5"}, "no --toolchain with it"},
      {{"sass", "list", "a.cubin", "--max-registers", "9"}, "--max-registers"},
      {{"sass", "matrix", "--kernel", "k"}, "it is for files"},
      {{"sass", "matrix", "a.cubin", "--toolchain", "13.5"}, "--toolchain is for variants"},
      {{"sass", "classes", "--kernel", "k"}, "it is for files"},
      {{"sass", "page", "--history", "sm_90"}, "--toolchain"},
      {{"sass", "history", refused_ring, "-o", "x.ptx"}, "--bisect"},
      {{"sass", "gate", spec("sass_gate"), "--cubin", "no.cubin"}, "no.cubin: no such file"},
  });
}

TEST(Refused, OfResults) {
  expect_refused({
      {{"coverage", "--no-assemble", "--max-registers", "9"}, "--max-registers"},
      {{"coverage", "--json", "--format", "csv"}, "--format"},
      {{"explain", "--steps", "--toolchain", "12.4,13.5"}, "--toolchain"},
      {{"explain", "--steps", "-a", "opt_level=1"}, "--steps: no -a with it"},
      {{"report", "--check"}, "--update"},
      {{"report", "--update", "x.md", "--table", "core"}, "--table"},
      {{"list", "targets", "--spec", "x"}, "targets are not of a spec"},
      {{"list", "tables", "x.csv.zst"}, "tables are not of results"},
      {{"list", "devices", "--templates", "x"}, "devices are not of the templates"},
  });
}

}  // namespace
}  // namespace phasebit::test
