// Roles as GEMM and attention kernels have them, assembled and gated.
#include "tests/app/program.h"
#include "tests/app/tools.h"

#include <sstream>

namespace phasebit::test {
namespace {

class Roles : public WithListing {};

constexpr const char* handed_over =
    "ring/mbarrier_bulk/bulk/fma/granularity=producer_warp/consumers=2/payload_bytes=4096/"
    "setmaxnreg=on";

TEST_F(Roles, PassTheirGates) {
  const auto output = run_phasebit(
      {"assemble"}, {"--spec", (test::home().data / "specs/roles.toml").string(), "--sweep",
                     "roles_fma", "--limit", "67", "--gate", "-t", "sm_90a"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
}

// Without .maxnreg ptxas does not know the count at launch and drops setmaxnreg with a warning
// (C7508): then the gate finds nothing to count, in neither role.
TEST_F(Roles, AreRefusedWherePtxasDropsSetmaxnreg) {
  const auto shown = run_phasebit({"show"}, {handed_over});
  ASSERT_EQ(shown.exit_status, 0) << shown.err;
  std::istringstream lines(shown.out);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(".maxnreg") && !line.starts_with("//@ maxnreg")) text += line + "\n";
  const fs::path file = folder_.path() / "dropped.ptx";
  ASSERT_TRUE(base::write_file(file, text));
  const auto output = run_phasebit({"assemble"}, {file.string(), "--gate", "-t", "sm_90a"});
  EXPECT_NE(output.exit_status, 0);
  for (const char* said :
       {"give_registers (producer): expected USETMAXREG* x1 outside the timed loop, found 0",
        "take_registers (consumer): expected USETMAXREG* x1 outside the timed loop, found 0"})
    EXPECT_NE(output.err.find(said), std::string::npos) << output.err;
}

}  // namespace
}  // namespace phasebit::test
