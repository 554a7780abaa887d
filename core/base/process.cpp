#include "core/base/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int read_end = -1, write_end = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0], write_end = ends[1];
    return true;
  }
  static void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  ~Pipe() { close_end(read_end), close_end(write_end); }
};

// Why a child could not become the program; sent through a pipe that a successful exec closes.
struct StartError {
  bool in_chdir = false;
  int code = 0;
};

// In the child. Nothing here may allocate: another thread may have held a lock at the fork.
[[noreturn]] void become(char* const* argv, const ProcessOptions& options, Pipe& out, Pipe& err,
                         Pipe& start_error) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  const bool here =
      options.working_directory.empty() || ::chdir(options.working_directory.c_str()) == 0;
  if (here) ::execvp(argv[0], argv);
  const StartError error{!here, errno};
  [[maybe_unused]] const ssize_t n = ::write(start_error.write_end, &error, sizeof error);
  ::_exit(127);
}

// Appends what is there; false at the end of the stream.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> chunk{};
  const ssize_t n = ::read(fd, chunk.data(), chunk.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  into.append(chunk.data(), static_cast<size_t>(n));
  return n > 0;
}

// Reads both streams until they end or the deadline passes.
bool collect(Pipe& out, Pipe& err, ProcessOutput& result, Clock::time_point deadline) {
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> fds{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    if (fds[0].revents != 0 && !drain(out.read_end, result.out)) Pipe::close_end(out.read_end);
    if (fds[1].revents != 0 && !drain(err.read_end, result.err)) Pipe::close_end(err.read_end);
  }
  return true;
}

// What the child sent before it could start; nothing when it did start.
std::optional<StartError> read_start_error(int fd) {
  StartError error;
  ssize_t n = 0;
  do {
    n = ::read(fd, &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof error) return std::nullopt;
  return error;
}

// Waits for the end; false when the deadline passes first. A child may close its streams and go on.
bool wait_until(pid_t child, int& status, Clock::time_point deadline) {
  auto pause = std::chrono::microseconds(50);
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

}  // namespace

std::string ProcessOutput::how_it_ended() const {
  if (timed_out) return "was killed at its time limit";
  if (signal != 0) return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exited with {}", exit_status);
}

Result<ProcessOutput> run_process(const std::vector<std::string>& arguments,
                                  const ProcessOptions& options) {
  Pipe out, err, start_error;
  if (!out.open() || !err.open() || !start_error.open())
    return fail(Step::io, "cannot make a pipe: {}", std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const auto deadline = Clock::now() + options.timeout;
  const pid_t child = ::fork();
  if (child < 0) return fail(Step::io, "cannot fork: {}", std::strerror(errno));
  if (child == 0) become(argv.data(), options, out, err, start_error);
  Pipe::close_end(out.write_end), Pipe::close_end(err.write_end);
  Pipe::close_end(start_error.write_end);
  ProcessOutput result;
  const auto failed = read_start_error(start_error.read_end);
  int status = 0;
  if (!collect(out, err, result, deadline) || !wait_until(child, status, deadline)) {
    result.timed_out = true;
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (failed)
    return fail(Step::io, "cannot start {}: {}{}", arguments.front(),
                failed->in_chdir ? fmt::format("cannot enter {}: ", options.working_directory) : "",
                std::strerror(failed->code));
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  return result;
}

}  // namespace phasebit
