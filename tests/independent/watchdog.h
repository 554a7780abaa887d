// Runs numbered units of work in a child process. A child that dies or falls silent costs one unit:
// a new child goes on with the next. The parent never touches CUDA, so a lost context is the
// child's alone.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace independent {

// Longest silence of a child: start of CUDA, or the launches of one row.
inline constexpr int default_silence_limit_ms = 30'000;

// The child's end of the pipe. Lines start with their kind.
class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}
  void row(const std::string& json) const { send('R', json); }
  void error_row(const std::string& json) const { send('E', json); }
  void summary(const std::string& text) const { send('S', text); }
  void unit_done() const { send('D', ""); }
  // The unit is done, but this child can do no more.
  void unit_done_and_end() const { send('N', ""); }
  void stop(const std::string& reason) const { send('X', reason); }

 private:
  void send(char kind, const std::string& text) const {
    const std::string line = kind + text + '\n';
    size_t sent = 0;
    while (sent < line.size()) {
      const ssize_t written = write(fd_, line.data() + sent, line.size() - sent);
      if (written <= 0) _exit(5);
      sent += static_cast<size_t>(written);
    }
  }

  int fd_;
};

struct WatchdogHooks {
  std::function<void(size_t first_unit, const Channel&)> work;  // in the child
  std::function<void(const std::string&)> row;
  std::function<void(const std::string&)> summary;
  std::function<void(size_t unit, const std::string& why)> lost;
};

class Watchdog {
 public:
  Watchdog(size_t num_units, WatchdogHooks hooks, int silence_limit_ms = default_silence_limit_ms)
      : num_units_(num_units), hooks_(std::move(hooks)), silence_limit_ms_(silence_limit_ms) {}

  // True if each unit was done without an error row.
  bool run() {
    while (unit_ < num_units_ && !stopped_) {
      replace_child_ = false;
      const std::string why = run_child();
      if (replace_child_ || stopped_ || unit_ >= num_units_) continue;
      ++num_errors_;
      hooks_.lost(unit_++, why);
    }
    return !stopped_ && num_errors_ == 0;
  }

 private:
  // Returns why the child ended.
  std::string run_child() {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0) return "no child process";
    if (child == 0) {
      close(ends[0]);
      hooks_.work(unit_, Channel(ends[1]));
      _exit(0);
    }
    close(ends[1]);
    const bool silent = !listen(ends[0]);
    close(ends[0]);
    if (silent) kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (silent) return "the child was silent for " + std::to_string(silence_limit_ms_) + " ms";
    return "the child ended with status " + std::to_string(status);
  }

  // False when the child falls silent.
  bool listen(int fd) {
    std::string pending;
    char buffer[4096];
    pollfd watched{fd, POLLIN, 0};
    while (poll(&watched, 1, silence_limit_ms_) > 0) {
      const ssize_t got = read(fd, buffer, sizeof buffer);
      if (got <= 0) return true;
      pending.append(buffer, static_cast<size_t>(got));
      size_t end = 0;
      while ((end = pending.find('\n')) != std::string::npos) {
        take(pending[0], pending.substr(1, end - 1));
        pending.erase(0, end + 1);
      }
    }
    return false;
  }

  void take(char kind, const std::string& text) {
    if (kind == 'R' || kind == 'E') hooks_.row(text);
    if (kind == 'E') ++num_errors_;
    if (kind == 'S') hooks_.summary(text);
    if (kind == 'D' || kind == 'N') ++unit_;
    if (kind == 'N') replace_child_ = true;
    if (kind == 'X') {
      hooks_.summary(text);
      stopped_ = true;
    }
  }

  size_t num_units_;
  WatchdogHooks hooks_;
  int silence_limit_ms_;
  size_t unit_ = 0;
  size_t num_errors_ = 0;
  bool replace_child_ = false;
  bool stopped_ = false;
};

}  // namespace independent
