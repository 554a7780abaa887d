#include "core/base/process.h"

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/interrupt.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::base {

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

// What a child begins with. A child is spawned, not forked: the page tables of a parent with
// gigabytes are not copied for it.
class SpawnActions {
 public:
  SpawnActions(const ProcessOptions& options, const Pipe& out, const Pipe& err) {
    ::posix_spawn_file_actions_init(&actions_);
    if (!options.own_streams) {
      add(::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
      add(::posix_spawn_file_actions_adddup2(&actions_, out.write_end, STDOUT_FILENO));
      add(::posix_spawn_file_actions_adddup2(&actions_, err.write_end, STDERR_FILENO));
    }
    if (!options.working_directory.empty())
      add(::posix_spawn_file_actions_addchdir_np(&actions_, options.working_directory.c_str()));
  }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

  // 0, or why not.
  int spawn(pid_t& child, char* const* argv) const {
    return error_ != 0 ? error_
                       : ::posix_spawnp(&child, argv[0], &actions_, nullptr, argv, environ);
  }

 private:
  void add(int error) {
    if (error_ == 0) error_ = error;
  }
  posix_spawn_file_actions_t actions_{};
  int error_ = 0;
};

// A child that is there is known, to be ended with us.
int spawn_noted(const SpawnActions& actions, pid_t& child, char* const* argv) {
  const auto held = hold_interrupts();
  const int error = actions.spawn(child, argv);
  if (error == 0) note_child(child);
  return error;
}

// posix_spawn says why, not which step it was.
bool can_enter(const std::string& folder) {
  struct stat about{};
  return folder.empty() || (::stat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                            ::access(folder.c_str(), X_OK) == 0);
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

// Waits for the end; false when the deadline passes first. A child may close its streams and go on.
// A SIGTERM that we have caught is passed on; what a terminal sends goes to the child as well.
bool wait_until(pid_t child, int& status, Clock::time_point deadline) {
  auto pause = std::chrono::microseconds(50);
  bool passed_on = false;
  while (true) {
    if (interrupted() && !passed_on) {
      ::kill(child, SIGTERM);
      passed_on = true;
    }
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
  Pipe out, err;
  if (!out.open() || !err.open())
    return fail(Step::io, "cannot make a pipe: {}", std::strerror(errno));
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const auto deadline = Clock::now() + options.timeout;
  pid_t child = 0;
  if (const int error = spawn_noted(SpawnActions(options, out, err), child, argv.data());
      error != 0)
    return fail(Step::io, "cannot start {}: {}{}", arguments.front(),
                can_enter(options.working_directory)
                    ? ""
                    : fmt::format("cannot enter {}: ", options.working_directory),
                std::strerror(error));
  Pipe::close_end(out.write_end), Pipe::close_end(err.write_end);
  ProcessOutput result;
  int status = 0;
  if (!collect(out, err, result, deadline) || !wait_until(child, status, deadline)) {
    result.timed_out = true;
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  forget_child(child);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  return result;
}

const std::string& program_hash() {
  static const std::string hash = [] {
    const auto bytes = read_file("/proc/self/exe");
    return bytes ? content_hash(*bytes) : std::string();
  }();
  return hash;
}

}  // namespace phasebit::base
