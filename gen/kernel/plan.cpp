#include "gen/kernel/plan.h"

namespace phasebit::kernel {

std::map<std::string, int> Plan::derived() const {
  return {{"threads", launch.threads},
          {"producer_threads", producer.threads},
          {"consumer_threads", consumer.threads},
          {"producer_warps", producer.warps},
          {"consumer_warps", consumer.warps},
          {"producer_turns", producer.turns},
          {"consumer_turns", consumer.turns},
          {"producer_moves", producer.moves},
          {"fill_bytes", 4 * producer.vector_words},
          {"consumer_moves", consumer.moves},
          {"producer_vector", producer.vector_words},
          {"consumer_vector", consumer.vector_words},
          {"consumer_words", consumer.moves * consumer.vector_words},
          {"slot_bytes", slot_bytes},
          {"empty_offset", empty_offset},
          {"shared_bytes", launch.dynamic_shared_bytes},
          {"by_llvm", 0}};
}

}  // namespace phasebit::kernel
