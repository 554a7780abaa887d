#include "app/arguments.h"

#include "analysis/report/tables.h"
#include "join/lists/lists.h"

namespace phasebit::app {

void add_coverage(CLI::App& app, CoverageOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "coverage", "every PTX form: generated, assembled, gated, measured, or why not");
  add_tools(*command, options.request.tools);
  command->add_option("results", options.request.results,
                      "stores or files of results (default: the published)");
  command->add_option("-t,--target", options.request.target, "architecture")->capture_default_str();
  command->add_option("--family", options.request.family, "families of this pattern: mbarrier.*")
      ->capture_default_str();
  command->add_flag("--list", options.list, "a row for each form");
  CLI::Option* table_alone = command->add_flag("!--no-assemble", options.request.assemble,
                                               "by the table alone, without ptxas");
  exclude_tools(*command, *table_alone);
  CLI::Option* format =
      command->add_option("--format", options.format, "text, markdown, csv, json or html");
  format->capture_default_str();
  command->add_flag("--json", options.json, "print JSON: all that is known of each form")
      ->excludes(format);
  add_examples(*command, {"phasebit coverage --family 'mbarrier.arrive*' --no-assemble",
                          "phasebit coverage --family 'mbarrier.test_wait*' --list"});
  command->callback([&] { chosen = [&] { return run_coverage(options); }; });
}

namespace {

// What `advise` and `tune` are asked alike.
void add_question(CLI::App& command, join::advise::AdviseRequest& options) {
  command
      .add_option("-a", options.asked,
                  "axis=value of the problem; of what is answered: values to choose among")
      ->allow_extra_args(false);
  command.add_option("--shared", options.shared,
                     "shared memory that the ring may have: bytes, or 160K");
  command.add_option("-t,--target", options.target, "architecture (default: of the results)");
  command.add_option("--device", options.device, "GPU that ranks, when there are several");
  CLI::Option* results =
      command.add_option("--results", options.results,
                         "stores or files of your own, in addition to the published results");
  results->allow_extra_args(false);
  command
      .add_flag("--only-results", options.only_results,
                "those of --results alone, without the published")
      ->needs(results);
  command.add_option("--without", options.without,
                     "a file of ids, one a line, whose rows do not count: to test an advice");
}

}  // namespace

void add_advise(CLI::App& app, AdviseOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "advise",
      "which variant for a problem, what it costs, and how sure that is (docs/advise.md)");
  add_question(*command, options);
  add_format(*command, options.format, options.json);
  add_examples(*command,
               {"phasebit advise -a mover=bulk_tensor -a work=wgmma -a granularity=producer_warp "
                "-a consumers=2 -a payload_bytes=16384 --shared 160K -t sm_90a",
                "phasebit advise -a mover=st_shared -a wait=try_wait,test_wait -a stages=1,2,4"});
  command->callback([&] { chosen = [&] { return run_advise(options); }; });
}

void add_tune(CLI::App& app, TuneOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "tune", "the question of `advise`, measured: few points find the fastest (docs/tune.md)");
  add_question(*command, options);
  add_tools(*command, options.tools);
  CLI::Option* folder = command->add_option(
      "-o,--out", options.folder, "folder of the bundle and the store; it resumes what it has");
  folder->capture_default_str();
  command->add_option("--bench", options.bench,
                      "the phasebit-bench to run (default: the one next to phasebit)");
  command
      ->add_option("--points", options.points,
                   "measure at most so many points (default: a tenth of all)")
      ->check(CLI::PositiveNumber);
  command->add_flag("--anew", options.anew, "measure those that the results have, too");
  command
      ->add_flag("--replay", options.replay,
                 "rows of the results in place of a GPU, those of --without too: to test a search")
      ->excludes(folder);
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command,
               {"phasebit tune -a mover=bulk_tensor -a work=wgmma -a granularity=producer_warp "
                "-a consumers=2 -a payload_bytes=16384 --shared 160K -o tuned",
                "phasebit tune -a mover=st_shared -a wait=try_wait,test_wait --replay"});
  command->callback([&] { chosen = [&] { return run_tune(options); }; });
}

void add_report(CLI::App& app, ReportOptions& options, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("report", "tables from results (`phasebit list tables` says which)");
  command->add_option("results", options.results,
                      "stores or files of results (default: the published)");
  CLI::Option* table = command->add_option("--table", options.table,
                                           "its name (`phasebit list tables`), or a file NAME.sql");
  table->capture_default_str();
  CLI::Option* argument =
      command->add_option("--argument", options.arguments, "of the table, such as mover=none");
  argument->allow_extra_args(false);
  CLI::Option* format =
      command->add_option("--format", options.format, "text, markdown, csv, json or html");
  format->capture_default_str();
  command->add_option("--device", options.device, "GPU, when there are several");
  CLI::Option* update =
      command->add_option("--update", options.documents, "make the blocks of this document anew");
  update->allow_extra_args(false)->excludes(table)->excludes(argument)->excludes(format);
  command->add_flag("--check", options.check, "with --update: compare instead of writing")
      ->needs(update);
  command
      ->add_option("--claims", options.claims,
                   "with --update: folder or file of claims (default: the project's)")
      ->needs(update);
  add_examples(*command, {"phasebit report --table core --argument protocol=mbarrier",
                          "phasebit report --table pivot --argument rows=protocol,mover,work "
                          "--argument across=num_stages:1,2,4"});
  command->callback([&] { chosen = [&] { return run_report(options); }; });
}

void add_compare(CLI::App& app, CompareOptions& options, int& exit_status, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "compare", "two results point by point: FASTER, SLOWER, SAME or AMBIGUOUS, and what differs");
  command
      ->add_option("results", options.results,
                   "A and B: a store or a file of results each; one: parts of it (default: of the "
                   "published)")
      ->expected(0, 2);
  for (const auto& [name, words] : {std::pair("--a", &options.a), std::pair("--b", &options.b)})
    command
        ->add_option(name, *words,
                     "AXIS=VALUE of this side: an axis of variants, device, ptxas, commit, run, "
                     "driver, sweep, target or id")
        ->allow_extra_args(false);
  command
      ->add_option("--fail-over", options.fail_over,
                   "exit code 1 where something is SLOWER by more than so many percent, or failed")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--explain", options.explain,
                    "of the 20 largest differences the instructions: assembles them");
  command->add_flag("--rows", options.every, "list every pair, the SAME and AMBIGUOUS too");
  add_format(*command, options.format, options.json);
  add_examples(*command, {"phasebit compare results/nvidia-h200/core.csv.zst --a wait=try_wait "
                          "--b wait=test_wait",
                          "phasebit compare results/nvidia-h100/core.csv.zst "
                          "results/nvidia-h200/core.csv.zst --fail-over 50 --format markdown"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(worse, run_compare(options));
      exit_status = worse ? 1 : 0;
      return {};
    };
  });
}

void add_sql(CLI::App& app, SqlOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "sql", "any question of results: a SELECT over figure, point, device, run and claim");
  command->add_option("query", options.query, "one SELECT; - reads it from standard input")
      ->required();
  command->add_option("results", options.results, "stores or files (default: the published)");
  command->add_option("--format", options.format, "text, markdown, csv, json or html")
      ->capture_default_str();
  command->add_option("--device", options.device,
                      "figures of this GPU, or of all of a model as one (default: of each GPU)");
  add_examples(*command,
               {"phasebit sql \"select name, count(*) from figure join device on uuid = "
                "device group by 1\"",
                "phasebit sql \"select id, cycles, half from figure where probe = 'handoff' "
                "and reason = '' order by cycles limit 5\" --device H200"});
  command->callback([&] { chosen = [&] { return run_sql(options); }; });
}

void add_claims(CLI::App& app, ClaimsOptions& options, int& exit_status, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "claims", "what the docs state, checked against every row; exit code 1 when one is refuted");
  command->add_option(
      "words", options.words,
      "names of claims: figures, scope, the nearest rows; files are the results to look at "
      "(default: the published)");
  command->add_option("--claims", options.claims,
                      "folder or file of claims (default: the project's)");
  command->add_option("--device", options.device, "of this GPU alone");
  command->add_flag("--every-device", options.every_device,
                    "also on devices that a claim does not name");
  command->add_flag("--measured", options.measured,
                    "leave out claims of which the results have no row");
  CLI::Option* rows =
      command->add_flag("--rows", options.rows, "list the rows, of all claims or of those named");
  command
      ->add_option("--permute", options.permute,
                   "permute the figures of each claim's rows this often: it should fail")
      ->check(at_least_one())
      ->excludes(rows);
  add_format(*command, options.format, options.json);
  add_examples(*command, {"phasebit claims", "phasebit claims cta_barrier_rings",
                          "phasebit claims --permute 5"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(refuted, run_claims(options));
      exit_status = refuted ? 1 : 0;
      return {};
    };
  });
}

void add_explain(CLI::App& app, ExplainOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "explain", "two figures, and the difference of the machine code that goes with theirs");
  add_variant_space(*command, options.space);
  add_tools(*command, options.tools);
  CLI::Option* first =
      command->add_option("first", options.first, "id, hash or FILE.ptx of a variant");
  command->add_option("second", options.second, "another; left out: the first by two toolchains");
  CLI::Option* toolchain = command->add_option("--toolchain", options.toolchains,
                                               "version of ptxas, or one for each side");
  toolchain->delimiter(',')->allow_extra_args(false);
  command
      ->add_flag("--steps", options.steps,
                 "every two neighbouring versions of ptxas whose figures differ")
      ->excludes(first)
      ->excludes(toolchain);
  command
      ->add_option("--results", options.results,
                   "stores or files of results (default: the published histories)")
      ->allow_extra_args(false);
  command->add_option("-t,--target", options.target, "architecture (default: of the results)");
  command->add_option("--device", options.device, "GPU, when there are several");
  add_format(*command, options.format, options.json);
  add_examples(*command, {"phasebit explain ring/mbarrier/st_shared/none --toolchain 12.4,13.5"});
  command->callback([&] { chosen = [&] { return run_explain(options); }; });
}

void add_export(CLI::App& app, ExportOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("export", "results in another form");
  command->add_option("results", options.results,
                      "stores or files of results (default: the published)");
  command
      ->add_option("--id", options.ids,
                   "rows of this variant alone, and of the one that was "
                   "measured in its place")
      ->allow_extra_args(false);
  command->add_option("--format", options.format, "csv (lossless), json (Google Benchmark)")
      ->capture_default_str();
  command
      ->add_option("--samples", options.samples,
                   "of a csv file: all, those of the base repetition (base), or none")
      ->capture_default_str();
  command->add_option("-o,--out", options.out, "file (default: standard output)");
  add_examples(*command, {"phasebit export results/nvidia-h200/core.csv.zst -o core.csv"});
  command->callback([&] { chosen = [&] { return run_export(options); }; });
}

void add_import(CLI::App& app, ImportOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("import", "merge results into a store");
  command->add_option("results", options.results, "stores or files of results")->required();
  command->add_option("--store", options.store, "the store")->capture_default_str();
  add_examples(*command,
               {"phasebit import results/nvidia-h200/barrier_word.csv.zst --store all.sqlite"});
  command->callback([&] { chosen = [&] { return run_import(options); }; });
}

void add_list(CLI::App& app, ListOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("list", "what there is to choose from");
  command
      ->add_option("what", options.what,
                   fmt::format("one of: {}", fmt::join(join::lists::list_names(), ", ")))
      ->required();
  command->add_option("results", options.request.results,
                      "of devices: stores or files of results in addition to the published");
  command->add_option("--templates", options.request.templates,
                      "folder of templates (default: the project's)");
  command->add_option("--spec", options.request.spec,
                      "of sweeps: a spec file (default: all of the project's)");
  add_format(*command, options.format, options.json);
  add_examples(*command, {"phasebit list protocols", "phasebit list sweeps",
                          "phasebit list tables --format markdown"});
  command->callback([&] { chosen = [&] { return run_list(options); }; });
}

}  // namespace phasebit::app
