// A variant's key as columns: what flat.h says of axis.NAME, named and axis_order.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/results/flat_columns.h"
#include "core/results/record.h"
#include "core/results/variant_row.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace phasebit::results {

inline constexpr std::string_view axis_prefix = "axis.";

// The axes of these variants, each after those that come before it in the keys. Where keys
// contradict each other, in the order in which they are seen.
std::vector<std::string> axis_columns(const std::vector<const VariantRow*>& variants);

struct KeyColumns {
  std::vector<std::optional<std::string>> values;  // of the axes of the columns
  std::string named, axis_order;
};
KeyColumns columns_of(const VariantRow& variant, const std::vector<std::string>& axes);

// Without id and hash; a row without any axis has no key. Step::store without the file's name for
// words that do not match the columns.
Result<VariantRow> variant_of(const KeyColumns& columns, const std::vector<std::string>& axes,
                              KeyPool& pool);

// That the id is the one that the key makes: Step::store else, with the first axis that differs.
Status check_id(const VariantRow& variant);

// Words with blanks between.
std::string joined_words(const std::vector<std::string>& words);
std::vector<std::string> split_words(std::string_view text);

// Raw samples as a file of their own: flat.h says what is in it.

// "core.csv.zst" -> "core.samples.csv.zst"; none for a name that does not end in .csv or .csv.zst.
std::optional<fs::path> samples_path(const fs::path& results);

bool is_samples_file(const fs::path& path);

// Of the points that have samples; the number of a point is its place.
std::string samples_csv(const std::vector<PointRow>& points);

// What the rows of results say of their samples.
struct SampleRow {
  std::size_t point = 0;      // its place
  std::uint64_t samples = 0;  // how many the file has of it
};
// `rows` by the column `point`.
Status read_samples(const fs::path& path, const std::unordered_map<std::uint64_t, SampleRow>& rows,
                    std::vector<PointRow>& points);

// Rows of one file that speak of the same thing, and must not contradict each other.

class FlatRepeats {
 public:
  // Step::store with the column: another class of one code of one run; a second figure of one point
  // (variant, device, repetition and conditions of one run). A point that was tried again may have
  // several rows, and one figure.
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
  using Point = std::tuple<Word, Word, Word, Word, PointKind, int, bool, int, int, std::uint64_t,
                           int, int, int>;

  std::unordered_map<Code, Word, Hash> classes_;
  std::unordered_set<Point, Hash> figures_;
  std::unordered_map<std::uint64_t, Word> class_of_;  // by the number of a point
  struct SameCode {
    std::size_t place = 0;
    std::uint64_t figure_point = 0;
    Word sass_class;
  };
  std::vector<SameCode> same_code_;
  std::size_t rows_ = 0;
};

}  // namespace phasebit::results
