// A component that takes over what it lacks from another.
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/kernel/requirements.h"
#include "gen/space/template_set.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/gen/gates.h"

namespace phasebit::test {

using space::Catalogue;
using space::Component;
using space::ComponentKind;
using space::TemplateFolders;

namespace {

using Words = std::vector<std::string>;

const char* const own_file = "protocols/own/protocol.toml";
// The axis `wait` of mbarrier with one value alone; a commit of its own.
const char* const own_text =
    "uses = \"mbarrier\"\nverbs = [\"commit\"]\n"
    "[[axis]]\nname = \"wait\"\nvalues = [\"test_wait\"]\ndefault = \"test_wait\"\n"
    "[[axis]]\nname = \"announce\"\nvalues = [\"fused\", \"split\"]\ndefault = \"fused\"\n"
    "[[gate]]\nverb = \"commit\"\nrequire = { \"B*\" = 1 }\n";

class Uses : public testing::Test {
 protected:
  void SetUp() override {
    folder_.copy_fixture();
    folder_.write(own_file, own_text);
    folder_.write("protocols/own/commit.ptx", "own;\n");
    const std::string base = folder_.read("protocols/mbarrier/protocol.toml");
    folder_.write("protocols/mbarrier/protocol.toml", "verbs = [\"wait\", \"commit\"]\n" + base);
    folder_.write("protocols/mbarrier/wait.ptx", "base;\n");
    folder_.write("protocols/mbarrier/commit.ptx", "base;\n");
  }
  std::string error() {
    const auto catalogue = Catalogue::load(folder_.path());
    return catalogue ? "" : folder_.text(catalogue.error());
  }
  Folder folder_;
};

// blackwell is like hopper, rubin like blackwell (core/isa/targets.toml).
TEST_F(Uses, RulesHoldForFamiliesThatAreAlikeAndNotNamed) {
  const auto families = [&](const std::string& covers, const std::string& of_gate) {
    folder_.write(own_file,
                  fmt::format("covers = [{}]\n{}families = [{}]\n", covers, own_text, of_gate));
    const auto catalogue = Catalogue::load(folder_.path());
    EXPECT_TRUE(catalogue) << catalogue.error().text();
    const Component* own = catalogue->find(ComponentKind::protocol, "own");
    for (const auto& gate : own->gates)
      if (gate.require.size() == 1 && gate.require.front().pattern == "B*")
        return std::pair(own->covers, gate.families);
    return std::pair(own->covers, Words{"no such gate"});
  };
  const Words newer = {"hopper", "blackwell", "rubin"};
  EXPECT_EQ(families("\"hopper\"", "\"hopper\""), std::pair(newer, newer));
  EXPECT_EQ(families("\"ampere\", \"hopper\"", "\"ampere\""),
            std::pair(Words({"ampere", "hopper", "blackwell", "rubin"}), Words({"ampere"})));
  EXPECT_EQ(families("\"hopper\", \"blackwell\"", "\"hopper\""),
            std::pair(newer, Words({"hopper"})));
}

TEST_F(Uses, TakesOverAxesAndReplacesThoseOfItsOwn) {
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  const Component *own = nullptr, *base = nullptr;
  for (const Component& component : catalogue->components(ComponentKind::protocol)) {
    if (component.name == "own") own = &component;
    if (component.name == "mbarrier") base = &component;
  }
  ASSERT_EQ(own->axes.size(), base->axes.size() + 1);
  EXPECT_EQ(own->axes.back().name, "announce");
  for (size_t i = 0; i < base->axes.size(); ++i) {
    EXPECT_EQ(own->axes[i].name, base->axes[i].name);
    if (own->axes[i].name != "wait") continue;
    EXPECT_EQ(own->axes[i].values, Words{"test_wait"});
  }
  EXPECT_EQ(own->rules.size(), base->rules.size());
  EXPECT_EQ(own->needs.size(), base->needs.size());
  EXPECT_EQ(own->covers, base->covers);
}

TEST_F(Uses, TakesOverTheGatesOfTheVerbsWhoseTemplateItTakesOver) {
  const auto verbs = [&] {
    const auto catalogue = Catalogue::load(folder_.path());
    if (!catalogue) bug(catalogue.error().text());
    const auto key = space::parse_variant(*catalogue, "ring/own/none/none");
    if (!key) bug(key.error().text());
    const auto spec = gate_spec(*catalogue, *key, "ampere", isa::parse_version("13.5").value(), {});
    if (!spec) bug(spec.error().text());
    Words all;
    for (const isa::VerbRule& rule : spec->verbs) all.push_back(rule.verb);
    return all;
  };
  EXPECT_EQ(verbs(), (Words{"wait", "commit"}));
  folder_.write("protocols/own/wait.ptx", "own;\n");
  EXPECT_EQ(verbs(), (Words{"commit"}));
}

TEST_F(Uses, LooksForPartialsInItsOwnFolderFirst) {
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  const auto folders = TemplateFolders::of(*catalogue, {"ring", "own", "none", "none"});
  ASSERT_TRUE(folders) << folders.error().text();
  EXPECT_EQ(folders->names(), (Words{"probes/ring", "protocols/own", "protocols/mbarrier",
                                     "movers/none", "work/none", "common"}));
  EXPECT_EQ(folders->find(folder_.path(), "commit"), fs::path("protocols/own/commit.ptx"));
  EXPECT_EQ(folders->find(folder_.path(), "wait"), fs::path("protocols/mbarrier/wait.ptx"));
  EXPECT_EQ(folders->find(folder_.path(), "release"), std::nullopt);
}

TEST_F(Uses, UndoesAnInheritedVerb) {
  folder_.write(own_file, "uses = \"mbarrier\"\nverbs = [\"commit\"]\nempty = [\"wait\"]\n");
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  EXPECT_EQ(catalogue->find(ComponentKind::protocol, "own")->verbs, Words{"commit"});
  const auto folders = TemplateFolders::of(*catalogue, {"ring", "own", "none", "none"});
  ASSERT_TRUE(folders) << folders.error().text();
  EXPECT_EQ(folders->find(folder_.path(), "wait"), std::nullopt);
}

TEST_F(Uses, NamesAVerbThatHasNoTemplateAndItsProtocol) {
  folder_.write(own_file, "uses = \"mbarrier\"\nverbs = [\"commit\", \"quit\"]\n");
  EXPECT_EQ(error().substr(0, 100),
            "spec: protocols/own/protocol.toml:2: verbs: protocol 'own' declares the verb 'quit' "
            "and has no quit.");
  folder_.write("protocols/own/quit.ptx", "own;\n");
  EXPECT_EQ(error(), "");
}

TEST_F(Uses, NamesAFileThatNobodyAsksFor) {
  folder_.write("protocols/own/comitt.ptx", "own;\n");
  EXPECT_EQ(error(),
            "spec: protocols/own/protocol.toml:1: the file: own/comitt.ptx is neither a verb nor "
            "asked for by {{> }} (did you mean 'commit'?)");
  fs::remove(folder_.path() / "protocols/own/comitt.ptx");
  folder_.write("protocols/own/release.ptx", "own;\n");
  EXPECT_EQ(error(),
            "spec: protocols/own/protocol.toml:2: verbs: own/release.ptx is no verb of the list "
            "(add \"release\" to verbs)");
}

TEST_F(Uses, NeedsAnArchitectureOfItsOwn) {
  const auto needs = [&](const std::string& text) {
    folder_.write(own_file, own_text + text);
    const auto catalogue = Catalogue::load(folder_.path());
    if (!catalogue) return folder_.text(catalogue.error());
    const auto found =
        kernel::requirements(*catalogue, *space::parse_variant(*catalogue, "ring/own/none/none"));
    return found ? fmt::format("sm_{}{}", found->sm, found->suffix) : folder_.text(found.error());
  };
  EXPECT_EQ(needs(""), "sm_80");
  EXPECT_EQ(needs("[[needs]]\ntarget = \"sm_100f\"\n"), "sm_100f");
  EXPECT_EQ(needs("[[needs]]\ntarget = \"sm_100f\"\n[[needs]]\ntarget = \"sm_107a\"\n"),
            "spec: ring/own/none/none: needs both sm_100f and sm_107a");
  EXPECT_EQ(needs("[[needs]]\ntarget = \"sm_100f\"\n[[needs]]\nsm = 110\n"),
            "spec: ring/own/none/none: needs both sm_100f and sm_110");
  EXPECT_EQ(needs("[[needs]]\ntarget = \"sm_x\"\n").substr(0, 46),
            "spec: protocols/own/protocol.toml:15: target: ");
}

TEST_F(Uses, RefusesWhatCannotBe) {
  folder_.write(own_file, "verbs = [\"comit\"]\n");
  EXPECT_EQ(error(),
            "spec: protocols/own/protocol.toml:1: verbs: no verb 'comit' (did you mean 'commit'?)");
  folder_.write(own_file, "uses = \"mbarier\"\n");
  EXPECT_EQ(error(),
            "spec: protocols/own/protocol.toml:1: uses: no other protocol 'mbarier' "
            "(did you mean 'mbarrier'?)");
  folder_.write(own_file, "uses = \"own\"\n");
  EXPECT_EQ(error().substr(0, 68),
            "spec: protocols/own/protocol.toml:1: uses: no other protocol 'own' (");
  folder_.write(own_file, own_text);
  folder_.write("protocols/second/protocol.toml", "\nuses = \"own\"\n");
  folder_.write("protocols/second/commit.ptx", "second;\n");
  folder_.write("protocols/second/protocol.toml", "\nuses = \"own\"\n");
  folder_.write(own_file, "uses = \"second\"\n");
  EXPECT_EQ(error(),
            "spec: protocols/own/protocol.toml:1: uses: uses itself: own -> second -> own");
}

// second uses own, own uses mbarrier.
TEST_F(Uses, TakesOverFromAChain) {
  folder_.write("protocols/second/protocol.toml",
                "uses = \"own\"\nverbs = [\"wait\"]\n[[gate]]\nverb = \"wait\"\nrequire = { "
                "\"C*\" = 1 }\n");
  folder_.write("protocols/second/wait.ptx", "second;\n");
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const Component& second = *catalogue->find(ComponentKind::protocol, "second");
  const Component& own = *catalogue->find(ComponentKind::protocol, "own");
  EXPECT_EQ(second.axes.size(), own.axes.size());
  EXPECT_EQ(second.covers, own.covers);
  const auto folders = TemplateFolders::of(*catalogue, {"ring", "second", "none", "none"});
  ASSERT_TRUE(folders) << folders.error().text();
  EXPECT_EQ(folders->names(), (Words{"probes/ring", "protocols/second", "protocols/own",
                                     "protocols/mbarrier", "movers/none", "work/none", "common"}));
  EXPECT_EQ(folders->find(folder_.path(), "wait"), fs::path("protocols/second/wait.ptx"));
  EXPECT_EQ(folders->find(folder_.path(), "commit"), fs::path("protocols/own/commit.ptx"));
  EXPECT_EQ(folders->find(folder_.path(), "wait", "protocols/second"),
            fs::path("protocols/mbarrier/wait.ptx"));
  EXPECT_EQ(folders->find(folder_.path(), "wait", "protocols/mbarrier"), std::nullopt);
}

// Not the one that takes it over, although its folder is read first.
TEST_F(Uses, NamesTheOwnerOfAMisspeltVerb) {
  folder_.write("protocols/a_user/protocol.toml", "uses = \"mbarrier\"\n");
  fs::rename(folder_.path() / "protocols/mbarrier/wait.ptx",
             folder_.path() / "protocols/mbarrier/wiat.ptx");
  EXPECT_EQ(error(),
            "spec: protocols/mbarrier/protocol.toml:1: verbs: protocol 'mbarrier' declares the "
            "verb 'wait' and has no wait.ptx (did you mean 'wiat'?)");
}

// A probe that is another's with some keys of [plan] of its own.
class UsesOfProbes : public testing::Test {
 protected:
  Result<kernel::Plan> planned(const std::string& plan, const std::string& id) {
    fs::copy(base::source_root() / "templates", folder_.path(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    folder_.write("probes/answer/probe.toml", "uses = \"handoff\"\n[plan]\n" + plan);
    catalogue_.emplace(Catalogue::load(folder_.path()).value());
    PHASEBIT_TRY_ASSIGN(key, space::parse_variant(*catalogue_, id));
    return kernel::make_plan(*catalogue_, key);
  }
  std::vector<std::string> statements(const std::string& id) {
    const auto key = space::parse_variant(*catalogue_, id).value();
    const auto plan = kernel::make_plan(*catalogue_, key).value();
    const auto needs = kernel::requirements(*catalogue_, key).value();
    return kernel::Renderer(*catalogue_, folder_.path())
        .render(key, plan, launch::Build::timed, needs.ptx.text(), "sm_90")
        .value()
        .kernel.statements;
  }
  Folder folder_;
  std::optional<Catalogue> catalogue_;
};

TEST_F(UsesOfProbes, TakesOverPlanKeyByKeyAndTheKernel) {
  const auto plan =
      planned("timed_role = \"consumer\"\n", "answer/mbarrier/none/none/num_stages=1/unroll=4");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->launch.timed_role, launch::Role::consumer);
  EXPECT_EQ(plan->launch.unit, "cycles per round trip");
  EXPECT_EQ(plan->launch.item_granule, 4);
  const auto arrivals = [&](const std::string& id) {
    const auto all = statements(id);
    return std::count_if(all.begin(), all.end(), [](const std::string& one) {
      return one.find("mbarrier.arrive") != std::string::npos;
    });
  };
  EXPECT_EQ(arrivals("answer/mbarrier/none/none/num_stages=1/unroll=4"),
            arrivals("handoff/mbarrier/none/none/num_stages=1/unroll=4"));
  EXPECT_GT(arrivals("answer/mbarrier/none/none/num_stages=1/unroll=4"),
            arrivals("answer/mbarrier/none/none/num_stages=1"));
}

TEST_F(UsesOfProbes, LeastItemsAreWholeTurnsOfTheLoop) {
  const std::string id = "answer/mbarrier/none/none/num_stages=1/unroll=4";
  for (const auto& [least, items] : {std::pair{"6", 8}, {"\"2 * unroll\"", 8}, {"1", 4}}) {
    const auto plan = planned(fmt::format("min_items = {}\n", least), id);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_EQ(plan->launch.min_items, items) << least;
  }
}

TEST_F(UsesOfProbes, APlanThatNoLaunchHasIsRefused) {
  const std::string id = "answer/mbarrier/none/none/num_stages=1";
  EXPECT_EQ(planned("timed_role = \"victim\"\n", id).error().text(),
            "spec: probes/answer/probe.toml: [plan]: timed_role: no warp is victim "
            "(name one of the roles)");
  EXPECT_EQ(planned("unit = \"ns per item\"\n", id).error().text(),
            "spec: probes/answer/probe.toml: [plan]: unit: 'ns per item': the figure is "
            "of the timed role's clocks (write `unit = \"cycles per item\"`)");
}

}  // namespace
}  // namespace phasebit::test
