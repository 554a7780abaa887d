// Figures that commands about machine code put beside it.
#pragma once

#include "analysis/report/tables.h"
#include "core/base/home.h"
#include "core/store/load.h"

#include <string>
#include <vector>

namespace phasebit::pipeline::explain {

// results/*/*.csv.zst of the project, in order.
std::vector<fs::path> published_results(const base::Home& home);
// Of NAME.sql.
fs::path tables_folder(const base::Home& home);

// Of the project's templates. Errors as these have.
struct DeclaredAxes {
  std::vector<std::string> names;  // which tables may name
  // Step::store for a value that no axis of this name has. What other templates, a user's file or
  // nvcc made has values of its own.
  store::KeyCheck check;
};
Result<DeclaredAxes> declared_axes(const base::Home& home);

// Step::usage: none is there; `what` is "results are" or the like.
tl::unexpected<Error> nothing_published(const base::Home& home, std::string_view what);
// results/*/history/*.csv.zst of the project: texts measured by many versions of ptxas.
std::vector<std::string> published_histories(const base::Home& home);

// results/*/llvm/*.csv.zst of the project: variants by the templates and by LLVM.
std::vector<std::string> published_llvm(const base::Home& home);

// The results named, or the published histories when none is. With a target, the runs of that one
// alone: the cycles of a GPU say nothing of code for another. Errors as report_data.
Result<report::data::ReportData> measured_data(const base::Home& home,
                                               std::vector<std::string> results,
                                               const std::string& device,
                                               const std::string& target = {});

// For a few variants: the published histories, then those of LLVM, where they have a figure of
// each, else all published results, of the last device by name, as in `report`, unless another is
// named.
Result<report::data::ReportData> published_data_of(const base::Home& home,
                                                   const std::vector<std::string>& ids,
                                                   const std::string& device,
                                                   const std::string& target);

// Of files: the GPU that is asked for, else the last by name.
Result<report::data::ReportData> last_device_of(const std::vector<std::string>& files,
                                                const std::string& device,
                                                const std::string& target);

// The one target of the runs that measured one of these variants; measured_target when there are
// others.
Result<std::string> target_of_rows(const std::string& asked, const report::data::ReportData& data,
                                   const std::vector<std::string>& ids);

// `asked`, or the one target of the runs. Step::usage when they are of several.
Result<std::string> measured_target(const std::string& asked, const report::data::ReportData& data);

}  // namespace phasebit::pipeline::explain
