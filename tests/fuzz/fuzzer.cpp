// One program for all readers: libFuzzer's own main reads the command line, and $PHASEBIT_READER
// says which reader its inputs are for.
#include "tests/fuzz/reader.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

const phasebit::test::FuzzReader& chosen() {
  const char* name = std::getenv("PHASEBIT_READER");
  const auto* reader = phasebit::test::find_fuzz_reader(name == nullptr ? "" : name);
  if (reader == nullptr) phasebit::bug("PHASEBIT_READER names no reader: see tools/fuzz --help");
  return *reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const phasebit::test::FuzzReader& reader = chosen();
  reader.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
