#include "app/arguments.h"

namespace phasebit::app {
namespace {

// Whose images are made: of a sweep, of variants that are named, of files, of forks.
void add_subjects(CLI::App& app, join::select::SpaceRequest& space,
                  join::images::ToolOptions& tools, std::string& rules) {
  app.add_option("files", space.files, "PTX files in place of a sweep");
  app.add_option("--kernel", space.kernel, "of files: a part of the entry's name (default: all)")
      ->check(not_empty());
  app.add_option("--rules", rules,
                 "of kernels without a head: a file of rules, as `sass gate` takes it");
  add_space(app, space);
  add_toolchain(app, space);
  app.add_flag("--tuned", space.tuned_only,
               "the forks under ptx/tuned/ and their parents, not the sweep");
  add_tools(app, tools);
}

}  // namespace

void add_external(CLI::App& app, join::capture::ExternalFacts& external) {
  app.add_option("--launch", external.captured,
                 "of a kernel without a head: FILE[#N], a launch that `capture` wrote down");
  app.add_option("--param", external.parameters,
                 "of it: NAME=VALUE, NAME=buffer:BYTES[:fill], NAME=items, NAME+BYTES=TYPE:VALUE");
  app.add_option("--params", external.raw_parameters, "of it: a file of all parameters' bytes");
  app.add_option("--tensor-map", external.tensor_maps,
                 "of it: NAME or OFFSET=ELEMENT,SIZES,STRIDES,BOX,SWIZZLE,INTERLEAVE");
  app.add_option("--grid", external.grid, "of it: X[,Y[,Z]] CTAs");
  app.add_option("--block", external.block,
                 "of it: X[,Y[,Z]] threads (default: .reqntid, or what Triton's FILE.json says)");
  app.add_option("--cluster", external.cluster,
                 "of it: X[,Y[,Z]] CTAs of a cluster (default: as the block's)");
  app.add_option("--shared", external.shared_bytes, "of it: bytes of dynamic shared memory")
      ->check(CLI::NonNegativeNumber);
}

void add_assemble(CLI::App& app, AssembleCommand& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("assemble", "assemble a sweep for many architectures");
  add_subjects(*command, options.space, options.tools, options.rules);
  add_targets(*command, options.targets, "architectures (default: all)");
  command->add_option("--targets-file", options.targets_file, "a file of architectures");
  command->add_option("--build", options.build, "timed, guarded or both")->capture_default_str();
  command->add_flag("--gate", options.gate,
                    "disassemble, count opcodes, compare with the protocol");
  command->add_flag("--check", options.check,
                    "gate, and run each kernel: refuse what check finds wrong, and what executes "
                    "more or less than the template of its key");
  command->add_flag("--unchecked", options.unchecked,
                    "of --check: count as not gated what it refuses");
  command->add_option("--failures", options.failures, "write what was refused to this file");
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit assemble --filter ring/mbarrier/st_shared/none --limit 5 "
                          "--target sm_90a,sm_100a --gate",
                          "phasebit assemble mine.ptx --target sm_90a"});
  command->callback([&] { chosen = [&] { return run_assemble(options); }; });
}

void add_pack(CLI::App& app, PackOptions& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("pack", "make a bundle for a GPU machine");
  add_subjects(*command, options.space, options.tools, options.rules);
  command->add_option("-t,--target", options.target, "architecture")->capture_default_str();
  command->add_option("-o,--out", options.out, "folder of the bundle")->capture_default_str();
  add_external(*command, options.external);
  command->add_flag("--no-figure", options.external.no_figure,
                    "of it: the guarded build is run, and nothing measured");
  command->add_flag("--unchecked", options.unchecked,
                    "pack as not gated what its runs refuse: forks, snippets, files and other "
                    "templates that check finds wrong, or that cannot be counted");
  command->add_flag("!--no-anchors", options.anchors, "leave the anchors out");
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command,
               {"phasebit pack --id ring/mbarrier/st_shared/none --target sm_90a -o bundle",
                "phasebit pack --filter ring/mbarrier/st_shared/none --limit 3 -o bundle"});
  command->callback([&] { chosen = [&] { return run_pack(options); }; });
}

void add_capture(CLI::App& app, CaptureOptions& options, int& exit_status, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "capture", "run a program and write down how it launches its kernels, for `pack --launch`");
  command->add_option("program", options.program, "after --: the program and its arguments")
      ->required();
  command->add_option("-o,--out", options.out, "file to write")->capture_default_str();
  command->add_option("--most", options.most, "launches of one kernel that differ")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_flag("--contents", options.contents,
                    "what the kernels' buffers hold too, into a folder next to the file");
  command
      ->add_option("--most-bytes", options.most_bytes,
                   "of one buffer, from where the kernel's parameter points to")
      ->check(at_least_one())
      ->capture_default_str();
  command
      ->add_option("--most-bytes-in-all", options.most_bytes_in_all, "of all buffers of a process")
      ->check(at_least_one())
      ->capture_default_str();
  add_examples(*command, {"phasebit capture -o launch.toml -- ./app",
                          "phasebit capture --contents -o launch.toml -- ./app"});
  command->callback([&] {
    chosen = [&]() -> Status {
      PHASEBIT_TRY_ASSIGN(status, run_capture(options));
      exit_status = status;
      return {};
    };
  });
}

}  // namespace phasebit::app
