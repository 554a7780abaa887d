// phasebit-bench with the fake device, as a process.
#pragma once

#include "core/base/process.h"
#include "core/results/statistics.h"
#include "core/results/store.h"
#include "tests/bench/fake_bundle.h"

#include <string>
#include <vector>

#include <sys/types.h>

namespace phasebit::test {

struct Program {
  FakeBundle bundle;

  // Writes the bundle, then runs the program on it.
  base::ProcessOutput run(const std::vector<std::string>& flags);
  // The same without waiting for it; what it says goes to file("log").
  pid_t start(const std::vector<std::string>& flags);
  std::vector<results::PointRow> rows(results::PointKind kind);
  // Waits until the store has so many points.
  void await_points(std::size_t count);

 private:
  std::vector<std::string> command(const std::vector<std::string>& flags);
};

// One repetition in the order of the bundle, without A/A controls.
extern const std::vector<std::string> once;
std::vector<std::string> once_with(std::vector<std::string> flags);

bool contains(const std::string& text, const std::string& part);
const results::PointRow* row_of(const std::vector<results::PointRow>& rows, const std::string& id);
// "" without an error, "no row" without a row.
std::string error_of(const std::vector<results::PointRow>& rows, const std::string& id);

}  // namespace phasebit::test
