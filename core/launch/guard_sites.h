// Where a guarded kernel can wait: what the numbers in its reports stand for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::launch {

// What a guarded kernel and its host share: one block of global memory, reached through the
// pointer `.visible .global .align 8 .u64 pb_guard` of the kernel's module. The host zeroes it for
// each launch and fills in the header. gen/guard writes the same offsets into PTX.

inline constexpr const char* guard_variable = "pb_guard";

struct GuardHeader {
  std::uint64_t progress_ns = 0;  // +0  %globaltimer when a wait of the grid last ended
  std::uint32_t status = 0;       // +8  1: a thread gave up, and all that wait leave
  std::uint32_t traps = 0;        // +12 1: giving up prints and traps (the module's own block)
  std::uint64_t limit_ns = 0;     // +16 without progress for so long, a wait gives up
  std::uint64_t report = 0;  // +24 where the GuardReport goes, device or host memory; 0: nowhere
  std::uint64_t crumbs = 0;  // +32 uint32[crumb_warps]: the site at which a warp is; 0: none
  std::uint32_t crumb_warps = 0;  // +40 warp w of CTA c has word 32 c + w
  std::uint32_t ctas = 0;         // +44 GuardCta after the header; those of CTAs beyond are not
                                  //     counted
  std::uint64_t owner = 0;  // +48 of the module's own block: the grid that counts there. Twice its
                            //     number and 2; 1 more: another grid came meanwhile
  std::uint64_t left = 0;   // +56 threads of that grid that have exited
};
static_assert(sizeof(GuardHeader) == 64);

// Of one CTA, by its number in the grid; a cluster has that of its own number in the grid.
struct GuardCta {
  // Phase in the upper half, arrivals of the running one in the lower: by thread where all of the
  // CTA are meant, else 32 a warp.
  std::uint64_t barriers[16] = {};      // +0
  std::uint64_t cluster_barrier = 0;    // +128 arrivals by thread
  std::uint32_t exited = 0;             // +136 threads
  std::uint32_t exited_in_cluster = 0;  // +140 threads
  // setmaxnreg: what warps gave and none has taken, and what a thread of each warp has; 0: as many
  // as when the kernel began.
  std::uint32_t pool = 0;            // +144
  std::uint32_t registers[32] = {};  // +148
  std::uint32_t reserved = 0;        // +276
};
static_assert(sizeof(GuardCta) == 280);

// Written once, by the thread that gave up first; `code` last.
struct GuardReport {
  std::uint32_t code = 0;          // +0  1: given up
  std::uint32_t site = 0;          // +4  number in the site table
  std::uint32_t cta = 0;           // +8  in the grid
  std::uint32_t warp = 0;          // +12 in the CTA
  std::uint32_t lane = 0;          // +16
  std::uint32_t sm = 0;            // +20
  std::uint64_t operand = 0;       // +24 parity, state, or what a flag is compared with; of a
                                   //     barrier its id; of setmaxnreg its count
  std::uint64_t value = 0;         // +32 polled last; of a barrier the arrivals so far; of
                                   //     setmaxnreg the registers in the pool
  std::uint64_t address = 0;       // +40 of the barrier or flag; of a hardware barrier the arrivals
                                   //     that it waits for; of setmaxnreg what the warp lacks
  std::uint64_t word = 0;          // +48 the mbarrier's word; 0: not read
  std::uint64_t waited_ns = 0;     // +56
  std::uint32_t shared_base = 0;   // +64 address of the dynamic shared memory
  std::uint32_t cluster_rank = 0;  // +68
  std::uint64_t item = 0;          // +72 that the role was at; all bits: the text does not say
};
static_assert(sizeof(GuardReport) == 80);

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
  std::string entry;         // the function that it is in
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

}  // namespace phasebit::launch
