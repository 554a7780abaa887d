// The ELF reader with its line table, notes and symbols, as the fuzzer calls it.
#include "analysis/cubin/cubin.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const auto cubin = read_cubin_or_stub({reinterpret_cast<const char*>(data), size});
  if (!cubin) return fuzz::refused(cubin.error());
  for (const CubinKernel& kernel : cubin->kernels) {
    if (kernel.size() == 0 || kernel.text.size() % 16 != 0) bug("a kernel without whole words");
    (void)decode_control(kernel.word(kernel.size() - 1));
    if (!kernel.lines.empty() && kernel.lines.size() != kernel.size()) bug("lines are missing");
    if (kernel.files.size() != kernel.lines.size()) bug("files are missing");
    for (const int file : kernel.files)
      if (file < -1 || file >= static_cast<int>(cubin->source_files.size())) bug("no such file");
  }
  return 0;
}
