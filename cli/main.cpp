#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/manual.h"
#include "core/base/home.h"
#include "core/command/documents.h"
#include "core/command/parse.h"

#include <cstdio>

namespace phasebit {
namespace {

constexpr const char* files_help = "PTX files, anybody's, in place of a sweep";
constexpr const char* kernel_help = "of files: a part of the entry's name (default: all)";
constexpr const char* rules_help =
    "of kernels without a head: a file of rules, as `sass gate` takes it";
constexpr const char* tuned_help = "the forks under ptx/tuned/ and their parents, not the sweep";

void add_generate(CLI::App& app, GenerateOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("generate", "expand a sweep and write its PTX");
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  command->add_option("-o,--out", options.out, "folder to write to");
  command->add_option("--build", options.build, "timed or guarded")->capture_default_str();
  command->add_flag("--list", options.list, "list the variants instead");
  command->add_flag("--dry-run", options.dry_run,
                    "count variants and pruned points, estimate time");
  command->add_flag("--curated", options.curated, "write the committed listings under ptx/");
  command->add_flag("--check", options.check, "with --curated: compare instead of writing");
  command->add_flag("--json", options.json, "print JSON");
  command->callback([&] { chosen = [&] { return run_generate(options); }; });
}

void add_show(CLI::App& app, ShowOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "show", "a variant as a PTX file: its head, and where each line comes from");
  command->add_option("--kernel", options.space.kernel, kernel_help);
  add_space(*command, options.space);
  command->add_option("variant", options.variant, "id, or the first digits of its hash")
      ->required();
  command->add_option("--build", options.build, "timed or guarded")->capture_default_str();
  command->add_flag("--json", options.json, "print JSON");
  command->callback([&] { chosen = [&] { return run_show(options); }; });
}

void add_assemble(CLI::App& app, AssembleCommand& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("assemble", "assemble a sweep for many architectures");
  command->add_option("files", options.space.files, files_help);
  command->add_option("--kernel", options.space.kernel, kernel_help);
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("-t,--targets", options.targets, "architectures (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--targets-file", options.targets_file, "a file of architectures");
  command->add_option("--build", options.build, "timed, guarded or both")->capture_default_str();
  command->add_flag("--gate", options.gate,
                    "disassemble, count opcodes, compare with the protocol");
  command->add_option("--rules", options.rules, rules_help);
  command->add_option("--failures", options.failures, "write what was refused to this file");
  command->add_flag("--tuned", options.space.tuned_only, tuned_help);
  command->add_flag("--json", options.json, "print JSON");
  command->callback([&] { chosen = [&] { return run_assemble(options); }; });
}

void add_pack(CLI::App& app, PackOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("pack", "make a bundle for a GPU machine");
  command->add_option("files", options.space.files, files_help);
  command->add_option("--kernel", options.space.kernel, kernel_help);
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("-t,--target", options.target, "architecture")->capture_default_str();
  command->add_option("-o,--out", options.out, "folder of the bundle")->capture_default_str();
  command->add_option(
      "--param", options.whole.parameters,
      "of a kernel without a head: NAME=VALUE, NAME=buffer:BYTES[:fill], NAME=items");
  command->add_option("--grid", options.whole.grid, "of it: X[,Y[,Z]] CTAs");
  command->add_option("--block", options.whole.block, "of it: X[,Y[,Z]] threads");
  command->add_option("--shared", options.whole.shared_bytes,
                      "of it: bytes of dynamic shared memory");
  command->add_option("--cluster", options.whole.cluster, "of it: CTAs of a cluster")
      ->check(at_least_one());
  command->add_option("--rules", options.rules, rules_help);
  command->add_flag("!--no-anchors", options.anchors, "leave the anchors out");
  command->add_flag("--tuned", options.space.tuned_only, tuned_help);
  command->add_flag("--json", options.json, "print JSON");
  command->callback([&] { chosen = [&] { return run_pack(options); }; });
}

void add_fork(CLI::App& app, ForkOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("fork", "copy a variant to ptx/tuned/ to edit it by hand");
  add_space(*command, options.space);
  command->add_option("variant", options.variant,
                      "id, or the first digits of its hash; with --merge a fork (default: all)");
  command->add_option("--name", options.name, "of the fork (default: tuned1, tuned2, ...)");
  auto* merge = command->add_flag("--merge", options.merge, "merge with the parent of today");
  command->add_flag("--resolved", options.resolved, "take the parent of today as merged by hand")
      ->excludes(merge);
  command->callback([&] { chosen = [&] { return run_fork(options); }; });
}

void add_guard(CLI::App& app, GuardCommand& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "guard", "the same PTX with bounded waits: a wait that does not end says where, and traps");
  command->add_option("file", options.file, "a PTX file, anybody's")->required();
  command->add_option("-o,--out", options.out, "file to write (default: standard output)");
  command
      ->add_option("--limit-ms", options.limit_ms,
                   "give up when no wait of the grid has ended for so long")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_flag("--json", options.json, "print where it can wait as JSON");
  command->callback([&] { chosen = [&] { return run_guard(options); }; });
}

void add_coverage(CLI::App& app, CoverageOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "coverage", "every PTX form: generated, assembled, gated, measured, or why not");
  add_tools(*command, options.request.tools);
  command->add_option("results", options.request.results,
                      "stores or JSON lines (default: the published)");
  command->add_option("-t,--target", options.request.target, "architecture")->capture_default_str();
  command->add_option("--family", options.request.family, "families of this pattern: mbarrier.*")
      ->capture_default_str();
  command->add_flag("--list", options.list, "a row for each form");
  command->add_flag("!--no-assemble", options.request.assemble,
                    "by the table alone, without ptxas");
  command->add_option("--format", options.format, "text, markdown, csv or json")
      ->capture_default_str();
  command->add_flag("--json", options.json, "print JSON: all that is known of each form");
  command->callback([&] { chosen = [&] { return run_coverage(options); }; });
}

void add_report(CLI::App& app, ReportOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "report", "tables from results (analysis/report/tables.h has their names and arguments)");
  command->add_option("results", options.results, "stores or JSON lines (default: the published)");
  command->add_option("--table", options.table, "which")->capture_default_str();
  command->add_option("--argument", options.arguments, "of the table, such as mover=none")
      ->allow_extra_args(false);
  command->add_option("--format", options.format, "text, markdown, csv or json")
      ->capture_default_str();
  command->add_option("--device", options.device, "GPU, when there are several");
  command->add_option("--update", options.documents, "make the blocks of this document anew")
      ->allow_extra_args(false);
  command->add_flag("--check", options.check, "with --update: compare instead of writing");
  command->callback([&] { chosen = [&] { return run_report(options); }; });
}

void add_explain(CLI::App& app, ExplainOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "two figures, and the difference of the machine code that goes with theirs");
  add_space(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("first", options.first, "id or hash of a variant");
  command->add_option("second", options.second, "another; left out: the first by two toolchains");
  command->add_option("--toolchain", options.toolchains, "version of ptxas, or one for each side")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--steps", options.steps,
                    "every two neighbouring versions of ptxas whose figures differ");
  command
      ->add_option("--results", options.results,
                   "stores or JSON lines (default: the published histories)")
      ->allow_extra_args(false);
  command->add_option("-t,--target", options.target, "architecture (default: of the results)");
  command->add_option("--device", options.device, "GPU, when there are several");
  command->add_option("--format", options.format, "text, markdown, csv or json")
      ->capture_default_str();
  command->add_flag("--json", options.json, "short for --format json");
  command->callback([&] { chosen = [&] { return run_explain(options); }; });
}

void add_export(CLI::App& app, ExportOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("export", "results in another form");
  command->add_option("results", options.results, "stores or JSON lines")->required();
  command->add_option("--format", options.format, "jsonl (lossless), csv, json (Google Benchmark)")
      ->capture_default_str();
  command->add_option("-o,--out", options.out, "file (default: standard output)");
  command->callback([&] { chosen = [&] { return run_export(options); }; });
}

void add_import(CLI::App& app, ImportOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("import", "merge results into a store");
  command->add_option("results", options.results, "stores or JSON lines")->required();
  command->add_option("--store", options.store, "the store")->capture_default_str();
  command->callback([&] { chosen = [&] { return run_import(options); }; });
}

struct Options {
  GenerateOptions generate;
  ShowOptions show;
  AssembleCommand assemble;
  PackOptions pack;
  SassOptions sass;
  ForkOptions fork;
  GuardCommand guard;
  CoverageOptions coverage;
  ReportOptions report;
  ExplainOptions explain;
  ExportOptions results_out;
  ImportOptions results_in;
};

int complain(const Error& error) {
  fmt::print(stderr, "phasebit: {}\n", error.text());
  return exit_code(error.step);
}

int run(int argc, char** argv) {
  CLI::App app(
      "phasebit: PTX for GPU producer/consumer pipelines: generate, assemble, gate, report",
      "phasebit");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("phasebit {}", program_version()));
  add_documents(app, manual());
  Options options;
  Chosen chosen;
  add_generate(app, options.generate, chosen);
  add_show(app, options.show, chosen);
  add_assemble(app, options.assemble, chosen);
  add_pack(app, options.pack, chosen);
  add_sass(app, options.sass, chosen);
  add_fork(app, options.fork, chosen);
  add_guard(app, options.guard, chosen);
  add_coverage(app, options.coverage, chosen);
  add_report(app, options.report, chosen);
  add_explain(app, options.explain, chosen);
  add_export(app, options.results_out, chosen);
  add_import(app, options.results_in, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : complain(usage_error(app, error));
  }
  // First of all, so that no command meets a missing folder half way.
  if (const auto found = find_home(); !found) return complain(found.error());
  const Status status = chosen();
  return status ? options.sass.exit_status : complain(status.error());
}

}  // namespace
}  // namespace phasebit

int main(int argc, char** argv) {
  return phasebit::run(argc, argv);
}
