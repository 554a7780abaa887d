// The ELF reader with its line table, notes and symbols, and what pads a cubin, as the fuzzer calls
// them.
#include "analysis/cubin/change/padding.h"
#include "analysis/cubin/cubin.h"
#include "tests/fuzz/reader.h"

namespace {

// What is padded can be read and is of the same classes.
void pad(std::string_view bytes) {
  using namespace phasebit;
  constexpr int padding = 208;
  const auto padded = cubin::change::pad_cubin(bytes, padding);
  if (!padded) return static_cast<void>(test::refused(padded.error()));
  const auto before = cubin::read_cubin_or_stub(bytes), after = cubin::read_cubin_or_stub(*padded);
  if (before.has_value() != after.has_value()) bug("what is padded cannot be read");
  if (before && before->kernels.size() != after->kernels.size()) bug("kernels are missing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  pad(bytes);
  const auto cubin = cubin::read_cubin_or_stub(bytes);
  if (!cubin) return test::refused(cubin.error());
  for (const cubin::CubinKernel& kernel : cubin->kernels) {
    if (kernel.size() == 0 || kernel.text.size() % 16 != 0) bug("a kernel without whole words");
    (void)cubin::decode_control(kernel.word(kernel.size() - 1));
    if (!kernel.lines.empty() && kernel.lines.size() != kernel.size()) bug("lines are missing");
    if (kernel.frames.size() != kernel.lines.size()) bug("frames are missing");
    for (const int frame : kernel.frames)
      if (frame < -1 || frame >= static_cast<int>(cubin->source.frames.size()))
        bug("no such frame");
  }
  return 0;
}
