// The references, one function each.
#include "core/launch/workload/workload.h"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace phasebit::launch::workload {

namespace {

// out[i] = a * in[i], and so again for each launch. Exact for one: a product of two f32 has 48
// bits.
void scale(const Problem& problem, std::uint64_t first, std::span<Wanted> wanted) {
  double a = problem.argument;
  for (int again = 1; again < problem.launches; ++again) a *= problem.argument;
  const std::vector<float>& in = problem.inputs[0];
  std::uint64_t at = first % in.size();
  for (Wanted& one : wanted) {
    one.value = a * static_cast<double>(in[at]);
    one.scale = std::abs(one.value);
    if (++at == in.size()) at = 0;
  }
}

// out[b][r] = sum over h of x[b][h] * matrices[index[b]][r][h]. A product is exact, and the sum of
// 2^16 of them is off by at most 2^-37 of their sizes. Where finite terms come to more than the
// largest f32, a kernel's sum is infinite, NaN or neither, as its order has it.
void gather(const Problem& problem, std::uint64_t first, std::span<Wanted> wanted) {
  constexpr std::size_t x = 0, matrices = 1, index = 2;
  for (Wanted& one : wanted) {
    const std::uint64_t b = first / problem.rows, r = first % problem.rows;
    const std::uint64_t row = problem.index(index, b) * problem.rows + r;
    const std::vector<float>&xs = problem.inputs[x], &ms = problem.inputs[matrices];
    std::uint64_t in_x = b * problem.columns % xs.size(), in_m = row * problem.columns % ms.size();
    one = {};
    for (std::uint64_t h = 0; h < problem.columns; ++h) {
      const double term = static_cast<double>(xs[in_x]) * static_cast<double>(ms[in_m]);
      if (++in_x == xs.size()) in_x = 0;
      if (++in_m == ms.size()) in_m = 0;
      one.value += term;
      if (std::isfinite(term)) one.scale += std::abs(term);
    }
    if (one.scale > static_cast<double>(std::numeric_limits<float>::max())) one.scale = NAN;
    ++first;
  }
}

struct Named {
  std::string_view name;
  Reference reference;
};
constexpr std::array references = {Named{"scale", scale}, Named{"gather", gather}};

}  // namespace

Reference reference_of(const std::string& name) {
  for (const Named& one : references)
    if (one.name == name) return one.reference;
  return nullptr;
}

std::vector<std::string> reference_names() {
  std::vector<std::string> names;
  for (const Named& one : references) names.emplace_back(one.name);
  return names;
}

}  // namespace phasebit::launch::workload
