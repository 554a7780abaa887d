#include "gen/forms/form.h"

#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {

using forms::form_rules;
using forms::FormBook;
using forms::FormPoint;
using forms::OperandTable;
using forms::why_no_form;
using isa::Form;
using isa::FormTable;
using isa::Version;

namespace {

const FormBook& book() {
  const auto found = FormBook::get();
  if (!found) bug(found.error().text());
  return **found;
}

// The id of the form with that text.
std::string id_of(const std::string& text) {
  for (const Form& form : book().table().forms())
    if (form.text == text) return form.id;
  bug("no form " + text);
}

TEST(FormBook, PlacesEveryForm) {
  for (const Form& form : book().table().forms()) {
    const auto placed = book().placed(form.id);
    ASSERT_TRUE(placed) << form.id;
    EXPECT_EQ((*placed)->statement.find('#'), std::string::npos) << (*placed)->statement;
    EXPECT_EQ((*placed)->statement.substr(0, form.text.find(' ')),
              form.text.substr(0, form.text.find(' ')));
  }
}

// What the H200 runs: all forms that sm_90a takes, but those that lack a mover, a tensor map, a
// cluster, a register budget, or anything that changes.
TEST(FormBook, RunsTheBarrierFormsOfHopper) {
  std::set<std::string> unrun;
  for (const Form& form : book().table().forms())
    if (book().table().accepts(form, "sm_90a") && !book().placed(form.id).value()->needs.empty())
      unrun.insert(form.family);
  for (const char* family :
       {"mbarrier.init", "mbarrier.arrive", "mbarrier.arrive_drop.expect_tx", "mbarrier.test_wait",
        "mbarrier.try_wait.parity", "cp.async", "bar.sync", "barrier.red", "barrier.cluster",
        "fence.thread", "membar", "nanosleep"})
    EXPECT_EQ(unrun.count(family), 0U) << family;
  // st.async and red.async were illegal instructions on an H200 in a launch without clusters.
  for (const char* family : {"cp.async.bulk.tensor.load_cta", "multimem.cp.async.bulk",
                             "st.async.mbarrier", "red.async.mbarrier"})
    EXPECT_EQ(unrun.count(family), 1U) << family;
}

TEST(PlaceForm, PutsOperandsInTheirPlaces) {
  struct Row {
    const char *form, *statement;
  };
  for (const Row& row : {
           Row{"mbarrier.arrive.shared.b64 state, [addr], #count;",
               "mbarrier.arrive.shared.b64 f_state, [f_bar], 1;"},
           Row{"mbarrier.arrive.b64 _, [addr];", "mbarrier.arrive.b64 _, [f_addr];"},
           Row{"mbarrier.try_wait.b64 waitComplete, [addr], state, #suspendTimeHint;",
               "mbarrier.try_wait.b64 f_done, [f_addr], f_state, 32;"},
           Row{"cp.async.ca.shared.global [dst], [src], #16, srcSize;",
               "cp.async.ca.shared.global [f_dst], [payload_out], 16, f_size;"},
           Row{"bar.red.popc.u32 d, #bar, #nthreads, !c;", "bar.red.popc.u32 f_d, 1, 32, !f_c;"},
           Row{"mapa.shared::cluster.u32 d, smem_var+16, cta;",
               "mapa.shared::cluster.u32 f_d, pb_shared+16, f_rank;"},
           Row{"elect.sync _|p, membermask;", "elect.sync _|f_p, f_mask;"},
           Row{"mov.u32 d, %laneid;", "mov.u32 f_d, %laneid;"},
           Row{"fence.mbarrier_init.release.cluster;", "fence.mbarrier_init.release.cluster;"},
       })
    EXPECT_EQ(book().placed(id_of(row.form)).value()->statement, row.statement);
}

TEST(WhyNoForm, GivesTheReason) {
  const std::string arrive = id_of("mbarrier.arrive.b64 state, [addr];");
  const std::string sink = id_of("mbarrier.arrive.b64 _, [addr];");
  const std::string mapa = id_of("mapa.u32 d, ar, cta;");
  const auto why = [](const FormPoint& point) { return why_no_form(book(), point).value(); };
  EXPECT_EQ(why({arrive, "pending", "latency", "warp", "none", 4}), "");
  EXPECT_EQ(why({arrive, "ready", "throughput", "one", "none", 4}),
            "form: its family does not meet this path");
  EXPECT_EQ(why({sink, "pending", "latency", "one", "none", 4}),
            "form: no result that the next operation could take as an operand");
  EXPECT_EQ(why({mapa, "plain", "throughput", "one", "none", 4}),
            "form: ptxas makes equal operations without effect one");
  EXPECT_EQ(why({mapa, "plain", "latency", "warp", "none", 4}),
            "form: its family does not run with these lanes");
  EXPECT_EQ(why({"none", "plain", "throughput", "one", "none", 4}),
            "form: it names a row of core/isa/forms.csv");
}

// An mbarrier holds 2^20 - 1 pending arrivals and a transaction count of that size (PTX ISA,
// "Contents of the mbarrier object").
TEST(FormLaunch, StaysWithinTheBarrier) {
  const std::string arrive = id_of("mbarrier.arrive.b64 _, [addr];");
  const auto items = [](const FormPoint& point) {
    return forms::form_launch(book(), point).value().max_items;
  };
  EXPECT_EQ(items({arrive, "pending", "throughput", "one", "none", 8}), 131067);  // 1048543 / 8
  EXPECT_EQ(items({arrive, "pending", "throughput", "warp", "none", 8}), 4095);   // 1048543 / 256
  EXPECT_EQ(items({arrive, "completing", "throughput", "warp", "none", 8}), 0);
  const std::string store = id_of(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], {val, val1, val2, val3}, "
      "[mbar];");
  EXPECT_EQ(items({store, "plain", "throughput", "one", "none", 4}), 16383);  // 1048575 / (4 * 16)
  EXPECT_EQ(
      forms::form_launch(book(), {arrive, "pending", "throughput", "one", "busy", 4})->load_ctas,
      8);
}

// An id in a register keeps all sixteen barriers of the CTA, and an SM has 64.
TEST(WhyNoForm, NoLoadBesideABarrierIdInARegister) {
  const std::string in_register = id_of("bar.sync bar, nthreads;");
  const std::string literal = id_of("bar.sync #bar, nthreads;");
  EXPECT_EQ(why_no_form(book(), {in_register, "plain", "throughput", "warp", "none", 4}).value(),
            "");
  EXPECT_EQ(why_no_form(book(), {in_register, "plain", "throughput", "warp", "busy", 4}).value(),
            "form: it takes all barriers of its CTA, so no load fits next to it");
  EXPECT_EQ(why_no_form(book(), {literal, "plain", "throughput", "warp", "busy", 4}).value(), "");
}

isa::GateSpec gate_of(const FormBook& forms, const FormPoint& point, const Version& ptxas) {
  ptx::head::Head head;
  head.rules = form_rules(forms, point, "hopper").value();
  return ptx::head::gate_of(head, "hopper", ptxas).value();
}

// " x2 SYNCS.EXCH* no MEMBAR*; other_half: ..." of what a form's window must hold on Hopper.
std::string in_words(const isa::GateSpec& spec) {
  std::string said;
  for (const isa::VerbRule& rule : spec.verbs) {
    if (rule.role != "consumer") return "of " + rule.role;
    if (rule.verb != "form") said += "; " + rule.verb + ":";
    for (const isa::OpcodeRule& one : rule.require)
      said += fmt::format(" {} {}", isa::to_string(one.count), one.pattern);
    for (const std::string& pattern : rule.forbid) said += " no " + pattern;
  }
  return said;
}

std::string gate_of(const std::string& text, FormPoint point, const Version& ptxas) {
  point.form = id_of(text);
  return in_words(gate_of(book(), point, ptxas));
}

// What the manual says of a form, in opcodes (docs/isa-notes.md).
TEST(FormGate, CountsEveryOperation) {
  struct Row {
    const char* form;
    FormPoint point;
    const char* gate;
  };
  const FormPoint eight{"", "pending", "throughput", "one", "none", 8};
  const FormPoint four{"", "plain", "throughput", "warp", "none", 4};
  for (const Row& row : {
           Row{"mbarrier.arrive.release.cluster.shared::cta.b64 _, [addr];", eight,
               " x8 SYNCS.ARRIVE*.A[1R]T0 x8 MEMBAR.ALL.CTA x8 MEMBAR.ALL.GPU x8 ERRBAR "
               "x8 CGAERRBAR no SYNCS.ARRIVE*OPTOUT*"},
           // One fence, however many barriers are set up after it.
           Row{"mbarrier.init.shared.b64 [addr], count;", eight,
               " x8 SYNCS.EXCH* x1 FENCE.VIEW.ASYNC.S"},
           // An entry for each of the two: a look now, and one after the sleep.
           Row{"mbarrier.try_wait.b64 waitComplete, [addr], state, suspendTimeHint;", four,
               " x4 SYNCS.PHASECHK.TRANS64.TRYWAIT x4 NANOSLEEP.SYNCS x4 SYNCS.PHASECHK.TRANS64"},
           Row{"mbarrier.try_wait.b64 waitComplete, [addr], state;", four,
               " x4 SYNCS.PHASECHK.TRANS64.TRYWAIT"},
           Row{"barrier.cluster.arrive.relaxed;", four,
               " x4 UCGABAR_ARV; other_half: x4 UCGABAR_WAIT x4 CCTL.IVALL x4 BAR.SYNC*"},
           Row{"fence.acq_rel.cta;", four, " x4 MEMBAR.ALL.CTA"},
           Row{"fence.acquire.cta;", four, " no MEMBAR*"},
           Row{"fence.release.cluster;", four, " x4 MEMBAR.ALL.GPU x4 ERRBAR x4 CGAERRBAR"},
           Row{"membar.sys;", four, " x4 MEMBAR.SC.SYS x4 ERRBAR x4 CGAERRBAR x4 CCTL.IVALL"},
       })
    EXPECT_EQ(gate_of(row.form, row.point, Version{{13, 5}}), row.gate) << row.form;
  EXPECT_EQ(gate_of("fence.release.cluster;", four, Version{{12, 4}}),
            " x4 MEMBAR.ALL.GPU x4 ERRBAR x4 CGAERRBAR x4 MEMBAR.ALL.CTA");
}

TEST(FormGate, KnowsNothingOfOtherFamilies) {
  const FormPoint point{
      id_of("mbarrier.inval.b64 [addr];"), "plain", "throughput", "one", "none", 4};
  EXPECT_TRUE(form_rules(book(), point, "turing")->empty());
  EXPECT_FALSE(form_rules(book(), point, "hopper")->empty());
}

// Counts of one operation, of the item and of what surrounds an operation; ranges; entries add.
TEST(FormGate, AddsEntriesAndRanges) {
  const FormTable forms = FormTable::read(
                              "id,family,form,ptx_min,sm_80,note\n"
                              "a#1,a,x;,7.0,ok,\n",
                              "f.csv")
                              .value();
  const std::string sass = "[[sass]]\nsass = [\"hopper\"]\n";
  const auto table =
      OperandTable::read("[[family]]\nfamilies = [\"a\"]\n" + sass +
                             "opcodes = { A = \"1..2\", B = \"1..\", C = 0 }\nonce = { F = 3 }\n" +
                             sass + "opcodes = { A = 1 }\nother_half = { W = 1 }\n" + sass +
                             "ptxas = \"<12.8\"\nopcodes = { D = 1 }\n",
                         "o.toml");
  ASSERT_TRUE(table) << table.error().text();
  const auto made = FormBook::make(forms, *table);
  ASSERT_TRUE(made) << made.error().text();
  const FormPoint point{"a#1", "plain", "throughput", "one", "none", 4};
  EXPECT_EQ(in_words(gate_of(**made, point, Version{{13, 5}})),
            " x8 to x12 A x4 or more B x3 F no C; other_half: x4 W");
  EXPECT_EQ(in_words(gate_of(**made, point, Version{{12, 4}})),
            " x8 to x12 A x4 or more B x3 F x4 D no C; other_half: x4 W");
}

TEST(OperandTable, NamesFileLineAndWord) {
  const auto said = [](const std::string& text) {
    const auto table = OperandTable::read(text, "o.toml");
    return table ? std::string("read") : table.error().text();
  };
  const std::string operand = "[[operand]]\nword = \"addr\"\ntext = \"f\"\n";
  const std::string family = "[[family]]\nfamilies = [\"a\"]\n";
  EXPECT_EQ(said(operand + family), "read");
  EXPECT_NE(said("[[operand]]\nword = \"addr\"\ntex = \"f\"\n").find("o.toml:3"),
            std::string::npos);
  EXPECT_NE(said(family + "paths = [\"redy\"]\n").find("did you mean 'ready'?"), std::string::npos);
  const std::string sass = "[[sass]]\nsass = [\"hopper\"]\n";
  EXPECT_EQ(said(operand + family + sass + "opcodes = { A = \"2..1\" }\n"),
            "spec: o.toml:8: opcodes: 'A' must be a number, or \"1..2\"");
  EXPECT_NE(said(sass + "opcodes = {}\nones = { A = 1 }\n").find("did you mean 'once'?"),
            std::string::npos);
  FormTable forms = FormTable::read(
                        "id,family,form,ptx_min,sm_80,note\n"
                        "a#1,a,x [adr];,7.0,ok,\n",
                        "f.csv")
                        .value();
  const auto made = FormBook::make(forms, OperandTable::read(operand + family, "o.toml").value());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text(),
            "spec: o.toml: no operand 'adr' for a#1 'x [adr];' (did you mean 'addr'?)");
  const auto homeless = FormBook::make(forms, OperandTable::read(operand, "o.toml").value());
  ASSERT_FALSE(homeless);
  EXPECT_EQ(homeless.error().text(), "spec: o.toml: no [[family]] fits a#1 'x [adr];'");
}

}  // namespace
}  // namespace phasebit::test
