#include "core/base/standard_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace phasebit::base {
namespace {

bool is_closed(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) == -1 && errno == EBADF;
}

// A file that is opened later would take the number, and what is printed would go into it.
void hold(int descriptor) {
  if (is_closed(descriptor)) static_cast<void>(::open("/dev/null", O_RDWR));
}

int cannot_write(const char* program, int number) {
  return complain(
      program,
      {Step::io, fmt::format("cannot write to standard output: {}", std::strerror(number)), {}});
}

}  // namespace

int complain(const char* program, const Error& error) {
  std::fputs(fmt::format("{}: {}\n", program, error.text()).c_str(), stderr);
  return base::exit_code(error.step);
}

int with_standard_output(const char* program, const std::function<int()>& body) {
  hold(STDIN_FILENO);
  const bool closed = is_closed(STDOUT_FILENO);
  hold(STDOUT_FILENO);
  hold(STDERR_FILENO);
  if (closed) return cannot_write(program, EBADF);
  try {
    const int status = body();
    if (std::fflush(stdout) != 0) return cannot_write(program, errno);
    return status;
  } catch (const std::filesystem::filesystem_error& error) {  // while listing a folder
    return complain(
        program,
        {Step::io, fmt::format("{}: {}", error.path1().string(), error.code().message()), {}});
  } catch (const std::system_error& error) {  // fmt::print
    return cannot_write(program, error.code().value());
  }
}

}  // namespace phasebit::base
