#include "app/arguments.h"

namespace phasebit::app {

void add_generate(CLI::App& app, GenerateOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("generate", "expand a sweep and write its PTX");
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  CLI::Option* out = command->add_option("-o,--out", options.out, "folder to write to");
  CLI::Option* build = command->add_option("--build", options.build, "timed or guarded");
  build->capture_default_str();
  CLI::Option* list = command->add_flag("--list", options.list, "list the variants instead");
  list->excludes(out)->excludes(build);
  CLI::Option* dry_run = command->add_flag("--dry-run", options.dry_run,
                                           "count variants and pruned points, estimate time");
  dry_run->excludes(out)->excludes(build)->excludes(list);
  CLI::Option* curated =
      command->add_flag("--curated", options.curated, "write the committed listings under ptx/");
  curated->excludes(build)->excludes(list)->excludes(dry_run);
  command->add_flag("--check", options.check, "with --curated: compare instead of writing")
      ->needs(curated);
  command->add_flag("--json", options.json, "of --list and --dry-run: print JSON")
      ->excludes(out)
      ->excludes(build)
      ->excludes(curated);
  add_examples(*command, {"phasebit generate -a stages=2,4 --limit 5 "
                          "--out ptx_files",
                          "phasebit generate --spec specs/curated.toml --list"});
  command->callback([&] { chosen = [&] { return run_generate(options); }; });
}

void add_show(CLI::App& app, ShowOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "show", "a variant as a PTX file: its head, and where each line comes from");
  command
      ->add_option("--kernel", options.space.kernel,
                   "of files: a part of the entry's name (default: all)")
      ->check(not_empty());
  add_variant_space(*command, options.space);
  command->add_option("variant", options.variant, "id, or the first digits of its hash")
      ->required();
  command->add_option("--build", options.build, "timed or guarded")->capture_default_str();
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit show ring/mbarrier/st_shared/none",
                          "phasebit show ring/mbarrier/st_shared/none --build guarded"});
  command->callback([&] { chosen = [&] { return run_show(options); }; });
}

void add_emit(CLI::App& app, EmitOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "emit", "a variant as a header of C++ functions, a verb each, for a kernel of your own");
  add_variant_space(*command, options.space);
  command->add_option("variants", options.variants, "ids, or the first digits of a hash")
      ->required();
  command->add_option("-o,--out", options.out,
                      "folder for NAME.cuh and NAME.ptx (default: the header to standard output)");
  command
      ->add_option("--results", options.results,
                   "stores or files that have the figure (default: the published results)")
      ->allow_extra_args(false);
  command->add_option("-t,--target", options.target, "of the figure (default: of the results)");
  command->add_option("--device", options.device, "GPU of the figure, when there are several");
  add_examples(*command, {"phasebit emit ring/mbarrier/st_shared/none",
                          "phasebit emit ring/mbarrier_bulk/bulk/none -o headers"});
  command->callback([&] { chosen = [&] { return run_emit(options); }; });
}

void add_fork(CLI::App& app, ForkOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("fork", "copy a variant to ptx/tuned/ to edit it by hand");
  add_variant_space(*command, options.space);
  command->add_option("variant", options.variant,
                      "id, or the first digits of its hash; with --merge a fork (default: all)");
  CLI::Option* name =
      command->add_option("--name", options.name, "of the fork (default: tuned1, tuned2, ...)");
  auto* merge = command->add_flag("--merge", options.merge, "merge with the current parent");
  merge->excludes(name);
  command->add_flag("--resolved", options.resolved, "take the current parent as merged by hand")
      ->excludes(merge)
      ->excludes(name);
  add_examples(*command,
               {"phasebit fork ring/mbarrier/st_shared/none --name mine", "phasebit fork --merge"});
  command->callback([&] { chosen = [&] { return run_fork(options); }; });
}

void add_guard(CLI::App& app, GuardCommand& options, int& exit_status, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "guard", "the same PTX with bounded waits: a wait that does not end says where, and traps");
  command->add_option("file", options.file, "any PTX file")->required();
  command->add_option("-o,--out", options.out, "file to write (default: standard output)");
  command
      ->add_option("--limit-ms", options.limit_ms,
                   "give up when no wait of the grid has ended for so long")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_option("--launch", options.launch,
                      "FILE[#N], a launch that `capture` wrote down: with how many threads and "
                      "registers a CTA begins, for setmaxnreg, where the text does not say");
  command->add_flag("--json", options.json, "print where it can wait as JSON");
  command->add_option("--fail-on", options.fail_on,
                      "unguarded: exit with 1 when a note names a wait that may have no bound");
  add_examples(*command, {"phasebit guard mine.ptx -o guarded.ptx",
                          "phasebit guard mine.ptx -o guarded.ptx --fail-on unguarded"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(unguarded, run_guard(options));
      exit_status = unguarded ? 1 : 0;
      return {};
    };
  });
}

namespace {

void add_items(CLI::App& app, join::protocol::CheckRequest& request, const char* usual) {
  app.add_option("--items", request.items, fmt::format("items (default: {})", usual))
      ->check(at_least_one());
}

void add_steps(CLI::App& app, join::protocol::CheckRequest& request) {
  app.add_option("--steps", request.options.most_steps,
                 "give up after so many instructions of warps")
      ->check(at_least_one())
      ->capture_default_str();
}

}  // namespace

void add_check(CLI::App& app, CheckCommand& options, int& exit_status, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "check", "run PTX without a GPU and prove that it neither hangs nor races, or say where");
  command->add_option("files", options.space.files, "PTX files, anybody's, in place of a sweep");
  command
      ->add_option("--kernel", options.space.kernel,
                   "of files: a part of the entry's name (default: all)")
      ->check(not_empty());
  add_space(*command, options.space);
  command->add_flag("--tuned", options.space.tuned_only,
                    "the forks under ptx/tuned/ and their parents, not the sweep");
  add_external(*command, options.external);
  add_items(*command, options, "several numbers, docs/checker.md");
  command
      ->add_option("--schedules", options.options.schedules, "drawn where one run proves nothing")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_steps(*command, options);
  command->add_flag("--strict", options.options.is_strict,
                    "lanes of a warp are ordered by bar.warp.sync alone");
  command
      ->add_option("--replay", options.options.replay,
                   "run the drawn schedule of this number alone, as a report names it")
      ->check(at_least_one());
  command->add_flag("--counts", options.counts,
                    "of variants: what is executed an item, by verb and role");
  command->add_option("--accept", options.accept,
                      "explored: exit with 0 where nothing was found and nothing proved");
  command->add_option("-j,--jobs", options.jobs, "threads (default: all cores)");
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit check --id ring/mbarrier/st_shared/none",
                          "phasebit check --spec specs/curated.toml --limit 5"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(status, run_check(options));
      exit_status = status;
      return {};
    };
  });
}

void add_run(CLI::App& app, RunCommand& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "run", "run a variant without a GPU, and verify what its launch leaves as on one");
  add_variant_space(*command, options.space);
  command->add_option("variant", options.variant, "id, or the first digits of its hash")
      ->required();
  add_items(*command, options, "each slot comes round 3 times");
  command->add_option("--replay", options.options.replay, "a drawn schedule, by its number")
      ->check(at_least_one());
  add_steps(*command, options);
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit run ring/mbarrier/st_shared/none",
                          "phasebit run ring/mbarrier/st_shared/none --items 64 --replay 7"});
  command->callback([&] { chosen = [&] { return run_run(options); }; });
}

}  // namespace phasebit::app
