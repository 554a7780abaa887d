#include "analysis/report/tables/probes/group_tables.h"

#include "analysis/report/tables/probes/closure_table.h"
#include "analysis/report/tables/probes/cluster_table.h"

namespace phasebit::report::tables::probes {

const std::map<std::string, GroupTable>& group_tables() {
  static const std::map<std::string, GroupTable> tables = {
      {"closure",
       {closure_table, "rings and hand-offs as their parts predict them, and as measured",
        "specs/core.toml and specs/probes.toml",
        "Cycles predicted from other figures of the same results, and measured; residual = "
        "measured "
        "- predicted, also in percent of measured; open: more than 10 %. Nothing is fitted. "
        "Hand-off and meeting (fan-in of one warp), without their loop: commit + release, each "
        "followed by a wait for the phase that it completes; twice the wake-up after a commit "
        "without delay; twice a fan-in of two warps. Ring: max(acquire + commit, wait + release, "
        "round trip / stages) of ready waits, or by its own ends max(deepest, one stage / stages); "
        "a verb has no loop, a ring has one."}},
      {"cluster",
       {cluster_table,
        "round trips between CTAs by size and semantics: median, lowest and highest pair",
        "specs/cluster.toml",
        "Cycles on the clock of the CTA that the token comes from: median, lowest and highest over "
        "the ordered pairs of ranks, and the same code with both roles in one CTA; ± of a median "
        "over "
        "pairs is the widest of theirs."}},
      {"cluster_pairs",
       {cluster_pairs_table, "the matrix of one cluster size, rank by rank", "specs/cluster.toml",
        "Cycles of a round trip from one rank of the cluster to another, on the clock of the "
        "first; a rank to itself is the same code inside one CTA."}},
      {"verbs",
       {verbs_table, "what one verb costs, alone and beside load", "specs/probes.toml",
        "Cycles of one verb by one warp: the difference of the slopes of two numbers of copies in "
        "a row, over the copies between them; alone, and beside eight CTAs that compute and use "
        "shared memory. issue: one after the other; completion: each arrival is followed by a wait "
        "for the phase it completes, each try waits for the last one's answer. A wait that is "
        "ready is a path through, completing and pending say whether an arrival ends its phase."}},
      {"response",
       {response_table, "cycles from a commit to the wake-up of who waits", "specs/probes.toml",
        "Cycles from a commit to the clock that the waiting warp reads behind its wait, on one SM, "
        "by the cycles for which the commit was held back."}},
      {"polls",
       {polls_table, "polls that failed before a wait returned", "specs/probes.toml",
        "Polls that failed before a wait returned, by the cycles for which the commit was held "
        "back."}},
      {"interference",
       {interference_table, "by how much waiting warps slow down others", "specs/probes.toml",
        "By how many percent waiting warps lengthen a block of work of the victims, against the "
        "same code with the same warps that do not wait; the rows with 0 waiters are cycles of a "
        "block then. same: on the victims' sub-partition, other: on the other three."}},
      {"fanin",
       {fanin_table, "cycles of a phase by number of warps", "specs/probes.toml",
        "Cycles from one phase to the next by number of warps that all arrive and all wait."}},
      {"entangle",
       {entangle_table, "cycles of a phase when lanes arrive apart", "specs/probes.toml",
        "Cycles of a phase by groups of lanes that took a branch of their own, and arrive after "
        "bar.warp.sync or each where it is."}}};
  return tables;
}

}  // namespace phasebit::report::tables::probes
