#include "core/base/process.h"

#include <array>
#include <cerrno>
#include <cstring>

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

[[noreturn]] void become(const std::vector<std::string>& arguments, const ProcessOptions& options,
                         Pipe& out, Pipe& err, Pipe& exec_error) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out.write_end, STDOUT_FILENO);
  ::dup2(err.write_end, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const bool here =
      options.working_directory.empty() || ::chdir(options.working_directory.c_str()) == 0;
  if (here) ::execvp(argv[0], argv.data());
  const int code = errno;
  [[maybe_unused]] const ssize_t n = ::write(exec_error.write_end, &code, sizeof code);
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
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    std::array<pollfd, 2> fds{{{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
      return false;
    if (fds[0].revents != 0 && !drain(out.read_end, result.out)) Pipe::close_end(out.read_end);
    if (fds[1].revents != 0 && !drain(err.read_end, result.err)) Pipe::close_end(err.read_end);
  }
  return true;
}

}  // namespace

std::string ProcessOutput::how_it_ended() const {
  if (timed_out) return "was killed at its time limit";
  if (signal != 0) return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exited with {}", exit_status);
}

Result<ProcessOutput> run_process(const std::vector<std::string>& arguments,
                                  const ProcessOptions& options) {
  Pipe out, err, exec_error;
  if (!out.open() || !err.open() || !exec_error.open())
    return fail(Step::io, "cannot make a pipe: {}", std::strerror(errno));
  const auto deadline = Clock::now() + options.timeout;
  const pid_t child = ::fork();
  if (child < 0) return fail(Step::io, "cannot fork: {}", std::strerror(errno));
  if (child == 0) become(arguments, options, out, err, exec_error);
  Pipe::close_end(out.write_end), Pipe::close_end(err.write_end);
  Pipe::close_end(exec_error.write_end);
  ProcessOutput result;
  int code = 0;
  const bool failed_to_start = ::read(exec_error.read_end, &code, sizeof code) == sizeof code;
  if (!collect(out, err, result, deadline)) {
    result.timed_out = true;
    ::kill(child, SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (failed_to_start)
    return fail(Step::io, "cannot start {}: {}", arguments.front(), std::strerror(code));
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  return result;
}

}  // namespace phasebit
