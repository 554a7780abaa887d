// The rows that a claim can speak of: figures of one kind with all their axes.
#pragma once

#include "analysis/report/claims/claim.h"
#include "analysis/report/data/comparison.h"
#include "analysis/report/data/report_data.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::vector<std::string> ids;  // of the points that made it
  std::vector<std::string> own;  // axes that no component declares: edit, tuned, ptxas flags
  std::vector<std::string> set;  // axes whose value is not their default
  std::string code;              // SASS class of each part: what makes two rows distinct
  data::Figure figure;
  double floor = 0;  // what differs by less is the same
  // Several items in a turn of its loop (data::is_unrolled_item): of claims that name `unroll`.
  bool unrolled = false;
  bool control_has_equal_code = false;  // the figure is taken against that of the same code
};

// Whether the parts of such a figure may come from several GPUs of one model: a link and its chain.
bool joins_gpus(std::string_view figure);

// Every variant of the results by one kind of figure (Claim::figure).
std::vector<ClaimRow> claim_rows(const data::ReportData& data, const std::string& figure);

// Figures that are made of two rows before they are compared: a loaded cost and an isolated one, a
// block of work next to warps that wait and next to warps that do not.

// The rows as the claim wants them: each figure against that of the row which has the values of
// `against` and all else equal. Without `against` the rows as they are. A row without such a
// control has no figure.
std::vector<ClaimRow> against_control(const Claim& claim, const std::vector<ClaimRow>& rows);

// The rows of a claim, and which of them it compares.

// A row of `a`, and what it is compared with: a row of `b`, or a formula alone.
struct ClaimCase {
  size_t a = 0;
  std::optional<size_t> b;
};

struct LeftOut {
  size_t row = 0;
  std::string why;
};

struct ClaimCases {
  std::vector<ClaimRow> rows;  // all that the selection matches
  std::vector<size_t> from;    // of each its place in the rows that it was chosen of
  std::vector<ClaimCase> cases;
  std::vector<ClaimCase> without_figure;  // a side has no figure: not judged
  std::vector<LeftOut> left_out;
};

// Whether `when` means a row of `a`.
bool holds_when(const Claim& claim, const ClaimRow& row);

// Rows without a figure, with a flag that the claim does not accept, or with nothing to compare
// with are left out. Forks, snippets, edits and flags of ptxas are not spoken of unless the
// selection names their axis; nor are devices and versions of ptxas that the claim does not name.
ClaimCases cases_of(const Claim& claim, const std::vector<ClaimRow>& rows, bool every_device);

}  // namespace phasebit::report::claims
