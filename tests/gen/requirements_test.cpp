#include "gen/kernel/requirements.h"

#include "core/isa/targets.h"
#include "gen/kernel/make_plan.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/gen/gates.h"
#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::GateSpec;
using isa::Version;
using launch::VariantKey;
using space::Catalogue;

namespace {

using Words = std::vector<std::string>;
using Derived = std::map<std::string, int>;

const Catalogue& fixture() {
  static const Catalogue catalogue = load_fixture();
  return catalogue;
}

VariantKey key_of_id(const std::string& id) {
  auto key = space::parse_variant(fixture(), id);
  if (!key) bug(key.error().text());
  return *key;
}

struct Row {
  const char* id;
  const char* ptx;
  int sm;
  Words reasons;
};

TEST(Requirements, AreTheMaximumOfWhatHolds) {
  const Row rows[] = {
      {"ring/cta/none/none", "6.3", 75, {}},
      {"ring/mbarrier/none/none/wait=test_wait", "7.1", 80, {"mbarrier"}},
      {"ring/mbarrier/none/none", "7.8", 90, {"mbarrier", "mbarrier.try_wait"}},
      // 7.10 is above 7.8, and says nothing of the architecture.
      {"ring/mbarrier/none/none/wait=spin", "7.10", 80, {"mbarrier"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.id);
    const auto found = kernel::requirements(fixture(), key_of_id(row.id));
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->ptx.text(), row.ptx);
    EXPECT_EQ(found->sm, row.sm);
    EXPECT_EQ(found->reasons, row.reasons);
  }
}

GateSpec gates(const std::string& id, const std::string& family, const std::string& ptxas,
               const Derived& derived = {}) {
  auto spec =
      gate_spec(fixture(), key_of_id(id), family, isa::parse_version(ptxas).value(), derived);
  if (!spec) bug(spec.error().text());
  return *spec;
}

// "verb/role: 2 A*, 1 B*; not C*", one a rule.
Words lines(const GateSpec& spec) {
  Words all;
  for (const isa::VerbRule& rule : spec.verbs) {
    std::string line = fmt::format("{}/{}:", rule.verb, rule.role);
    for (const isa::OpcodeRule& opcode : rule.require)
      line += fmt::format(" {} {},", opcode.count.low, opcode.pattern);
    for (const std::string& pattern : rule.forbid) line += fmt::format(" not {},", pattern);
    all.push_back(line);
  }
  return all;
}

TEST(GateSpecs, JoinTheDeclarationsThatHold) {
  const std::string hinted = "ring/mbarrier/none/none/num_stages=8/hint_ns=100";
  EXPECT_EQ(lines(gates("ring/mbarrier/none/none", "hopper", "13.5.37")),
            (Words{"wait/: 1 SYNCS.PHASECHK*, 1 BRA*, not LDS*,"}));
  // num_stages / 4 = 2; the two lists that forbid LDS* give it once.
  EXPECT_EQ(lines(gates(hinted, "hopper", "13.5.37")),
            (Words{"wait/: 1 SYNCS.PHASECHK*, 2 BRA*, 1 NANOSLEEP*, not LDS*, not MEMBAR*,"}));
  // Before 12.4 two more.
  EXPECT_EQ(lines(gates("ring/mbarrier/none/none", "hopper", "12.3")),
            (Words{"wait/: 3 SYNCS.PHASECHK*, 1 BRA*, not LDS*,"}));
  EXPECT_EQ(lines(gates(hinted, "ampere", "13.5.37")), (Words{"wait/: 1 LDS*,"}));
  EXPECT_EQ(lines(gates("ring/cta/none/none", "turing", "11.8")),
            (Words{"wait/consumer: 1 BAR.SYNC*,"}));
}

TEST(GateSpecs, ForbidEverywhereWhatAxesTomlForbids) {
  const GateSpec spec = gates("ring/cta/none/none", "turing", "11.8");
  EXPECT_TRUE(spec.known);
  EXPECT_EQ(spec.forbid_everywhere, (Words{"LDL*", "STL*"}));
}

TEST(GateSpecs, CountWithThePlan) {
  const GateSpec spec = gates("ring/flag/st_shared/none/payload_bytes=1024", "hopper", "13.5",
                              {{"moves", 3}, {"items_per_iteration", 4}, {"unlisted", 9}});
  EXPECT_EQ(lines(spec), (Words{"fill/producer: 6 STS*,"}));
  EXPECT_TRUE(spec.items_per_iteration.empty());  // the caller's to fill in
}

TEST(GateSpecs, AreUnknownWhereAComponentDeclaresNothing) {
  struct Unknown {
    const char* id;
    const char* family;
    const char* ptxas;
    const char* why;
  };
  const Unknown rows[] = {
      {"ring/mbarrier/none/none", "", "13.5", "the SASS family of the target is unknown"},
      {"ring/mbarrier/none/none", "turing", "13.5", "mbarrier declares no SASS for turing"},
      {"ring/mbarrier/none/none", "hopper", "11.8", "mbarrier declares no SASS for ptxas 11.8"},
      {"ring/flag/st_shared/none", "ada", "13.5", "st_shared declares no SASS for ada"},
  };
  for (const Unknown& row : rows) {
    SCOPED_TRACE(row.why);
    const GateSpec spec = gates(row.id, row.family, row.ptxas, {{"moves", 1}});
    EXPECT_FALSE(spec.known);
    EXPECT_EQ(spec.why_unknown, row.why);
  }
}

TEST(GateSpecs, FailWhereACountCannotBeTaken) {
  const VariantKey key = key_of_id("ring/flag/st_shared/none");
  const std::string where = (fixture_templates() / "movers/st_shared/mover.toml").string();
  const auto missing = gate_spec(fixture(), key, "hopper", Version{{13, 5}}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(), "gate: " + where + ":11: the plan supplies no 'moves'");
  const auto negative = gate_spec(fixture(), key, "hopper", Version{{13, 5}}, {{"moves", -1}});
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().text(),
            "gate: " + where + ":11: 'payload_bytes / 512 * moves' counts -1");
}

// Every shipped variant can be planned and its gates be counted for every family, and its id is
// read back.
TEST(ShippedSweeps, HaveRequirementsAndGates) {
  const fs::path root = base::source_root();
  const auto catalogue = Catalogue::load(root / "templates");
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  const auto spec = space::load_spec(test::home(), root / "specs" / "core.toml", *catalogue);
  ASSERT_TRUE(spec) << spec.error().text();
  const auto expansion = space::expand(*catalogue, *spec, "core");
  ASSERT_TRUE(expansion) << expansion.error().text();
  EXPECT_GE(expansion->variants.size(), 500U);
  const Words families = isa::TargetTable::load()->families();
  for (const VariantKey& variant : expansion->variants) {
    SCOPED_TRACE(variant.id);
    const auto read_back = space::parse_variant(*catalogue, variant.id);
    ASSERT_TRUE(read_back) << read_back.error().text();
    EXPECT_EQ(read_back->axes, variant.axes);
    const auto needs = kernel::requirements(*catalogue, variant);
    ASSERT_TRUE(needs) << needs.error().text();
    const auto plan = kernel::make_plan(*catalogue, variant);
    ASSERT_TRUE(plan) << plan.error().text();
    for (const std::string& family : families) {
      const auto gate = gate_spec(*catalogue, variant, family, Version{{13, 5}}, plan->derived());
      ASSERT_TRUE(gate) << gate.error().text();
      EXPECT_EQ(gate->known, gate->why_unknown.empty());
    }
  }
}

}  // namespace
}  // namespace phasebit::test
