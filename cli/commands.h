// The commands of `phasebit`. Each takes what the command line said and prints its result on
// standard output; notes and progress go to standard error.
#pragma once

#include "pipeline/coverage/coverage.h"
#include "pipeline/images/tools.h"
#include "pipeline/lists/lists.h"
#include "pipeline/select/space.h"
#include "pipeline/select/whole_facts.h"

#include <string>
#include <vector>

namespace phasebit {

struct GenerateOptions {
  SpaceRequest space;
  std::string out;  // folder for one .ptx a variant
  bool list = false, dry_run = false, json = false;
  bool curated = false;  // write ptx/ from specs/curated.toml
  bool check = false;    // with curated: compare instead of writing
  std::string build = "timed";
};
Status run_generate(const GenerateOptions& options);

struct ShowOptions {
  SpaceRequest space;
  std::string variant;
  std::string build = "timed";
  bool json = false;
};
Status run_show(const ShowOptions& options);

struct AssembleCommand {
  SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;  // empty or "all": every one that ptxas knows
  std::string targets_file;          // one a line
  std::string build = "timed";       // timed, guarded or both
  bool gate = false;
  std::string rules;  // with gate: a file of them, for kernels without a head
  bool json = false;
  std::string failures;  // write every refused image and its reason to this file
};
Status run_assemble(const AssembleCommand& command);

struct PackOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string target = "sm_90a";
  std::string out = "bundle";
  WholeFacts whole;   // of kernels without a head
  std::string rules;  // a file of them, for these; "" for none
  bool anchors = true;
  bool json = false;
};
Status run_pack(const PackOptions& options);

struct SassShowOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string variant;  // or the path of a code file
  std::string target;   // "": sm_90a; of a file, the only one
  std::string kernel;   // of a file
  std::string build = "timed";
  bool json = false, live = false;
};
Status run_sass_show(const SassShowOptions& options);

struct SassDiffOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string first, second;         // variants, or paths of code files; second empty: the first
  std::vector<std::string> targets;  // none (sm_90a; of a file, the only one), one, or one a side
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one a side
  std::vector<std::string> kernels;     // of files: none, one, or one for each side
  std::string build = "timed";
  std::string fail_on;  // a class of change; "" for none
  bool all = false, json = false;
  int context = 2;
};
// Whether the change is of class `fail_on` or above.
Result<bool> run_sass_diff(const SassDiffOptions& options);

struct SassHistoryOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string variant;
  std::vector<std::string> toolchains;  // versions of ptxas; empty: every one installed
  std::string target;                   // "": that of the results, else sm_90a
  std::vector<std::string> results;     // empty: the published histories
  std::string device, format = "text";
  std::string bisect;  // "class", "cycles" or a pattern of opcodes; "" for the whole history
  std::string out;     // with bisect: the smallest PTX that shows it
  bool json = false;
};
Status run_sass_history(const SassHistoryOptions& options);

struct SassMatrixOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows
  std::vector<std::string> toolchains;  // versions of ptxas; empty: what each variant asks for
  std::string reference;  // a column, or its target or ptxas, or a variant; "" for the first column
  std::vector<std::string> files;  // code files in place of variants
  std::string kernel;              // of files: a part of the name; "" for all
  std::string format = "text";
};
Status run_sass_matrix(const SassMatrixOptions& options);

struct SassPageOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::vector<std::string> targets;     // empty or "all": every one that ptxas knows
  std::string reference;                // a target; "" for the first
  std::vector<std::string> toolchains;  // versions of ptxas to set side by side too
  std::string history = "sm_90";        // on this target
  std::string out = "sass.html";
};
Status run_sass_page(const SassPageOptions& options);

struct SassClassesOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string target;              // "": sm_90a; of files, every one
  std::vector<std::string> files;  // code files in place of variants
  std::string kernel;              // of files: a part of the name; "" for all
  bool json = false;
};
Status run_sass_classes(const SassClassesOptions& options);

struct SassGateOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string file;                     // of expectations
  std::vector<std::string> cubins;      // empty: variants
  std::vector<std::string> targets;     // empty: those of the file, else every one
  std::vector<std::string> toolchains;  // versions of ptxas; empty: what each variant asks for
  bool json = false;
};
// Whether an expectation is broken.
Result<bool> run_sass_gate(const SassGateOptions& options);

struct ExplainOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string first, second;            // variants; second empty: the first
  std::vector<std::string> toolchains;  // versions of ptxas: none, one, or one for each side
  bool steps = false;                   // instead: every step of the histories
  double least_percent = 0;             // steps of so much or more
  std::vector<std::string> results;     // empty: the published histories
  std::string target;                   // "": that of the results
  std::string device, format = "text";
  bool json = false;
};
Status run_explain(const ExplainOptions& options);

struct SassReduceOptions {
  SpaceRequest space;
  ToolOptions tools;
  std::string first, second;                      // variants of one text; second empty: the first
  std::vector<std::string> targets = {"sm_90a"};  // one, or one for each side
  std::vector<std::string> toolchains;            // versions of ptxas: none, one, or one a side
  std::string opcode;                             // a pattern; "" for the one that differs most
  bool in_loop = true;                            // false: in the whole kernel
  int seconds = 60;
  std::string out;  // file; "" for standard output
};
Status run_sass_reduce(const SassReduceOptions& options);

struct GuardCommand {
  std::string file;  // PTX, anybody's
  std::string out;   // "" for standard output
  int limit_ms = 1000;
  bool json = false;  // the sites as JSON on standard output
};
Status run_guard(const GuardCommand& options);

struct ForkOptions {
  SpaceRequest space;
  std::string variant;  // id or hash; with merge or resolved a fork's name, or "" for all
  std::string name;
  bool merge = false;     // with the parent of today
  bool resolved = false;  // take the parent of today as merged: a person has done it
};
Status run_fork(const ForkOptions& options);

struct CoverageOptions {
  CoverageRequest request;
  bool list = false;  // a row for each form instead of each family
  bool json = false;
  std::string format = "text";
};
Status run_coverage(const CoverageOptions& options);

struct ReportOptions {
  std::vector<std::string> results;    // stores or JSON lines; empty: the published ones
  std::vector<std::string> documents;  // documents whose blocks are made again
  bool check = false;                  // compare the documents instead of writing them
  std::string table = "core", format = "text", device;
  std::vector<std::string> arguments;  // of the table: axis=value
};
Status run_report(const ReportOptions& options);

struct ListOptions {
  std::string what;  // pipeline/lists/lists.h
  ListRequest request;
  std::string format = "text";
  bool json = false;
};
Status run_list(const ListOptions& options);

struct ExportOptions {
  std::vector<std::string> results;
  std::string format = "jsonl", out;  // out empty: standard output
};
Status run_export(const ExportOptions& options);

struct ImportOptions {
  std::vector<std::string> results;
  std::string store = "results.sqlite";
};
Status run_import(const ImportOptions& options);

}  // namespace phasebit
