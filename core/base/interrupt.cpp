#include "core/base/interrupt.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
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

// Without reaping it: that is for the thread that started it.
bool has_ended(pid_t child) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid == child;
}

// Asks all to end, then makes them: what still runs may write into a folder that is removed.
void end_children(const std::set<pid_t>& children) {
  for (const pid_t child : children) ::kill(child, SIGTERM);
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  const auto ended = [&] { return std::all_of(children.begin(), children.end(), has_ended); };
  while (!ended() && std::chrono::steady_clock::now() < last)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  for (const pid_t child : children)
    if (!has_ended(child)) ::kill(child, SIGKILL);
}

// Another thread may just be giving a file its name there.
void remove_for_good(const fs::path& path) {
  for (int tries = 0; tries < 100; ++tries) {
    std::error_code failed;
    fs::remove_all(path, failed);
    if (!failed) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void end_by_signal() {
  char number = 0;
  while (::read(ends[0], &number, 1) != 1) {
  }
  // Held to the end: a thread that would make another file waits.
  const std::unique_lock<std::mutex> held = hold_interrupts();
  end_children(unfinished().children);
  for (const fs::path& path : unfinished().paths) remove_for_good(path);
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
