// Independent jobs on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace phasebit::base {

// Calls job(0) .. job(count - 1), each once, on up to `threads` threads (0: as many as there are
// cores), in ascending order of start. Returns when all are done; a job must not throw.
void parallel_for(size_t count, unsigned threads, const std::function<void(size_t)>& job);

}  // namespace phasebit::base
