// The key of a head against the catalogue of the templates.
#include "core/base/toml.h"
#include "gen/kernel/head_plan.h"
#include "gen/space/variants.h"
#include "tests/home.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using space::Catalogue;

namespace {

const Catalogue& catalogue() {
  static const Catalogue loaded = Catalogue::load(test::home().data / "templates").value();
  return loaded;
}

// Axes one a line, on lines 4 and on.
Result<launch::VariantKey> head_key_check(const std::string& top, const std::string& axes,
                                          const std::string& more = {}) {
  const std::string text = "format = 1\n" + top +
                           "\nroles = [{ role = \"consumer\", warps = [0] }]\n[key]\n" + axes +
                           "[launch]\nthreads = 32\ntimed_role = \"consumer\"\n" + more;
  std::vector<ptx::PtxHeadLine> lines;
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back({text.substr(begin, end - begin), ++number});
    begin = end + 1;
  }
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(lines, "t.ptx"));
  return kernel::check_head_key(catalogue(), head);
}

const std::string head_key_ring =
    "probe = \"ring\"\nprotocol = \"mbarrier\"\nmover = \"st_shared\"\nwork = \"none\"\n";

TEST(HeadKey, IsWholeWhereAHeadLeavesOut) {
  const auto key =
      head_key_check("", head_key_ring + "num_stages = \"8\"\nsnippet.wait = \"a@1f\"\n");
  ASSERT_FALSE(key);  // a dotted key is a table: the name needs quotes
  const auto quoted =
      head_key_check("", head_key_ring + "num_stages = \"8\"\n\"snippet.wait\" = \"a@1f\"\n");
  ASSERT_TRUE(quoted) << quoted.error().text();
  EXPECT_EQ(quoted->id, "ring/mbarrier/st_shared/none/num_stages=8/snippet.wait=a@1f");
  EXPECT_EQ(quoted->value("wait"), "try_wait");
  EXPECT_EQ(quoted->value("snippet.wait"), "a@1f");
  const auto made = space::make_key(catalogue(), {{"probe", "ring"},
                                                  {"protocol", "mbarrier"},
                                                  {"mover", "st_shared"},
                                                  {"work", "none"},
                                                  {"num_stages", "8"}});
  ASSERT_TRUE(made);
  EXPECT_EQ(quoted->axes.size(), made->axes.size() + 1);
}

struct HeadKeyRow {
  std::string top, from, to, message;
};

TEST(HeadKey, SaysWhatTheCatalogueDoesNotHave) {
  const std::vector<HeadKeyRow> rows = {
      {"", "\"ring\"", "\"rign\"",
       "spec: t.ptx:5: probe: no probe 'rign' (did you mean 'ring'?; `origin = \"file\"` above "
       "[key] for one of the file's own)"},
      {"", "protocol = \"mbarrier\"\n", "",
       "spec: t.ptx:4: key: lacks 'protocol' (write `protocol = \"...\"`, one of: "},
      {"", "work = \"none\"\n", "work = \"none\"\nnum_stagse = \"4\"\n",
       "spec: t.ptx:9: num_stagse: no axis 'num_stagse' (did you mean 'num_stages'?)"},
      {"", "work = \"none\"\n", "work = \"none\"\nstages = \"4\"\n",
       "spec: t.ptx:9: stages: a head has the axis's own name (write `num_stages = \"4\"`)"},
      {"", "work = \"none\"\n", "work = \"none\"\nnum_stages = \"400\"\n",
       "spec: t.ptx:9: num_stages: no value '400' (a whole number in 1..32)"},
      {"", "work = \"none\"\n", "work = \"none\"\nwait = \"try_wiat\"\n",
       "spec: t.ptx:9: wait: no value 'try_wiat' (did you mean 'try_wait'?)"},
      {"", "work = \"none\"\n", "work = \"none\"\npoller = \"one\"\n",
       "spec: t.ptx:4: key: pruned: poller has a meaning only where protocol in {"},
      {"", "work = \"none\"\n", "work = \"none\"\nopt_level = \"1\"\n",
       "spec: t.ptx:9: opt_level: says how a text is assembled, which its key does not (leave it "
       "out, and write `-a 'opt_level=1'` on the command line)"},
      {"", "work = \"none\"\n", "work = \"none\"\nfile = \"x\"\n",
       "spec: t.ptx:9: file: is in the id of every file's kernel (leave it out)"},
      {"id = \"ring/mbarrier/none/none\"", "work", "work",
       "spec: t.ptx:2: id: 'ring/mbarrier/none/none' is not what the key gives (write `id = "
       "\"ring/mbarrier/st_shared/none\"`, or leave it out)"},
      {"origin = \"file\"", "work", "work",
       "spec: t.ptx:2: origin: the catalogue has every component of the key (leave it out)"},
      {"origin = \"file\"", "\"mbarrier\"", "\"mine\"",
       "spec: t.ptx:1: rules: with `origin = \"file\"` the head says what its SASS must be (write "
       "`verbs = [{ verb = \"wait\", require = { \"SYNCS*\" = 1 } }]` in [rules])"},
  };
  for (const HeadKeyRow& row : rows) {
    std::string axes = head_key_ring;
    ASSERT_NE(axes.find(row.from), std::string::npos) << row.from;
    axes.replace(axes.find(row.from), row.from.size(), row.to);
    const auto key = head_key_check(row.top, axes);
    ASSERT_FALSE(key) << row.message;
    EXPECT_TRUE(key.error().text().starts_with(row.message)) << key.error().text();
  }
}

TEST(HeadKey, DoesNotSayHowATextIsAssembled) {
  for (const char* axis : {"padding", "opt_level", "edit", "ptxas", "maxrregcount"})
    for (const char* top : {"", "origin = \"file\""}) {
      const auto key =
          head_key_check(top, head_key_ring + "wait = \"try_wait\"\n" + axis + " = \"1\"\n");
      ASSERT_FALSE(key) << axis;
      EXPECT_TRUE(key.error().text().starts_with(
          fmt::format("spec: t.ptx:10: {}: says how a text is assembled", axis)))
          << key.error().text();
    }
}

// Its own protocol, with all that the catalogue would say of it.
TEST(HeadKey, OfAFileMayNameItsOwnProtocol) {
  std::string axes = head_key_ring + "num_stages = \"8\"\nspin = \"tight\"\n";
  axes.replace(axes.find("mbarrier"), 8, "mine");
  const std::string rules = "[rules]\nverbs = [{ verb = \"wait\", require = { \"LDS*\" = 1 } }]\n";
  const std::string verified = "[expects]\nphases = 1\n";
  const auto key = head_key_check("origin = \"file\"", axes, rules + verified);
  ASSERT_TRUE(key) << key.error().text();
  EXPECT_EQ(key->id, "ring/mine/st_shared/none/num_stages=8/spin=tight");
  EXPECT_EQ(head_key_check("origin = \"file\"", axes, rules).error().text(),
            "spec: t.ptx:1: expects: with `origin = \"file\"` the head says what a launch verifies "
            "(write `phases` or `payload` in [expects])");
  axes.replace(axes.find("\"8\""), 3, "\"99\"");
  EXPECT_EQ(head_key_check("origin = \"file\"", axes, rules + verified).error().text(),
            "spec: t.ptx:9: num_stages: no value '99' (a whole number in 1..32)");
}

// What nvcc made has a key that says by what.
TEST(HeadKey, OfNvccSaysByWhatItWasMade) {
  std::string axes = head_key_ring + "nvcc = \"13.5.37\"\nflags = \"-O3\"\n";
  axes.replace(axes.find("mbarrier"), 8, "theirs");
  const std::string facts =
      "[expects]\nphases = 1\n[rules]\nverbs = [{ verb = \"wait\", require = { \"LDS*\" = 1 } "
      "}]\n";
  EXPECT_EQ(head_key_check("origin = \"nvcc\"", axes, facts).error().text(),
            "spec: t.ptx:4: key: lacks 'library', with `origin = \"nvcc\"` (write `library = "
            "\"...\"` in [key])");
  const auto key = head_key_check("origin = \"nvcc\"", axes + "library = \"cccl-3.5.0\"\n", facts);
  ASSERT_TRUE(key) << key.error().text();
  EXPECT_EQ(key->id, "ring/theirs/st_shared/none/nvcc=13.5.37/flags=-O3/library=cccl-3.5.0");
  EXPECT_TRUE(head_key_check("origin = \"nvcc\"", axes)
                  .error()
                  .text()
                  .starts_with("spec: t.ptx:1: rules: with `origin = \"nvcc\"` the head says"));
}

}  // namespace
}  // namespace phasebit::test
