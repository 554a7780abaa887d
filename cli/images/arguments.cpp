#include "cli/arguments.h"

namespace phasebit {
namespace {

constexpr const char* files_help = "PTX files, anybody's, in place of a sweep";
constexpr const char* kernel_help = "of files: a part of the entry's name (default: all)";
constexpr const char* rules_help =
    "of kernels without a head: a file of rules, as `sass gate` takes it";
constexpr const char* tuned_help = "the forks under ptx/tuned/ and their parents, not the sweep";

}  // namespace

void add_assemble(CLI::App& app, AssembleCommand& options, Chosen& chosen) {
  CLI::App* command = app.add_subcommand("assemble", "assemble a sweep for many architectures");
  command->add_option("files", options.space.files, files_help);
  command->add_option("--kernel", options.space.kernel, kernel_help);
  add_space(*command, options.space);
  add_toolchain(*command, options.space);
  add_tools(*command, options.tools);
  add_targets(*command, options.targets, "architectures (default: all)");
  command->add_option("--targets-file", options.targets_file, "a file of architectures");
  command->add_option("--build", options.build, "timed, guarded or both")->capture_default_str();
  command->add_flag("--gate", options.gate,
                    "disassemble, count opcodes, compare with the protocol");
  command->add_option("--rules", options.rules, rules_help);
  command->add_option("--failures", options.failures, "write what was refused to this file");
  command->add_flag("--tuned", options.space.tuned_only, tuned_help);
  command->add_flag("--json", options.json, "print JSON");
  add_examples(*command, {"phasebit assemble --filter ring/mbarrier/st_shared/none --limit 5 "
                          "--target sm_90a,sm_100a --gate",
                          "phasebit assemble mine.ptx --target sm_90a"});
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
  add_examples(*command,
               {"phasebit pack --id ring/mbarrier/st_shared/none --target sm_90a -o bundle",
                "phasebit pack --filter ring/mbarrier/st_shared/none --limit 3 -o bundle"});
  command->callback([&] { chosen = [&] { return run_pack(options); }; });
}

}  // namespace phasebit
