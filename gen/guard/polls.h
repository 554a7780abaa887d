// What a statement has to do with waiting, by its opcode.
#pragma once

#include "core/image/guard_sites.h"
#include "core/ptx/statement.h"

#include <optional>
#include <string>

namespace phasebit::guard {

// test_wait, try_wait, a volatile, acquire, relaxed or mmio load, also of a multicast address, an
// atomic with a result, the lanes that are active: what a loop may poll. Nothing for other
// statements.
std::optional<image::WaitKind> polls(const ptx::PtxStatement& statement);

// An ordinary load of memory that others can write, a texture's too: a poll where its loop does
// nothing else.
bool loads_weakly(const ptx::PtxStatement& statement);

// Gives what others change, which no bounded wait reads: the state of a barrier that it arrives at,
// a matrix, a register of the hardware.
bool may_poll(const ptx::PtxStatement& statement);

// Any load of memory but that of parameters and constants.
bool loads(const ptx::PtxStatement& statement);

// Whether it may write memory that others, or loads at other addresses, see. Calls are not asked.
bool may_write(const ptx::PtxStatement& statement);

// Whether both may name the same bytes, by their state spaces alone.
bool may_meet(const ptx::PtxStatement& writer, const ptx::PtxStatement& load);

// Whether it reads a clock.
bool reads_timer(const ptx::PtxStatement& statement);

// A barrier of the CTA. An operand that it does not have is empty.
struct BarrierUse {
  std::string id, count;
  bool waits = true;     // false: it arrives alone
  bool aligned = false;  // all lanes of a warp come together
};
std::optional<BarrierUse> uses_barrier(const ptx::PtxStatement& statement);

enum class ClusterUse { none, arrive, wait };
ClusterUse uses_cluster_barrier(const ptx::PtxStatement& statement);

// A wait that nothing outside of the hardware can look at.
bool waits_unseen(const ptx::PtxStatement& statement);

bool ends_thread(const ptx::PtxStatement& statement);  // exit
bool returns(const ptx::PtxStatement& statement);      // ret

// ".shared", ".global", ...: the state space of a load; "" for a generic address.
std::string space_of(const ptx::PtxStatement& statement);

}  // namespace phasebit::guard
