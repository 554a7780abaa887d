// The gate has no hole: each kind of synchronisation that can be put into a verb, on the
// path of a turn, in a loop off it, or outside the timed loop, is refused, whatever it is and
// wherever it is: in each text that a verb of a protocol has anywhere in the sweeps, under each
// set of rules, and in forms. What is inserted is PTX, with the real ptxas and nvdisasm.
#include "join/images/gate_images.h"
#include "join/select/open_space.h"
#include "tests/app/insertions.h"
#include "tests/home.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

using join::images::Prepared;
using launch::GateVerdict;

namespace {

// What one text has in common with another is not made twice.
struct Sweep {
  const char *spec, *name, *axis;
};
// The neighbours' waits are those of the other probes.
constexpr Sweep sweeps[] = {{"core", "core", ""},
                            {"protocols", "protocols", ""},
                            {"cluster", "cluster", "cluster_size=2"},
                            {"probes", "verbs", "load=none"},
                            {"probes", "response", "delay_cycles=1024"},
                            {"probes", "fanin", ""},
                            {"probes", "entangle", ""}};

// A family each of what a form's rules say: kinds of arrive, retries, pairs, fences, nothing at
// all.
const char* const forms[] = {
    "mbarrier.init#003",
    "mbarrier.arrive#001/path=pending",
    "mbarrier.arrive#001/path=completing/measure=latency",
    "mbarrier.try_wait#002/path=blocked",
    "mbarrier.test_wait#001/path=ready",
    "barrier.sync#001/lanes=warp",
    "bar.red#001/lanes=warp",
    "barrier.cluster#001/lanes=warp",
    "barrier.cluster#007/lanes=warp",
    "bar.warp.sync#001/lanes=warp",
    "fence.thread#001",
    "fence.thread#010",
    "fence.mbarrier_init#001",
    "fence.proxy#001",
    "membar#003",
    "cp.async#001",
    "cp.async.group#001",
    "cp.async.mbarrier.arrive#001/path=pending",
    "elect.sync#003/measure=latency/lanes=warp",
    "nanosleep#001",
};

// A kernel of one place and all insertions of a number.
struct Row {
  std::size_t original = 0;
  Place place;
  std::vector<Insertion> insertions;
  std::string name(const std::vector<Prepared>& originals) const {
    return originals[original].key.id + " " + place.name();
  }
};

std::string sorted_once(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return fmt::format("{}", fmt::join(words, "\n"));
}

// The patterns that count and forbid in the verb.
std::string rules_of(const isa::GateSpec& spec, const std::string& verb, const std::string& role) {
  std::vector<std::string> words;
  for (const isa::VerbRule& rule : spec.verbs) {
    if (!isa::concerns(rule, verb, role)) continue;
    for (const isa::OpcodeRule& one : rule.require)
      words.push_back(fmt::format("{} {}", isa::to_string(one.path), one.pattern));
    words.insert(words.end(), rule.forbid.begin(), rule.forbid.end());
  }
  return fmt::format("{} {} {}", verb, role, sorted_once(std::move(words)));
}

// The statements of each verb and role without operands.
using VerbTexts = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;
VerbTexts texts_of(const ptxas::Kernel& kernel) {
  VerbTexts texts;
  for (std::size_t i = 0; i < kernel.source.size(); ++i) {
    const std::string& statement = kernel.statements[i];
    const std::size_t begin = statement[0] == '@' ? statement.find(' ') + 1 : 0;
    texts[{kernel.source[i].verb, kernel.source[i].role}].push_back(
        (begin == 0 ? "" : "@ ") + statement.substr(begin, statement.find(' ', begin) - begin));
  }
  return texts;
}

class InsertionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto tools = join::images::open_tools({test::home(), {}, {}, {}});
    ASSERT_TRUE(tools) << tools.error().text();
    tools_.emplace(std::move(*tools));
    auto disassembler = join::images::open_disassembler(*tools_);
    ASSERT_TRUE(disassembler) << disassembler.error().text();
    disassembler_.emplace(std::move(*disassembler));
  }

  static std::vector<Prepared> prepared(const Result<join::select::Space>& space) {
    if (!space) bug(space.error().text());
    auto made = join::images::prepare(*space, launch::Build::timed, 0);
    if (!made) bug(made.error().text());
    return std::move(*made);
  }

  // The shortest kernels that have each text of a verb under each set of rules, with the verbs that
  // are to be tried there: the first text under a set of rules with all insertions at all places,
  // further ones with each insertion at one of the places, in turn.
  std::vector<Row> places_of(std::vector<Prepared> all) {
    std::stable_sort(all.begin(), all.end(), [](const Prepared& a, const Prepared& b) {
      return a.kernel.statements.size() < b.kernel.statements.size();
    });
    std::vector<Row> rows;
    for (Prepared& variant : all) {
      const auto spec = ptx::head::gate_of(variant.head, "hopper", isa::Version{{13, 5}});
      EXPECT_TRUE(spec && spec->known) << variant.key.id;
      bool taken = false;
      VerbTexts texts = texts_of(variant.kernel);
      for (const auto& [verb, role] : verbs_of(variant.kernel)) {
        const std::string rules = rules_of(*spec, verb, role);
        const std::string text = sorted_once(std::move(texts[{verb, role}]));
        if (!seen_.insert(variant.key.value("protocol") + "\n" + text + "\n" + rules).second)
          continue;
        add_rows({verb, role}, originals_.size(), texts_[rules]++, rows);
        taken = true;
      }
      if (taken) originals_.push_back(std::move(variant));
    }
    return rows;
  }

  static void add_rows(const std::pair<std::string, std::string>& verb, std::size_t original,
                       int texts, std::vector<Row>& rows) {
    constexpr Where places[] = {Where::hot, Where::cold, Where::beside};
    for (const Where where : places)
      for (int kernel = 0; kernel < kernels; ++kernel) {
        if (texts > 0 && places[(kernel + texts) % 3] != where) continue;
        Row row{original, {verb.first, verb.second, where}, {}};
        for (const Insertion& one : insertions_of(verb.first))
          if (one.kernel == kernel) row.insertions.push_back(one);
        rows.push_back(std::move(row));
      }
  }

  std::vector<Result<launch::Image>> gated(const std::vector<Prepared>& kernels_of) {
    const std::vector<join::images::CodeColumn> columns{{"sm_90a", ""}};
    std::vector<join::images::ImageSet> sets =
        join::images::make_images(*tools_, kernels_of, columns);
    const Status done =
        join::images::gate_images(*tools_, *disassembler_, kernels_of, columns, sets);
    EXPECT_TRUE(done) << done.error().text();
    return std::move(sets.front().images);
  }

  // Nothing inserted passes; each insertion that is in the code is what the refusal is about. Where
  // several in one kernel disturb each other, each by itself is refused.
  void expect_refusals(const std::vector<Row>& rows) {
    const auto before = gated(originals_);
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_TRUE(before[i]) << before[i].error().text();
      EXPECT_EQ(before[i]->gate.verdict, GateVerdict::passed)
          << originals_[i].key.id << ": " << before[i]->gate.reason;
    }
    std::vector<Row> alone;
    try_rows(rows, before,
             [&](const Row& row, const Insertion& one, const std::string& opcode,
                 const launch::GateResult& gate) {
               if (gate.verdict == GateVerdict::failed && names(gate.reason, opcode)) return;
               alone.push_back({row.original, row.place, {one}});
             });
    try_rows(alone, before,
             [&](const Row& row, const Insertion& one, const std::string& opcode,
                 const launch::GateResult& gate) {
               EXPECT_EQ(gate.verdict, GateVerdict::failed)
                   << row.name(originals_) << ": " << one.statement << " is " << opcode;
             });
    RecordProperty("variants", static_cast<int>(originals_.size()));
    RecordProperty("kernels", static_cast<int>(rows.size()));
    RecordProperty("alone", static_cast<int>(alone.size()));
  }

  // Calls `see` for each opcode of an insertion that the code has. ptxas drops some: a fence next
  // to a fence, a look whose answer is not used.
  template <typename See>
  void try_rows(const std::vector<Row>& rows, const std::vector<Result<launch::Image>>& before,
                const See& see) {
    std::vector<Prepared> made;
    for (const Row& row : rows)
      made.push_back(insert(originals_[row.original], row.place, row.insertions,
                            fmt::format("ins_{}_t", made.size())));
    const auto images = gated(made);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      ASSERT_TRUE(images[i]) << row.name(originals_) << ": " << images[i].error().text();
      for (const Insertion& one : row.insertions)
        for (const std::string& opcode :
             added(one, before[row.original]->census, images[i]->census)) {
          see(row, one, opcode, images[i]->gate);
          refused_.insert(one.statement);
          ++at_[originals_[row.original].key.value("protocol") + " " + row.place.name()];
        }
    }
  }

  std::optional<join::images::Tools> tools_;
  std::optional<disassembly::Disassembler> disassembler_;
  std::set<std::string> seen_;        // texts and rules
  std::map<std::string, int> texts_;  // seen of each set of rules
  std::vector<Prepared> originals_;   // that have them
  std::set<std::string> refused_;     // statements that were in the code
  std::map<std::string, int> at_;     // insertions in the code, by protocol and place
};

TEST_F(InsertionTest, WhateverIsInsertedIsRefused) {
  std::vector<Prepared> all;
  for (const Sweep& sweep : sweeps) {
    auto request = test::at_home<join::select::SpaceRequest>();
    request.spec = (test::home().data / "specs" / fmt::format("{}.toml", sweep.spec)).string();
    request.sweep = sweep.name;
    if (*sweep.axis != 0) request.overrides = {sweep.axis};
    std::vector<Prepared> more = prepared(join::select::open_space(request));
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  const std::vector<Row> rows = places_of(std::move(all));
  expect_refusals(rows);
  for (const Row& row : rows) {
    for (const Insertion& one : row.insertions)
      EXPECT_TRUE(refused_.contains(one.statement))
          << "ptxas drops it everywhere, or it becomes another opcode: " << one.statement;
    const std::string& protocol = originals_[row.original].key.value("protocol");
    EXPECT_GT(at_[protocol + " " + row.place.name()], 0)
        << protocol << " " << row.place.name() << ": nothing stands there";
  }
}

TEST_F(InsertionTest, SoItIsInForms) {
  std::vector<std::string> ids;
  for (const char* form : forms) ids.push_back(fmt::format("form/none/none/none/form={}", form));
  expect_refusals(places_of(
      prepared(join::select::open_ids(test::at_home<join::select::SpaceRequest>(), ids))));
}

TEST(Names, ReadsWhatARefusalIsAbout) {
  const std::string refusal =
      "wait (consumer): expected SYNCS.PHASECHK* x1 per item, found 2 (hot: NANOSLEEP x1, "
      "SYNCS.PHASECHK.TRANS64 x2; cold: none); wait (consumer): no rule counts ATOMS.ADD x1, "
      "BAR.ARV x1 hot (hot: BAR.ARV x1, MEMBAR.SC.CTA x1; cold: none); form (consumer): forbidden "
      "STS*, found STS x1 (hot: STS x1; cold: none)";
  for (const char* opcode : {"SYNCS.PHASECHK.TRANS64", "ATOMS.ADD", "BAR.ARV", "STS"})
    EXPECT_TRUE(names(refusal, opcode)) << opcode;
  for (const char* opcode : {"NANOSLEEP", "MEMBAR.SC.CTA", "BAR", "LDS"})
    EXPECT_FALSE(names(refusal, opcode)) << opcode;
}

}  // namespace
}  // namespace phasebit::test
