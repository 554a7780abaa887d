// The rows that a claim can speak of: figures of one kind with all their axes.
#pragma once

#include "analysis/report/claims/claim.h"
#include "analysis/report/data/difference.h"
#include "analysis/report/data/report_data.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::report::claims {

// The UUID of the GPU: two of one name are two. Equal in what is compared, unless devices are.
inline constexpr const char* gpu_axis = "gpu";

// The SMs on which the roles of a cluster ran, either way round: "several" when the repetitions
// differ. Not equal in what is compared unless the claim says so: the GPU chose it.
inline constexpr const char* ran_on_axis = "ran_on";

// A figure, and what it is of. `figure.id` names a variant, or two for a difference of two sizes.
struct ClaimRow {
  RowAxes axes;                  // of the variant, device, ptxas, sms; no size of a difference
  std::vector<std::string> ids;  // of the points behind it
  std::vector<std::string> own;  // axes that no component declares: edit, tuned, ptxas flags
  data::Figure figure;
  double floor = 0;  // what differs by less is the same
};

// Whether the parts of such a figure may come from several GPUs of one model: a link and its chain.
bool joins_gpus(std::string_view figure);

// Every variant of the results by one kind of figure (Claim::figure).
std::vector<ClaimRow> claim_rows(const data::ReportData& data, const std::string& figure);

}  // namespace phasebit::report::claims
