#include "cli/arguments.h"
#include "cli/commands.h"

#include <cstdio>

namespace phasebit {
namespace {

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
  ListOptions list;
};

int run(int argc, char** argv) {
  CLI::App app(
      "phasebit: PTX for GPU producer/consumer pipelines: generate, assemble, gate, report");
  app.require_subcommand(1);
  app.set_version_flag("--version", "phasebit 0.1.0");
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
  add_list(app, options.list, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : exit_code(Step::usage);
  }
  const Status status = chosen();
  if (status) return options.sass.exit_status;
  fmt::print(stderr, "phasebit: {}\n", status.error().text());
  return exit_code(status.error().step);
}

}  // namespace
}  // namespace phasebit

int main(int argc, char** argv) {
  return phasebit::run(argc, argv);
}
