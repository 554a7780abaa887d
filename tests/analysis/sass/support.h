// Small kernels for the SASS tests, assembled on the fly.
#pragma once

#include "analysis/disassembly/disassembler.h"
#include "core/launch/source_map.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::test {

// PTX statements with their verbs. Written as lines "role.verb| statement"; the prefix may be
// empty.
struct Script {
  std::string entry = "k";
  std::vector<std::string> statements;
  launch::SourceMap source;
};
Script script(const std::string& text, const std::string& entry = "k");

// A kernel of two roles: warp 0 produces, the others consume. Each verb is a few statements, which
// may use the registers a (address of the slot's full barrier, a+64: empty), r (parity), p, s.
struct RingVerbs {
  std::string acquire, commit, wait, release;
  std::string work = "";         // of the consumer
  std::string before_loop = "";  // of the consumer, after its clock_start
  int copies = 1;                // of the verbs in one iteration
};
// ptxas 13.5 dies when an entry has the name of another entry's register.
Script ring(const RingVerbs& verbs, const std::string& entry = "k");

struct Tools {
  std::string ptxas, nvdisasm;
};
std::optional<Tools> find_tools();

// nvdisasm with a cache of this process: it takes a third of a second to start.
const disassembly::Disassembler& cached_disassembler();

// A module of kernels, with a `.loc` before every instruction or without. An Error carries what
// ptxas said.
Result<std::string> assemble(const std::vector<Script>& scripts, const std::string& target,
                             bool with_loc = true, const std::string& version = "8.7");

// All kernels of a cubin with their instructions, by name.
Result<std::map<std::string, cubin::SassKernel>> kernels_of(
    const disassembly::Disassembler& disassembler, const cubin::Cubin& cubin);

}  // namespace phasebit::test

// In a test that needs ptxas and nvdisasm.
#define PHASEBIT_NEEDS_TOOLS() \
  if (!phasebit::test::find_tools()) GTEST_SKIP() << "no ptxas and nvdisasm in .toolchains"
