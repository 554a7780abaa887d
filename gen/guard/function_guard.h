// The guard within one function: which statements go where.
#pragma once

#include "core/launch/guard_sites.h"
#include "core/ptx/file.h"
#include "core/ptx/head/head.h"
#include "gen/guard/insertions.h"
#include "gen/guard/wait_loops.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::guard {

// What the functions of one file have in common.
struct GuardJob {
  const ptx::PtxFile& file;
  CallSummaries summaries;
  std::vector<std::optional<ptx::PtxSource>> sources;
  // Which register holds what, by the function's name.
  std::map<std::string, std::vector<ptx::head::HeadRegisters>> registers = {};
  std::map<std::string, int> registers_at_begin = {};  // gen/guard/registers.h
  std::map<std::string, std::string> callers = {};     // by function: WaitSite::callers
  bool counts_exits = false;  // somewhere a barrier waits for all that have not left
  Insertions insertions = {};
  std::vector<launch::WaitSite> sites = {};
  std::vector<std::size_t> site_statements = {};
  std::vector<std::string> notes = {};

  void find_callers();

  // Fills in the number, the opcode and where it is: by `.loc`, else in the PTX; and what its
  // heading says. The number.
  std::uint32_t add_site(launch::WaitSite site, std::size_t statement);

  // Of the role that the statement's heading names; "" where nothing says so.
  std::string item_register(const std::string& function, std::size_t statement) const;
};

void guard_function(GuardJob& job, const ptx::PtxFunction& function);

}  // namespace phasebit::guard
