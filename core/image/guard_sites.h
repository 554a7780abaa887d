// Where a guarded kernel can wait: what the numbers in its reports stand for.
#pragma once

#include "core/image/guard_block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::image {

enum class WaitKind {
  parity,           // mbarrier, by parity
  state,            // mbarrier, by the state of an arrive
  flag,             // a load that is polled
  atomic,           // an atomic operation that is polled
  call,             // a function that polls
  barrier,          // a hardware barrier of the CTA
  cluster_barrier,  // of the cluster
  registers,        // setmaxnreg.inc: until other warps have given enough of theirs
  unknown           // a wait that cannot be looked at: it leaves a breadcrumb alone
};
const std::vector<std::string>& words_of(WaitKind kind);
std::string to_string(WaitKind kind);

struct WaitSite {
  std::uint32_t number = 0;  // from 1
  WaitKind kind = WaitKind::unknown;
  std::string entry;         // the function that it stands in
  std::string file;          // of the source where that is known, else of the PTX
  int line = 0;              // in that file; of a heading see below
  std::string verb, role;    // "" where nothing says so
  std::string opcode;        // "mbarrier.try_wait.parity.shared.b64"
  std::string operand;       // as written: "p_parity", "%rd4"; "" for none
  std::string address;       // as written, without brackets
  std::string heading = {};  // "protocols/mbarrier/wait.ptx:5": what the text's heading names
  std::string item = {};     // the register that holds the role's item; "": the head does not say
  std::string callers = {};  // "mine.cu:12, mine.cu:40 and 2 more": calls of its function
  std::string place() const { return file + ":" + std::to_string(line); }
};

// Barriers or flags of the dynamic shared memory that have names: `count` of them, from `base` on.
struct NamedBarriers {
  std::string name;  // "full_barrier"
  int base = 0;      // bytes into the dynamic shared memory
  int stride = 8;
  int count = 0;
};

struct GuardTable {
  std::vector<WaitSite> sites;
  std::vector<NamedBarriers> barriers;
  const WaitSite* find(std::uint32_t number) const;
};

// "deadlock: warp 1 lane 0 waits on full_barrier[2] parity 1 at mine.ptx:112
// (protocols/mbarrier/wait.ptx:5, consumer wait, item 18, cta 0); word 0x7ffce800001fff38: parity
// 0, 99 of 100 arrivals and 0 bytes pending" Decoded where the GPU's layout is known (`sm`: 90 for
// Hopper).
std::string describe(const GuardReport& report, const GuardTable& table, int sm = 0);

// "cta 0 warp 1 at probes/x.ptx:7 (cp.async.wait_group, consumer wait)", for each warp that left a
// breadcrumb, at most `most` of them; "" without any.
std::string describe_crumbs(const std::vector<std::uint32_t>& crumbs, const GuardTable& table,
                            std::size_t most = 8);

}  // namespace phasebit::image
