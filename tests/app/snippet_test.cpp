// A user's own text for one verb: in the same probe, gated by what it declares.
#include "core/launch/bundle.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

#include <sstream>

namespace phasebit::test {

using base::exit_code;
using base::ProcessOutput;

namespace {

const std::string handoff = "handoff/mbarrier/none/none/num_stages=1";
// A test, then the template's own loop.
const std::string declared =
    "// A first look.\n// expect: *SYNCS*PHASECHK* = 2\n// cold: *SYNCS*PHASECHK* = 1\n";
const std::string body =
    "{{#on_full}}\n{\n.reg .pred there;\n"
    "mbarrier.test_wait.parity.shared.b64 there, [{{barrier}}], {{parity}};\n"
    "@there bra L_there;\n{{> wait}}\nL_there:\n}\n{{/on_full}}\n";

class Snippets : public testing::Test {
 protected:
  ProcessOutput show(const std::string& text, const std::string& verb = "wait") {
    Project::write(home_.path() / "mine.ptx", text);
    return home_.says({"show", handoff, "--snippet", verb + "=mine.ptx"});
  }
  ProcessOutput assemble(const std::string& text) {
    Project::write(home_.path() / "mine.ptx", text);
    return home_.says({"assemble", "--no-cache", "-t", "sm_90a", "--gate", "--filter",
                       handoff + "/snippet.wait=mine@", "--snippet", "wait=mine.ptx", "--json"});
  }
  Project home_;
};

TEST_F(Snippets, StandInThePlaceOfTheVerb) {
  const ProcessOutput output = show(declared + body);
  ASSERT_EQ(output.exit_status, 0) << output.err;
  EXPECT_NE(output.out.find("//@ id = \"" + handoff + "/snippet.wait=mine@"), std::string::npos);
  const auto times = [&](const std::string& text) {
    size_t found = 0;
    for (size_t at = output.out.find(text); at != std::string::npos;
         at = output.out.find(text, at + 1))
      ++found;
    return found;
  };
  // Once before the template's own loop and once after it: only the consumer waits on the
  // full barrier.
  EXPECT_EQ(times("// [consumer wait] mine.ptx:"), 2U) << output.out;
  EXPECT_EQ(times("// [consumer wait] templates/protocols/mbarrier/wait.ptx:"), 1U) << output.out;
}

TEST_F(Snippets, HaveAnIdThatChangesWithTheirText) {
  const std::string one = show(declared + body).out,
                    other = show(declared + body + "// more\n").out;
  const auto id = [](const std::string& text) {
    const size_t at = text.find("//@ id");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_NE(id(one), id(other));
  EXPECT_EQ(show(declared + body).out, one);
}

TEST_F(Snippets, OfASweepStandBesideTheVariantsThatTheyChange) {
  Project::write(home_.path() / "s" / "mine.ptx", declared + "// protocol: mbarrier\n" + body);
  Project::write(
      home_.path() / "s" / "mine.toml",
      "[[sweep]]\nname = \"s\"\nsnippets = { wait = \"mine.ptx\" }\n[[sweep.block]]\n"
      "baseline = { probe = \"handoff\", protocol = \"mbarrier\", mover = \"none\", work = "
      "\"none\", num_stages = 1 }\n"
      "cross = { protocol = [\"mbarrier\", \"cta_barrier\"] }\n");
  const ProcessOutput list =
      home_.says({"generate", "--spec", "s/mine.toml", "--sweep", "s", "--list"});
  ASSERT_EQ(list.exit_status, 0) << list.err;
  std::vector<std::string> ids;
  for (size_t at = list.out.find(' '); at != std::string::npos; at = list.out.find(' ', at + 1))
    ids.push_back(list.out.substr(at + 1, list.out.find_first_of("@\n", at) - at - 1));
  EXPECT_EQ(ids, (std::vector<std::string>{handoff, handoff + "/snippet.wait=mine",
                                           "handoff/cta_barrier/none/none/num_stages=1"}));
}

TEST_F(Snippets, SayWhatIsWrongAndWhere) {
  struct Row {
    std::string text, verb;
    Step step;
    std::string message;
  };
  std::string typo = body;
  typo.replace(typo.find("{{parity}}"), 10, "{{partiy}}");
  const std::string expect = "// expect: X = 1\n";
  const std::vector<Row> rows = {
      {declared + typo, "wait", Step::render,
       "render: mine.ptx:7: unknown name 'partiy' (did you mean 'parity'?)"},
      {declared + body, "wiat", Step::usage,
       "usage: --snippet wiat=mine.ptx: no verb 'wiat' (did you mean 'wait'?)"},
      {expect + "exit;\n", "work", Step::render,
       "render: mine.ptx: nothing of handoff/mbarrier/none/none asks for 'work'"},
      {expect + "{{> sipn}}\n", "wait", Step::render, "render: mine.ptx:2: no partial 'sipn' in "},
      {expect + "{{#on_full}}\n", "wait", Step::render,
       "render: mine.ptx:2: section 'on_full' is never closed"},
      {body, "wait", Step::spec,
       "spec: mine.ptx: declares no opcodes (begin it with a line `// expect: PATTERN = COUNT` or "
       "`// forbid: PATTERN`)"},
      {"// expect: SYNCS\n", "wait", Step::spec,
       "spec: mine.ptx:1: 'SYNCS' is not PATTERN = COUNT (as in // expect: SYNCS.PHASECHK* = 1)"},
      {"\n// expcet: SYNCS = 1\n", "wait", Step::spec,
       "spec: mine.ptx:2: no declaration 'expcet' (did you mean 'expect'?)"},
      {expect + "// needs: 8.0 90\n", "wait", Step::spec,
       "spec: mine.ptx:2: '8.0 90' is not VERSION TARGET (as in // needs: 8.0 sm_90, or sm_90a "
       "where that alone has the forms)"},
      {expect + "// protocol: mbarier\n", "wait", Step::spec,
       "spec: mine.ptx: protocol: no value 'mbarier' (did you mean 'mbarrier'?)"},
  };
  for (const Row& row : rows) {
    const ProcessOutput output = show(row.text, row.verb);
    EXPECT_EQ(output.exit_status, exit_code(row.step)) << row.message;
    EXPECT_EQ(output.err.substr(0, row.message.size() + 10), "phasebit: " + row.message);
  }
  EXPECT_EQ(home_.says({"show", handoff, "--snippet", "mine.ptx"}).err,
            "phasebit: usage: --snippet mine.ptx: not VERB=FILE (as in --snippet "
            "wait=my_wait.ptx)\n");
  EXPECT_EQ(home_.says({"show", handoff + "/snippet.wait=mine@01234567"}).err,
            "phasebit: usage: " + handoff +
                "/snippet.wait=mine@01234567: the snippets given make " + handoff +
                " (an id does not hold a snippet's text: give --snippet VERB=FILE)\n");
  EXPECT_EQ(home_.says({"show", handoff, "--snippet", "wait=none.ptx"}).exit_status,
            exit_code(Step::io));
}

// An architecture's own target, which then is the text's.
TEST_F(Snippets, MayNeedATargetOfOneArchitecture) {
  for (const char* target : {"sm_90", "sm_90a", "sm_100f"}) {
    const ProcessOutput shown = show(declared + "// needs: 8.6 " + target + "\n" + body);
    ASSERT_TRUE(shown.ok()) << shown.err;
    EXPECT_NE(shown.out.find(fmt::format("\n.target {}\n", target)), std::string::npos)
        << shown.out;
  }
  const ProcessOutput none = show(declared + "// needs: 8.0 sm_90x\n" + body);
  EXPECT_EQ(none.exit_status, exit_code(Step::spec));
}

TEST_F(Snippets, AreGatedByWhatTheyDeclare) {
  if (const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}}); !toolchain)
    GTEST_SKIP() << toolchain.error().text();
  const ProcessOutput good = assemble(declared + body);
  EXPECT_EQ(good.exit_status, 0) << good.err;
  EXPECT_NE(good.out.find("\"gate_passed\": 1"), std::string::npos) << good.out;
  // The protocol's own rule (one try_wait) would have let this one pass.
  const ProcessOutput bad = assemble("// expect: NANOSLEEP* = 1\n" + body);
  EXPECT_EQ(bad.exit_status, exit_code(Step::gate));
  EXPECT_NE(bad.err.find("wait (consumer): expected NANOSLEEP* x1 per item, found 0"),
            std::string::npos)
      << bad.err;
  std::string typo = body;
  typo.replace(typo.find("test_wait"), 9, "test_wiat");
  const ProcessOutput refused = assemble(declared + typo);
  EXPECT_EQ(refused.exit_status, exit_code(Step::assemble));
  EXPECT_NE(refused.err.find("mine.ptx:7: "), std::string::npos) << refused.err;
}

// Under another name a snippet is what a folder of two files is.
TEST_F(Snippets, AreAProtocolOfTwoFiles) {
  const std::string as_snippet = show(declared + body).out;
  Project::write(home_.templates() / "protocols" / "mine" / "protocol.toml",
                 "uses = \"mbarrier\"\nverbs = [\"wait\"]\n[[gate]]\nverb = \"wait\"\nrequire = { "
                 "\"*SYNCS*PHASECHK*\" = 2 }\ncold = { \"*SYNCS*PHASECHK*\" = 1 }\n");
  Project::write(home_.templates() / "protocols" / "mine" / "wait.ptx", declared + body);
  const ProcessOutput as_protocol = home_.says({"show", "handoff/mine/none/none/num_stages=1"});
  ASSERT_EQ(as_protocol.exit_status, 0) << as_protocol.err;
  // Statements alone: ids, entries and headings name what differs.
  const auto statements = [](const std::string& text) {
    std::istringstream lines(text);
    std::string out, line;
    while (std::getline(lines, line))
      if (line.find("//") == std::string::npos && line.find(".entry") == std::string::npos)
        out += line + "\n";
    return out;
  };
  EXPECT_EQ(statements(as_snippet), statements(as_protocol.out));
  EXPECT_GT(statements(as_snippet).size(), 1000U);
}

TEST_F(Snippets, StandForAMoversVerbAndAWorks) {
  const std::string ring = "ring/mbarrier/st_shared/fma/work_amount=2";
  Project::write(home_.path() / "fill.ptx", "// expect: STS* = 1\n// mine\n{{> fill}}\n");
  Project::write(home_.path() / "work.ptx", "// forbid: NANOSLEEP*\n{{> work}}\n");
  const ProcessOutput plain = home_.says({"show", ring});
  ASSERT_EQ(plain.exit_status, 0) << plain.err;
  const ProcessOutput output =
      home_.says({"show", ring, "--snippet", "fill=fill.ptx", "--snippet", "work=work.ptx"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  EXPECT_NE(output.out.find("// [producer fill] fill.ptx:"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("/snippet.fill=fill@"), std::string::npos);
  EXPECT_NE(output.out.find("protocol = \"mbarrier\""), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("mover = \"st_shared\""), std::string::npos) << output.out;
}

// mbarrier_tx takes most of its verbs from mbarrier: what is wrapped is what it has.
TEST_F(Snippets, WrapAVerbThatTheirProtocolTakesOver) {
  Project::write(home_.path() / "mine.ptx", declared + "{{> wait}}\n");
  const ProcessOutput output =
      home_.says({"show", "ring/mbarrier_tx/st_shared/none", "--snippet", "wait=mine.ptx"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  EXPECT_NE(output.out.find("] templates/protocols/mbarrier/wait.ptx:"), std::string::npos);
}

// The bundle and its results know the parent alone.
TEST_F(Snippets, ArePackedUnderTheirParent) {
  if (const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}}); !toolchain)
    GTEST_SKIP() << toolchain.error().text();
  Project::write(home_.path() / "mine.ptx", declared + body);
  const ProcessOutput output =
      home_.says({"pack", "--filter", handoff + "/snippet", "--snippet", "wait=mine.ptx", "-t",
                  "sm_90a", "-o", "b", "--no-anchors"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto manifest = launch::read_manifest(home_.path() / "b");
  ASSERT_TRUE(manifest) << manifest.error().text();
  ASSERT_EQ(manifest->variants.size(), 1U);
  const launch::BundleVariant& variant = manifest->variants.front();
  EXPECT_EQ(variant.key.value("protocol"), "mbarrier");
  EXPECT_TRUE(variant.key.value("snippet.wait").starts_with("mine@"));
  EXPECT_EQ(variant.images.front().gate.verdict, launch::GateVerdict::passed)
      << variant.images.front().gate.reason;
  ASSERT_EQ(variant.images.size(), 2U);
  EXPECT_FALSE(variant.images.back().guard.sites.empty());
  EXPECT_EQ(Project::read(home_.path() / "b" / "manifest.json").find("mbarrier@"),
            std::string::npos);
}

}  // namespace
}  // namespace phasebit::test
