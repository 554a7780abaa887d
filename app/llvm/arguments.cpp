#include "app/llvm.h"

namespace phasebit::app {
namespace {

void add_lower(CLI::App& group, LlvmOptions& all, Chosen& chosen) {
  join::lower::LowerRequest& options = all.lower;
  CLI::App* command = group.add_subcommand("lower", "PTX of LLVM IR from any compiler");
  command->add_option("file", options.file, "LLVM IR: .ll or .bc")->required();
  command->add_option("-o,--out", all.out, "file to write (default: standard output)");
  command->add_option("-t,--target", options.target, "architecture")->capture_default_str();
  command->add_option("--ptx", options.ptx, "the version of PTX that it may use")
      ->capture_default_str();
  command->add_option("--opt-level", options.opt_level, "-O of optimiser and backend")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  command->add_flag("--short-ptr", options.short_pointers,
                    "addresses in shared, const and local memory have 32 bits");
  command->callback([&] { chosen = [&] { return run_lower(all); }; });
}

void add_llvm_history(CLI::App& group, LlvmOptions& all, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "history", "the same verb through every LLVM that is installed, by its program llc-N");
  command->add_option("verb", all.history.verb, "one verb (default: all that have spellings)");
  command->add_option("--sass", all.history.sass_target,
                      "architecture whose SASS, by the pinned ptxas, is next to the PTX");
  command->add_option("--snippets", all.history.snippets,
                      "folder for each distinct PTX of a verb as a text for --snippet");
  add_format(*command, all.format, all.json);
  add_examples(*command, {"phasebit llvm history", "phasebit llvm history arrive --sass sm_90a"});
  command->callback([&] { chosen = [&] { return run_llvm_history(all); }; });
}

void add_inline_asm(CLI::App& group, LlvmOptions& all, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "inline-asm", "which variants' IR holds inline asm, since LLVM has no intrinsic");
  add_space(*command, all.asm_space);
  add_format(*command, all.format, all.json);
  add_examples(*command, {"phasebit llvm inline-asm --spec specs/bulk.toml --sweep bulk"});
  command->callback([&] { chosen = [&] { return run_inline_asm(all); }; });
}

void add_llvm_table(CLI::App& group, LlvmOptions& all, Chosen& chosen) {
  join::lower::VerbTableRequest& options = all.table;
  CLI::App* command = group.add_subcommand(
      "table", "verb by verb: IR, PTX that comes out, SASS, and cycles against the templates'");
  command->add_option("results", options.results,
                      "stores or files of results (default: the published of LLVM)");
  command->add_option("--spec", options.spec, "spec file (default: specs/llvm.toml)");
  command->add_option("--sweep", options.sweep, "whose variants (default: table)");
  command->add_option("-t,--target", options.target, "architecture")->capture_default_str();
  add_format(*command, all.format, all.json);
  add_examples(*command, {"phasebit llvm table --format markdown"});
  command->callback([&] { chosen = [&] { return run_llvm_table(all); }; });
}

void add_llvm_forms(CLI::App& group, LlvmOptions& all, Chosen& chosen) {
  CLI::App* command = group.add_subcommand(
      "forms", "PTX forms (core/isa/forms.csv) that need a later PTX than this LLVM writes");
  add_format(*command, all.format, all.json);
  add_examples(*command, {"phasebit llvm forms"});
  command->callback([&] { chosen = [&] { return run_llvm_forms(all); }; });
}

}  // namespace

void add_llvm(CLI::App& app, LlvmOptions& options, Chosen& chosen) {
  CLI::App* group = app.add_subcommand("llvm", "PTX by LLVM's NVPTX backend");
  group->require_subcommand(1);
  add_lower(*group, options, chosen);
  add_llvm_history(*group, options, chosen);
  add_inline_asm(*group, options, chosen);
  add_llvm_table(*group, options, chosen);
  add_llvm_forms(*group, options, chosen);
  add_examples(*group, {"phasebit llvm history fence"});
}

}  // namespace phasebit::app
