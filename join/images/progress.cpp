#include "join/images/progress.h"

#include "core/base/text.h"

#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace phasebit::join::images {

namespace {

using std::chrono::seconds;

constexpr seconds patience(2);
constexpr std::chrono::milliseconds between(200);

}  // namespace

std::string progress_text(const std::string& step, std::size_t done, std::size_t all,
                          std::chrono::duration<double> elapsed) {
  std::string text = fmt::format("{}: {} of {}", step, done, all);
  if (done == 0 || done > all) return text;
  const double left = elapsed.count() * static_cast<double>(all - done) / static_cast<double>(done);
  return fmt::format("{}, {} left", text, base::whole_duration_text(left));
}

ProgressLine::ProgressLine(std::FILE* out, std::string step, Clock clock)
    : out_(out), step_(std::move(step)), clock_(std::move(clock)), begin_(clock_()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::operator()(std::size_t done, std::size_t all) {
  const auto now = clock_();
  if (done < before_) begin_ = now;  // the next group of the same step
  before_ = done;
  if (done >= all) return clear();
  if (now - begin_ < patience || (shown_ && now - last_ < between)) return;
  last_ = now;
  shown_ = true;
  fmt::print(out_, "\r\033[K{}", progress_text(step_, done, all, now - begin_));
  std::fflush(out_);
}

void ProgressLine::clear() {
  if (!std::exchange(shown_, false)) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
}

std::function<void(std::size_t done, std::size_t all)> progress_on_terminal(std::string step) {
  if (::isatty(STDERR_FILENO) == 0) return {};
  const auto line = std::make_shared<ProgressLine>(stderr, std::move(step));
  return [line](std::size_t done, std::size_t all) { (*line)(done, all); };
}

std::optional<double> benchmark_figure(const base::Home& home, const std::string& file,
                                       const std::string& name) {
  const auto text = base::read_file(home.data / "results" / "benchmarks" / (file + ".txt"));
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    double value = 0;
    if (words >> word >> value && word == name) return value;
  }
  return std::nullopt;
}

Estimate estimate(const base::Home& home, double variants) {
  Estimate out;
  const auto cores = benchmark_figure(home, "assemble", "timed_cold_cores");
  const auto images = benchmark_figure(home, "assemble", "timed_images");
  if (cores && images && *images > 0) out.assemble_core_seconds = variants * *cores / *images;
  const auto rate = benchmark_figure(home, "points", "points_per_second");
  if (rate && *rate > 0) out.measure_seconds = variants / *rate;
  return out;
}

std::string describe(const Estimate& estimate) {
  const auto seconds = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string("an unknown number of");
  };
  return fmt::format(
      "estimated: {} core seconds to assemble for one target, {} seconds to measure once "
      "(from results/benchmarks)",
      seconds(estimate.assemble_core_seconds), seconds(estimate.measure_seconds));
}

}  // namespace phasebit::join::images
