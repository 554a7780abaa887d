// The gate has no hole: each kind of synchronisation that somebody could put into a verb, on the
// path of a turn, in a loop off it, or beside the timed loop, is refused, whatever it is and
// wherever it stands. What is inserted is PTX, in front of the real ptxas and nvdisasm.
#include "cli/gate_images.h"
#include "core/base/hash.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace phasebit {
namespace {

struct Insertion {
  const char* opcode;     // that the statement becomes, as a pattern
  const char* statement;  // of PTX; `ring` is shared memory of the CTA
};

const Insertion insertions[] = {
    {"SYNCS.PHASECHK*", "mbarrier.test_wait.parity.shared.b64 ins_p, [ring], 0;"},
    {"SYNCS.PHASECHK*TRYWAIT", "mbarrier.try_wait.parity.shared.b64 ins_p, [ring], 0;"},
    {"SYNCS.ARRIVE*", "mbarrier.arrive.shared.b64 _, [ring];"},
    {"SYNCS.ARRIVE*A0TR", "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [ring], 16;"},
    {"SYNCS.ARRIVE*A0TX", "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [ring], 16;"},
    {"BAR.SYNC*", "bar.sync 15;"},
    {"BAR.ARV*", "bar.arrive 15, 64;"},
    {"BAR.RED*", "bar.red.popc.u32 ins_r, 15, ins_p;"},
    {"UCGABAR_ARV", "barrier.cluster.arrive.relaxed.aligned;"},
    {"UCGABAR_WAIT", "barrier.cluster.wait.aligned;"},
    {"MEMBAR.SC.CTA", "fence.sc.cta;"},
    {"MEMBAR.SC.SYS", "membar.sys;"},
    {"CCTL.IVALL", "fence.acq_rel.gpu;"},
    {"FENCE.VIEW.ASYNC*", "fence.proxy.async;"},
    {"ATOMS*", "atom.shared.add.u32 ins_r, [ring], 3;"},
    {"ATOMS*", "atom.shared.exch.b32 ins_r, [ring], 3;"},
    {"[AR]*G.E*", "atom.global.add.u32 ins_r, [payload_out], 3;"},
    {"NANOSLEEP", "nanosleep.u32 20;"},
    {"LDGDEPBAR", "cp.async.commit_group;"},
    {"LDGSTS*", "cp.async.ca.shared.global [ring], [payload_out], 4;"},
    {"ARRIVES*", "cp.async.mbarrier.arrive.noinc.shared.b64 [ring];"},
    {"UBLKCP*",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ring], "
     "[payload_out], 16, [ring];"},
    {"STAS*", "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [ring], ins_r, [ring];"},
    {"ACQBULK", "griddepcontrol.wait;"},
};

// Flags look like ordinary accesses, so they count in the verbs that have some.
const Insertion flag_load = {"LDS", "ld.volatile.shared.u32 ins_r, [ring];"};
const Insertion flag_store = {"STS", "st.volatile.shared.u32 [ring], ins_r;"};

enum class Where { hot, cold, beside };

// One variant of each protocol that sm_90a runs.
const char* const variants[] = {
    "ring/mbarrier/st_shared/none",
    "ring/mbarrier_tx/st_shared/none",
    "ring/cp_async_mbarrier/cp_async/none",
    "ring/named_barrier/st_shared/none",
    "ring/cta_barrier/st_shared/none",
    "ring/flag_volatile/st_shared/none",
    "ring/flag_acquire_release/st_shared/none",
    "ring/cp_async_group/cp_async/none/num_stages=2/roles=unified",
    "fanin/warp_barrier/none/none/num_stages=1/roles=unified",
    "cluster/mbarrier_cluster/none/none/num_stages=1",
    "cluster/cluster_barrier/none/none/num_stages=1/roles=unified",
    "cluster/st_async/st_async/none",
};

const std::set<std::string> verbs = {"acquire",  "commit", "wait", "release", "try_acquire",
                                     "try_wait", "tail",   "quit", "leave"};

const std::set<std::string> waiting = {"acquire", "try_acquire", "wait", "try_wait", "tail"};

struct Row {
  std::size_t variant = 0;
  std::string verb, role;
  Where where = Where::hot;
  Insertion insertion;
  std::string name() const {
    const char* place = where == Where::hot ? "hot" : where == Where::cold ? "cold" : "beside";
    return fmt::format("{} {} ({}), {}: {}", variants[variant], verb, role, place,
                       insertion.statement);
  }
};

int count_in(const Image& image, const Insertion& insertion) {
  int sum = 0;
  for (const VerbCensus& one : image.census)
    for (const OpcodeCounts* counts : {&one.hot, &one.cold, &one.beside})
      sum += count_opcodes(*counts, insertion.opcode);
  return sum;
}

// A block of its own; off the path it is a loop that ptxas cannot know to turn once.
std::vector<std::string> block_of(const Row& row) {
  std::vector<std::string> lines = {"{", ".reg .pred ins_p;", ".reg .b32 ins_r;",
                                    "mov.b32 ins_r, zero;", "setp.ne.u32 ins_p, zero, 0;"};
  if (row.where == Where::cold) lines.insert(lines.end(), {"L_inserted:", ".pragma \"nounroll\";"});
  lines.emplace_back(row.insertion.statement);
  if (row.where == Where::cold)
    lines.insert(lines.end(), {"setp.ne.u32 ins_p, zero, 0;", "@ins_p bra L_inserted;"});
  lines.emplace_back("}");
  return lines;
}

class Inserter {
 public:
  explicit Inserter(const Prepared& original) : original_(original) {}

  // Verbs of a protocol with the roles that have them in the timed loop.
  std::set<std::pair<std::string, std::string>> places() const {
    std::set<std::pair<std::string, std::string>> all;
    for (const SourceLine& line : original_.kernel.source)
      if (verbs.contains(line.verb) && !line.role.empty() && timed(line.role))
        all.emplace(line.verb, line.role);
    return all;
  }

  // None where the verb has no statement to stand in front of.
  Prepared insert(const Row& row, std::size_t number) const {
    Prepared made = original_;
    const std::size_t at = row.where == Where::beside ? behind_clock(row.role) : first_of(row);
    const std::vector<std::string> lines = block_of(row);
    Kernel& kernel = made.kernel;
    const auto offset = static_cast<std::ptrdiff_t>(at);
    kernel.statements.insert(kernel.statements.begin() + offset, lines.begin(), lines.end());
    SourceLine line = original_.kernel.source[first_of(row)];
    kernel.source.insert(kernel.source.begin() + offset, lines.size(), line);
    const std::string entry = fmt::format("ins_{}_t", number);
    for (std::string& statement : kernel.statements)
      if (const std::size_t name = statement.find(kernel.entry); name != std::string::npos)
        statement.replace(name, kernel.entry.size(), entry);
    kernel.entry = entry;
    kernel.ptx_version = "8.6";
    kernel.ptx_target = "sm_90";
    kernel.hash = content_hash(fmt::format("{}", fmt::join(kernel.statements, "\n")));
    return made;
  }

 private:
  bool timed(const std::string& role) const {
    return std::any_of(
        original_.kernel.source.begin(), original_.kernel.source.end(),
        [&](const SourceLine& line) { return line.verb == "clock_start" && line.role == role; });
  }
  std::size_t first_of(const Row& row) const {
    const SourceMap& source = original_.kernel.source;
    return static_cast<std::size_t>(std::find_if(source.begin(), source.end(),
                                                 [&](const SourceLine& line) {
                                                   return line.verb == row.verb &&
                                                          line.role == row.role;
                                                 }) -
                                    source.begin());
  }
  std::size_t behind_clock(const std::string& role) const {
    const SourceMap& source = original_.kernel.source;
    const auto last = std::find_if(source.rbegin(), source.rend(), [&](const SourceLine& line) {
      return line.verb == "clock_start" && line.role == role;
    });
    return static_cast<std::size_t>(source.rend() - last);
  }

  const Prepared& original_;
};

std::vector<Row> rows_of(const std::vector<Prepared>& originals) {
  std::vector<Row> rows;
  for (std::size_t n = 0; n < originals.size(); ++n)
    for (const auto& [verb, role] : Inserter(originals[n]).places())
      for (const Where where : {Where::hot, Where::cold, Where::beside}) {
        for (const Insertion& insertion : insertions)
          rows.push_back({n, verb, role, where, insertion});
        if (waiting.contains(verb)) rows.push_back({n, verb, role, where, flag_load});
        rows.push_back({n, verb, role, where, flag_store});
      }
  return rows;
}

class InsertionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto tools = open_tools({});
    ASSERT_TRUE(tools) << tools.error().text();
    tools_.emplace(std::move(*tools));
    auto disassembler = open_disassembler(*tools_);
    ASSERT_TRUE(disassembler) << disassembler.error().text();
    disassembler_.emplace(std::move(*disassembler));
    auto space = open_ids({}, {std::begin(variants), std::end(variants)});
    ASSERT_TRUE(space) << space.error().text();
    space_.emplace(std::move(*space));
    auto prepared = prepare(*space_, Build::timed, 0);
    ASSERT_TRUE(prepared) << prepared.error().text();
    originals_ = std::move(*prepared);
  }

  std::vector<Result<Image>> gated(const std::vector<Prepared>& prepared) {
    const std::vector<CodeColumn> columns{{"sm_90a", ""}};
    std::vector<ImageSet> sets = make_images(*tools_, prepared, columns);
    const Status done = gate_images(*tools_, *disassembler_, prepared, columns, sets);
    EXPECT_TRUE(done) << done.error().text();
    return std::move(sets.front().images);
  }

  std::optional<Tools> tools_;
  std::optional<Disassembler> disassembler_;
  std::optional<Space> space_;
  std::vector<Prepared> originals_;
};

TEST_F(InsertionTest, NothingInsertedPasses) {
  const auto images = gated(originals_);
  for (std::size_t i = 0; i < images.size(); ++i) {
    ASSERT_TRUE(images[i]) << images[i].error().text();
    EXPECT_EQ(images[i]->gate.verdict, GateVerdict::passed)
        << variants[i] << ": " << images[i]->gate.reason;
  }
}

TEST_F(InsertionTest, WhateverIsInsertedIsRefused) {
  const auto before = gated(originals_);
  const std::vector<Row> rows = rows_of(originals_);
  std::vector<Prepared> prepared;
  for (const Row& row : rows)
    prepared.push_back(Inserter(originals_[row.variant]).insert(row, prepared.size()));
  const auto images = gated(prepared);
  std::map<std::string, int> refused;  // by statement
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(images[i]) << rows[i].name() << ": " << images[i].error().text();
    ASSERT_TRUE(before[rows[i].variant]);
    // ptxas dropped it: a fence beside a fence, a look whose answer nobody asks for.
    if (count_in(*images[i], rows[i].insertion) ==
        count_in(*before[rows[i].variant], rows[i].insertion))
      continue;
    EXPECT_EQ(images[i]->gate.verdict, GateVerdict::failed) << rows[i].name();
    ++refused[rows[i].insertion.statement];
  }
  for (const Row& row : rows)
    EXPECT_TRUE(refused.contains(row.insertion.statement))
        << "ptxas drops it everywhere, or it becomes another opcode: " << row.insertion.statement;
}

}  // namespace
}  // namespace phasebit
