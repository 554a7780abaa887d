// The reader of nvdisasm's JSON, and of its version, as the fuzzer calls them.
#include "analysis/disassembly/nvdisasm_json.h"
#include "core/isa/version.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)isa::version_in_banner(text);
  const auto read = disassembly::parse_nvdisasm_json(text);
  if (!read) return test::refused(read.error());
  if (read->producer.empty() || read->functions.empty()) bug("an empty disassembly is a result");
  for (const disassembly::DisassembledFunction& function : read->functions)
    if (function.instructions.empty()) bug("a function without instructions is a result");
  return 0;
}
