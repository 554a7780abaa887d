#include "core/launch/workload/workload.h"

#include "core/base/parallel.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace phasebit::launch::workload {

namespace {

constexpr std::size_t chunk = 4096;        // elements whose reference is made at a time
constexpr std::size_t block = 64 * chunk;  // terms of what one thread compares

// A row of a matrix is as many terms as it has columns.
std::size_t elements_of_block(const WorkloadShape& shape) {
  return std::max<std::size_t>(
      1, block / static_cast<std::size_t>(std::max<std::int64_t>(1, shape.columns)));
}

// As floating point is compared: NaN is as good as another NaN, and infinity is itself. What is too
// large for an f32 is rounded to infinity, as the kernel rounds it.
bool is_right(float found, const Wanted& wanted, double relative, double absolute) {
  if (std::isnan(wanted.value)) return std::isnan(found);
  if (std::isnan(wanted.scale)) return true;
  const auto rounded = static_cast<float>(wanted.value);
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded;
  return std::abs(static_cast<double>(found) - wanted.value) <= absolute + relative * wanted.scale;
}

}  // namespace

std::uint32_t WorkloadShape::items_of_cta(std::uint64_t count, int cta, int ctas) const {
  const std::uint64_t tiles = count / static_cast<std::uint64_t>(tile_elements);
  const auto own = static_cast<std::uint64_t>(cta), all = static_cast<std::uint64_t>(ctas);
  return tiles <= own ? 0 : static_cast<std::uint32_t>((tiles - 1 - own) / all + 1);
}

Expected::Expected(WorkloadShape shape, Problem problem)
    : shape_(std::move(shape)),
      problem_(std::move(problem)),
      reference_(reference_of(shape_.reference)) {
  if (reference_ == nullptr) bug("a workload without a reference");
  if (shape_.columns > 0) kept_.assign(static_cast<std::size_t>(shape_.elements), {0, -1});
}

std::span<const Wanted> Expected::wanted(std::uint64_t first, std::size_t count,
                                         std::vector<Wanted>& made) {
  if (first + count > kept_.size()) {
    made.resize(count);
    reference_(problem_, first, made);
    return made;
  }
  const std::span<Wanted> here = std::span(kept_).subspan(first, count);
  if (std::any_of(here.begin(), here.end(), [](const Wanted& one) { return one.scale < 0; }))
    reference_(problem_, first, here);
  return here;
}

Status Expected::check_inside(std::uint64_t elements, std::uint64_t first,
                              std::span<const std::uint32_t> words) {
  // Twice as wide for one more rounding, and what the rounding of a rounding adds.
  const int wider = 2 * (shape_.launches - 1);
  const double relative = std::ldexp(1.0, shape_.relative + wider),
               absolute = std::ldexp(1.0, shape_.absolute + wider);
  std::vector<Wanted> made;
  for (std::size_t begin = 0; begin < words.size(); begin += chunk) {
    const auto right = wanted(first + begin, std::min(chunk, words.size() - begin), made);
    for (std::size_t n = 0; n < right.size(); ++n) {
      const auto found = std::bit_cast<float>(words[begin + n]);
      if (is_right(found, right[n], relative, absolute)) continue;
      const std::uint64_t element = first + begin + n;
      if (words[begin + n] == untouched)
        return fail(Step::verify, "'{}': element {} of {} was not written, expected {}",
                    shape_.output, element, elements, right[n].value);
      return fail(Step::verify,
                  "'{}' holds {:.9g} in element {} of {}, expected {:.17g} by reference '{}' "
                  "within 2^{} + 2^{} of {}",
                  shape_.output, found, element, elements, right[n].value, shape_.reference,
                  shape_.absolute + wider, shape_.relative + wider,
                  shape_.columns > 0 ? fmt::format("{:.9g}", right[n].scale) : "it");
    }
  }
  return {};
}

Status Expected::check(std::uint64_t elements, std::uint64_t first,
                       std::span<const std::uint32_t> words) {
  const std::uint64_t last = std::max(first, elements);
  const auto inside = static_cast<std::size_t>(std::min<std::uint64_t>(last - first, words.size()));
  const std::size_t part = elements_of_block(shape_);
  std::vector<Status> found((inside + part - 1) / part);
  base::parallel_for(found.size(), 0, [&](std::size_t n) {
    const std::size_t begin = n * part;
    found[n] =
        check_inside(elements, first + begin, words.subspan(begin, std::min(part, inside - begin)));
  });
  for (const Status& one : found) PHASEBIT_TRY(one);
  for (std::size_t n = inside; n < words.size(); ++n)
    if (words[n] != untouched)
      return fail(Step::verify, "'{}' was written to at {}, after its {} elements", shape_.output,
                  first + n, elements);
  return {};
}

std::vector<std::uint32_t> element_counts(const WorkloadShape& shape, int ctas, int num_stages,
                                          std::uint64_t most) {
  const auto tile = static_cast<std::uint64_t>(shape.tile_elements);
  // Tiles of all CTAs after which the slots of one have come round, and of some once more.
  const std::uint64_t rounds = static_cast<std::uint64_t>(std::max(1, ctas)) *
                               static_cast<std::uint64_t>(2 * std::max(1, num_stages) + 1);
  if (shape.cancels) most = std::min(most, tile * static_cast<std::uint64_t>(std::max(1, ctas)));
  std::vector<std::uint32_t> counts;
  for (const std::uint64_t count :
       {rounds * tile, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, tile - 1, tile,
        tile + 1, 2 * tile + 37, (rounds + 1) * tile + tile / 2 + 3})
    if (count <= most && std::find(counts.begin(), counts.end(), count) == counts.end())
      counts.push_back(static_cast<std::uint32_t>(count));
  return counts;
}

}  // namespace phasebit::launch::workload
