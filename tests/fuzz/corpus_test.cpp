// Every file of a reader's corpus, whole and cut short, through the entry that the fuzzer uses.
#include "core/base/file.h"
#include "tests/fuzz/reader.h"

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

void run(std::string_view bytes) {
  const std::string copy(bytes);  // of its own, so that a sanitizer sees its end
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(copy.data()), copy.size());
}

TEST(Corpus, EveryFile) {
  const char* folder = std::getenv("PHASEBIT_CORPUS");
  ASSERT_NE(folder, nullptr);
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto bytes = base::read_file(entry.path());
    ASSERT_TRUE(bytes) << bytes.error().text();
    run(*bytes);
    const std::size_t step = std::max<std::size_t>(1, bytes->size() / 64);
    for (std::size_t size = 0; size < bytes->size(); size += step)
      run(std::string_view(*bytes).substr(0, size));
    ++files;
  }
  EXPECT_GE(files, 20U) << folder;
}

}  // namespace
}  // namespace phasebit::test
