// Every file of each reader's corpus, whole and cut short, through the function that the fuzzer
// runs.
#include "core/base/file.h"
#include "tests/fuzz/reader.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

fs::path corpus() {
  return base::source_root() / "tests" / "fuzz" / "corpus";
}

void run(const FuzzReader& reader, std::string_view bytes) {
  const std::string copy(bytes);  // of its own, so that a sanitizer sees its end
  reader.run(copy);
}

class Corpus : public testing::TestWithParam<FuzzReader> {};

TEST_P(Corpus, EveryFile) {
  constexpr std::size_t cuts = 16;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(corpus() / GetParam().name)) {
    const auto bytes = base::read_file(entry.path());
    ASSERT_TRUE(bytes) << bytes.error().text();
    run(GetParam(), *bytes);
    const std::size_t step = std::max<std::size_t>(1, bytes->size() / cuts);
    for (std::size_t size = 0; size < bytes->size(); size += step)
      run(GetParam(), std::string_view(*bytes).substr(0, size));
    ++files;
  }
  EXPECT_GE(files, 5U);
}

INSTANTIATE_TEST_SUITE_P(Readers, Corpus, testing::ValuesIn(fuzz_readers()),
                         [](const auto& reader) { return std::string(reader.param.name); });

TEST(CorpusFolders, AreThoseOfTheReaders) {
  std::set<std::string> folders, readers;
  for (const auto& entry : fs::directory_iterator(corpus()))
    folders.insert(entry.path().filename().string());
  for (const FuzzReader& reader : fuzz_readers()) readers.insert(reader.name);
  EXPECT_EQ(folders, readers);
}

}  // namespace
}  // namespace phasebit::test
