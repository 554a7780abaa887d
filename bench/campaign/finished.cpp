#include "bench/campaign/finished.h"

namespace phasebit::bench::campaign {

using record::PointKey;
using record::PointRow;

PointKey key_of(const PointRow& row) {
  return {row.kind,       row.variant_hash, row.text_hash,  row.device_uuid,
          row.repetition, row.aa_control,   row.conditions, row.sass_class};
}

FinishedPoints::Key FinishedPoints::key_of(const PointKey& key) {
  return {key.kind,         key.variant_hash,         key.text_hash,
          key.device_uuid,  key.repetition,           key.aa_control,
          key.placement.sm, key.placement.first_warp, key.sass_class};
}

Result<FinishedPoints> FinishedPoints::read(const store::Store& store) {
  FinishedPoints finished;
  PHASEBIT_TRY_ASSIGN(rows, store.points());
  for (PointRow& row : rows) {
    auto [place, is_new] = finished.rows_.try_emplace(key_of(campaign::key_of(row)), row);
    if (!is_new && record::replaces(row, place->second)) place->second = std::move(row);
  }
  return finished;
}

const PointRow* FinishedPoints::find(const PointKey& key) const {
  const auto row = rows_.find(key_of(key));
  return row == rows_.end() || row->second.error ? nullptr : &row->second;
}

bool FinishedPoints::has_error(const PointKey& key, const record::PointError& error) const {
  const auto row = rows_.find(key_of(key));
  return row != rows_.end() && row->second.error && row->second.error->step == error.step &&
         row->second.error->message == error.message;
}

}  // namespace phasebit::bench::campaign
