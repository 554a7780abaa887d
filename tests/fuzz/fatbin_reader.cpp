// The outer layout of fatbins and of host files with fatbins in them.
#include "analysis/foreign/fatbin.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto fatbins = find_fatbins(bytes, "file");
  if (!fatbins) return fuzz::refused(fatbins.error());
  for (const std::string_view fatbin : *fatbins)
    if (fatbin.size() < 16 || fatbin.data() < bytes.data() ||
        fatbin.data() + fatbin.size() > bytes.data() + size)
      bug("a fatbin lies outside of the file");
  return 0;
}
