// The reader of `nvdisasm -plr`'s text, and the header that is given to older files for it.
#include "analysis/disassembly/live.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (disassembly::with_present_header(text).size() != size)
    bug("the header changed the size of the file");
  const auto table = disassembly::parse_life_ranges(text);
  if (!table) return test::refused(table.error());
  if (table->empty()) bug("an empty table is a result");
  return 0;
}
