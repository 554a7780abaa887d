#include "core/base/zstd.h"

#include <memory>

#include <zstd.h>
#include <zstd_errors.h>

namespace phasebit::base {
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
