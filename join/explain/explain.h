// Two figures of the store, and the difference of their code.
#pragma once

#include "analysis/compare/diff.h"
#include "analysis/report/data/comparison.h"
#include "analysis/report/tables.h"
#include "core/base/home.h"
#include "core/base/table.h"
#include "core/results/load.h"
#include "join/images/subjects.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::join::explain {

struct ExplainRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string first, second;            // variants; second empty: the first
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one for each side
  bool steps = false;                   // instead: every step of the histories
  double least_percent = 0;             // steps of so much or more
  std::vector<std::string> results;     // empty: the published histories
  std::string target;                   // "": that of the results
  std::string device;
};

// As the row of a figure names its code; empty without one.
struct MeasuredCode {
  std::string text_hash, sass_class;
};

struct ExplainedPair {
  std::string before, after;  // ids
  report::data::Comparison comparison;
  MeasuredCode measured_before, measured_after;
  std::vector<std::string> reasons;  // what goes with it, a line each
  std::string gpu;                   // that measured both
};

// One pair, or with `steps` every one whose figures differ by more than the floor.
Result<std::vector<ExplainedPair>> explain(const ExplainRequest& request);

// Fills in the reasons of these. `read`: the variants of the pairs that are kernels of files; all
// others are named by their ids.
Status find_reasons(const ExplainRequest& options, const std::string& target,
                    const std::vector<select::Space>& read, std::vector<ExplainedPair>& pairs);

base::Table explained_table(const std::vector<ExplainedPair>& pairs);
std::string explained_text(const ExplainedPair& pair);

// Verb by verb, how the code of a turn differs.

// "producer.commit: +S2R x1, +MOV x1", what the right has more and less of on the path of a turn, a
// line for each verb that both have; then "consumer.drain LDS.128 x8: 12.5 -> 10.0 issue cycles
// until its wait", for each opcode of a verb that both have and whose mean differs by
// a cycle or more (analysis/reading/waits.h).
std::vector<std::string> verb_changes(const reading::CodeSubject& left,
                                      const reading::CodeSubject& right,
                                      const compare::KernelDiff& diff);

// Machine code of variants as sides of a difference.

struct CodeRequest {
  select::SpaceRequest space;
  std::string target;
  std::vector<std::string> ids;     // with their axes of ptxas
  std::vector<select::Space> read;  // kernels of files, in addition to them
};

// By id: the code, or why there is none.
using CodeSides = std::map<std::string, Result<reading::CodeSubject>>;

// The error says that nothing could be done.
Result<CodeSides> code_of(images::Tools& tools, const CodeRequest& request);

// Whether the code that a row was measured with is that of the side.
bool is_code_of(const std::string& text_hash, const std::string& sass_class,
                const reading::CodeSubject& side);

// Figures that commands about machine code put next to it.

// results/*/*.csv.zst of the project, in order.
std::vector<fs::path> published_results(const base::Home& home);
// Of NAME.sql.
fs::path tables_folder(const base::Home& home);

// Of the project's templates. Errors as these have.
struct DeclaredAxes {
  std::vector<std::string> names;  // which tables may name
  // Step::store for a value that no axis of this name has. What other templates, a user's file or
  // nvcc made has values of its own.
  results::KeyCheck check;
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

// For a few variants: all published results, as tables show them, else the histories by ptxas, then
// those of LLVM: the first that has a row of each. Where one of them names its ptxas or LLVM the
// histories come first. Of the last device by name unless another is named.
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

}  // namespace phasebit::join::explain
