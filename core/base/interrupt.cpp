#include "core/base/interrupt.h"

#include <atomic>

#include <signal.h>

namespace phasebit::base {
namespace {

std::atomic<bool> interrupt_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int number) {
  interrupt_seen = true;
  ::signal(number, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_seen;
}

}  // namespace phasebit::base
