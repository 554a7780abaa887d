#include "core/base/file.h"

#include "core/base/interrupt.h"
#include "core/base/part_file.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

namespace phasebit::base {

namespace {

Result<std::string> read_all(int fd, const fs::path& path) {
  struct stat about{};
  std::string content(::fstat(fd, &about) == 0 ? static_cast<size_t>(about.st_size) + 1 : 1, '\0');
  size_t filled = 0;
  while (true) {
    const ssize_t n = ::read(fd, content.data() + filled, content.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(Step::io, "cannot read {}: {}", path.string(), std::strerror(errno));
    filled += static_cast<size_t>(n);
    if (n == 0) break;
    if (filled == content.size()) content.resize(2 * filled + 65536);
  }
  content.resize(filled);
  return content;
}

tl::unexpected<Error> cannot_write(const fs::path& path) {
  return fail(Step::io, "cannot write {}: {}", path.string(), std::strerror(errno));
}

Status write_all(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return cannot_write(path);
    content.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

// Two threads may write the same file at once, such as one entry of a cache.
fs::path neighbour(const fs::path& path) {
  static std::atomic<unsigned> count{0};
  return path.string() + fmt::format(".part{}-{}", ::getpid(), count++);
}

// To a file that is there: one that Ctrl-C has just removed is not made again.
Status write_to(const fs::path& file, std::string_view content, const fs::path& path) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return cannot_write(path);
  Status written = write_all(fd, content, path);
  if (::close(fd) != 0 && written) return cannot_write(path);
  return written;
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(Step::io, "cannot read {}: {}", path.string(), std::strerror(errno));
  auto content = read_all(fd, path);
  ::close(fd);
  return content;
}

Status make_folder(const fs::path& folder) {
  std::error_code failed;
  if (!folder.empty()) fs::create_directories(folder, failed);
  // A link to a folder is one, and an error of its own to create_directories.
  std::error_code ignored;
  if (!failed || fs::is_directory(folder, ignored)) return {};
  return fail(Step::io, "cannot make the folder {}: {}", folder.string(), failed.message());
}

Status write_file(const fs::path& path, std::string_view content) {
  PHASEBIT_TRY(make_folder(path.parent_path()));
  std::error_code ignored;
  // A device or a pipe (/dev/null, /dev/stdout) is written to, never replaced.
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) return write_to(path, content, path);
  PHASEBIT_TRY_ASSIGN(part, PartFile::create(path));
  PHASEBIT_TRY(write_to(part.path(), content, path));
  return part.put();
}

Result<PartFile> PartFile::create(const fs::path& place) {
  fs::path path = neighbour(place);
  const auto held = hold_interrupts();
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return cannot_write(place);
  ::close(fd);
  note_unfinished(path);
  return PartFile(place, std::move(path));
}

Status PartFile::put() const {
  if (::rename(path_.c_str(), place_.c_str()) != 0) return cannot_write(place_);
  return {};
}

PartFile::~PartFile() {
  if (path_.empty()) return;
  ::unlink(path_.c_str());
  forget_unfinished(path_);
}

Result<TempDir> TempDir::create() {
  // Not fs::temp_directory_path(), which throws when $TMPDIR is not a folder.
  const char* parent = std::getenv("TMPDIR");
  const bool given = parent != nullptr && *parent != '\0';
  const fs::path where = given ? parent : "/tmp";
  std::string name = (where / "phasebit-XXXXXX").string();
  const auto held = hold_interrupts();
  if (::mkdtemp(name.data()) == nullptr)
    return fail(Step::io, "cannot make a folder in {}: {}", where.string(), std::strerror(errno));
  note_unfinished(name);
  return TempDir(name);
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TempDir::~TempDir() {
  std::error_code ignored;
  if (path_.empty()) return;
  fs::remove_all(path_, ignored);
  forget_unfinished(path_);
}

namespace {

constexpr int level = 19;

template <auto release>
struct Release {
  template <typename Context>
  void operator()(Context* context) const {
    release(context);
  }
};
using Packer = std::unique_ptr<ZSTD_CCtx, Release<ZSTD_freeCCtx>>;
using Unpacker = std::unique_ptr<ZSTD_DCtx, Release<ZSTD_freeDCtx>>;

// Wrong arguments of ours, or no memory.
std::size_t checked(std::size_t code) {
  if (ZSTD_isError(code) != 0) bug(ZSTD_getErrorName(code));
  return code;
}

tl::unexpected<Error> refused(std::size_t code, const std::string& name) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
    return with_hint(fail(Step::io, "{}: its zstd window is above 8 MiB", name),
                     "pack it again with `zstd -19`");
  return with_hint(fail(Step::io, "{}: damaged zstd data: {}", name, ZSTD_getErrorName(code)),
                   "copy it again from where it is whole");
}

}  // namespace

std::string zstd(std::string_view content) {
  const Packer packer(ZSTD_createCCtx());
  checked(ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_compressionLevel, level));
  checked(ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_windowLog, zstd_window_log));
  checked(ZSTD_CCtx_setParameter(packer.get(), ZSTD_c_checksumFlag, 1));
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  packed.resize(checked(
      ZSTD_compress2(packer.get(), packed.data(), packed.size(), content.data(), content.size())));
  return packed;
}

bool is_zstd(std::string_view content) {
  return content.starts_with("\x28\xB5\x2F\xFD");
}

Status unzstd(std::string_view content, const std::string& name, const TakePiece& take,
              std::uint64_t most_bytes) {
  if (!is_zstd(content)) return fail(Step::io, "{} does not begin like a zstd file", name);
  const Unpacker unpacker(ZSTD_createDCtx());
  checked(ZSTD_DCtx_setParameter(unpacker.get(), ZSTD_d_windowLogMax, zstd_window_log));
  std::string piece(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer in{content.data(), content.size(), 0};
  std::size_t expected = 0;  // 0 at the end of a frame
  for (std::uint64_t bytes = 0; in.pos < in.size || expected != 0;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t at = in.pos;
    expected = ZSTD_decompressStream(unpacker.get(), &out, &in);
    if (ZSTD_isError(expected) != 0) return refused(expected, name);
    if (in.pos == at && out.pos == 0)
      return with_hint(fail(Step::io, "{}: cut short", name),
                       "copy it again from where it is whole");
    bytes += out.pos;
    if (bytes > most_bytes) return fail(Step::io, "{}: above {} bytes of text", name, most_bytes);
    PHASEBIT_TRY(take(std::string_view(piece).substr(0, out.pos)));
  }
  return {};
}

}  // namespace phasebit::base
