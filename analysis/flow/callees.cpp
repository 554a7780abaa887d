#include "analysis/flow/callees.h"

#include "analysis/flow/calls.h"

#include <set>
#include <vector>

namespace phasebit {

CalledCode count_with_callees(const SassKernel& kernel,
                              const std::map<std::string, SassKernel>& image) {
  CalledCode called;
  std::set<std::string_view> seen = {kernel.entry};
  std::vector<const SassKernel*> work = {&kernel};
  while (!work.empty()) {
    const SassKernel& here = *work.back();
    work.pop_back();
    const std::size_t used = used_instructions(here);
    for (std::size_t i = 0; i < used; ++i) {
      const Instruction& one = here.instructions[i];
      add(called.counts, one);
      if (one.line > 0) add(called.lines[one.line], one);
      if (!calls_function(one)) continue;
      const std::string_view name = callee_of(one);
      if (name == here.entry || find_function(here, name) != nullptr) continue;
      const auto other = image.find(std::string(name));
      if (other == image.end())
        ++called.counts.open_calls[one.opcode + " " + std::string(name)];
      else if (seen.insert(other->second.entry).second)
        work.push_back(&other->second);
    }
  }
  return called;
}

}  // namespace phasebit
