#include "gen/guard/registers.h"

#include "core/base/saturated.h"
#include "core/isa/opcodes.h"
#include "core/isa/targets.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

namespace phasebit::guard {

using ptx::PtxFile;
using ptx::PtxFunction;
using ptx::PtxStatement;

namespace {

constexpr int warpgroup_threads = 128, granularity = 8;

// The product of a directive's numbers; 0 without it.
std::int64_t directive(const PtxFile& file, const PtxFunction& function, const std::string& name) {
  for (const std::size_t i : function.directives) {
    const PtxStatement& one = file.statements[i].parsed;
    if (one.name != name || one.operands.empty()) continue;
    return base::saturated_product(ptx::numbers_of(one));
  }
  return 0;
}

int greatest_handed_over(const PtxFile& file) {
  int greatest = 0;
  for (const ptx::PlacedStatement& one : file.statements)
    if (is(one.parsed, isa::PtxFact::registers) && !one.parsed.operands.empty())
      greatest = std::max(greatest, std::atoi(one.parsed.operands.front().c_str()));
  return greatest;
}

int begins_with(const PtxFile& file, const PtxFunction& entry, const GuardLaunch& launch) {
  if (launch.registers > 0) return launch.registers;
  if (const std::int64_t count = directive(file, entry, ".maxnreg"); count > 0)
    return static_cast<int>(std::min<std::int64_t>(count, isa::registers_per_sm));
  std::int64_t threads =
      std::max(directive(file, entry, ".maxntid"), directive(file, entry, ".reqntid"));
  std::int64_t ctas = directive(file, entry, ".minnctapersm");
  if (launch.threads > 0) {
    if (threads == 0) threads = launch.threads;
    ctas = std::max<std::int64_t>(ctas, 1);
  }
  if (threads <= 0 || ctas <= 0) return 0;
  const std::int64_t warpgroups = threads / warpgroup_threads + (threads % warpgroup_threads != 0);
  const std::int64_t whole = base::saturated_product(warpgroups, warpgroup_threads);
  const auto room = static_cast<int>(isa::registers_per_sm / base::saturated_product(whole, ctas));
  return std::min(room / granularity * granularity, greatest_handed_over(file));
}

}  // namespace

std::map<std::string, int> registers_at_begin(const PtxFile& file,
                                              const std::map<std::string, GuardLaunch>& launches) {
  std::map<std::string, int> found;
  std::set<int> counts;
  for (const PtxFunction& function : file.functions) {
    if (!function.entry || !function.has_body) continue;
    const auto launch = launches.find(function.name);
    const int count =
        begins_with(file, function, launch == launches.end() ? GuardLaunch() : launch->second);
    counts.insert(count);
    if (count > 0) found[function.name] = count;
  }
  if (counts.size() != 1 || *counts.begin() == 0) return found;
  for (const PtxFunction& function : file.functions)
    if (!function.entry) found[function.name] = *counts.begin();
  return found;
}

}  // namespace phasebit::guard
