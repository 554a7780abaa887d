#include "core/launch/workload/workload.h"

#include "core/base/parallel.h"
#include "core/launch/workload/bf16.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace phasebit::launch::workload {

namespace {

constexpr std::size_t chunk = 4096;  // elements whose reference is made at a time
constexpr std::uint64_t most_terms = std::uint64_t{1} << 33;  // that all references are made of
constexpr std::size_t block = 64 * chunk;                     // terms of what one thread compares

// A row of a matrix is as many terms as it has columns.
std::size_t elements_of_block(const WorkloadShape& shape) {
  return std::max<std::size_t>(
      1, block / static_cast<std::size_t>(std::max<std::int64_t>(1, shape.columns)));
}

// As floating point is compared: NaN is as good as another NaN, and infinity is itself. What is too
// large for an f32 is rounded to infinity, as the kernel rounds it.
// bf16 has as large numbers, and 8 bits of a value.
bool is_right(float found, const Wanted& wanted, double bound, bool halves) {
  if (std::isnan(wanted.value)) return std::isnan(found);
  if (std::isnan(wanted.scale)) return true;
  const auto whole = static_cast<float>(wanted.value);
  const float rounded = halves ? value_of_bf16(bf16_of(whole)) : whole;
  if (halves) bound += std::ldexp(std::abs(wanted.value) + bound, -8);
  if (std::isinf(rounded) || std::isinf(found)) return found == rounded;
  return std::abs(static_cast<double>(found) - wanted.value) <= bound;
}

std::uint64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

}  // namespace

std::uint64_t WorkloadShape::tiles_of(std::uint64_t count) const {
  const auto tile = static_cast<std::uint64_t>(tile_elements);
  if (tile_rows == 0) return count / tile;
  const std::uint64_t band = times(tile_rows, rows);
  return (count + band - 1) / band * (band / tile);
}

std::uint32_t WorkloadShape::items_of_cta(std::uint64_t count, int cta, int ctas) const {
  const std::uint64_t tiles = tiles_of(count);
  const auto own = static_cast<std::uint64_t>(cta), all = static_cast<std::uint64_t>(ctas);
  const std::uint64_t owned = tiles <= own ? 0 : (tiles - 1 - own) / all + 1;
  return static_cast<std::uint32_t>(owned) * static_cast<std::uint32_t>(items_a_tile);
}

Expected::Expected(WorkloadShape shape, Problem problem)
    : shape_(std::move(shape)),
      problem_(std::move(problem)),
      reference_(reference_of(shape_.reference)) {
  if (reference_ == nullptr) bug("a workload without a reference");
  if (shape_.columns > 0) choose_rows();
}

void Expected::choose_rows() {
  const std::uint64_t terms = times(shape_.elements, shape_.columns);
  const std::uint64_t every = (terms + most_terms - 1) / most_terms;
  const auto rows = static_cast<std::size_t>(shape_.elements / shape_.rows);
  place_of_row_.assign(rows + 1, -1);
  std::int64_t kept = 0;
  constexpr std::uint64_t mixer = 0x9E3779B97F4A7C15ULL;
  for (std::size_t row = 0; row <= rows; ++row) {  // the last of part of one
    if (every > 1 && (row * mixer >> 32U) % every != 0) continue;
    place_of_row_[row] = kept;
    kept += shape_.rows;
  }
  kept_.assign(static_cast<std::size_t>(kept), {0, -1});
}

std::uint64_t Expected::end_of_row(std::uint64_t element) const {
  const auto rows = static_cast<std::uint64_t>(std::max<std::int64_t>(1, shape_.rows));
  return shape_.columns > 0 ? (element / rows + 1) * rows : ~std::uint64_t{0};
}

std::span<const Wanted> Expected::wanted(std::uint64_t first, std::size_t count,
                                         std::vector<Wanted>& made) {
  if (shape_.columns == 0) {
    made.resize(count);
    reference_(problem_, first, made);
    return made;
  }
  const auto rows = static_cast<std::uint64_t>(shape_.rows);
  const std::int64_t place = place_of_row_[first / rows];
  if (place < 0) return {};
  const std::span<Wanted> here =
      std::span(kept_).subspan(static_cast<std::size_t>(place) + first % rows, count);
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
  const std::size_t a_word = shape_.halves ? 2 : 1;
  std::vector<Wanted> made;
  const std::size_t all = a_word * words.size();
  for (std::size_t begin = 0, count = 0; begin < all; begin += count) {
    count =
        std::min<std::uint64_t>({chunk, all - begin, end_of_row(first + begin) - first - begin});
    const auto right = wanted(first + begin, count, made);
    for (std::size_t n = 0; n < right.size(); ++n) {
      const std::uint64_t element = first + begin + n;
      const std::uint32_t word = words[(begin + n) / a_word];
      const float found = shape_.halves
                              ? value_of_bf16(element % 2 == 0 ? word & 0xFFFFU : word >> 16U)
                              : std::bit_cast<float>(word);
      if (is_right(found, right[n], absolute + relative * right[n].scale, shape_.halves)) continue;
      if (word == untouched)
        return fail(Step::verify, "'{}': element {} of {} was not written, expected {}",
                    shape_.output, element, elements, right[n].value);
      return fail(Step::verify,
                  "'{}' holds {:.9g} in element {} of {}, expected {:.17g} by reference '{}' "
                  "within 2^{} + 2^{} of {}{}",
                  shape_.output, found, element, elements, right[n].value, shape_.reference,
                  shape_.absolute + wider, shape_.relative + wider,
                  shape_.columns > 0 ? fmt::format("{:.9g}", right[n].scale) : "it",
                  shape_.halves ? ", in bf16" : "");
    }
  }
  return {};
}

Status Expected::check(std::uint64_t elements, std::uint64_t first,
                       std::span<const std::uint32_t> words) {
  const std::uint64_t a_word = shape_.halves ? 2 : 1;
  const std::uint64_t last = std::max(first, elements / a_word);
  const auto inside = static_cast<std::size_t>(std::min<std::uint64_t>(last - first, words.size()));
  const std::size_t part = elements_of_block(shape_);
  std::vector<Status> found((inside + part - 1) / part);
  base::parallel_for(found.size(), 0, [&](std::size_t n) {
    const std::size_t begin = n * part;
    found[n] = check_inside(elements, a_word * (first + begin),
                            words.subspan(begin, std::min(part, inside - begin)));
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
  if (shape.tile_rows > 0) {  // whole rows, and whole bands of tiles at the most
    const std::uint64_t band = times(shape.tile_rows, shape.rows), row = times(1, shape.rows);
    const std::uint64_t bands = std::max<std::uint64_t>(1, rounds / (band / tile));
    most = std::min(most, static_cast<std::uint64_t>(shape.elements));
    for (const std::uint64_t count : {bands * band, std::uint64_t{0}, row, 2 * row, band - row,
                                      band, band + row, 2 * band + 37 * row})
      if (count <= most && std::find(counts.begin(), counts.end(), count) == counts.end())
        counts.push_back(static_cast<std::uint32_t>(count));
    return counts;
  }
  for (const std::uint64_t count :
       {rounds * tile, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, tile - 1, tile,
        tile + 1, 2 * tile + 37, (rounds + 1) * tile + tile / 2 + 3})
    if (count <= most && std::find(counts.begin(), counts.end(), count) == counts.end())
      counts.push_back(static_cast<std::uint32_t>(count));
  return counts;
}

}  // namespace phasebit::launch::workload
