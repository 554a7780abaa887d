#include "core/isa/opcodes.h"

#include "core/base/file.h"
#include "core/isa/forms.h"

#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace phasebit::test {

using isa::OpcodeTable;
using isa::ptx_opcode;
using isa::PtxFact;
using isa::sass_opcode;
using isa::SassFact;
using isa::SassResults;

namespace {

// Opcodes as docs/isa-notes.md has them, by family.
TEST(SassOpcodes, WhatSynchronisesIsKnown) {
  const auto is_one = [&](const char* opcode, const char* family, const char* verb = "") {
    return sass_opcode(opcode).synchronisation(family, verb) != nullptr;
  };
  for (const char* opcode : {"SYNCS.PHASECHK.TRANS64",
                             "USYNCS.ARRIVE.TRANS64.ACT0",
                             "SYNCSU.ARRIVE.TRANS64.A1T0",
                             "BAR.SYNC.DEFER_BLOCKING",
                             "B2R.RESULT",
                             "UCGABAR_WAIT",
                             "MEMBAR.ALL.CTA",
                             "ERRBAR",
                             "CGAERRBAR",
                             "CCTL.IVALL",
                             "FENCE.VIEW.ASYNC.S",
                             "ATOMS.POPC.INC.32",
                             "ATOMG.E.ADD.STRONG.GPU",
                             "LDG.E.STRONG.SYS",
                             "ARRIVES.LDGSTSBAR.64.ARVCNT",
                             "LDGDEPBAR",
                             "DEPBAR.LE",
                             "LDGSTS.E.128",
                             "UBLKCP.S.G",
                             "UTMALDG.2D",
                             "STAS.128",
                             "UTCBAR",
                             "UGETNEXTWORKID.SELFCAST",
                             "ACQBULK",
                             "NANOSLEEP",
                             "NANOSLEEP.SYNCS",
                             "YIELD"})
    EXPECT_TRUE(is_one(opcode, "rubin")) << opcode;
  for (const char* opcode :
       {"BSYNC", "BSSY", "WARPSYNC.ALL", "IMAD", "BRA", "REDUX.OR", "LDS", "STS", "LDG.E"})
    EXPECT_FALSE(is_one(opcode, "rubin", "drain")) << opcode;
  EXPECT_TRUE(is_one("LDS.U", "turing", "wait"));
  EXPECT_FALSE(is_one("LDS.U", "turing", "commit"));
  EXPECT_TRUE(is_one("LDS.U", "hopper", "commit"));
  EXPECT_FALSE(is_one("UCGABAR_WAIT", "ampere"));
  EXPECT_EQ(sass_opcode("YIELD").synchronisation("hopper", "")->per_block, 1);
}

TEST(SassOpcodes, RowsAddUpAndTheMostSpecialDecides) {
  constexpr const char* text = R"(
pipe = [{ name = "old", sms = [70] }, { name = "new" }]
synchronisation = [{ name = "a", what = "x" }, { name = "b", what = "y" }]
[[opcode]]
name = "AB*"
is = "beginning"
does = ["works"]
sync = "a"
[[opcode]]
names = ["ABC", "X"]
is = "name"
pipe = ["old", "new"]
does = ["load"]
[[opcode]]
name = "ABC.D"
is = "modifier"
not = ["works"]
results = "none"
[[opcode]]
name = "*.STRONG.*"
sync = "b"
)";
  const auto table = OpcodeTable::read_sass(text, "t");
  ASSERT_TRUE(table) << table.error().text();
  using Rows = std::vector<std::size_t>;
  const struct {
    const char* opcode;
    Rows rows;
  } rows[] = {{"ABC.D.STRONG.E", {2, 1, 3, 0}},
              {"ABC.DE", {1, 0}},
              {"ABX.ABC", {0}},
              {"X", {1}},
              {"XABC", {}},
              {"", {}}};
  for (const auto& row : rows) EXPECT_EQ(table->fitting(row.opcode), row.rows) << row.opcode;
}

TEST(SassOpcodes, AFactIsOfAnOpcodeWithItsModifiers) {
  EXPECT_TRUE(sass_opcode("BRA.DIV").facts.has(SassFact::diverged));
  EXPECT_FALSE(sass_opcode("BRA.U").facts.has(SassFact::diverged));
  EXPECT_TRUE(sass_opcode("BRA.DIV").facts.has(SassFact::branch));
  EXPECT_TRUE(sass_opcode("HFMA2").facts.has(SassFact::works));
  EXPECT_FALSE(sass_opcode("HFMA2.MMA").facts.has(SassFact::works));
  EXPECT_TRUE(sass_opcode("ATOMS.ARRIVE.64").facts.has(SassFact::arrives));
  EXPECT_TRUE(sass_opcode("SYNCS.PHASECHK.TRANS64").facts.has(SassFact::call, SassFact::tries));
  EXPECT_EQ(sass_opcode("SYNCS.EXCH.64").is,
            "Writes the 64-bit word of an mbarrier in shared memory: mbarrier.init.");
  EXPECT_EQ(sass_opcode("STG.E.128").results, SassResults::none);
  EXPECT_EQ(sass_opcode("FADD").results, SassResults::first);
  EXPECT_EQ(sass_opcode("IMAD.MOV.U32").like, "MOV");
  EXPECT_EQ(sass_opcode("IMAD.WIDE").like, "");
  EXPECT_EQ(sass_opcode("NEVER.SEEN").pipe(90), "other");
  EXPECT_EQ(&sass_opcode("BAR.SYNC"), &sass_opcode("BAR.SYNC.DEFER_BLOCKING"));
}

TEST(SassOpcodes, AWrongTableIsNamed) {
  const struct {
    const char *text, *error;
  } rows[] = {
      {"[[opcode]]\nkey = true\n", "spec: t:1: [[opcode]]: lacks 'name'"},
      {"[[opcode]]\nname = 'A'\npipes = 'x'\n",
       "spec: t:3: pipes: no such key (did you mean 'pipe'?)"},
      {"[[pipe]]\nname = 'lsu'\n[[opcode]]\nname = 'A'\npipe = 'lsv'\n",
       "spec: t:5: pipe: no 'lsv' (did you mean 'lsu'?)"},
      {"[[opcode]]\nname = 'A'\ndoes = ['brnch']\n",
       "spec: t:3: does: no 'brnch' (did you mean 'branch'?)"},
      {"[[opcode]]\nname = 'A'\nsync = 'flag'\n", "spec: t:3: sync: no 'flag'"},
      {"[[opcode]]\nname = 'A'\nresults = 'nine'\n",
       "spec: t:3: results: no 'nine' (did you mean 'none'?)"},
      {"[[opcode]]\nname = 'A'\n[[opcode]]\nnames = ['B', 'A']\n",
       "spec: t:3: [[opcode]]: 'A' has a row already"},
      {"[[synchronisation]]\nname = 'a'\nwhat = 'x'\nfamilies = ['hoper']\n",
       "spec: t:4: families: no SASS family 'hoper' (did you mean 'hopper'?)"},
  };
  for (const auto& row : rows) {
    const auto table = OpcodeTable::read_sass(row.text, "t");
    ASSERT_FALSE(table) << row.text;
    EXPECT_EQ(table.error().text(), row.error);
  }
  const auto ptx = OpcodeTable::read_ptx("[[opcode]]\nname = 'bar.red'\n", "t");
  ASSERT_FALSE(ptx);
  EXPECT_EQ(ptx.error().text(), "spec: t:1: no row 'bar' for 'bar.red'");
}

// The opcode of a line of a golden listing: after the mask of barriers ("B--1---"), the mask of
// reuse, a label and a predicate.
std::string opcode_in(const std::string& line) {
  std::istringstream words(line);
  std::string word, before;
  const auto is_mask = [&] {
    return word.starts_with('B') && word.size() == 7 && before[0] == 'R';
  };
  while (words >> word && !is_mask()) before = word;
  words >> word;
  while (words >> word && (word.ends_with(':') || word.starts_with('@'))) {
  }
  return words ? word : std::string();
}

// What ptxas makes of the curated set has a row, but for what is not known yet.
TEST(SassOpcodes, EveryOpcodeOfTheGoldenListingsHasARow) {
  std::set<std::string> seen, without;
  for (const auto& file :
       fs::directory_iterator(base::source_root() / "tests" / "golden" / "sass")) {
    const auto text = base::read_file(file.path());
    ASSERT_TRUE(text) << text.error().text();
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);)
      if (const std::string opcode = opcode_in(line); !opcode.empty()) seen.insert(opcode);
  }
  for (const std::string& opcode : seen)
    if (OpcodeTable::sass().fitting(opcode).empty()) without.insert(opcode);
  EXPECT_GT(seen.size(), 100U);
  EXPECT_EQ(without, (std::set<std::string>{"ENDCOLLECTIVE"}));
}

// Sections 9.7.9 to 9.7.16 of the PTX ISA manual.
TEST(PtxOpcodes, FactsFollowTheManual) {
  const struct {
    const char* opcode;
    PtxFact fact;
    bool has;
  } rows[] = {
      {"mbarrier.try_wait.parity.shared::cta.b64", PtxFact::phase, true},
      {"mbarrier.arrive.expect_tx.shared.b64", PtxFact::phase, false},
      {"mbarrier.arrive.expect_tx.shared.b64", PtxFact::state, true},
      {"mbarrier.init.shared::cta.b64", PtxFact::init, true},
      {"bar.sync", PtxFact::numbered_barrier, true},
      {"bar.warp.sync", PtxFact::numbered_barrier, false},
      {"barrier.cluster.arrive.release.aligned", PtxFact::numbered_barrier, false},
      {"barrier.cluster.arrive.release.aligned", PtxFact::cluster_arrive, true},
      {"barrier.cta.red.popc.u32", PtxFact::no_result, false},
      {"barrier.cta.sync", PtxFact::no_result, true},
      {"cp.async.bulk.wait_group.read", PtxFact::unseen, true},
      {"cp.async.bulk.commit_group", PtxFact::unseen, false},
      {"tcgen05.wait::ld.sync.aligned", PtxFact::unseen, true},
      {"tcgen05.commit.cta_group::1.b64", PtxFact::unseen, false},
      {"multimem.ld_reduce.relaxed.gpu.global.add.u32", PtxFact::writes, false},
      {"multimem.red.relaxed.gpu.global.add.u32", PtxFact::writes, true},
      {"ld.param.u32", PtxFact::effect, false},
      {"ld.param::entry.u32", PtxFact::parameter, true},
      {"ld.shared.u32", PtxFact::effect, true},
      {"st.shared::cta.u32", PtxFact::anywhere, false},
      {"st.u32", PtxFact::anywhere, true},
      {"setmaxnreg.inc.sync.aligned.u32", PtxFact::takes, true},
      {"setmaxnreg.dec.sync.aligned.u32", PtxFact::takes, false},
      {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", PtxFact::load, false},
      {"brx.idx.uni", PtxFact::by_index, true},
      {"bra.uni", PtxFact::by_index, false},
  };
  for (const auto& row : rows)
    EXPECT_EQ(ptx_opcode(row.opcode).facts.has(row.fact), row.has) << row.opcode;
  EXPECT_TRUE(ptx_opcode("vabsdiff4.u32.u32.u32").known);
  EXPECT_FALSE(ptx_opcode("mbarier.init.shared.b64").known);
  EXPECT_FALSE(ptx_opcode("").known);
}

// Forms are what kernels synchronise and move data by.
TEST(PtxOpcodes, EveryFormHasARowThatSpeaks) {
  const auto forms = isa::FormTable::load();
  ASSERT_TRUE(forms) << forms.error().text();
  std::set<std::string> without;
  for (const isa::Form& form : forms->forms()) {
    std::istringstream words(form.text);
    std::string opcode;
    words >> opcode;
    if (form.family != "sreg" && !ptx_opcode(opcode).facts.has(PtxFact::speaks))
      without.insert(opcode);
  }
  EXPECT_EQ(without, std::set<std::string>());
}

}  // namespace
}  // namespace phasebit::test
