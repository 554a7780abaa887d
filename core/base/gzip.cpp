#include "core/base/gzip.h"

#include <array>

#include <zlib.h>

namespace phasebit::base {
namespace {

constexpr int gzip_window = 15 + 16;  // zlib.h: 16 more asks for a gzip header and trailer
constexpr int most_memory = 9;

// zlib takes what it reads as not const, but does not write to it.
void give(z_stream& stream, std::string_view content) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
}

// Calls `step` until it says that there is no more, and collects what it writes.
template <typename Step>
int collect(z_stream& stream, std::string& out, const Step& step) {
  std::array<char, 1 << 16> buffer{};
  int code = Z_OK;
  while (code == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    code = step();
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  return code;
}

}  // namespace

std::string gzip(std::string_view content) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, most_memory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    bug("deflateInit2 failed");
  give(stream, content);
  std::string out;
  const int code = collect(stream, out, [&] { return deflate(&stream, Z_FINISH); });
  deflateEnd(&stream);
  if (code != Z_STREAM_END) bug("deflate failed");
  return out;
}

Result<std::string> gunzip(std::string_view content, const std::string& name) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_window) != Z_OK) bug("inflateInit2 failed");
  give(stream, content);
  std::string out;
  const int code = collect(stream, out, [&] { return inflate(&stream, Z_NO_FLUSH); });
  const bool whole = code == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (whole) return out;
  return with_hint(fail(Step::io, "{} is no gzip file, damaged or cut short", name),
                   "copy it again from where it is whole");
}

}  // namespace phasebit::base
