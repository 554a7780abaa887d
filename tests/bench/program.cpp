#include "tests/bench/program.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace phasebit::test {

using results::PointKind;
using results::PointRow;

using Clock = std::chrono::steady_clock;

std::vector<std::string> Program::command(const std::vector<std::string>& flags) {
  std::vector<std::string> words = {FAKE_BENCH, "--bundle", bundle.write().string(), "--store",
                                    bundle.file("store.sqlite").string()};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

base::ProcessOutput Program::run(const std::vector<std::string>& flags) {
  auto output = base::run_process(command(flags));
  EXPECT_TRUE(output);
  return output.value_or(base::ProcessOutput{});
}

pid_t Program::start(const std::vector<std::string>& flags) {
  std::vector<std::string> words = command(flags);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = bundle.file("log").string();
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(out, 1);
    ::dup2(out, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

std::vector<PointRow> Program::rows(PointKind kind) {
  std::vector<PointRow> found;
  auto store = results::Store::open(bundle.file("store.sqlite"));
  if (!store) return found;
  const auto all = store->points();
  for (std::size_t n = 0; all && n < all->size(); ++n)
    if ((*all)[n].kind == kind) found.push_back((*all)[n]);
  return found;
}

void Program::await_points(std::size_t count) {
  const auto deadline = Clock::now() + std::chrono::seconds(20);
  // The anchors are told when the store is made: two that make it at once would disturb each other.
  while (!contains(base::read_file(bundle.file("log")).value_or(""), "achieved clock") &&
         Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  while (rows(PointKind::point).size() < count && Clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  ASSERT_GE(rows(PointKind::point).size(), count);
}

const std::vector<std::string> once = {"--benchmark_repetitions=1",
                                       "--benchmark_enable_random_interleaving=false", "--no-aa"};

std::vector<std::string> once_with(std::vector<std::string> flags) {
  flags.insert(flags.end(), once.begin(), once.end());
  return flags;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const PointRow* row_of(const std::vector<PointRow>& rows, const std::string& id) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const PointRow& r) { return r.variant_id == id; });
  return row == rows.end() ? nullptr : &*row;
}

std::string error_of(const std::vector<PointRow>& rows, const std::string& id) {
  const PointRow* row = row_of(rows, id);
  if (row == nullptr) return "no row";
  return row->error ? fmt::format("{}: {}", base::to_string(row->error->step), row->error->message)
                    : "";
}

}  // namespace phasebit::test
