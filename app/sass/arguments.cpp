#include "app/arguments.h"

#include "app/sass/options.h"

namespace phasebit::app {
namespace {

void add_show(CLI::App& group, join::sass::SassShowRequest& options, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "show", "listing with control fields, verb, and the template's file and line");
  add_variant_space(*command, options.space);
  add_toolchain(*command, options.space);
  add_tools(*command, options.tools);
  command
      ->add_option("variant", options.variant,
                   "id, the first digits of its hash, or a code file: PTX, a cubin, a fatbin, a "
                   "host object, executable, shared or static library")
      ->required();
  command->add_option("-t,--target", options.target,
                      "architecture (default: sm_90a; of PTX its own; of a file the only one)");
  command
      ->add_option("--kernel", options.kernel,
                   "of a file: symbol, C++ name, a part that says which, or a number of `sass "
                   "list` with the same target")
      ->check(not_empty());
  add_full_names(*command, options.full_names);
  add_source(*command, options.source);
  command->add_option("--build", options.build, "timed or guarded")->capture_default_str();
  command->add_flag("--live", options.live, "count the registers live at each instruction");
  add_reading(*command, options);
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit sass show ring/mbarrier/st_shared/none --target sm_100a"});
  command->callback([&] { chosen = [&] { return print(join::sass::sass_show(options)); }; });
}

void add_list(CLI::App& group, SassOptions& all, Chosen& chosen) {
  SassListOptions& options = all.list;
  CLI::App* command = group.add_subcommand(
      "list", "the kernels of code files, by number and name, without disassembling them");
  command->add_option("files", options.files, "code files (see show)")->required();
  add_targets(*command, options.targets,
              "architectures (default: all; of PTX its own); nothing else is unpacked");
  add_format(*command, options.format, options.json);
  add_full_names(*command, options.full_names);
  add_examples(*command, {"phasebit sass list mine.cubin --target sm_90a",
                          "phasebit sass show mine.cubin --target sm_90a --kernel 1"});
  command->callback([&] {
    all.without_data = true;
    chosen = [&] { return run_sass_list(options); };
  });
}

void add_diff(CLI::App& group, SassOptions& all, Chosen& chosen) {
  SassDiffOptions& options = all.diff;
  CLI::App* command =
      group.add_subcommand("diff",
                           "two kernels side by side, instruction by instruction; two files "
                           "of several kernels, kernel by kernel");
  add_variant_space(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("first", options.first, "id, hash, or a code file (see show)")->required();
  command->add_option("second", options.second,
                      "the same; left out: the first on two targets or by two toolchains");
  add_targets(*command, options.targets,
              "architecture, or one for each side (default: sm_90a; of PTX its own; of a file the "
              "only one)");
  command->add_option("--toolchain", options.toolchains, "version of ptxas, or one for each side")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--kernel", options.kernels,
                   "of a file with several, or one for each side (A,B, or one an option; commas "
                   "in brackets belong to the name); left out: all by name")
      ->check(not_empty())
      ->allow_extra_args(false);
  add_full_names(*command, options.full_names);
  add_source(*command, options.source);
  command->add_option("--build", options.build, "timed or guarded")->capture_default_str();
  command->add_option("--fail-on", options.fail_on,
                      "exit with 1 on a change of this class or above: schedule, renamed, "
                      "operands, instructions, data");
  CLI::Option* context =
      command->add_option("--context", options.context, "identical rows to show around the others");
  context->capture_default_str()->check(CLI::NonNegativeNumber);
  command->add_flag("--all", options.all, "show every row")->excludes(context);
  command->add_flag("--json", options.json, "print JSON: every row")->excludes(context);
  add_examples(*command, {"phasebit sass diff ring/mbarrier/st_shared/none --target sm_90a,sm_100a",
                          "phasebit sass diff ring/mbarrier/st_shared/none "
                          "ring/mbarrier/st_shared/none/wait=test_wait"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(fails, run_sass_diff(options));
      all.exit_status = fails ? 1 : 0;
      return {};
    };
  });
}

void add_history(CLI::App& group, SassHistoryOptions& options, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "history", "what every ptxas made of a variant, and what that costs where it was measured");
  add_variant_space(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("variant", options.variant, "id, or the first digits of its hash")
      ->required();
  command
      ->add_option("--toolchain", options.toolchains,
                   "versions of ptxas (default: all that are installed)")
      ->delimiter(',');
  command->add_option("-t,--target", options.target, "architecture (default: of the results)");
  command
      ->add_option("--results", options.results,
                   "stores or files of results (default: the published histories)")
      ->allow_extra_args(false);
  command->add_option("--device", options.device, "GPU, when there are several");
  CLI::Option* bisect = command->add_option(
      "--bisect", options.bisect,
      "class, cycles or an opcode: the two versions between which it changed most");
  command
      ->add_option(
          "--count", options.count,
          "where --bisect counts an opcode: hot (a turn of the timed loops), loops (of the "
          "whole kernel) or all (default: loops)")
      ->needs(bisect);
  command
      ->add_option("-o,--out", options.out,
                   "with --bisect: write the smallest PTX that shows the change to this file")
      ->needs(bisect);
  add_format(*command, options.format, options.json);
  bisect->excludes(command->get_option("--format"))->excludes(command->get_option("--json"));
  add_examples(*command,
               {"phasebit sass history ring/mbarrier/st_shared/none --toolchain 11.8,12.4,13.5"});
  command->callback([&] { chosen = [&] { return run_sass_history(options); }; });
}

void add_matrix(CLI::App& group, SassMatrixOptions& options, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "matrix", "what each variant became on each architecture and by each ptxas");
  add_space(*command, options.space);
  add_tools(*command, options.tools);
  add_files(*command, options.files, options.kernel);
  add_source_lines(*command, options.source);
  add_targets(*command, options.targets, "architectures (default: all; of PTX its own)");
  command
      ->add_option("--toolchain", options.toolchains,
                   "versions of ptxas, such as 12.4,13.0 or all: a column each")
      ->delimiter(',');
  command->add_option("--reference", options.reference,
                      "column, target, version or variant to compare with (default: the first "
                      "column)");
  command->add_option("--format", options.format, "text, markdown, csv, json or html")
      ->capture_default_str();
  add_examples(
      *command,
      {"phasebit sass matrix --spec specs/curated.toml --limit 3 --target sm_80,sm_90a,sm_100a"});
  command->callback([&] { chosen = [&] { return run_sass_matrix(options); }; });
}

void add_page(CLI::App& group, join::sass::page::PageRequest& options, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "page", "the matrix as one HTML file, each cell with its listing next to the reference's");
  add_space(*command, options.space);
  add_tools(*command, options.tools);
  add_files(*command, options.files, options.kernel);
  add_source(*command, options.source);
  add_targets(*command, options.targets, "architectures (default: all; of PTX its own)");
  command->add_option("--reference", options.reference,
                      "column to compare with at first, a target or a file (default: the first "
                      "that has code); the page has a choice");
  CLI::Option* toolchain =
      command->add_option("--toolchain", options.toolchains,
                          "versions of ptxas, or all: a second matrix, of these on one target");
  toolchain->delimiter(',')->allow_extra_args(false);
  command->add_option("--history", options.history, "the target of that matrix")
      ->capture_default_str()
      ->needs(toolchain);
  command->add_option("-o,--out", options.out, "the file")->capture_default_str();
  add_examples(*command, {"phasebit sass page --spec specs/curated.toml --limit 3 --target "
                          "sm_90a,sm_100a -o sass.html"});
  command->callback([&] { chosen = [&] { return print(join::sass::page::sass_page(options)); }; });
}

void add_classes(CLI::App& group, join::sass::ClassesRequest& options, Chosen& chosen) {
  CLI::App* command =
      group.add_subcommand("classes", "which variants are one code, and what splits");
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  add_tools(*command, options.tools);
  add_files(*command, options.files, options.kernel);
  add_source_lines(*command, options.source);
  command->add_option("-t,--target", options.target,
                      "architecture (default: sm_90a; of PTX its own; of code files every one)");
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command,
               {"phasebit sass classes --filter ring/mbarrier/st_shared/none --limit 20"});
  command->callback([&] { chosen = [&] { return print(join::sass::sass_classes(options)); }; });
}

void add_gate(CLI::App& group, SassOptions& all, Chosen& chosen) {
  SassGateOptions& options = all.gate;
  CLI::App* command = group.add_subcommand(
      "gate", "expectations of a file, for CI: exits with 1 when one is broken");
  add_space(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("rules", options.file, "TOML, such as specs/sass_gate.toml")->required();
  command->add_option("files,--cubin", options.files,
                      "code files (see show) whose kernels are checked by the rules "
                      "(default: `files` of the rules); shell patterns too");
  add_source(*command, options.source);
  add_targets(*command, options.targets,
              "architectures (default: those of the rules; of PTX its own)");
  command->add_option("--toolchain", options.toolchains, "versions of ptxas, such as 12.4,13.0")
      ->delimiter(',');
  add_full_names(*command, options.full_names);
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit sass gate specs/sass_gate.toml"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(status, run_sass_gate(options));
      all.exit_status = status;
      return {};
    };
  });
}

void add_reduce(CLI::App& group, join::reduce::VariantReduceRequest& options, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "reduce", "the smallest PTX that two versions of ptxas make different code of");
  add_variant_space(*command, options.space);
  add_tools(*command, options.tools);
  command->add_option("first", options.first, "id or hash")->required();
  command->add_option("second", options.second,
                      "the same text with other axes of ptxas; left out: the first on two targets "
                      "or by two toolchains");
  add_targets(*command, options.targets,
              "architecture, or one for each side (default: sm_90a; of PTX its own)");
  command->add_option("--toolchain", options.toolchains, "version of ptxas, or one for each side")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--opcode", options.opcode,
                      "what is counted, such as YIELD or 'MEMBAR*' (default: the opcode that "
                      "differs most)");
  command->add_flag("--in-loop,!--anywhere", options.in_loop,
                    "count in loops alone, which is the default, or in the whole kernel");
  command->add_option("--seconds", options.seconds, "of reducing: then stop with what was reached")
      ->capture_default_str();
  command->add_option("-o,--out", options.out, "file to write (default: standard output)");
  add_examples(*command, {"phasebit sass reduce ring/mbarrier/st_shared/none --target sm_90 "
                          "--toolchain 12.4,13.5 --opcode YIELD --seconds 1"});
  command->callback([&] { chosen = [&] { return run_sass_reduce(options); }; });
}

}  // namespace

void add_sass(CLI::App& app, SassOptions& options, Chosen& chosen) {
  CLI::App* group = app.add_subcommand("sass", "the machine code")->require_subcommand(1);
  add_show(*group, options.show, chosen);
  add_list(*group, options, chosen);
  add_diff(*group, options, chosen);
  add_history(*group, options.history, chosen);
  add_matrix(*group, options.matrix, chosen);
  add_page(*group, options.page, chosen);
  add_classes(*group, options.classes, chosen);
  add_gate(*group, options, chosen);
  add_reduce(*group, options.reduce, chosen);
  // After the commands, which would inherit it.
  add_examples(*group, {"phasebit sass show ring/mbarrier/st_shared/none --target sm_90a"});
}

}  // namespace phasebit::app
