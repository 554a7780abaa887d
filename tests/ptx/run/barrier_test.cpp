// Barriers used rightly and wrongly. Expectations are worked by hand from the PTX ISA: which phase
// an arrival counts in, and which a wait asks for.
#include "tests/ptx/run/small.h"

namespace phasebit::test {
namespace {

struct Row {
  const char* what;
  std::string body;
  const char* expected;  // how the first finding begins; "" for none
};

// One thread makes the barriers at `ring` and `ring+8`; warp 0 produces, warp 1 consumes.
std::string two_roles(const std::string& init, const std::string& producer,
                      const std::string& consumer) {
  return "@!first bra L_made;\n" + init + "L_made:\nbar.sync 0;\nsetp.eq.u32 p0, warp, 1;\n" +
         "@p0 bra L_consumer;\n" + producer + "bra L_end;\nL_consumer:\n" + consumer + "L_end:\n";
}

const std::string init_one = "mbarrier.init.shared.b64 [ring], 1;\n";
const std::string init_two = init_one + "mbarrier.init.shared.b64 [ring+8], 1;\n";
const std::string slot_store = "st.shared.u32 [ring+64], 7;\n";
const std::string slot_load = "ld.shared.u32 r1, [ring+64];\n";

std::string barrier_wait_for(const std::string& barrier, const std::string& parity,
                             const std::string& label) {
  return label + ": mbarrier.try_wait.parity.shared.b64 p1, [" + barrier + "], " + parity +
         ";\n@!p1 bra " + label + ";\n";
}

std::string arrive_on(const std::string& barrier, const std::string& guard = "leader") {
  return "bar.warp.sync 0xffffffff;\n@" + guard + " mbarrier.arrive.shared.b64 _, [" + barrier +
         "];\n";
}

const std::string store_once = "@leader " + slot_store;

const std::string slot_take = barrier_wait_for("ring", "0", "L_w") + slot_load;

std::vector<Row> phases() {
  return {{"a hand-over", two_roles(init_one, store_once + arrive_on("ring"), slot_take), ""},
          {"the wrong parity",
           two_roles(init_one, arrive_on("ring"),
                     barrier_wait_for("ring", "0", "L_w") + barrier_wait_for("ring", "0", "L_v") +
                         barrier_wait_for("ring", "1", "L_u")),
           "deadlock: "},
          {"no arrival", two_roles(init_one, store_once, slot_take), "deadlock: "},
          {"a count that nobody reaches",
           two_roles("mbarrier.init.shared.b64 [ring], 2;\n", store_once + arrive_on("ring"),
                     slot_take),
           "deadlock: "},
          {"more arrivals than the count",
           two_roles(init_one, "mbarrier.arrive.shared.b64 _, [ring];\n", slot_take),
           "phase overrun: "},
          {"a reader that does not wait",
           two_roles(init_one, store_once + arrive_on("ring"), slot_load), "race: "},
          {"the next phase before the wait",
           two_roles(init_one, store_once + arrive_on("ring") + arrive_on("ring"), slot_take),
           "deadlock: "},
          {"two slots in turn",
           two_roles(init_two,
                     barrier_wait_for("ring+8", "1", "L_a") + store_once + arrive_on("ring") +
                         barrier_wait_for("ring+8", "0", "L_b") + store_once + arrive_on("ring"),
                     slot_take + arrive_on("ring+8") + barrier_wait_for("ring", "1", "L_v") +
                         slot_load + arrive_on("ring+8")),
           ""},
          {"a slot that is filled before it is empty",
           two_roles(init_two,
                     barrier_wait_for("ring+8", "1", "L_a") + store_once + arrive_on("ring") +
                         barrier_wait_for("ring+8", "1", "L_b") + store_once,
                     slot_take),
           "race: "}};
}

std::vector<Row> bytes_and_tries() {
  return {
      {"no barrier there", two_roles("", arrive_on("ring"), ""), "barrier not initialised: "},
      {"a barrier of no arrivals", two_roles("mbarrier.init.shared.b64 [ring], 0;\n", "", ""),
       "operand out of range: "},
      {"expected bytes that never come",
       two_roles(init_one, "@leader mbarrier.arrive.expect_tx.shared.b64 _, [ring], 64;\n",
                 slot_take),
       "deadlock: "},
      {"expected bytes on a barrier that nobody arrives on",
       two_roles(init_one,
                 "@leader mbarrier.expect_tx.relaxed.cta.shared.b64 [ring], 64;\n"
                 "@leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                 "[ring+128], [d0], 64, [ring];\n",
                 slot_take),
       "deadlock: "},
      {"a copy and its bytes",
       two_roles(init_one,
                 "@leader mbarrier.arrive.expect_tx.shared.b64 _, [ring], 64;\n"
                 "@leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                 "[ring+64], [d0], 64, [ring];\n",
                 slot_take),
       ""},
      {"bytes that nothing expects",
       two_roles(init_one,
                 "@leader mbarrier.arrive.shared.b64 _, [ring];\n"
                 "@leader cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes "
                 "[ring+64], [d0], 64, [ring];\n",
                 slot_take),
       "race: "},
      {"the answer of one test decides",
       two_roles(
           init_one, store_once + arrive_on("ring"),
           "mbarrier.test_wait.parity.shared.b64 p1, [ring], 0;\n@!p1 bra L_end;\n" + slot_load),
       "decision: "},
      {"a token that a wait follows",
       two_roles(init_one, store_once + arrive_on("ring"),
                 "mbarrier.try_wait.parity.shared.b64 p1, [ring], 0;\n@p1 bra L_r;\n" +
                     barrier_wait_for("ring", "0", "L_w") + "L_r:\n" + slot_load),
       ""},
      {"a token that a wait for another phase follows",
       two_roles(init_one, store_once + arrive_on("ring"),
                 "mbarrier.try_wait.parity.shared.b64 p1, [ring], 0;\n@p1 bra L_r;\n" +
                     barrier_wait_for("ring", "1", "L_w") + "L_r:\n" + slot_load),
       "decision: "},
      {"a wait that gives up",
       two_roles(init_one, store_once + arrive_on("ring"),
                 "mov.u32 r2, 0;\nL_w: mbarrier.try_wait.parity.shared.b64 p1, [ring], 0;\n"
                 "add.u32 r2, r2, 1;\nsetp.gt.u32 p2, r2, 9;\n@p2 bra L_r;\n@!p1 bra L_w;\nL_r:\n"),
       "decision: "},
  };
}

std::vector<Row> rows() {
  std::vector<Row> all = phases();
  for (Row& one : bytes_and_tries()) all.push_back(std::move(one));
  return all;
}

TEST(RunBarrier, EachConstruct) {
  for (const Row& row : rows()) {
    const auto outcome = run_small(row.body);
    const std::vector<std::string> found = found_by(outcome);
    const std::string first = found.empty() ? "" : found.front();
    if (*row.expected == '\0') {
      EXPECT_EQ(first, "") << row.what;
      EXPECT_TRUE(outcome.ended) << row.what;
    } else {
      EXPECT_TRUE(first.starts_with(row.expected)) << row.what << ": " << first;
    }
  }
}

// Where one schedule finds nothing wrong, no other does.
TEST(RunBarrier, OtherSchedulesOfWhatIsProved) {
  for (const Row& row : rows()) {
    if (*row.expected != '\0') continue;
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
      const auto outcome = run_small(row.body, {.seed = seed});
      EXPECT_EQ(found_by(outcome), std::vector<std::string>{}) << row.what << " " << seed;
      EXPECT_TRUE(outcome.ended) << row.what << " " << seed;
    }
  }
}

// Two consumers read a slot, and the producer fills it again when one of them has released it.
TEST(RunBarrier, AnOperandThatAnotherWarpStillReads) {
  const auto kernel = [](const std::string& count, const std::string& who) {
    return "@!first bra L_made;\n" + init_one + "mbarrier.init.shared.b64 [ring+8], " + count +
           ";\nL_made:\nbar.sync 0;\nsetp.ne.u32 p0, warp, 0;\n@p0 bra L_consumer;\n" + store_once +
           arrive_on("ring") + barrier_wait_for("ring+8", "0", "L_a") + store_once +
           "bra L_end;\nL_consumer:\n" + slot_take + "setp.eq.u32 p2, warp, 1;\n" + who +
           "L_end:\n";
  };
  const std::string one = "and.pred p2, p2, leader;\n" + arrive_on("ring+8", "p2");
  const auto broken = found_by(run_small(kernel("1", one), {.threads = 96}));
  ASSERT_FALSE(broken.empty());
  EXPECT_TRUE(broken.front().starts_with("race: ")) << broken.front();
  EXPECT_EQ(found_by(run_small(kernel("2", arrive_on("ring+8")), {.threads = 96})),
            std::vector<std::string>{});
}

TEST(RunBarrier, ABarrierThatIsWrittenTo) {
  const auto found = found_by(
      run_small("@!first bra L_made;\n" + init_one + "st.shared.u32 [ring+4], 0;\nL_made:\n"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found.front().starts_with("barrier overwritten: ")) << found.front();
}

TEST(RunBarrier, ADeadlockSaysWhoWaitsForWhat) {
  const auto outcome =
      run_small(two_roles("mbarrier.init.shared.b64 [ring+16], 2;\n", arrive_on("ring+16"),
                          barrier_wait_for("ring+16", "0", "L_w")));
  ASSERT_EQ(outcome.findings.size(), 1U);
  const ptx::run::Finding& found = outcome.findings.front();
  ASSERT_EQ(found.related.size(), 1U);
  EXPECT_EQ(found.related[0].at.thread, 32);
  EXPECT_EQ(found.related[0].what,
            "waits for phase 0 (parity 0) of barrier ring+16: 1 of 2 arrivals and 0 bytes are "
            "missing");
}

TEST(RunBarrier, NamedAndCtaBarriers) {
  const std::string split = "setp.eq.u32 p0, warp, 1;\n@p0 bra L_consumer;\n";
  const Row rows[] = {
      {"a hand-over by a named barrier",
       split + store_once +
           "bar.warp.sync 0xffffffff;\nbar.arrive 1, 64;\nbra L_end;\nL_consumer:\n"
           "bar.sync 1, 64;\n" +
           slot_load + "L_end:\n",
       ""},
      {"two counts",
       split + "bar.arrive 1, 96;\nbra L_end;\nL_consumer:\nbar.sync 1, 64;\nL_end:\n",
       "named barrier: "},
      {"one that has left", split + "bra L_end;\nL_consumer:\nbar.sync 1, 64;\nL_end:\n",
       "deadlock: "},
      {"an arrival too early",
       split + "bar.arrive 1, 64;\nbar.arrive 1, 64;\nbra L_end;\nL_consumer:\nbar.sync 1, 64;\n"
               "bar.sync 1, 64;\nL_end:\n",
       "named barrier: "},
      {"a number that there is none of", "bar.sync 16;\n", "operand out of range: "},
      {"lanes without an order", store_once + slot_load, "race: "},
      {"lanes that meet",
       split + "bra L_end;\nL_consumer:\n" + store_once + "bar.warp.sync 0xffffffff;\n" +
           slot_load + "L_end:\n",
       ""}};
  for (const Row& row : rows) {
    const std::vector<std::string> found = found_by(run_small(row.body));
    const std::string first = found.empty() ? "" : found.front();
    EXPECT_TRUE(*row.expected == '\0' ? first.empty() : first.starts_with(row.expected))
        << row.what << ": " << first;
  }
}

}  // namespace
}  // namespace phasebit::test
