// Command lines: the options that several commands have, and the groups of commands.
#pragma once

#include "app/commands.h"
#include "core/base/table.h"

#include <functional>

#include <CLI/CLI.hpp>

namespace phasebit::app {

// The command that the line chose.
using Chosen = std::function<Status()>;

// Prints what a command made.
Status print(const Result<std::string>& text);

// Of a word: not empty.
const CLI::Validator& not_empty();
// Of a number: 1 or more.
const CLI::Validator& at_least_one();

// Which variants: a sweep, or some that are named.
void add_space(CLI::App& app, join::select::SpaceRequest& space);
// Of commands about one variant: the sweep of a hash, axes of ptxas, snippets.
void add_variant_space(CLI::App& app, join::select::SpaceRequest& space);
// -t: one meaning in all commands. With several they are a list, by commas or one an option.
CLI::Option* add_targets(CLI::App& app, std::vector<std::string>& targets, const std::string& help);
// --format, and --json for short.
void add_format(CLI::App& app, std::string& format, bool& json);
// --full-names: names of kernels that a command shortens, whole.
CLI::Option* add_full_names(CLI::App& app, bool& full_names);
// How a kernel without a head is launched.
void add_external(CLI::App& app, join::capture::ExternalFacts& external);
// Command lines that work, for --help and the manual page. tests/app runs them.
void add_examples(CLI::App& app, const std::vector<std::string>& lines);
// --toolchain as an axis of the variants.
void add_toolchain(CLI::App& app, join::select::SpaceRequest& space);
void add_tools(CLI::App& app, join::images::ToolOptions& tools);
// An option with which nothing is assembled.
void exclude_tools(CLI::App& app, CLI::Option& option);

void add_generate(CLI::App& app, GenerateOptions& options, Chosen& chosen);
void add_show(CLI::App& app, ShowOptions& options, Chosen& chosen);
void add_emit(CLI::App& app, EmitOptions& options, Chosen& chosen);
void add_fork(CLI::App& app, ForkOptions& options, Chosen& chosen);
void add_guard(CLI::App& app, GuardCommand& options, int& exit_status, Chosen& chosen);
void add_check(CLI::App& app, CheckCommand& options, int& exit_status, Chosen& chosen);
void add_run(CLI::App& app, RunCommand& options, Chosen& chosen);
void add_assemble(CLI::App& app, AssembleCommand& options, Chosen& chosen);
void add_pack(CLI::App& app, PackOptions& options, Chosen& chosen);
void add_capture(CLI::App& app, CaptureOptions& options, int& exit_status, Chosen& chosen);
void add_coverage(CLI::App& app, CoverageOptions& options, Chosen& chosen);
void add_advise(CLI::App& app, AdviseOptions& options, Chosen& chosen);
void add_tune(CLI::App& app, TuneOptions& options, Chosen& chosen);
void add_report(CLI::App& app, ReportOptions& options, Chosen& chosen);
void add_compare(CLI::App& app, CompareOptions& options, int& exit_status, Chosen& chosen);
void add_sql(CLI::App& app, SqlOptions& options, Chosen& chosen);
void add_claims(CLI::App& app, ClaimsOptions& options, int& exit_status, Chosen& chosen);
void add_explain(CLI::App& app, ExplainOptions& options, Chosen& chosen);
void add_export(CLI::App& app, ExportOptions& options, Chosen& chosen);
void add_import(CLI::App& app, ImportOptions& options, Chosen& chosen);
void add_list(CLI::App& app, ListOptions& options, Chosen& chosen);

struct SassOptions {
  join::sass::SassShowRequest show;
  SassListOptions list;
  SassDiffOptions diff;
  SassHistoryOptions history;
  SassMatrixOptions matrix;
  join::sass::page::PageRequest page;
  join::sass::ClassesRequest classes;
  SassGateOptions gate;
  join::reduce::VariantReduceRequest reduce;
  int exit_status = 0;        // of a command that succeeds: 1 where --fail-on says so
  bool without_data = false;  // the command that was chosen reads no file of the program
};
// `phasebit sass ...`
void add_sass(CLI::App& app, SassOptions& options, Chosen& chosen);

// A command whose result is a table.

// --format, or JSON by --json.
template <typename Options>
Result<base::TableFormat> format_of(const Options& options) {
  return base::table_format(options.json ? "json" : options.format);
}

// Prints what `make` makes; a format that there is none of is said before.
template <typename Options, typename Make>
Status print_table(const Options& options, const Make& make) {
  PHASEBIT_TRY_ASSIGN(format, format_of(options));
  PHASEBIT_TRY_ASSIGN(made, make());
  fmt::print("{}", base::render(made, format));
  return {};
}

}  // namespace phasebit::app
