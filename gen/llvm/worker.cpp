#include "gen/llvm/worker.h"

#include "core/base/home.h"
#include "core/base/text.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace phasebit::llvm {

using Clock = std::chrono::steady_clock;

// One process, its standard input and output on one socket, what else it says in memory.
struct Worker::Process {
  pid_t child = -1;
  int socket = -1;
  int said = -1;
  std::string read;  // and not taken yet

  ~Process() {
    if (socket >= 0) ::close(socket);
    if (said >= 0) ::close(said);
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
  }

  Status start(const fs::path& program);
  bool send(std::string_view bytes) const;
  bool receive(Clock::time_point deadline);
  std::string last_words() const;
  std::string end(bool timed_out);
};

Status Worker::Process::start(const fs::path& program) {
  std::array<int, 2> ends{-1, -1};
  said = ::memfd_create("phasebit-llvm", MFD_CLOEXEC);
  if (said < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail(Step::toolchain, "cannot start {}: {}", program.string(), std::strerror(errno));
  socket = ends[0];
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  std::string path = program.string();
  std::array<char*, 2> argv{path.data(), nullptr};
  const int error = ::posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error == 0) return {};
  child = -1;
  return fail(Step::toolchain, "cannot start {}: {}", path, std::strerror(error));
}

bool Worker::Process::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

// Some bytes more; false at the end of the stream or at the deadline.
bool Worker::Process::receive(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd ready{socket, POLLIN, 0};
  if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
  std::array<char, 65536> chunk{};
  const ssize_t n = ::read(socket, chunk.data(), chunk.size());
  if (n <= 0) return false;
  read.append(chunk.data(), static_cast<size_t>(n));
  return true;
}

// The line that says most: LLVM's own error, which comes before its trace of calls.
std::string Worker::Process::last_words() const {
  std::array<char, 4096> text{};
  const ssize_t n = ::pread(said, text.data(), text.size(), 0);
  std::string_view rest(text.data(), n > 0 ? static_cast<size_t>(n) : 0);
  std::string last;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(base::trimmed(rest.substr(0, end)));
    if (line.starts_with("LLVM ERROR: ") || line.find("Assertion") != std::string::npos)
      return line;
    if (!line.empty() && last.empty()) last = line;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return last;
}

std::string Worker::Process::end(bool timed_out) {
  if (timed_out) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = -1;
  const std::string words = last_words();
  const std::string how = timed_out ? fmt::format("was killed after {} s", limit.count())
                          : WIFSIGNALED(status)
                              ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                            strsignal(WTERMSIG(status)))
                              : fmt::format("exited with {}", WEXITSTATUS(status));
  return words.empty() ? how : fmt::format("{}: {}", how, words);
}

Worker::Worker(fs::path program) : program_(std::move(program)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

namespace {

// "ptx 844\n" and 844 bytes, taken off the front; nothing while they are not all there.
struct Part {
  std::string kind, text;
};
std::optional<Part> take_part(std::string& read) {
  const size_t line = read.find('\n');
  const size_t blank = read.find(' ');
  if (line == std::string::npos || blank > line) return std::nullopt;
  size_t bytes = 0;
  std::from_chars(read.data() + blank + 1, read.data() + line, bytes);
  if (read.size() < line + 1 + bytes) return std::nullopt;
  Part part{read.substr(0, blank), read.substr(line + 1, bytes)};
  read.erase(0, line + 1 + bytes);
  return part;
}

}  // namespace

Result<Lowered> Worker::lower(const std::string& name, std::string_view ir,
                              const Options& options) {
  if (!process_) {
    auto process = std::make_unique<Process>();
    PHASEBIT_TRY(process->start(program_));
    process_ = std::move(process);
  }
  const auto deadline = Clock::now() + limit;
  const std::string head =
      fmt::format("compile {} {} {} {} {} {}\n", ir.size(), options.target, options.ptx,
                  options.opt_level, options.short_pointers ? 1 : 0, name);
  Lowered made;
  bool going = process_->send(head) && process_->send(ir);
  while (going) {
    const auto part = take_part(process_->read);
    if (!part) {
      going = process_->receive(deadline);
    } else if (part->kind == "asm") {
      made.inline_asm.push_back(part->text);
    } else if (part->kind == "ptx") {
      made.ptx = part->text;
      return made;
    } else {
      return fail(Step::render, "{}", part->text);
    }
  }
  const std::string how = process_->end(Clock::now() >= deadline);
  process_.reset();
  return fail(Step::render, "{}: LLVM {} {}", name, built_version(), how);
}

namespace {

constexpr const char* name = "phasebit-llvm";

}  // namespace

std::string_view built_version() {
  return PHASEBIT_LLVM_VERSION;
}

Result<fs::path> find_program() {
  if (built_version().empty())
    return with_hint(fail(Step::toolchain, "this phasebit was built without LLVM"),
                     "install llvm-22-dev, then `meson configure BUILD -Dllvm=enabled`");
  if (auto found = base::find_beside_program({name, fs::path("gen/llvm_program") / name}))
    return *std::move(found);
  return with_hint(fail(Step::toolchain, "no {} next to {} or in its build folder", name,
                        base::surroundings().program.string()),
                   "`ninja gen/llvm_program/phasebit-llvm`, or install it next to phasebit");
}

Result<std::string> version_named(const std::string& word) {
  if (const auto program = find_program(); !program) return tl::unexpected<Error>(program.error());
  std::string built(built_version());
  if (built == word || built.starts_with(word + ".")) return built;
  return fail(Step::usage, "llvm={}: this phasebit has LLVM {}", word, built);
}

}  // namespace phasebit::llvm
