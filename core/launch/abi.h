// The kernel ABI: one parameter block for every kernel, and what a kernel writes.
// templates/README.md states the same contract for PTX authors; tests/core/abi_test.cpp compares
// the offsets of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::launch {

inline constexpr std::uint32_t abi_version = 1;

// `.param .align 8 .b8 pb[96]`. Addresses are device addresses.
struct KernelParams {
  std::uint32_t version = abi_version;  // +0
  std::uint32_t items = 0;              // +4  items that pass through the ring (or round trips)
  std::uint64_t samples = 0;            // +8  SampleRecord[ctas_per_sm * 2 * warps]
  std::uint64_t status = 0;             // +16 StatusRecord, one a launch, zeroed by the host
  std::uint64_t payload_in = 0;         // +24 room for the images that copies read, which the
                                        //     kernel writes itself (PayloadShape::period)
  std::uint64_t payload_out = 0;   // +32 uint32[ctas_per_sm * threads]: the checksum of each thread
  std::uint32_t work_amount = 0;   // +40 blocks of work an item
  std::uint32_t delay_cycles = 0;  // +44 cycles that a delayed role waits before it acts
  std::uint32_t seed = 0;          // +48 first payload word of item 0
  std::uint32_t zero = 0;          // +52 always 0; unknown to ptxas, it ties chains together
  std::uint32_t target_sm = 0;     // +56 %smid that runs; CTAs elsewhere leave
  std::uint32_t first_warp = 0;    // +60 warps below it leave at once: shifts the roles over the
                                   //     sub-partitions. The launch has this many warps more.
  std::uint64_t guard_limit_ns = 0;  // +64 so long a CTA waits for those that share its SM
  std::uint64_t ticket = 0;          // +72 uint32[8], zeroed by the host: [0] CTAs that claimed the
                                     //     SM, [2] not 0 when the measured ones are done
  std::uint32_t start_offset = 0;  // +80 turns of a spin before the consumers' first clock read; of
                                   //     warps that do both, for each one more
  std::uint16_t gap_after = 0;     // +84 of the warps with a number so many are before a gap
  std::uint16_t gap_warps = 0;     // +86 of so many warps that leave at once as well
  std::uint16_t first_rank = 0;    // +88 cluster ranks that take part, where two of many do
  std::uint16_t second_rank = 0;   // +90
  std::uint32_t load_ctas = 0;     // +92 CTAs next to the measured ones that keep the SM busy until
                                   //     the word 8 bytes after the ticket is not 0; of a kernel
                                   //     that runs on several SMs, how many those are
};
static_assert(sizeof(KernelParams) == 96);

// The role's number in SampleRecord::role.
// A victim has no part in the protocol: its speed is what the others cost it.
enum class Role : std::uint32_t { none = 0, producer = 1, consumer = 2, both = 3, victim = 4 };
inline constexpr Role all_roles[] = {Role::producer, Role::consumer, Role::both, Role::victim};
const std::vector<std::string>& words_of(Role role);  // "" for none

// Written by the first thread of each role of each warp, at index
// cta * 2 * warps + 2 * warp + (1 for the consumer half of a warp split by thread parity).
// cta: in the order of the tickets; in a cluster %cluster_ctarank.
struct SampleRecord {
  std::uint64_t clock_start = 0;  // %clock64 before the first timed operation, cycles
  std::uint64_t clock_end = 0;    // %clock64 after the last one
  std::uint64_t timer_start = 0;  // %globaltimer next to clock_start, ns
  std::uint64_t timer_end = 0;
  std::uint32_t items = 0;          // items this role handled
  std::uint32_t role = 0;           // Role
  std::uint32_t hardware_warp = 0;  // %warpid; modulo 4 it is the sub-partition
  std::uint32_t sm = 0;             // %smid
  std::uint32_t phase_errors = 0;   // barriers whose phase at the end was not the expected one
  std::uint32_t phases_checked = 0;
  std::uint32_t readings[2] = {0, 0};  // further sums over the items (LaunchShape::readings)
};
static_assert(sizeof(SampleRecord) == 64);

enum class StatusCode : std::uint32_t {
  none = 0,
  not_coresident = 2  // the CTAs meant to share the SM did not all arrive there
};

// Of a launch that came to nothing. Waits that are given up are another matter: guard_block.h.
struct StatusRecord {
  std::uint32_t code = 0;  // StatusCode
  std::uint32_t cta = 0;   // among those of the SM
  // What comes after it stays where it was when the published results were measured.
  std::uint64_t reserved[5] = {};
};
static_assert(sizeof(StatusRecord) == 48);

// "cta 1 waited in vain for the other CTAs of its SM"
std::string describe(const StatusRecord& status);

}  // namespace phasebit::launch
