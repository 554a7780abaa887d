// Products whose code is not the one that is timed elsewhere: the gate says so, and so does the
// head whose accumulators are another's.
#include "tests/app/project.h"
#include "tests/app/tools.h"

namespace phasebit::test {

using base::ProcessOutput;

namespace {

const std::string product =
    "ring/mbarrier_bulk/bulk/wgmma/granularity=producer_warp/consumers=2/payload_bytes=24576/"
    "tile_n=64/setmaxnreg=on";

class Products : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing_tools(); !why.empty()) GTEST_SKIP() << why;
    const ProcessOutput made = home_.says({"generate", "--id", product, "-o", "made"});
    ASSERT_EQ(made.exit_status, 0) << made.err;
    fs::copy(fs::directory_iterator(home_.path() / "made")->path(), file());
  }
  fs::path file() const { return home_.path() / "a.ptx"; }
  std::string gate() {
    const ProcessOutput output =
        home_.says({"assemble", "a.ptx", "-t", "sm_90a", "--gate", "--no-cache"});
    return (output.exit_status == 0 ? "passed\n" : "refused\n") + output.out + output.err;
  }
  Project home_;
};

TEST_F(Products, PassAsTheyAre) {
  EXPECT_EQ(gate().substr(0, 7), "passed\n");
}

// An accumulator that is used while its group is under way: ptxas waits for the group there
// (C7517).
TEST_F(Products, ThatPtxasSerialisesAreRefused) {
  Project::edit(file(), "wgmma.commit_group.sync.aligned;",
                "wgmma.commit_group.sync.aligned;\nadd.f32 acc0, acc0, 0f3F800000;");
  const std::string said = gate();
  EXPECT_NE(said.find("expected WARPGROUP.DEPBAR* x1 per item, found 2"), std::string::npos)
      << said;
}

TEST_F(Products, OfAShorterDepthAreRefused) {
  const std::string text = Project::read(file());
  const size_t first = text.find("wgmma.mma_async"), end = text.find('\n', first);
  ASSERT_NE(first, std::string::npos);
  Project::write(file(), text.substr(0, first) + text.substr(end + 1));
  const std::string said = gate();
  EXPECT_NE(said.find("expected HGMMA* x4 per item, found 3"), std::string::npos) << said;
}

TEST_F(Products, OfAnotherShapeThanTheKeySaysAreRefused) {
  const std::string text = Project::read(file());
  Project::edit(file(), ", product = { rows = 128, columns = 64 }", "");
  std::string said = gate();
  EXPECT_NE(said.find("the variant of its key has { rows = 128, columns = 64 } (write "
                      "`product = { rows = 128, columns = 64 }` in its `payload`)"),
            std::string::npos)
      << said;
  Project::write(file(), text);
  Project::edit(file(), "product = { rows = 128, columns = 64 }",
                "product = { rows = 64, columns = 128 }");
  said = gate();
  EXPECT_NE(said.find("payload: product: 256 threads multiply 128 rows, 64 are read (mend "
                      "`product`, `words` or `threads`)"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace phasebit::test
