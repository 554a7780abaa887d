// What calls of the functions of a file give back and change.
#pragma once

#include "core/ptx/flow/flow.h"
#include "gen/guard/polls.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace phasebit::guard {

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

  // A load of the thread's own memory is no poll, volatile or not.
  std::optional<image::WaitKind> poll(std::size_t statement) const;
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

}  // namespace phasebit::guard
