#include "bench/worker/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace phasebit::bench::worker {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int look_up_every_ms = 100;  // for an interrupt

// Milliseconds to wait for, at most look_up_every_ms; rounded up, so that a deadline is not polled
// for.
int wait_ms(std::optional<Clock::time_point> deadline) {
  if (!deadline) return look_up_every_ms;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, look_up_every_ms));
}

}  // namespace

Channel::~Channel() {
  if (fd_ >= 0) ::close(fd_);
}

bool Channel::send(std::string line) {
  line += '\n';
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::send(fd_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

Channel::Received Channel::receive(std::optional<Clock::time_point> deadline, bool (*stop)()) {
  while (true) {
    if (const auto end = pending_.find('\n'); end != std::string::npos) {
      Received received{End::line, pending_.substr(0, end)};
      pending_.erase(0, end + 1);
      return received;
    }
    if (stop != nullptr && stop()) return {End::stopped, {}};
    pollfd waiting{fd_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, wait_ms(deadline));
    if (ready < 0 && errno != EINTR) return {End::closed, {}};
    if (ready <= 0) {
      if (deadline && Clock::now() >= *deadline) return {End::deadline, {}};
      continue;
    }
    std::array<char, 65536> chunk{};
    const ssize_t n = ::recv(fd_, chunk.data(), chunk.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {End::closed, {}};
    pending_.append(chunk.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace phasebit::bench::worker
