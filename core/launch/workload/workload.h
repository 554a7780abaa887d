// A workload: a kernel with a result. What its inputs hold, and what is right to be
// in its output, by a reference in double precision (references.cpp).
#pragma once

#include "core/base/error.h"
#include "core/base/fields.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace phasebit::launch::workload {

// The largest problem: element numbers are words of 32 bits in the kernel, addresses of 64.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 31;

// The kernel takes the number of elements as its items (KernelParams::items), and their buffers
// after the parameter block. A CTA handles every so many-th whole tile as there are CTAs, its own
// number first; what is less than a tile is shared by all. Its figure is the duration of a launch.
struct WorkloadShape {
  std::string reference;  // "": no workload
  std::string output;     // one of the launch's buffers; those before it are inputs
  std::int64_t elements = 0;
  int tile_elements = 1;
  // An element is right when it is within 2^absolute + 2^relative * Wanted::scale of the reference.
  int relative = 0, absolute = 0;
  bool drawn = false;  // the CTAs draw their tiles: how many each has is known afterwards
  // Of inputs that are matrices: rows of one, and elements of a row; 0: each input is as long as
  // the output. The inputs of matrices are as long as `elements` needs, and no launch is of more.
  std::int64_t rows = 0, columns = 0;
  bool halves = false;  // elements are bf16, two in a word
  // Of a matrix that is made tile by tile: rows of the output in a tile, and items that make one.
  // A launch is then of whole rows of `rows` elements; a tile at the end may have fewer. 0: a tile
  // is an item, and what is less than a tile no item.
  int tile_rows = 0, items_a_tile = 1;
  // One after the other are timed together: each has the output of the one before it as its first
  // input, and each is one more rounding.
  int launches = 1;
  bool overlaps = false;  // a launch may begin before the one before it has ended
  // Has a CTA for every tile, and cancels the launch of others to have theirs: not launched here.
  bool cancels = false;
  bool operator==(const WorkloadShape&) const = default;
  bool empty() const { return reference.empty(); }
  std::uint64_t most_of_launch() const {
    return static_cast<std::uint64_t>(columns > 0 ? elements : most_elements);
  }
  std::uint64_t tiles_of(std::uint64_t count) const;
  // Of a CTA, or of a cluster that makes a tile together.
  std::uint32_t items_of_cta(std::uint64_t count, int cta, int ctas) const;
  // Of the output, and of the matrix whose rows are the output's: rows of a launch.
  std::int64_t rows_of(std::uint64_t count) const {
    return static_cast<std::int64_t>(count) / rows;
  }
};
template <typename Visit>
void fields(Visit& visit, const WorkloadShape* /*type*/) {
  using Shape = WorkloadShape;
  visit("reference", &Shape::reference, {.must = "write `reference = \"scale\"`"});
  visit("output", &Shape::output, {.must = "write the name of a buffer"});
  visit("elements", &Shape::elements, {.most = most_elements, .always = true});
  visit("tile_elements", &Shape::tile_elements, {.toml = "tile", .least = 1, .always = true});
  visit("relative", &Shape::relative, {.least = -64, .most = 0, .always = true});
  visit("absolute", &Shape::absolute, {.least = -1100, .most = 0, .always = true});
  visit("drawn", &Shape::drawn);
  visit("rows", &Shape::rows, {.most = most_elements, .if_set = true});
  visit("columns", &Shape::columns, {.most = most_elements, .if_set = true});
  visit("halves", &Shape::halves, {.if_set = true});
  visit("tile_rows", &Shape::tile_rows, {.most = most_elements, .if_set = true});
  visit("items_a_tile", &Shape::items_a_tile, {.least = 1, .most = 1 << 20, .if_set = true});
  visit("launches", &Shape::launches, {.least = 1, .most = 2, .if_set = true});
  visit("overlaps", &Shape::overlaps, {.if_set = true});
  visit("cancels", &Shape::cancels, {.if_set = true});
}

// What a reference computes from.
struct Problem {
  float argument = 0;                      // KernelParams::work_amount as a number
  std::vector<std::vector<float>> inputs;  // of each what comes again and again
  std::uint64_t rows = 0, columns = 0;     // of WorkloadShape
  int launches = 1;
  float input(std::size_t which, std::uint64_t element) const {
    return inputs[which][element % inputs[which].size()];
  }
  std::uint32_t index(std::size_t which, std::uint64_t element) const {
    return std::bit_cast<std::uint32_t>(input(which, element));
  }
};

// What an element must be, and what its error is relative to: of one operation the value's size, of
// a sum the sum of its terms' sizes. NaN: whether it is finite depends on the order of the
// operations, so anything is right.
struct Wanted {
  double value = 0, scale = 0;
};

// Elements `first` and following of the output, as many as `wanted` has room for.
using Reference = void (*)(const Problem& problem, std::uint64_t first, std::span<Wanted> wanted);
Reference reference_of(const std::string& name);  // null for none
std::vector<std::string> reference_names();

// What the output must hold after a launch. Where every element is a long sum and there are so many
// that all would take minutes, the elements of some rows, drawn, stand for the rest.
class Expected {
 public:
  // Of a shape whose reference there is. `problem` has all that the reference asks for.
  Expected(WorkloadShape shape, Problem problem);
  // After a launch of so many elements, which may be fewer than the buffers have room for, words of
  // the output from number `first` on; those after the last element must be as they were.
  // Step::verify names the first that is wrong.
  Status check(std::uint64_t elements, std::uint64_t first, std::span<const std::uint32_t> words);

 private:
  Status check_inside(std::uint64_t elements, std::uint64_t first,
                      std::span<const std::uint32_t> words);
  std::span<const Wanted> wanted(std::uint64_t first, std::size_t count, std::vector<Wanted>& made);
  void choose_rows();
  std::uint64_t end_of_row(std::uint64_t element) const;

  WorkloadShape shape_;
  Problem problem_;
  Reference reference_;
  // Of sums, which take long, those of the rows that are compared, one after the other; one not yet
  // made has a scale below 0. Of each row of the output the place of its first, or none.
  std::vector<Wanted> kept_;
  std::vector<std::int64_t> place_of_row_;
};

// The output before a launch: a number that no reference gives.
inline constexpr std::uint32_t untouched = 0xDEADBEEFU;

// Numbers of elements that go through every end of a loop: none, one, two, about a tile, and about
// so many tiles for each CTA that its ring comes round; none above `most`.
std::vector<std::uint32_t> element_counts(const WorkloadShape& shape, int ctas, int num_stages,
                                          std::uint64_t most);

}  // namespace phasebit::launch::workload
