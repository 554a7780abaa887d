#include "core/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace phasebit::base {

std::string_view to_string(Step step) {
  switch (step) {
    case Step::usage: return "usage";
    case Step::spec: return "spec";
    case Step::render: return "render";
    case Step::toolchain: return "toolchain";
    case Step::assemble: return "assemble";
    case Step::disassemble: return "disassemble";
    case Step::gate: return "gate";
    case Step::bundle: return "bundle";
    case Step::device: return "device";
    case Step::guard: return "guard";
    case Step::launch: return "launch";
    case Step::verify: return "verify";
    case Step::store: return "store";
    case Step::io: return "io";
  }
  bug("unknown step");
}

int exit_code(Step step) {
  return step == Step::usage ? 2 : 10 + static_cast<int>(step);
}

std::string Error::text() const {
  std::string out = fmt::format("{}: {}", to_string(step), message);
  if (!hint.empty()) out += fmt::format(" ({})", hint);
  return out;
}

void bug(std::string_view what) {
  fmt::print(stderr, "phasebit: bug: {}\n", what);
  std::abort();
}

}  // namespace phasebit::base
