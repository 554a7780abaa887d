#include "gen/kernel/render.h"

#include "gen/kernel/make_plan.h"
#include "gen/space/template_set.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::Build;

namespace {

// A small template tree of its own: what is tested is joining, marks, errors, not the shipped text.
class RenderTest : public testing::Test {
 protected:
  void SetUp() override {
    write("axes.toml",
          "derived = [\"own_threads\"]\n[words]\ncolour = \"red\"\n[[axis]]\nname = "
          "\"num_stages\"\nrange = [1, 8]\n"
          "default = 2\n");
    write("probes/p/probe.toml", "doc = \"p\"\n");
    write("probes/p/kernel.ptx",
          "// the kernel\n.visible .entry {{entry}}()\n{\n{{#producer}}\n{{> acquire}}\n"
          "{{/producer}}\n{{> release}}\n\nret;\n}\n");
    write("protocols/q/protocol.toml",
          "verbs = [\"acquire\"]\nwaits_on = \"q\"\n[slot]\nwords = 0\n"
          "[flags]\nbig = \"num_stages > 4\"\nmany = \"own_threads > 32\"\n"
          "[numbers]\ntwice = \"2 * num_stages\"\n"
          "[words]\nload = { num_stages = { 2 = \"ld.two\", else = \"ld.more\" } }\n"
          "sleep = { big = { yes = \"sleep {{twice}}; // {{colour}}\", no = \"\" } }\n"
          "all = { many = { yes = \"crowd;\", no = \"{{load}} alone;\" } }\n"
          "first = \"{{second}}\"\nsecond = \"{{first}}\"\nwrong = \"{{numm_stages}}\"\n");
    write("protocols/q/acquire.ptx", "{{#on_empty}}\n{{> spin}}\n{{/on_empty}}\n");
    write("protocols/q/spin.ptx", "wait [{{barrier}}]; // {{num_stages}} slots\n");
    write("movers/m/mover.toml", "verbs = [\"fill\"]\n[payload]\nbytes = 0\n");
    write("movers/m/fill.ptx", "fill;\n");
    write("work/w/work.toml",
          "verbs = [\"work\"]\n[works]\nproducer = \"1 == 0\"\nconsumer = \"1 == 0\"\n"
          "amount = 0\n");
    write("work/w/work.ptx", "work;\n");
    auto loaded = space::Catalogue::load(folder_.path());
    ASSERT_TRUE(loaded) << loaded.error().text();
    catalogue_ = std::move(*loaded);
    key_.id = "p/q/m/w";
    key_.hash = "0123456789ab";
    key_.axes = {
        {"probe", "p"}, {"protocol", "q"}, {"mover", "m"}, {"work", "w"}, {"num_stages", "2"}};
  }

  void write(const std::string& name, const std::string& text) {
    ASSERT_TRUE(base::write_file(folder_.path() / name, text));
  }

  Result<kernel::Rendered> render(Build build = Build::timed) {
    const auto plan = kernel::make_plan(catalogue_, key_);
    EXPECT_TRUE(plan) << plan.error().text();
    kernel::Renderer renderer(catalogue_, folder_.path());
    return renderer.render(key_, *plan, build, "7.0", "sm_80");
  }

  // What a protocol's one verb comes to.
  std::vector<std::string> verb(const std::string& text) {
    write("protocols/q/spin.ptx", text);
    const auto rendered = render();
    if (!rendered) return {rendered.error().text()};
    const auto& all = rendered->kernel.statements;
    return {all.begin() + 2, all.end() - 2};
  }

  space::Catalogue catalogue_;
  base::TempDir folder_ = std::move(*base::TempDir::create());
  launch::VariantKey key_;
};

TEST_F(RenderTest, KeepsFileLineVerbAndRoleOfEveryStatement) {
  const auto rendered = render();
  ASSERT_TRUE(rendered) << rendered.error().text();
  const std::vector<std::string> expected = {".visible .entry pb_0123456789ab_t()", "{",
                                             "wait [p_barrier+16];", "ret;", "}"};
  EXPECT_EQ(rendered->kernel.statements, expected);
  const launch::SourceLine& wait = rendered->kernel.source[2];
  EXPECT_EQ(wait.file, "protocols/q/spin.ptx");
  EXPECT_EQ(wait.line, 1);
  EXPECT_EQ(wait.verb, "acquire");
  EXPECT_EQ(wait.role, "producer");
  const launch::SourceLine& ret = rendered->kernel.source[3];
  EXPECT_EQ(ret.file, "probes/p/kernel.ptx");
  EXPECT_EQ(ret.line, 9);
  EXPECT_EQ(ret.verb, "");
  EXPECT_EQ(ret.role, "");
}

TEST_F(RenderTest, KeepsCommentsInTheListingAlone) {
  const auto rendered = render();
  ASSERT_TRUE(rendered);
  ASSERT_EQ(rendered->listing.size(), 6U);
  EXPECT_EQ(rendered->listing[0].text, "// the kernel");
  EXPECT_EQ(rendered->listing[3].text, "wait [p_barrier+16]; // 2 slots");
}

TEST_F(RenderTest, AChangedCommentChangesNoHashAndAChangedStatementDoes) {
  const std::string before = render()->kernel.hash;
  write("protocols/q/spin.ptx", "// why\n\nwait [{{barrier}}]; // now {{num_stages}}\n");
  EXPECT_EQ(render()->kernel.hash, before);
  write("protocols/q/spin.ptx", "wait.more [{{barrier}}];\n");
  EXPECT_NE(render()->kernel.hash, before);
}

TEST_F(RenderTest, TellsTheBuildsApartByTheEntry) {
  const auto guarded = render(Build::guarded);
  ASSERT_TRUE(guarded);
  EXPECT_EQ(guarded->kernel.entry, "pb_0123456789ab_g");
  EXPECT_EQ(guarded->kernel.statements.size(), render()->kernel.statements.size());
}

using Lines = std::vector<std::string>;

TEST_F(RenderTest, SpellsAWordByTheAxisOrTheFlagAndDropsALineThatIsBlank) {
  const std::string text = "{{load}} x;\n{{sleep}}\n{{all}}\n";
  EXPECT_EQ(verb(text), (Lines{"ld.two x;", "ld.two alone;"}));
  key_.axes.back().second = "8";
  EXPECT_EQ(verb(text), (Lines{"ld.more x;", "sleep 16;", "ld.more alone;"}));
}

TEST_F(RenderTest, RefusesWordsThatStandForThemselvesOrNameNothing) {
  EXPECT_EQ(verb("{{first}}\n"),
            Lines{"render: templates/protocols/q/protocol.toml:15: word 'first' stands for itself "
                  "through first -> second"});
  EXPECT_EQ(verb("{{wrong}}\n"),
            Lines{"render: templates/protocols/q/protocol.toml:16: unknown name 'numm_stages' (did "
                  "you mean 'num_stages'?)"});
  EXPECT_EQ(verb("{{slepe}}\n"),
            Lines{"render: templates/protocols/q/spin.ptx:1: unknown name 'slepe' (did you mean "
                  "'sleep'?)"});
  EXPECT_EQ(verb("ld [pb+{{pb.itemz}}];\n"),
            Lines{"render: templates/protocols/q/spin.ptx:1: unknown field of pb 'itemz' (did you "
                  "mean 'items'?)"});
}

// `release` is asked for by the kernel and listed by no component; `fill` is not listed any more.
// Those that mark a line's place while it is rendered would lead to another's.
TEST_F(RenderTest, RefusesTheCharactersOfItsOwnMarks) {
  for (const char* text : {"one;\x01\n",
                           "\x01"
                           "9\x02\x03one;\n",
                           "{{num_stages\x04"
                           "9}};\n"})
    EXPECT_EQ(verb(text), (Lines{"render: templates/protocols/q/spin.ptx:1: a control character"}));
}

TEST_F(RenderTest, AVerbThatIsNotListedIsEmpty) {
  EXPECT_EQ(verb("one;\n"), Lines{"one;"});
}

struct BadTemplate {
  const char *file, *text, *message;
};

TEST_F(RenderTest, NamesFileLineAndTheNearestWord) {
  const std::vector<BadTemplate> rows = {
      {"protocols/q/spin.ptx", "a;\nwait [{{barier}}];\n",
       "render: templates/protocols/q/spin.ptx:2: unknown name 'barier' (did you mean 'barrier'?)"},
      // Known, and not here: Mustache would render nothing.
      {"protocols/q/acquire.ptx", "a;\nwait [{{barrier}}];\n",
       "render: templates/protocols/q/acquire.ptx:2: 'barrier' has no value here (inside "
       "{{#on_address}} or {{#on_empty}} or {{#on_full}})"},
      {"protocols/q/acquire.ptx", "{{#on_empty}}\na;\n{{/on_empty}}\nwait {{on_empty}};\n",
       "render: templates/protocols/q/acquire.ptx:4: 'on_empty' has no value here (it is a "
       "section: {{#on_empty}})"},
      {"protocols/q/spin.ptx", "{{#is.num_stagse.2}}\na;\n{{/is.num_stagse.2}}\n",
       "render: templates/protocols/q/spin.ptx:1: unknown axis 'num_stagse' (did you mean "
       "'num_stages'?)"},
      {"protocols/q/acquire.ptx", "{{> spinn}}\n",
       "render: templates/protocols/q/acquire.ptx:1: no partial 'spinn' in probes/p, protocols/q, "
       "movers/m, work/w, common (did you mean 'spin'?)"},
      {"protocols/q/acquire.ptx", "x {{> spin}}\n",
       "render: templates/protocols/q/acquire.ptx:1: write a partial on a line of its own"},
      {"protocols/q/acquire.ptx", "{{> acquire}}\n",
       "render: templates/protocols/q/acquire.ptx: includes itself through probes/p/kernel.ptx -> "
       "protocols/q/acquire.ptx"},
      {"protocols/q/acquire.ptx", "a;\n{{#on_empty}}\nb;\n",
       "render: templates/protocols/q/acquire.ptx:2: section 'on_empty' is never closed"},
      {"protocols/q/acquire.ptx", "{{#on_empty}}\nb;\n{{/on_full}}\n",
       "render: templates/protocols/q/acquire.ptx:3: '/on_full' where section 'on_empty' of line 1 "
       "is open"},
      {"protocols/q/acquire.ptx", "b;\n{{/on_full}}\n",
       "render: templates/protocols/q/acquire.ptx:2: nothing for '/on_full' to close"}};
  for (const BadTemplate& row : rows) {
    SetUp();
    write(row.file, row.text);
    const auto rendered = render();
    ASSERT_FALSE(rendered) << row.message;
    EXPECT_EQ(rendered.error().text(), row.message);
  }
}

}  // namespace
}  // namespace phasebit::test
