// Facts, capabilities, words and flags of components: what is wrong names file, line, key and what
// to write. And every shipped verb is short.
#include "gen/kernel/variant_head.h"
#include "gen/space/catalogue.h"
#include "tests/gen/fixture.h"
#include "tests/gen/plans.h"

#include <sstream>

namespace phasebit::test {

using space::Catalogue;
using space::ComponentKind;
using space::ReadBack;

namespace {

const char* const file = "protocols/own/protocol.toml";
const std::string facts_good =
    "waits_on = \"own\"\ncan = [\"try\"]\n"
    "[slot]\nwords = 2\nextra_bytes = 0\naddress = true\ncounts_laps = false\n"
    "[arrivals]\nfull = 1\nempty = \"num_stages\"\n"
    "[verify]\nfull = \"phases\"\nempty = \"count\"\n"
    "[try]\nearly = \"num_stages > 1\"\nahead = 0\n";

struct Case {
  const char *from, *to, *message;
};

class Facts : public testing::Test {
 protected:
  void SetUp() override {
    folder_.copy_fixture();
    const std::string axes = folder_.read("axes.toml");
    folder_.write("axes.toml", axes + "[capabilities.protocol]\ntry = \"a try\"\nsplit = \"\"\n");
    for (const char* name : {"cta", "flag", "mbarrier"}) {
      const std::string path = fmt::format("protocols/{}/protocol.toml", name);
      folder_.write(path, "can = []\n" + folder_.read(path));
    }
  }
  std::string error(const std::string& text) {
    folder_.write(file, text);
    const auto catalogue = Catalogue::load(folder_.path());
    return catalogue ? "" : folder_.text(catalogue.error());
  }
  Folder folder_;
};

TEST_F(Facts, AreRead) {
  ASSERT_EQ(error(facts_good), "");
  const auto catalogue = Catalogue::load(folder_.path());
  const space::Component& own = *catalogue->find(ComponentKind::protocol, "own");
  EXPECT_EQ(own.protocol.words, 2);
  EXPECT_TRUE(own.protocol.keeps_address);
  EXPECT_FALSE(own.protocol.counts_laps);
  EXPECT_EQ(own.protocol.read_full, ReadBack::phases);
  EXPECT_EQ(own.protocol.read_empty, ReadBack::count);
  EXPECT_EQ(own.can, std::vector<std::string>{"try"});
  EXPECT_EQ(kernel::catalogue_facts(*catalogue)["protocols"]["own"]["waits_on"], "own");
}

// Own keys before those of the protocol it uses, key by key.
TEST_F(Facts, AreTakenOverKeyByKey) {
  ASSERT_EQ(error(facts_good), "");
  folder_.write("protocols/second/protocol.toml",
                "uses = \"own\"\ncan = []\n[slot]\nextra_bytes = 16\n");
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const space::Component& second = *catalogue->find(ComponentKind::protocol, "second");
  EXPECT_EQ(second.protocol.words, 2);
  EXPECT_EQ(second.protocol.extra_bytes, 16);
  EXPECT_EQ(second.protocol.read_empty, ReadBack::count);
  EXPECT_EQ(second.protocol.waits_on, "own");
  EXPECT_TRUE(second.can.empty());
}

TEST_F(Facts, RefuseWhatIsMissingOrWrong) {
  const std::vector<Case> cases = {
      {"waits_on = \"own\"\n", "",
       ":1: the file: lacks 'waits_on' (write waits_on = \"barrier\", as tables print it)"},
      {"can = [\"try\"]\n", "",
       ":1: the file: lacks 'can' (write can = [], or what axes.toml "
       "declares)"},
      {"\"try\"", "\"tri\"", ":2: can: no capability 'tri' (did you mean 'try'?)"},
      {"words = 2\n", "",
       ":3: [slot]: lacks 'words' (write words = 2, or 0 without barriers in "
       "memory)"},
      {"words = 2", "words = 3", ":4: words: must be 0 or 2"},
      {"words = 2", "wrods = 2", ":4: wrods: no such key (did you mean 'words'?)"},
      {"address = true", "address = 1", ":6: address: must be true or false"},
      {"full = 1\n", "", ":8: [arrivals]: lacks 'full' (write full = \"producer_warps\")"},
      {"\"num_stages\"", "\"num_stagse\"",
       ":10: empty: column 1: no axis 'num_stagse' (did you mean 'num_stages'?)"},
      {"\"phases\"", "\"phase\"", ":12: full: no 'phase' (did you mean 'phases'?)"},
      {"full = \"phases\"\nempty = \"count\"", "full = \"none\"\nempty = \"none\"",
       ":12: full: a protocol with words in its slots verifies nothing (write full = \"phases\" or "
       "\"count\")"},
      {"early = \"num_stages > 1\"\n", "",
       ":14: [try]: lacks 'early' (write early = "
       "\"CONDITION\")"}};
  for (const Case& row : cases) {
    std::string text = facts_good;
    text.replace(text.find(row.from), std::string(row.from).size(), row.to);
    EXPECT_EQ(error(text), "spec: " + std::string(file) + row.message);
  }
}

TEST_F(Facts, RefuseAWordThatDoesNotSpellItsAxis) {
  const std::vector<Case> cases = {
      {"", "w = { num_stages = 3 }", ":18: w: must be a text, or { AXIS = { VALUE = \"text\" } }"},
      {"", "w = { wait = { try_wait = \"a\", tst_wait = \"b\" } }",
       ":18: w: wait is never 'tst_wait' (did you mean 'test_wait'?)"},
      {"", "w = { granularity = { warp = \"a\" } }",
       ":18: w: says nothing for granularity = 'even_odd_lanes' (spell it, or add else = "
       "\"text\")"},
      {"", "w = { big = { yess = \"a\" } }", ":18: w: big is never 'yess' (did you mean 'yes'?)"},
      {"", "w = 3", ":18: w: must be a text, or { AXIS = { VALUE = \"text\" } }"}};
  for (const Case& row : cases)
    EXPECT_EQ(error(facts_good + "[words]\n" + row.to + "\n"),
              "spec: " + std::string(file) + row.message)
        << row.to;
  EXPECT_EQ(error(facts_good + "[flags]\nf = \"granulrity == 'warp'\"\n"),
            "spec: " + std::string(file) +
                ":18: f: column 1: no axis 'granulrity' (did you mean 'granularity'?)");
}

// Barriers in shared memory that the facts deny would never be read back.
TEST_F(Facts, RefuseASlotWithoutWordsThatItsVerbsUse) {
  ASSERT_EQ(error(facts_good), "");
  const std::string top = "uses = \"own\"\ncan = []\nverbs = [\"commit\"]\n[slot]\nwords = 0\n";
  const std::string says = "spec: protocols/second/protocol.toml:5: words: 0, and ";
  const std::string hint = " (write words = 2, and in [verify] how they are read back)";
  const auto second = [&](const std::string& more, const std::string& verb) {
    folder_.write("protocols/second/commit.ptx", verb);
    folder_.write("protocols/second/protocol.toml", top + more);
    const auto catalogue = Catalogue::load(folder_.path());
    return catalogue ? "" : folder_.text(catalogue.error());
  };
  const std::string file = "protocols/second/commit.ptx";
  EXPECT_EQ(second("", "bar.sync 1;\n"), "");
  EXPECT_EQ(second("", "// One.\nmbarrier.init.shared.b64 [ring], 1;\n"),
            says + file + ":2 has mbarrier.init" + hint);
  EXPECT_EQ(second("[words]\nset = \"st.shared.u32 [{{full_barrier}}], 1;\"\n", "{{set}}\n"),
            says + file + ":1 has {{full_barrier}}" + hint);
}

// The word of an mbarrier would be read as a count, and whatever it says would be wrong.
TEST_F(Facts, RefuseACountOfWhatIsAnMbarrier) {
  ASSERT_EQ(error(facts_good), "");
  folder_.write("protocols/second/commit.ptx", "mbarrier.init.shared.b64 [ring], 1;\n");
  folder_.write("protocols/second/protocol.toml",
                "uses = \"own\"\nverbs = [\"commit\"]\n[verify]\nfull = \"count\"\n");
  const auto catalogue = Catalogue::load(folder_.path());
  ASSERT_FALSE(catalogue);
  EXPECT_EQ(
      folder_.text(catalogue.error()),
      "spec: protocols/second/protocol.toml:4: full: count, and protocols/second/commit.ptx:1 "
      "has mbarrier.init (write \"phases\": the word of an mbarrier is not a count)");
}

// A verb is at most 30 lines of at most 120 columns.
TEST(Verbs, AreShort) {
  const Catalogue& catalogue = test::shipped();
  int files = 0;
  for (const char* folder : {"protocols", "movers", "work", "common", "probes", "anchors"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(base::source_root() / "templates" / folder)) {
      if (entry.path().extension() != ".ptx") continue;
      const std::string text = base::read_file(entry.path()).value();
      std::istringstream lines(text);
      int count = 0;
      for (std::string line; std::getline(lines, line); ++count)
        EXPECT_LE(line.size(), 120U) << entry.path() << ":" << count + 1;
      const bool is_verb = folder != std::string("common") && folder != std::string("probes") &&
                           folder != std::string("anchors");
      EXPECT_LE(is_verb ? count : 0, 30) << entry.path();
      files += is_verb ? 1 : 0;
    }
  }
  EXPECT_GT(files, 40);
  // A word is text of its verbs.
  for (const auto& entry : fs::recursive_directory_iterator(base::source_root() / "templates")) {
    if (entry.path().extension() != ".toml") continue;
    std::istringstream lines(base::read_file(entry.path()).value());
    bool words = false;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with('[')) words = line == "[words]";
      EXPECT_LE(words ? line.size() : 0, 120U) << entry.path() << ": " << line;
    }
  }
  EXPECT_FALSE(catalogue.find(ComponentKind::protocol, "mbarrier")->has_verb("leave"));
}

}  // namespace
}  // namespace phasebit::test
