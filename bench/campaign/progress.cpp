#include "bench/campaign/progress.h"

#include "core/base/text.h"

#include <fmt/format.h>

namespace phasebit::bench::campaign {
namespace {

// Often enough to see it move; writing to a terminal costs as much as a small point.
constexpr auto terminal_period = std::chrono::milliseconds(100);
constexpr auto plain_period = std::chrono::seconds(10);
constexpr std::size_t shown_width = 60;

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  return base::whole_duration_text(seconds);
}

void Progress::begin(std::size_t total) {
  total_ = total;
  done_ = failed_ = 0;
  start_ = last_shown_ = Clock::now();
}

void Progress::step(const std::string& what, bool failed) {
  ++done_;
  if (failed) ++failed_;
  const auto now = Clock::now();
  const bool last = done_ == total_;
  if (!last && now - last_shown_ < (terminal_ ? Clock::duration(terminal_period) : plain_period))
    return;
  last_shown_ = now;
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = spent / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  const std::string errors = failed_ == 0 ? "" : fmt::format(", {} failed", failed_);
  const std::string text =
      fmt::format("[{}/{}] {} left{}", done_, total_, duration_text(left), errors);
  if (terminal_)
    fmt::print(out_, "\r\033[K{}  {}", text, what.substr(0, shown_width));
  else
    fmt::print(out_, "{}\n", text);
  std::fflush(out_);
  shown_ = terminal_;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(out_, "\r\033[K");
  std::fflush(out_);
  shown_ = false;
}

void Progress::note(const std::string& text) {
  clear();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

}  // namespace phasebit::bench::campaign
