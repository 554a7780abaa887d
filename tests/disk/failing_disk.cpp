// Preloaded: calls that write below $DISK_UNDER succeed $DISK_TAKES times, then fail with the errno
// $DISK_SAYS. Each process appends how many such calls it made to the file $DISK_COUNT.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

int number_in(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

struct Disk {
  std::string under = std::getenv("DISK_UNDER") == nullptr ? "/nowhere" : std::getenv("DISK_UNDER");
  int takes = number_in("DISK_TAKES", -1);
  int says = number_in("DISK_SAYS", ENOSPC);
  int calls = 0;
  ~Disk() {
    const char* file = std::getenv("DISK_COUNT");
    std::FILE* out = file == nullptr ? nullptr : std::fopen(file, "a");
    if (out == nullptr) return;
    std::fprintf(out, "%d\n", calls);
    std::fclose(out);
  }
};

Disk& disk() {
  static Disk one;
  return one;
}

bool lies_there(const char* path) {
  return std::strncmp(path, disk().under.c_str(), disk().under.size()) == 0;
}

bool fails(const char* path) {
  const int before = errno;
  const bool mine = lies_there(path) && std::strstr(path, "-shm") == nullptr;
  errno = before;
  if (!mine) return false;
  ++disk().calls;
  if (disk().takes < 0 || disk().calls <= disk().takes) return false;
  errno = disk().says;
  return true;
}

bool fails(int descriptor) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const ssize_t bytes = ::readlink(link.c_str(), path, sizeof path - 1);
  if (bytes < 0) return false;
  path[bytes] = '\0';
  return fails(path);
}

template <typename Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool makes(const char* path, int flags) {
  return (flags & O_CREAT) != 0 && ::access(path, F_OK) != 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, flags);
  const mode_t mode = __builtin_va_arg(list, mode_t);
  __builtin_va_end(list);
  if (makes(path, flags) && fails(path)) return -1;
  return next("open", open)(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, flags);
  const mode_t mode = __builtin_va_arg(list, mode_t);
  __builtin_va_end(list);
  if (makes(path, flags) && fails(path)) return -1;
  return next("open64", open64)(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  return fails(descriptor) ? -1 : next("write", write)(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t at) {
  return fails(descriptor) ? -1 : next("pwrite64", pwrite64)(descriptor, bytes, count, at);
}

int rename(const char* from, const char* to) {
  return fails(to) ? -1 : next("rename", rename)(from, to);
}

int mkdir(const char* path, mode_t mode) {
  return fails(path) ? -1 : next("mkdir", mkdir)(path, mode);
}

char* mkdtemp(char* path) {
  return fails(path) ? nullptr : next("mkdtemp", mkdtemp)(path);
}

}  // extern "C"
