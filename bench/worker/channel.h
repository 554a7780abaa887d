// Lines of text over a socket, with a deadline.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <optional>
#include <string>

namespace phasebit::bench::worker {

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}
  Channel(Channel&& other) noexcept : fd_(other.fd_), pending_(std::move(other.pending_)) {
    other.fd_ = -1;
  }
  Channel& operator=(Channel&&) = delete;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  enum class End { line, closed, deadline, stopped };
  struct Received {
    End end = End::closed;
    std::string line;
  };

  // False when the other side is gone.
  bool send(std::string line);
  // Waits for a line until the deadline (none: forever) or until `stop` says so.
  Received receive(std::optional<std::chrono::steady_clock::time_point> deadline, bool (*stop)());

 private:
  int fd_;
  std::string pending_;
};

}  // namespace phasebit::bench::worker
