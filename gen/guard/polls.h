// What a statement has to do with waiting, by its opcode.
#pragma once

#include "core/launch/guard_sites.h"
#include "core/ptx/flow/flow.h"
#include "core/ptx/flow/proof.h"
#include "core/ptx/statement.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace phasebit::guard {

// test_wait, try_wait, a volatile, acquire, relaxed or mmio load, also of a multicast address, an
// atomic with a result, the lanes that are active: what a loop may poll. Nothing for other
// statements.
std::optional<launch::WaitKind> polls(const ptx::PtxStatement& statement);

// An ordinary load of memory that others can write, a texture's too, or of a constant, which the
// host writes: a poll where its loop does nothing else.
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

// ".shared", ".global", ...: the state space of a load; "" for a generic address.
std::string space_of(const ptx::PtxStatement& statement);

// What calls of the functions of a file give back and change.

struct CallSummary {
  bool known = false;   // its text is there
  bool polls = false;   // a result depends on what it polled
  bool stores = false;  // so does something that it stores, which may be what its caller lent it
  bool loads = false;   // a result depends on an ordinary load, and not through a poll alone
  bool times = false;   // a result depends on a clock that it read, and not through a poll alone
  bool writes = true;   // it may write memory that others see
  bool ends = false;    // it may end the thread as a poll or a load says
  std::set<std::string> calls;  // all that it may come to call, by name
  bool operator==(const CallSummary&) const = default;
};
// By functions with a body; calls through a register by how many results and arguments they have,
// "*1,2": all that a function may do which has as many, and whose address is taken.
using CallSummaries = std::map<std::string, CallSummary>;

CallSummaries summaries_of(const ptx::PtxFile& file);

// The call by which the function comes to call itself again as a poll says: a wait without a loop.
std::optional<std::size_t> polled_recursion(const ptx::PtxFile& file,
                                            const ptx::PtxFunction& function,
                                            const ptx::flow::PtxFlow& flow,
                                            const CallSummaries& summaries);

// What polls, reads a clock or writes among the statements of one function, calls included.
class Sources {
 public:
  Sources(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow, const CallSummaries& summaries)
      : file_(file), flow_(flow), summaries_(summaries) {}

  // A load of the thread's own memory is not a poll, volatile or not.
  std::optional<launch::WaitKind> poll(std::size_t statement) const;
  bool loads_weakly(std::size_t statement) const;
  bool timer(std::size_t statement) const;
  bool writes(std::size_t statement) const;
  bool calls(std::size_t statement) const;
  bool calls_unknown(std::size_t statement) const;  // and may be given something back
  bool stores_polled(std::size_t statement) const;
  bool ends(std::size_t statement) const;  // a call that may end the thread as a poll says

 private:
  CallSummary summary(std::size_t statement) const;
  const ptx::PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }

  const ptx::PtxFile& file_;
  const ptx::flow::PtxFlow& flow_;
  const CallSummaries& summaries_;
};

// Loops that leave by ordinary loads at places that change, and come back to them.

struct RoundLoad {
  std::size_t statement = 0;
  bool may_stay = false;  // a search, if what it steps by is not 0
};

// The first load of a loop that leaves by nothing else than what it loads in that turn, where
// nothing in the loop writes there, and each turn looks at the same places again or at places that
// come round: a table of flags. No search, whose place goes on by a number or a size of the launch,
// and no walk, whose place is loaded.
std::optional<RoundLoad> round_load(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow,
                                    const ptx::flow::PtxLoop& loop,
                                    const ptx::flow::PtxLoopNames& names, const Sources& sources,
                                    const ptx::flow::PtxSteady& steady,
                                    const ptx::flow::PtxOnce& once,
                                    const std::vector<ptx::flow::PtxJump>& exits);

}  // namespace phasebit::guard
