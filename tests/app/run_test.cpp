// Kernels that run without a GPU: what their launch leaves, and schedules that are run again.
#include "tests/app/program.h"
#include "tests/app/project.h"

#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::ProcessOutput;
using nlohmann::json;

namespace {

const std::string run_ring = "ring/mbarrier/st_shared/none";

// The checksum of each consumer thread is that of the words that a producer stores, by the rule of
// docs/measuring.md: what a GPU's launch is verified with.
TEST(Run, VerifiesWhatALaunchLeaves) {
  const ProcessOutput said = run_phasebit({"run"}, {run_ring, "--items", "64", "--json"});
  ASSERT_EQ(said.exit_status, 0) << said.err;
  const json run = json::parse(said.out);
  EXPECT_TRUE(run["verified"].get<bool>());
  EXPECT_TRUE(run["findings"].empty());
  ASSERT_EQ(run["records"].size(), 2U);
  for (const json& record : run["records"]) {
    EXPECT_EQ(record["items"], 64);
    EXPECT_EQ(record["phase_errors"], 0);
  }
  EXPECT_EQ(run_phasebit({"run"}, {run_ring, "--items", "64", "--replay", "7"}).exit_status, 0);
}

// The first warp has left where the second produces: that reads the eight barriers of four slots.
TEST(Run, ReadsBarriersBackInTheFirstWarpThatIsLeft) {
  const std::string id =
      "ring/mbarrier_bulk/bulk/fma/granularity=producer_warp/sub_partitions=apart/"
      "payload_bytes=6144";
  const ProcessOutput said = run_phasebit({"run"}, {id, "--json"});
  ASSERT_EQ(said.exit_status, 0) << said.err;
  const json run = json::parse(said.out);
  EXPECT_TRUE(run["verified"].get<bool>());
  EXPECT_EQ(run["records"].at(0)["warp"], 1);
  EXPECT_EQ(run["records"].at(0)["phases_checked"], 8);
  EXPECT_EQ(run["records"].at(0)["phase_errors"], 0);
}

// The word that is stored is one more than it should be, and nothing races or hangs.
TEST(Run, FindsAWrongPayload) {
  const Project project;
  Project::edit(project.templates() / "movers" / "st_shared" / "fill.ptx",
                "add.u32 p_value, p_value, {{value_step}};",
                "add.u32 p_value, p_value, {{value_step}};\nadd.u32 p_value, p_value, 1;");
  const ProcessOutput said = project.says({"run", run_ring, "--items", "64"});
  EXPECT_NE(said.exit_status, 0);
  EXPECT_EQ(said.out.find("verified: payload"), std::string::npos) << said.out;
  EXPECT_NE(said.err.find("verify: "), std::string::npos) << said.err;
  const ProcessOutput checked = project.says({"check", "--id", run_ring});
  EXPECT_EQ(checked.exit_status, 1);
  EXPECT_NE(checked.out.find("error: wrong payload: "), std::string::npos) << checked.out;
}

// A CTA that does not copy announces its bytes once its lanes have met: without that one of them
// may still wait when the phase after the one that it waits for is over.
TEST(Run, ProvesMulticastByTheFirstCtaAlone) {
  const std::string ring =
      "cluster_ring/mbarrier_cluster_bulk/multicast/none/payload_bytes=8192/split=one";
  const Project project;
  const ProcessOutput sound = project.says({"check", "--id", ring});
  EXPECT_EQ(sound.exit_status, 0) << sound.out << sound.err;
  Project::edit(project.templates() / "protocols" / "mbarrier_tx" / "acquire.ptx",
                "{{gather_announcers}}\n", "");
  const ProcessOutput apart = project.says({"check", "--id", ring});
  EXPECT_EQ(apart.exit_status, 1);
  EXPECT_NE(apart.out.find("error: phase overrun: "), std::string::npos) << apart.out;
}

// Warp 0 waits for what never comes where it looks before warp 1 has arrived: not in the order that
// is run first.
const std::string hangs =
    ".version 8.7\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 full;\n"
    ".shared .align 8 .b64 never;\n"
    ".visible .entry looks()\n{\n"
    ".reg .b32 tid;\n.reg .pred p, seen, done;\n"
    "mov.u32 tid, %tid.x;\nsetp.ne.u32 p, tid, 0;\n@p bra L_made;\n"
    "mbarrier.init.shared.b64 [full], 1;\nmbarrier.init.shared.b64 [never], 1;\n"
    "L_made:\nbar.sync 0;\n"
    "setp.eq.u32 p, tid, 32;\n@p mbarrier.arrive.shared.b64 _, [full];\n"
    "setp.ne.u32 p, tid, 0;\n@p bra L_end;\n"
    "mbarrier.test_wait.parity.shared.b64 seen, [full], 0;\n@seen bra L_end;\n"
    "L_wait: mbarrier.try_wait.parity.shared.b64 done, [never], 0;\n@!done bra L_wait;\n"
    "L_end:\nret;\n}\n";

TEST(Run, ReplaysTheScheduleThatHangs) {
  const Project project;
  Project::write(project.path() / "hangs.ptx", hangs);
  const std::vector<std::string> words = {"check",   "hangs.ptx", "--grid", "1",
                                          "--block", "64",        "--json"};
  const ProcessOutput said = project.says(words);
  ASSERT_EQ(said.exit_status, 1) << said.err;
  const json checked = json::parse(said.out).front();
  const auto schedule = checked["schedule"].get<int>();
  ASSERT_GT(schedule, 0) << said.out;
  const auto deadlock_of = [](const json& one) {
    for (const json& found : one["found"])
      if (found["kind"] == "deadlock") return found["related"].front();
    return json();
  };
  const json waits = deadlock_of(checked);
  EXPECT_EQ(waits["what"],
            "waits for phase 0 (parity 0) of barrier never+0: 1 of 1 arrivals and 0 bytes are "
            "missing");
  EXPECT_EQ(waits["place"], "hangs.ptx:23:9");
  EXPECT_EQ(waits["thread"], "CTA 0, warp 0, lane 0");
  std::vector<std::string> again = words;
  again.insert(again.end(), {"--replay", std::to_string(schedule)});
  const ProcessOutput replayed = project.says(again);
  EXPECT_EQ(replayed.exit_status, 1);
  const json one = json::parse(replayed.out).front();
  EXPECT_EQ(one["schedules"], 1);
  EXPECT_EQ(one["schedule"], schedule);
  EXPECT_EQ(deadlock_of(one), waits);
}

}  // namespace
}  // namespace phasebit::test
