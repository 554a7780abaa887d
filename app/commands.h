// The commands of `phasebit`: what each asks for in addition to the request that it is about. A
// command prints its result on standard output; notes and progress go to standard error.
#pragma once

#include "join/advise/tune.h"
#include "join/bundle/pack.h"
#include "join/comparison/compare.h"
#include "join/coverage/coverage.h"
#include "join/emit/emit.h"
#include "join/explain/explain.h"
#include "join/explain/history.h"
#include "join/images/assembled.h"
#include "join/lists/lists.h"
#include "join/protocol/check_variants.h"
#include "join/reduce/reduce.h"
#include "join/sass/diff.h"
#include "join/sass/gate.h"
#include "join/sass/matrix.h"
#include "join/sass/page/page.h"
#include "join/sass/show.h"
#include "join/variants/forks.h"
#include "join/variants/generate.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::app {

struct GenerateOptions : join::variants::GenerateRequest {
  bool list = false, dry_run = false, json = false;
};
Status run_generate(const GenerateOptions& options);

struct ShowOptions {
  join::select::SpaceRequest space;
  std::string variant;
  std::string build = "timed";
  bool json = false;
};
Status run_show(const ShowOptions& options);

struct EmitOptions : join::emit::EmitRequest {
  std::string out;  // a folder; "": standard output
};
Status run_emit(const EmitOptions& options);

struct AssembleCommand : join::images::AssembleRequest {
  bool json = false;
  std::string failures;  // write every refused image and its reason to this file
};
Status run_assemble(const AssembleCommand& command);
// What runs say of variants that they do not refuse, to standard error.
void say_notes(const join::images::ExecutionNotes& notes);

struct PackOptions : join::bundle::PackRequest {
  std::string out = "bundle";
  bool json = false;
};
Status run_pack(const PackOptions& options);

struct CaptureOptions {
  std::vector<std::string> program;  // with its arguments
  std::string out = "launch.toml";
  int most = 64;          // launches of one kernel that differ
  bool contents = false;  // of the buffers, too
  std::int64_t most_bytes = 1 << 20, most_bytes_in_all = 64 << 20;  // of each of them, of all
};
// The program's exit status.
Result<int> run_capture(const CaptureOptions& options);

struct SassDiffOptions : join::sass::DiffRequest {
  std::string fail_on;  // a class of change; "" for none
  bool all = false, json = false;
  int context = 2;
};
// Whether the change is of class `fail_on` or above.
Result<bool> run_sass_diff(const SassDiffOptions& options);

struct SassHistoryOptions : join::explain::HistoryRequest {
  std::string format = "text";
  bool json = false;
};
Status run_sass_history(const SassHistoryOptions& options);

struct SassMatrixOptions : join::sass::MatrixRequest {
  std::string format = "text";
};
Status run_sass_matrix(const SassMatrixOptions& options);

struct SassListOptions : join::sass::SassListRequest {
  std::string format = "text";
  bool json = false;
};
Status run_sass_list(const SassListOptions& options);

struct SassGateOptions : join::sass::GateRequest {
  bool json = false;
};
// Whether an expectation is broken.
Result<int> run_sass_gate(const SassGateOptions& options);

struct ExplainOptions : join::explain::ExplainRequest {
  std::string format = "text";
  bool json = false;
};
Status run_explain(const ExplainOptions& options);

Status run_sass_reduce(const join::reduce::VariantReduceRequest& options);

struct GuardCommand {
  std::string file;    // PTX, ours or external
  std::string out;     // "" for standard output
  std::string launch;  // FILE[#N] that `capture` wrote, or ""
  int limit_ms = 1000;
  bool json = false;    // the sites as JSON on standard output
  std::string fail_on;  // "unguarded", or "" for nothing
};
// Whether there is what `fail_on` names: a wait that may have no bound.
Result<bool> run_guard(const GuardCommand& options);

struct CheckCommand : join::protocol::CheckRequest {
  bool json = false;
  std::string accept;  // "explored": as good as proved; "" for nothing
};
// The program's exit status.
Result<int> run_check(const CheckCommand& command);

struct RunCommand : join::protocol::CheckRequest {
  std::string variant;
  bool json = false;
};
Status run_run(const RunCommand& command);

struct ForkOptions : join::variants::ForkRequest {
  bool merge = false, resolved = false;
};
Status run_fork(const ForkOptions& options);

struct CoverageOptions {
  join::coverage::CoverageRequest request;
  bool list = false;  // a row for each form instead of each family
  bool json = false;
  std::string format = "text";
};
Status run_coverage(const CoverageOptions& options);

struct ReportOptions {
  base::Home home;
  std::vector<std::string> results;    // stores or files of results; empty: the published ones
  std::vector<std::string> documents;  // documents whose blocks are made again
  bool check = false;                  // compare the documents instead of writing them
  std::string table = "core", format = "text", device;
  std::string claims;                  // of documents: a folder or file; "": the project's
  std::vector<std::string> arguments;  // of the table: axis=value
};
Status run_report(const ReportOptions& options);

struct AdviseOptions : join::advise::AdviseRequest {
  std::string format = "text";
  bool json = false;
};
Status run_advise(const AdviseOptions& options);

struct TuneOptions : join::advise::TuneRequest {
  bool json = false;
};
Status run_tune(const TuneOptions& options);

struct CompareOptions : join::comparison::CompareRequest {
  std::optional<double> fail_over;  // percent
  std::string format = "text";
  bool json = false, every = false;
};
// Whether something is slower by more than `fail_over`, or failed.
Result<bool> run_compare(const CompareOptions& options);

struct SqlOptions {
  base::Home home;
  std::string query;
  std::vector<std::string> results;  // stores or files of results; empty: the published ones
  std::string device, format = "text";
};
Status run_sql(const SqlOptions& options);

struct ClaimsOptions {
  base::Home home;
  std::vector<std::string> words;  // files are results, the others name claims
  std::string claims;              // a folder or a file; "": the project's
  std::string device, format = "text";
  bool json = false;
  bool rows = false;                            // of all claims, or of those that are named
  bool every_device = false, measured = false;  // analysis/report/claims/checked_claims.h
  int permute = 0;                              // times; 0: the claims as they are
};
// Whether a claim is refuted.
Result<bool> run_claims(const ClaimsOptions& options);

struct ListOptions {
  std::string what;  // join/lists/lists.h
  join::lists::ListRequest request;
  std::string format = "text";
  bool json = false;
};
Status run_list(const ListOptions& options);

struct ExportOptions {
  base::Home home;
  std::vector<std::string> results;  // empty: the published ones
  std::vector<std::string> ids;      // of variants; empty: all
  std::string format = "csv", out;   // out empty: standard output
  std::string samples = "all";
};
Status run_export(const ExportOptions& options);

struct ImportOptions {
  base::Home home;
  std::vector<std::string> results;
  std::string store = "results.sqlite";
};
Status run_import(const ImportOptions& options);

}  // namespace phasebit::app
