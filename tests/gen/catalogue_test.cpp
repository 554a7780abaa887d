#include "gen/space/catalogue.h"

#include "tests/gen/fixture.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Catalogue;
using space::ComponentKind;

namespace {

std::vector<std::string> names(const std::vector<space::Component>& components) {
  std::vector<std::string> all;
  for (const space::Component& component : components) all.push_back(component.name);
  return all;
}

TEST(Catalogue, HasTheFoldersAsComponents) {
  const Catalogue catalogue = load_fixture();
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(catalogue.components(ComponentKind::probe)), (Names{"handoff", "ring"}));
  EXPECT_EQ(names(catalogue.components(ComponentKind::protocol)),
            (Names{"cta", "flag", "mbarrier"}));
  EXPECT_EQ(names(catalogue.components(ComponentKind::mover)), (Names{"none", "st_shared"}));
  EXPECT_EQ(names(catalogue.components(ComponentKind::work)), (Names{"fma", "none"}));
}

TEST(Catalogue, KeepsWhatAnAxisDeclares) {
  const Catalogue catalogue = load_fixture();
  const space::Axis& stages = catalogue.common().axes.front();
  EXPECT_EQ(stages.name, "num_stages");
  EXPECT_EQ(stages.alias, "stages");
  EXPECT_EQ(stages.doc, "slots of the ring");
  EXPECT_EQ(stages.default_value, "4");
  EXPECT_TRUE(stages.is_range());
  EXPECT_FALSE(stages.runtime);
  EXPECT_FALSE(stages.when);
  EXPECT_EQ(stages.all().size(), 32U);
  EXPECT_EQ(catalogue.common().axes[2].when->text(), "granularity == 'warp'");
  EXPECT_TRUE(catalogue.common().axes[3].runtime);
  EXPECT_TRUE(catalogue.common().axes[3].integer);
}

TEST(Catalogue, KnowsTheValuesOfEveryComponentThatHasAnAxis) {
  const Catalogue catalogue = load_fixture();
  // flag's, then mbarrier's new ones.
  EXPECT_EQ(catalogue.values_of("wait"),
            (std::vector<std::string>{"spin", "sleep", "try_wait", "test_wait"}));
  EXPECT_EQ(catalogue.values_of("delay"), (std::vector<std::string>{"0", "10", "100"}));
  EXPECT_EQ(catalogue.values_of("mover"), (std::vector<std::string>{"none", "st_shared"}));
}

struct Value {
  const char* axis;
  const char* value;
  const char* message;  // nullptr: it has the value
};

constexpr Value values[] = {
    {"num_stages", "1", nullptr},
    {"num_stages", "32", nullptr},
    {"num_stages", "33", "spec: num_stages: no value '33' (a whole number in 1..32)"},
    {"num_stages", "0", "spec: num_stages: no value '0' (a whole number in 1..32)"},
    {"num_stages", "08", "spec: num_stages: no value '08' (a whole number in 1..32)"},
    {"num_stages", "8x", "spec: num_stages: no value '8x' (a whole number in 1..32)"},
    {"num_stages", "", "spec: num_stages: no value '' (a whole number in 1..32)"},
    {"delay", "10", nullptr},
    {"delay", "11", "spec: delay: no value '11' (did you mean '10'?)"},
    {"wait", "sleep", nullptr},
    {"wait", "test_wait", nullptr},
    {"wait", "tets_wait", "spec: wait: no value 'tets_wait' (did you mean 'test_wait'?)"},
    {"protocol", "flag", nullptr},
    {"protocol", "mbarier", "spec: protocol: no value 'mbarier' (did you mean 'mbarrier'?)"},
};

TEST(Catalogue, ChecksValues) {
  const Catalogue catalogue = load_fixture();
  for (const Value& row : values) {
    SCOPED_TRACE(fmt::format("{}={}", row.axis, row.value));
    const Status status = catalogue.check_value(row.axis, row.value);
    EXPECT_EQ(status ? "" : status.error().text(), row.message != nullptr ? row.message : "");
  }
}

TEST(Catalogue, ResolvesAliases) {
  const Catalogue catalogue = load_fixture();
  EXPECT_EQ(catalogue.resolve("stages").value(), "num_stages");
  EXPECT_EQ(catalogue.resolve("num_stages").value(), "num_stages");
  EXPECT_EQ(catalogue.resolve("hint").value(), "hint_ns");
  EXPECT_EQ(catalogue.resolve("probe").value(), "probe");
  EXPECT_EQ(catalogue.resolve("satges").error().text(),
            "spec: no axis 'satges' (did you mean 'stages'?)");
  EXPECT_EQ(catalogue.compiler("opt_level")->flag, "-O{}");
  EXPECT_EQ(catalogue.compiler("num_stages"), nullptr);
}

struct Damage {
  const char* file;
  const char* text;  // of the whole file
  const char* message;
};

const char* const wait_axis =
    "[[axis]]\nname = \"wait\"\nvalues = [\"a\", \"b\"]\ndefault = \"a\"\n";

// Line numbers counted by hand.
const Damage damages[] = {
    {"axes.toml", "[[axis]]\nname = 3", "spec: axes.toml:2: name: must be a text"},
    {"axes.toml", "[[axis]\n",
     "spec: axes.toml:1:8: `[[axis]`: this is not TOML (write KEY = VALUE, a text in quotes, "
     "[table] "
     "or [[list]])"},
    {"axes.toml", "axsi = []\n", "spec: axes.toml:1: axsi: no such key (did you mean 'axis'?)"},
    {"axes.toml", "[axis]\n", "spec: axes.toml:1: axis: must be tables, [[axis]]"},
    {"axes.toml", "axis = [3]\n", "spec: axes.toml:1: [[axis]]: must be a table"},
    {"axes.toml", "\n[[axis]]\ndoc = \"x\"\n", "spec: axes.toml:2: [[axis]]: lacks 'name'"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvaluse = [\"x\"]\n",
     "spec: axes.toml:3: valuse: no such key (did you mean 'values'?)"},
    {"axes.toml", "[[axis]]\nname = \"A b\"\n",
     "spec: axes.toml:2: name: must be lower-case letters, digits and _"},
    {"axes.toml", "[[axis]]\nname = \"a\"\n",
     "spec: axes.toml:1: [[axis]]: axis 'a' needs either 'values' or 'range'"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [\"x\"]\nrange = [1, 2]\n",
     "spec: axes.toml:1: [[axis]]: axis 'a' needs either 'values' or 'range'"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = []\n", "spec: axes.toml:3: values: is empty"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [\"x\", 1]\n",
     "spec: axes.toml:3: values: mixes words and numbers"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [\"x\", \"y/z\"]\n",
     "spec: axes.toml:3: values: 'y/z' cannot be in an id"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [0, 1, 0]\n",
     "spec: axes.toml:3: values: '0' twice"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [4, 1]\n",
     "spec: axes.toml:3: range: must be [lowest, highest]"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [-9223372036854775808, 9223372036854775807]\n",
     "spec: axes.toml:3: range: has more than 1000000 values"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [1, 4]\n",
     "spec: axes.toml:1: [[axis]]: axis 'a' lacks 'default'"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [1, 4]\ndefault = 5\n",
     "spec: axes.toml:4: default: not a value of axis 'a' (a whole number in 1..4)"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [\"on\", \"off\"]\ndefault = \"fof\"\n",
     "spec: axes.toml:4: default: not a value of axis 'a' (did you mean 'off'?)"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nvalues = [\"0\"]\ndefault = 0\n",
     "spec: axes.toml:4: default: not a value of axis 'a' (did you mean '0'?)"},
    {"axes.toml", "[[axis]]\nname = \"mover\"\nvalues = [\"x\"]\ndefault = \"x\"\n",
     "spec: axes.toml:2: name: 'mover' is a leading axis"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [0, 64]\nstep = 16\ndefault = 8\n",
     "spec: axes.toml:5: default: not a value of axis 'a' (a whole number in 0..64)"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [0, 64]\nstep = 0\ndefault = 0\n",
     "spec: axes.toml:4: step: must be a whole number, 1 or more"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nrange = [1, 4]\ndefault = \"none\"\n",
     "spec: axes.toml:4: default: not a value of axis 'a' (a whole number in 1..4)"},
    {"axes.toml", "[[axis]]\nname = \"a\"\ncompiler = \"ptxa\"\n",
     "spec: axes.toml:3: compiler: no compiler 'ptxa' (did you mean 'ptxas'?)"},
    {"axes.toml", "[[axis]]\nname = \"a\"\ncompiler = \"ptxas\"\n",
     "spec: axes.toml:2: name: nothing reads an axis 'a' (write flag = \"-its-flag={}\", as ptxas "
     "takes it)"},
    {"axes.toml", "[[axis]]\nname = \"llvm_otp\"\ncompiler = \"llvm\"\n",
     "spec: axes.toml:2: name: nothing reads an axis 'llvm_otp' (did you mean 'llvm_opt'?)"},
    {"axes.toml",
     "[[axis]]\nname = \"a\"\ncompiler = \"ptxas\"\nflag = \"-a\"\nrange = [0, 2]\n"
     "default = 0\n",
     "spec: axes.toml:4: flag: needs {} where the value is to be, or an axis of two values"},
    {"axes.toml", "[[axis]]\nname = \"a\"\nflag = \"-a={}\"\n",
     "spec: axes.toml:3: flag: is one of ptxas (write compiler = \"ptxas\")"},
    {"axes.toml",
     "[[axis]]\nname = \"edit\"\ncompiler = \"image\"\nvalues = [\"none\"]\n"
     "values_of = \"edit\"\ndefault = \"none\"\n",
     "spec: axes.toml:5: values_of: no table 'edit' (did you mean 'edits'?)"},
    {"axes.toml",
     "[[axis]]\nname = \"a\"\ncompiler = \"ptxas\"\nflag = \"-a={}\"\nrange = [0, 1]\n"
     "default = 0\n[[axis]]\nname = \"a\"\nrange = [1, 4]\ndefault = 1\n",
     "spec: axes.toml:8: name: 'a' already means axis 'a', declared at axes.toml:1"},
    {"axes.toml",
     "[[axis]]\nname = \"a\"\ncompiler = \"ptxas\"\nflag = \"-a={}\"\nrange = [0, 1]\n"
     "default = 0\nwhen = \"num_stages == 1\"\n",
     "spec: axes.toml:7: when: column 1: no axis 'num_stages' (one of: a)"},
    {"protocols/cta/protocol.toml",
     "[[axis]]\nname = \"a\"\ncompiler = \"ptxas\"\nflag = \"-a={}\"\n",
     "spec: protocols/cta/protocol.toml:3: compiler: a component cannot have it (write the axis "
     "into "
     "axes.toml)"},
    {"probes/ring/probe.toml", "[[rule]]\nprune = \"opt_level == 1\"\nreason = \"x\"\n",
     "spec: probes/ring/probe.toml:2: prune: column 1: no axis 'opt_level' (one of: probe, "
     "protocol, "
     "mover, work, num_stages, granularity, placement, delay, wait, hint_ns, payload_bytes, "
     "work_amount, ...)"},
    {"movers/none/mover.toml", wait_axis,
     "spec: movers/none/mover.toml:2: name: axis 'wait' is already declared at "
     "protocols/flag/protocol.toml:6"},
    {"protocols/cta/protocol.toml",
     "[[axis]]\nname = \"x\"\nalias = \"stages\"\nrange = [1, 2]\ndefault = 1\n",
     "spec: protocols/cta/protocol.toml:3: alias: 'stages' already means axis 'num_stages', "
     "declared at axes.toml:4"},
    {"protocols/cta/protocol.toml", "[[axis]]\nname = \"stages\"\nrange = [1, 2]\ndefault = 1\n",
     "spec: protocols/cta/protocol.toml:2: name: 'stages' already means axis 'num_stages', "
     "declared at axes.toml:4"},
    {"work/none/work.toml",
     "[[axis]]\nname = \"x\"\nrange = [1, 2]\ndefault = 1\nwhen = \"wait = 'spin'\"\n",
     "spec: work/none/work.toml:5: when: column 6: '=' has no meaning"},
    {"probes/ring/probe.toml", "[[rule]]\nprune = \"num_stagse == 1\"\nreason = \"x\"\n",
     "spec: probes/ring/probe.toml:2: prune: column 1: no axis 'num_stagse' "
     "(did you mean 'num_stages'?)"},
    {"probes/ring/probe.toml", "[[rule]]\nprune = \"moves == 1\"\nreason = \"x\"\n",
     "spec: probes/ring/probe.toml:2: prune: 'moves' is known to gates alone"},
    {"probes/ring/probe.toml", "[[rule]]\nreason = \"x\"\n",
     "spec: probes/ring/probe.toml:1: [[rule]]: lacks 'prune'"},
    {"probes/ring/probe.toml", "[[rule]]\nprune = \"num_stages == 1\"\n",
     "spec: probes/ring/probe.toml:1: [[rule]]: lacks 'reason'"},
    {"probes/ring/probe.toml",
     "[[rule]]\nprune = \"num_stages == 1\"\nreason = \"{num_stage} is one\"\n",
     "spec: probes/ring/probe.toml:3: reason: no axis 'num_stage' (did you mean 'num_stages'?)"},
    {"probes/ring/probe.toml", "[plan]\ntimed_role = \"consumr\"\n",
     "spec: probes/ring/probe.toml:2: timed_role: no role 'consumr' (did you mean 'consumer'?)"},
    {"probes/ring/probe.toml", "[plan]\ntimed_verbs = [\"wiat\"]\n",
     "spec: probes/ring/probe.toml:2: timed_verbs: no verb 'wiat' (did you mean 'wait'?)"},
    {"probes/ring/probe.toml",
     "[plan]\nreadings = [{ name = \"polls\", unit = \"polls per item\" }]\n",
     "spec: probes/ring/probe.toml:2: readings: lacks 'role' (write `role = \"consumer\"`)"},
    {"probes/ring/probe.toml", "[plan]\nmax_items = \"num_stagse\"\n",
     "spec: probes/ring/probe.toml:2: max_items: column 1: no axis 'num_stagse' "
     "(did you mean 'num_stages'?)"},
    {"probes/ring/probe.toml", "[plan]\ntimed_rule = \"both\"\n",
     "spec: probes/ring/probe.toml:2: timed_rule: no such key (did you mean 'timed_role'?)"},
    {"movers/none/mover.toml", "[[needs]]\nptx = \"8.x\"\n",
     "spec: movers/none/mover.toml:2: ptx: '8.x' is not a version"},
    {"movers/none/mover.toml", "[[needs]]\nreason = \"x\"\n",
     "spec: movers/none/mover.toml:1: [[needs]]: lacks 'ptx', 'sm' and 'target'"},
    {"movers/none/mover.toml", "[[gate]]\nverb = \"fill\"\nforbid = [\"STS*\"]\n",
     "spec: movers/none/mover.toml:1: the file: has [[gate]] and lacks 'covers', the SASS "
     "families they speak of"},
    {"movers/none/mover.toml", "covers = [\"hoper\"]\n",
     "spec: movers/none/mover.toml:1: covers: no SASS family 'hoper' (did you mean 'hopper'?)"},
    {"movers/none/mover.toml", "covers = []\ncovers_ptxas = \">=12 <x\"\n",
     "spec: movers/none/mover.toml:2: covers_ptxas: '<x' is not a version range"},
    {"axes.toml", "[[gate]]\nverb = \"wait\"\nrole = \"consumr\"\n",
     "spec: axes.toml:3: role: no role 'consumr' (did you mean 'consumer'?)"},
    {"axes.toml", "[[gate]]\nverb = \"wait\"\nrequire = { \"A*\" = \"payload_byte / 4\" }\n",
     "spec: axes.toml:3: require: 'A*': column 1: no axis 'payload_byte' "
     "(did you mean 'payload_bytes'?)"},
    {"axes.toml", "[[gate]]\nverb = \"wait\"\nrequire = { \"A*\" = true }\n",
     "spec: axes.toml:3: require: 'A*' must be a number or an expression"},
    {"probes/ring/probe.toml",
     "[[rule]]\nprune = \"laps > 1\"\nreason = \"x\"\n[numbers]\nlaps = \"num_stages / 2\"\n",
     "spec: probes/ring/probe.toml:2: prune: column 1: 'laps' is not an axis: it is a key of "
     "[numbers], set at probes/ring/probe.toml:5 (it follows from `num_stages / 2`)"},
    {"probes/ring/probe.toml",
     "[[rule]]\nprune = \"num_stages == 1\"\nreason = \"{pause}\"\n[words]\npause = \"nop;\"\n",
     "spec: probes/ring/probe.toml:3: reason: 'pause' is not an axis: it is a key of [words], set "
     "at probes/ring/probe.toml:5"},
    {"probes/ring/probe.toml", "[numbers]\nnum_stages = \"4\"\n",
     "spec: probes/ring/probe.toml:2: num_stages: is the name of an axis, or of a number of "
     "axes.toml's derived"},
    {"probes/ring/probe.toml", "[plan]\nmin_items = \"num_stagse\"\n",
     "spec: probes/ring/probe.toml:2: min_items: column 1: no axis 'num_stagse' "
     "(did you mean 'num_stages'?)"},
    {"axes.toml", "derived = [\"wait\"]\n",
     "spec: axes.toml:1: derived: 'wait' is taken or no name"},
};

// Replacing axes.toml takes its axes from the rules of the other files, but axes are read before
// rules.
TEST(CatalogueErrors, NameFileLineAndKey) {
  for (const Damage& row : damages) {
    SCOPED_TRACE(row.text);
    Folder folder;
    folder.copy_fixture();
    folder.write(row.file, row.text);
    const auto catalogue = Catalogue::load(folder.path());
    ASSERT_FALSE(catalogue);
    const std::string text = folder.text(catalogue.error());
    EXPECT_EQ(text, row.message);
  }
}

TEST(CatalogueErrors, AKeyOfATableIsNotAnAxis) {
  Folder folder;
  folder.copy_fixture();
  folder.write("probes/ring/probe.toml", "[flags]\ndeep = \"num_stages > 8\"\n");
  const Catalogue catalogue = Catalogue::load(folder.path()).value();
  EXPECT_EQ(folder.text(space::parse_override(catalogue, "deep=1").error()),
            "usage: -a deep=1: 'deep' is not an axis: it is a key of [flags], set at "
            "probes/ring/probe.toml:2 (it follows from `num_stages > 8`)");
}

TEST(CatalogueErrors, AFolderWithoutItsFile) {
  Folder folder;
  folder.copy_fixture();
  fs::create_directory(folder.path() / "movers" / "bulk");
  const auto skipped = Catalogue::load(folder.path());
  ASSERT_TRUE(skipped) << skipped.error().text();
  EXPECT_EQ(names(skipped->components(ComponentKind::mover)),
            (std::vector<std::string>{"none", "st_shared"}));
  const std::string why = "(movers/bulk is empty: it lacks mover.toml)";
  EXPECT_EQ(folder.text(skipped->check_value("mover", "bulk").error()),
            "spec: mover: no value 'bulk' " + why);
  const std::string none = folder.read("movers/none/mover.toml");
  folder.write("movers/none/mover.toml", "uses = \"bulk\"\n");
  EXPECT_EQ(folder.text(Catalogue::load(folder.path()).error()),
            "spec: movers/none/mover.toml:1: uses: no other mover 'bulk' " + why);
  folder.write("movers/none/mover.toml", none);
  folder.write("movers/bulk/fill.ptx", "");
  EXPECT_EQ(folder.text(Catalogue::load(folder.path()).error()),
            "spec: movers/bulk: lacks mover.toml (write it, or take the folder out of movers)");
  fs::remove_all(folder.path() / "movers");
  EXPECT_EQ(folder.text(Catalogue::load(folder.path()).error()),
            "spec: cannot read movers: No such file or directory");
}

TEST(ShippedTemplates, AreACatalogue) {
  const auto catalogue = Catalogue::load(base::source_root() / "templates");
  ASSERT_TRUE(catalogue) << catalogue.error().text();
}

}  // namespace
}  // namespace phasebit::test
