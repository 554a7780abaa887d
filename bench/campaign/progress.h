// How far a sweep is: one line that is rewritten on a terminal, now and then a plain line
// elsewhere.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace phasebit::bench::campaign {

class Progress {
 public:
  Progress(std::FILE* out, bool terminal) : out_(out), terminal_(terminal) {}

  void begin(std::size_t total);
  void step(const std::string& what, bool failed);
  // Takes the line away, so that others can write.
  void clear();
  void note(const std::string& text);

 private:
  using Clock = std::chrono::steady_clock;
  std::FILE* out_;
  bool terminal_;
  bool shown_ = false;
  std::size_t total_ = 0, done_ = 0, failed_ = 0;
  Clock::time_point start_{}, last_shown_{};
};

// "3 min 20 s", "12 s", "0.4 s"
std::string duration_text(double seconds);

}  // namespace phasebit::bench::campaign
