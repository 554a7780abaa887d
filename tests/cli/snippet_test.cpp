// A user's own text for one verb: in the same probe, gated by what it declares.
#include "gen/toolchain.h"
#include "tests/cli/home.h"

namespace phasebit {
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
    Home::write(home_.path() / "mine.ptx", text);
    return home_.says({"show", handoff, "--snippet", verb + "=mine.ptx"});
  }
  ProcessOutput assemble(const std::string& text) {
    Home::write(home_.path() / "mine.ptx", text);
    return home_.says({"assemble", "--no-cache", "-t", "sm_90a", "--gate", "--filter",
                       handoff + "/snippet.wait=mine@", "--snippet", "wait=mine.ptx", "--json"});
  }
  Home home_;
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
  // Once in front of the template's own loop and once behind it: only the consumer waits on the
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
  Home::write(home_.path() / "s" / "mine.ptx", declared + "// protocol: mbarrier\n" + body);
  Home::write(home_.path() / "s" / "mine.toml",
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
       "spec: mine.ptx:2: '8.0 90' is not VERSION TARGET (as in // needs: 8.0 sm_90)"},
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

TEST_F(Snippets, AreGatedByWhatTheyDeclare) {
  if (const auto toolchain = find_toolchain(); !toolchain) GTEST_SKIP() << toolchain.error().text();
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

}  // namespace
}  // namespace phasebit
