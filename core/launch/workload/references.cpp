// The references, one function each.
#include "core/launch/workload/workload.h"

#include <algorithm>
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

// Row `row` of the first input times row `other` of the second. A product is exact, and the sum of
// 2^16 of them is off by at most 2^-37 of their sizes. Where finite terms come to more than the
// largest f32, a kernel's sum is infinite, NaN or neither, as its order has it.
Wanted product_of_rows(const Problem& problem, std::uint64_t row, std::uint64_t other) {
  const std::vector<float>&xs = problem.inputs[0], &ms = problem.inputs[1];
  std::uint64_t in_x = row * problem.columns % xs.size(),
                in_m = other * problem.columns % ms.size();
  Wanted one;
  for (std::uint64_t left = problem.columns; left > 0;) {
    const std::uint64_t run = std::min({left, xs.size() - in_x, ms.size() - in_m});
    for (std::uint64_t h = 0; h < run; ++h) {
      const double term = static_cast<double>(xs[in_x + h]) * static_cast<double>(ms[in_m + h]);
      one.value += term;
      if (std::isfinite(term)) one.scale += std::abs(term);
    }
    left -= run;
    in_x = (in_x + run) % xs.size();
    in_m = (in_m + run) % ms.size();
  }
  if (one.scale > static_cast<double>(std::numeric_limits<float>::max())) one.scale = NAN;
  return one;
}

// out[b][r] = sum over h of x[b][h] * matrices[index[b]][r][h].
void gather(const Problem& problem, std::uint64_t first, std::span<Wanted> wanted) {
  constexpr std::size_t index = 2;
  for (Wanted& one : wanted) {
    const std::uint64_t b = first / problem.rows, r = first % problem.rows;
    one = product_of_rows(problem, b, problem.index(index, b) * problem.rows + r);
    ++first;
  }
}

// out[m][n] = sum over k of a[m][k] * b[n][k].
void gemm(const Problem& problem, std::uint64_t first, std::span<Wanted> wanted) {
  for (Wanted& one : wanted) {
    one = product_of_rows(problem, first / problem.rows, first % problem.rows);
    ++first;
  }
}

struct Named {
  std::string_view name;
  Reference reference;
};
constexpr std::array references = {Named{"scale", scale}, Named{"gather", gather},
                                   Named{"gemm", gemm}};

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
