#include "analysis/report/claims/row_floor.h"

#include "analysis/report/data/comparison.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace phasebit::report::claims {

RowFloors::RowFloors(const data::Aggregation& aggregation) : aggregation_(aggregation) {
  constexpr size_t enough = 20;
  constexpr double most = 0.95;
  std::map<std::string, std::vector<double>> strata;
  for (const data::AaPair& pair : aggregation.aa) {
    strata[pair.stratum].push_back(pair.difference_percent());
    strata[""].push_back(pair.difference_percent());
  }
  for (auto& [stratum, percents] : strata)
    if (stratum.empty() || percents.size() >= enough)
      percent_[stratum] = record::quantile(std::move(percents), most);
}

double RowFloors::of(const data::Aggregate& row) const {
  const std::string stratum = row.axes.stratum();
  auto percent = percent_.find(stratum);
  if (percent == percent_.end()) percent = percent_.find("");
  if (percent == percent_.end()) return 0;
  return std::min(data::noise_floor(aggregation_, stratum),
                  percent->second / 100 * std::abs(row.cycles));
}

}  // namespace phasebit::report::claims
