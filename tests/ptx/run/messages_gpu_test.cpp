// Each message of the table, ten million times on a GPU: none that is ordered by the model is read
// stale. Needs PHASEBIT_MESSAGES, a folder that pack_messages made; skips, saying so, without one
// and without a GPU. PHASEBIT_MESSAGE_COUNT is another number, PHASEBIT_TABLE a file for the table.
#include "bench/device/cuda_device.h"
#include "tests/ptx/run/messages.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

using bench::device::Device;

constexpr int threads = 64;
constexpr std::size_t bytes_each = 4096;  // of a pair or a CTA
constexpr std::uint32_t most_rounds = 8192;
constexpr auto most_time = std::chrono::seconds(10);  // of a launch

struct Counts {
  std::uint64_t stale = 0, lost = 0, passed = 0;
  int pairs_of_two_sms = 0;  // of the last launch
};

class Runner {
 public:
  Runner(Device& device, Device::Module module) : device_(device), module_(module) {}

  Status prepare() {
    PHASEBIT_TRY_ASSIGN(out, device_.allocate(bytes_each * static_cast<std::size_t>(most_ctas())));
    PHASEBIT_TRY_ASSIGN(counts, device_.allocate(16));
    out_ = out;
    counts_ = counts;
    return {};
  }

  Result<Counts> run(std::size_t number, std::uint64_t wanted) {
    const Message& message = messages()[number];
    const int per_cluster = message.place == Place::cluster ? 2 : 1;
    PHASEBIT_TRY_ASSIGN(function, device_.function(module_, entry_of(number), 0));
    launch::ExternalLaunch launch;
    launch.grid = {ctas_of(message.place) == 2 ? most_ctas() / 2 : most_ctas(), 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = {per_cluster, 1, 1};
    launch.parameter_bytes = 20;
    launch.starts = {0, 8, 16};
    Counts sum;
    std::uint32_t rounds = 256;  // at first: how long it takes is not known
    while (sum.passed < wanted) {
      PHASEBIT_TRY_ASSIGN(counts, run(function, launch, rounds));
      sum.stale += counts.stale;
      sum.lost += counts.lost;
      sum.passed += counts.passed;
      if (sum.lost > 0) break;
      rounds = most_rounds;
    }
    if (ctas_of(message.place) == 2) PHASEBIT_TRY(find_sms(sum));
    return sum;
  }

 private:
  Status find_sms(Counts& counts) {
    std::vector<std::uint32_t> words(bytes_each / 4 * static_cast<std::size_t>(most_ctas() / 2));
    PHASEBIT_TRY(device_.read(out_, words.data(), 4 * words.size()));
    for (std::size_t first = 768; first < words.size(); first += bytes_each / 4)
      counts.pairs_of_two_sms += words[first] != words[first + 1] ? 1 : 0;
    return {};
  }

  int most_ctas() const { return 4 * device_.info().row.multiprocessors; }

  Result<Counts> run(Device::Function function, const launch::ExternalLaunch& launch,
                     std::uint32_t rounds) {
    PHASEBIT_TRY(device_.fill(out_, 0, bytes_each / 4 * static_cast<std::size_t>(most_ctas())));
    PHASEBIT_TRY(device_.fill(counts_, 0, 4));
    std::vector<std::byte> parameters(20);
    std::memcpy(parameters.data(), &out_, 8);
    std::memcpy(parameters.data() + 8, &counts_, 8);
    std::memcpy(parameters.data() + 16, &rounds, 4);
    PHASEBIT_TRY_ASSIGN(
        took,
        device_.launch_external(function, launch, parameters,
                                std::chrono::duration_cast<std::chrono::milliseconds>(most_time)));
    static_cast<void>(took);
    std::uint32_t counts[4] = {};
    PHASEBIT_TRY(device_.read(counts_, counts, sizeof counts));
    return Counts{counts[0], counts[1], counts[2]};
  }

  Device& device_;
  Device::Module module_;
  Device::Address out_ = 0, counts_ = 0;
};

std::string row_of(const Message& message, const Counts& counts) {
  const std::string writer = opcodes_of(message.write + message.signal);
  return fmt::format("{},{},\"{}\",\"{}\",\"{}\",{},{},{},{},{}\n", message.family,
                     to_string(message.place), writer, opcodes_of(message.wait + message.read),
                     message.section, message.is_ordered() ? "ordered" : message.finding,
                     counts.passed, counts.stale, counts.lost, counts.pairs_of_two_sms);
}

TEST(MessagesOnTheGpu, AreReadAsTheModelSays) {
  const char* folder = std::getenv("PHASEBIT_MESSAGES");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_MESSAGES names no folder";
  const auto code = base::read_file(fs::path(folder) / "messages.cubin");
  ASSERT_TRUE(code) << code.error().text();
  const auto device = bench::device::open_cuda_device({0, false, {}});
  if (!device) GTEST_SKIP() << device.error().text();
  const auto module = (*device)->load(*code);
  ASSERT_TRUE(module) << module.error().text();
  Runner runner(**device, *module);
  const Status prepared = runner.prepare();
  ASSERT_TRUE(prepared) << prepared.error().text();
  const char* count = std::getenv("PHASEBIT_MESSAGE_COUNT");
  const std::uint64_t wanted = count == nullptr ? 10'000'000 : std::strtoull(count, nullptr, 10);
  const char* file = std::getenv("PHASEBIT_TABLE");
  std::ofstream table(file == nullptr ? "/dev/stdout" : file);
  const results::DeviceRow& row = (*device)->info().row;
  table << fmt::format("# {}, driver {}\n", row.name, row.driver);
  table << "family,place,writer,reader,section,check,messages,stale,given_up,pairs_of_two_sms\n";
  for (std::size_t n = 0; n < messages().size(); ++n) {
    const auto counts = runner.run(n, wanted);
    // After a launch that does not end nothing else can run.
    ASSERT_TRUE(counts) << entry_of(n) << ": " << counts.error().text() << "\n"
                        << once(messages()[n]);
    table << row_of(messages()[n], *counts) << std::flush;
    // A poll at the scope of a CTA need not see what another CTA stores.
    const bool is_wrong = messages()[n].is_ordered() && counts->stale + counts->lost > 0;
    EXPECT_FALSE(is_wrong) << counts->stale << " of " << counts->passed << " stale, "
                           << counts->lost << " waits given up\n"
                           << once(messages()[n]);
  }
}

}  // namespace
}  // namespace phasebit::test
