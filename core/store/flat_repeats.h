// Rows of one file that speak of the same thing, and must not contradict each other.
#pragma once

#include "core/store/flat_columns.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace phasebit::store {

class FlatRepeats {
 public:
  // Step::store with the column and both values: another class of one code of one run; another
  // figure of one point (variant, device, repetition and conditions of one run), where no samples
  // say how it came about. A point that was tried again may have several rows.
  Status add(const FlatRow& row);
  // That rows of the same code have the class of the row with their figures: the place of the row
  // that does not, and why.
  struct Contradiction {
    std::size_t place = 0;
    std::string message;
  };
  std::optional<Contradiction> check_figure_classes() const;

 private:
  Status add_class(const FlatRow& row);
  Status add_figure(const FlatRow& row);

  struct Hash {
    template <typename Key>
    std::size_t operator()(const Key& key) const {
      return std::apply(
          [](const auto&... part) {
            std::size_t sum = 0;
            ((sum = sum * 31 + std::hash<std::decay_t<decltype(part)>>()(part)), ...);
            return sum;
          },
          key);
    }
  };
  using Code = std::tuple<Word, Word, Word, Word>;  // run, variant, PTX, .text
  // Run, variant, device, .text, kind, repetition, control, and Conditions.
  using Point = std::tuple<Word, Word, Word, Word, record::PointKind, int, bool, int, int,
                           std::uint64_t, int, int, int>;
  using Figures = std::array<std::optional<double>, 1 + most_readings>;  // the cycles first

  std::unordered_map<Code, Word, Hash> classes_;
  std::unordered_map<Point, Figures, Hash> figures_;
  std::unordered_map<std::uint64_t, Word> class_of_;  // by the number of a point
  struct SameCode {
    std::size_t place = 0;
    std::uint64_t figure_point = 0;
    Word sass_class;
  };
  std::vector<SameCode> same_code_;
  std::size_t rows_ = 0;
};

}  // namespace phasebit::store
