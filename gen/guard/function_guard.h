// The guard within one function: which statements go where.
#pragma once

#include "core/image/guard_sites.h"
#include "core/ptx/lines.h"
#include "gen/guard/insertions.h"
#include "gen/guard/wait_loops.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit {

// What the functions of one file have in common.
struct GuardJob {
  const PtxFile& file;
  CallSummaries summaries;
  std::vector<std::optional<PtxSource>> sources;
  bool counts_exits = false;  // somewhere a barrier waits for all that have not left
  Insertions insertions = {};
  std::vector<WaitSite> sites = {};
  std::vector<std::size_t> site_statements = {};
  std::vector<std::string> notes = {};

  // Fills in the number, the opcode and where it stands: by its heading, else by `.loc`, else in
  // the PTX. The number.
  std::uint32_t add_site(WaitSite site, std::size_t statement);
};

void guard_function(GuardJob& job, const PtxFunction& function);

}  // namespace phasebit
