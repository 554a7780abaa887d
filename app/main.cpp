#include "app/arguments.h"
#include "app/commands.h"
#include "app/llvm.h"
#include "app/manual.h"
#include "core/base/documents.h"
#include "core/base/home.h"
#include "core/base/interrupt.h"
#include "core/base/parse.h"
#include "core/base/standard_output.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::app {
namespace {

constexpr const char* program = "phasebit";

struct Options {
  GenerateOptions generate;
  ShowOptions show;
  EmitOptions emit;
  AssembleCommand assemble;
  PackOptions pack;
  CaptureOptions capture;
  SassOptions sass;
  ForkOptions fork;
  GuardCommand guard;
  CheckCommand check;
  RunCommand run;
  LlvmOptions llvm;
  CoverageOptions coverage;
  AdviseOptions advise;
  TuneOptions tune;
  CompareOptions compare;
  ReportOptions report;
  SqlOptions sql;
  ClaimsOptions claims;
  int exit_status = 0;  // of a command that succeeds: 1 where it answers so
  ExplainOptions explain;
  ExportOptions results_out;
  ImportOptions results_in;
  ListOptions list;
};

// Every command that reads or writes files of the program knows where they are.
void set_home(Options& all, const base::Home& home) {
  SassOptions& sass = all.sass;
  for (join::select::SpaceRequest* space :
       {&all.generate.space, &all.show.space, &all.emit.space, &all.check.space, &all.run.space,
        &all.assemble.space, &all.pack.space, &all.fork.space, &all.explain.space, &sass.show.space,
        &sass.diff.space, &sass.history.space, &sass.matrix.space, &sass.page.space,
        &sass.classes.space, &sass.gate.space, &sass.reduce.space, &all.llvm.asm_space})
    space->home = home;
  for (join::images::ToolOptions* tools :
       {&all.assemble.tools, &all.pack.tools, &all.tune.tools, &all.coverage.request.tools,
        &all.explain.tools, &sass.show.tools, &sass.diff.tools, &sass.history.tools,
        &sass.matrix.tools, &sass.page.tools, &sass.classes.tools, &sass.gate.tools,
        &sass.reduce.tools})
    tools->home = home;
  sass.list.home = all.advise.home = all.tune.home = all.compare.home = all.report.home =
      all.sql.home = all.claims.home = all.results_out.home = all.results_in.home =
          all.list.request.home = all.llvm.history.home = home;
  all.llvm.table.home = all.llvm.table.tools.home = home;
}

int complain(const Error& error) {
  return base::complain(program, error);
}

int run(int argc, char** argv) {
  CLI::App app(
      "phasebit: PTX for GPU producer/consumer pipelines: generate, assemble, gate, report",
      "phasebit");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("phasebit {}", base::program_version()));
  base::add_documents(app, manual());
  Options options;
  Chosen chosen;
  add_generate(app, options.generate, chosen);
  add_show(app, options.show, chosen);
  add_emit(app, options.emit, chosen);
  add_assemble(app, options.assemble, chosen);
  add_pack(app, options.pack, chosen);
  add_capture(app, options.capture, options.exit_status, chosen);
  add_sass(app, options.sass, chosen);
  add_fork(app, options.fork, chosen);
  add_guard(app, options.guard, options.exit_status, chosen);
  add_check(app, options.check, options.exit_status, chosen);
  add_run(app, options.run, chosen);
  add_llvm(app, options.llvm, chosen);
  add_coverage(app, options.coverage, chosen);
  add_advise(app, options.advise, chosen);
  add_tune(app, options.tune, chosen);
  add_report(app, options.report, chosen);
  add_compare(app, options.compare, options.exit_status, chosen);
  add_sql(app, options.sql, chosen);
  add_claims(app, options.claims, options.exit_status, chosen);
  add_explain(app, options.explain, chosen);
  add_export(app, options.results_out, chosen);
  add_import(app, options.results_in, chosen);
  add_list(app, options.list, chosen);
  // After the commands, which would inherit it.
  add_examples(app, {"phasebit list axes", "phasebit list sweeps", "phasebit report --table core"});
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    // --help is met before unknown words.
    const std::vector<std::string> unknown = app.remaining(true);
    if (unknown.empty()) return app.exit(asked);
    return complain(base::usage_error(app, CLI::ExtrasError(app.get_name(), unknown)));
  } catch (const CLI::ParseError& error) {
    return complain(base::usage_error(app, error));
  }
  // First of all, so that no command meets a missing folder half way.
  const auto home = base::find_home();
  if (!home && !options.sass.without_data) return complain(home.error());
  set_home(options, home.value_or(base::Home{}));
  const Status status = chosen();
  return status ? std::max(options.sass.exit_status, options.exit_status)
                : complain(status.error());
}

}  // namespace
}  // namespace phasebit::app

int main(int argc, char** argv) {
  using namespace phasebit;
  base::clean_up_on_interrupt();
  return base::with_standard_output(app::program, [&] { return app::run(argc, argv); });
}
