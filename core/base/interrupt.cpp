#include "core/base/interrupt.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <set>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

namespace phasebit::base {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupt_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int number) {
  interrupt_seen = true;
  ::signal(number, SIG_DFL);
}

void handle_both(void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

struct Unfinished {
  std::mutex mutex;
  std::set<fs::path> paths;
  std::set<pid_t> children;
};
Unfinished& unfinished() {
  static auto* all = new Unfinished;  // other threads use it to the last
  return *all;
}

// A handler may do next to nothing, so it writes the signal's number for a thread.
std::array<int, 2> ends{-1, -1};

void pass_on(int number) {
  const auto byte = static_cast<char>(number);
  const int before = errno;
  static_cast<void>(::write(ends[1], &byte, 1));
  errno = before;
}

void end_by_signal() {
  char number = 0;
  while (::read(ends[0], &number, 1) != 1) {
  }
  // Held to the end: whoever would make another file waits.
  const std::unique_lock<std::mutex> held = hold_interrupts();
  for (const pid_t child : unfinished().children) ::kill(child, SIGTERM);
  std::error_code ignored;
  for (const fs::path& path : unfinished().paths) fs::remove_all(path, ignored);
  ::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
  while (true) ::pause();
}

}  // namespace

void catch_interrupts() {
  handle_both(on_interrupt);
}

bool interrupted() {
  return interrupt_seen;
}

void clean_up_on_interrupt() {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;  // then a signal does what it usually does
  std::thread(end_by_signal).detach();
  handle_both(pass_on);
}

std::unique_lock<std::mutex> hold_interrupts() {
  return std::unique_lock(unfinished().mutex);
}

void note_unfinished(const fs::path& path) {
  unfinished().paths.insert(path);
}

void note_child(pid_t child) {
  unfinished().children.insert(child);
}

void forget_unfinished(const fs::path& path) {
  const auto held = hold_interrupts();
  unfinished().paths.erase(path);
}

void forget_child(pid_t child) {
  const auto held = hold_interrupts();
  unfinished().children.erase(child);
}

}  // namespace phasebit::base
