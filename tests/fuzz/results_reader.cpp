// Files of results: what is read is written, and written again as the same text.
#include "core/store/flat.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto results = store::read_flat("a.csv", bytes, store::no_samples);
  if (!results) {
    const Step step = results.error().step;
    if ((step != Step::store && step != Step::io) || !results.error().message.starts_with("a.csv"))
      bug("an error without the file's name");
    return 0;
  }
  const std::string text = store::to_csv(*results);
  const auto again = store::read_flat("a.csv", text, store::no_samples);
  if (!again) bug(again.error().text());
  if (again->points.size() != results->points.size()) bug("rows are lost");
  if (store::to_csv(*again) != text) bug("written again it is another text");
  return 0;
}
