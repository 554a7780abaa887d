// Where the figures of a row are: in itself, or in the row whose code it has.
#pragma once

#include "core/record/record.h"

#include <map>
#include <optional>
#include <tuple>

namespace phasebit::store {

class MeasuredRows {
 public:
  explicit MeasuredRows(const record::Results& results) : points_(results.points) {
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const record::PointRow& row = points_[n];
      if (row.measured() && !row.error && !row.aa_control && row.kind == record::PointKind::point)
        rows_[{row.variant_id, row.device_uuid, row.repetition}] = n;
    }
  }
  // The measurement that a row has by its code, in the same repetition on the same GPU: the newest.
  const record::PointRow* find(const record::PointRow& row) const {
    const auto at = rows_.find({row.same_as, row.device_uuid, row.repetition});
    if (at == rows_.end() || points_[at->second].sass_class != row.sass_class) return nullptr;
    return &points_[at->second];
  }
  // Of one of the results' rows the number of the row with its figures.
  std::optional<std::size_t> place_of_figures(const record::PointRow& row) const {
    const record::PointRow* measured = row.measured() ? &row : find(row);
    if (row.error || measured == nullptr) return std::nullopt;
    return static_cast<std::size_t>(measured - points_.data());
  }

 private:
  const std::vector<record::PointRow>& points_;
  std::map<std::tuple<Word, Word, int>, std::size_t> rows_;
};

}  // namespace phasebit::store
