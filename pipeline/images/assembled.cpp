#include "cli/commands.h"
#include "pipeline/images/gate_images.h"
#include "pipeline/images/gate_subjects.h"
#include "pipeline/images/refusals.h"
#include "pipeline/select/open_space.h"
#include "pipeline/select/words.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::json;

// What became of the variants on one target and build, by one choice of ptxas.
struct TargetCount {
  std::string target, build, ptxas;  // ptxas: version and flags
  size_t assembled = 0, skipped = 0, refused = 0, classes = 0;
  size_t gate_passed = 0, gate_failed = 0, ungated = 0;
  int most_registers = 0, spills = 0, warnings = 0;
};

struct Failure {
  std::string target, build, variant;
  Error error;
};

void count_image(const Image& image, TargetCount& count, std::set<std::string>& classes) {
  ++count.assembled;
  classes.insert(image.sass_class);
  count.most_registers = std::max(count.most_registers, image.resources.registers);
  count.spills += image.resources.spill_store_bytes > 0 ? 1 : 0;
  count.warnings += static_cast<int>(image.warnings.size());
  switch (image.gate.verdict) {
    case GateVerdict::passed: ++count.gate_passed; break;
    case GateVerdict::failed: ++count.gate_failed; break;
    case GateVerdict::ungated: ++count.ungated; break;
  }
}

struct Run {
  std::vector<TargetCount> counts;
  std::vector<Failure> failures;
  std::map<std::string, size_t> skipped;  // images by reason
};

// Those of one choice of ptxas.
TargetCount count_images(const std::string& target, const std::vector<Prepared>& prepared,
                         const ImageSet& set, const AssemblerChoice& choice,
                         const Toolchain& toolchain, Run& run) {
  TargetCount count;
  count.target = target;
  count.build = to_string(prepared.front().kernel.build);
  count.ptxas = fmt::format("{}", fmt::join(flags_of(choice), " "));
  count.ptxas = toolchain.version.text() + (count.ptxas.empty() ? "" : " " + count.ptxas);
  std::set<std::string> classes;
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (assembler_of(prepared[i].key) != choice) continue;
    const Result<Image>& image = set.images[i];
    if (image) {
      count_image(*image, count, classes);
      if (image->gate.verdict == GateVerdict::failed)
        run.failures.push_back(
            {target, count.build, prepared[i].key.id, Error{Step::gate, image->gate.reason, {}}});
    } else if (const Status takes = check_takes(toolchain, prepared[i].kernel, target); !takes) {
      ++count.skipped;
      ++run.skipped[takes.error().message.substr(0, takes.error().message.find(", the target is"))];
    } else {
      ++count.refused;
      run.failures.push_back({target, count.build, prepared[i].key.id, image.error()});
    }
  }
  count.classes = classes.size();
  return count;
}

void print_counts(const std::vector<TargetCount>& counts, bool gated) {
  fmt::print("{:<10} {:<8} {:<12} {:>9} {:>8} {:>8} {:>8} {:>9} {:>7} {:>9}", "target", "build",
             "ptxas", "assembled", "skipped", "refused", "classes", "registers", "spills",
             "warnings");
  if (gated) fmt::print(" {:>7} {:>7} {:>8}", "passed", "failed", "ungated");
  fmt::print("\n");
  for (const TargetCount& row : counts) {
    fmt::print("{:<10} {:<8} {:<12} {:>9} {:>8} {:>8} {:>8} {:>9} {:>7} {:>9}", row.target,
               row.build, row.ptxas, row.assembled, row.skipped, row.refused, row.classes,
               row.most_registers, row.spills, row.warnings);
    if (gated) fmt::print(" {:>7} {:>7} {:>8}", row.gate_passed, row.gate_failed, row.ungated);
    fmt::print("\n");
  }
}

json as_json(const Run& run) {
  json rows = json::array(), bad = json::array();
  for (const TargetCount& row : run.counts)
    rows.push_back({{"target", row.target},
                    {"build", row.build},
                    {"ptxas", row.ptxas},
                    {"assembled", row.assembled},
                    {"skipped", row.skipped},
                    {"refused", row.refused},
                    {"classes", row.classes},
                    {"most_registers", row.most_registers},
                    {"spills", row.spills},
                    {"warnings", row.warnings},
                    {"gate_passed", row.gate_passed},
                    {"gate_failed", row.gate_failed},
                    {"ungated", row.ungated}});
  for (const Failure& failure : run.failures)
    bad.push_back({{"target", failure.target},
                   {"build", failure.build},
                   {"variant", failure.variant},
                   {"error", failure.error.text()}});
  return {{"targets", rows}, {"skipped", run.skipped}, {"failures", bad}};
}

Status report_failures(const std::vector<Failure>& failures, const std::string& path) {
  std::string text;
  for (const Failure& failure : failures)
    text += fmt::format("{} {} {}: {}\n", failure.target, failure.build, failure.variant,
                        failure.error.text());
  if (!path.empty()) PHASEBIT_TRY(write_file(path, text));
  if (failures.empty()) return {};
  std::vector<Refusal> refusals;
  for (const Failure& failure : failures)
    refusals.push_back({failure.target + " " + failure.variant, failure.error});
  fmt::print(stderr, "{}",
             refusal_text(refusals, 5, path.empty() ? "--failures FILE writes them all" : ""));
  return fail(failures.front().error.step, "{} images were refused", failures.size());
}

Status count_column(Tools& tools, const std::string& target, const std::vector<Prepared>& prepared,
                    const ImageSet& set, Run& run) {
  std::vector<AssemblerChoice> choices;
  for (const Prepared& one : prepared)
    if (const AssemblerChoice choice = assembler_of(one.key);
        std::find(choices.begin(), choices.end(), choice) == choices.end())
      choices.push_back(choice);
  for (const AssemblerChoice& choice : choices) {
    PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice.ptxas));
    run.counts.push_back(count_images(target, prepared, set, choice, *toolchain, run));
  }
  return {};
}

Status assemble_build(const AssembleCommand& command, Tools& tools, const Space& space,
                      const std::vector<std::string>& targets, Build build, Run& run) {
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, build, command.tools.jobs));
  std::optional<Disassembler> disassembler;
  if (command.gate && build == Build::timed) {
    PHASEBIT_TRY_ASSIGN(opened, open_disassembler(tools));
    disassembler = std::move(opened);
  }
  PHASEBIT_TRY_ASSIGN(columns, columns_of(targets, {}));
  std::vector<ImageSet> sets = make_images(tools, prepared, columns);
  if (disassembler) PHASEBIT_TRY(gate_images(tools, *disassembler, prepared, columns, sets));
  if (disassembler && !command.rules.empty())
    for (size_t i = 0; i < sets.size(); ++i)
      PHASEBIT_TRY(
          gate_by_rules(tools, *disassembler, command.rules, prepared, columns[i], sets[i]));
  for (size_t i = 0; i < sets.size(); ++i)
    PHASEBIT_TRY(count_column(tools, targets[i], prepared, sets[i], run));
  if (!sets.empty())
    for (const std::string& note : sets.front().assembly->notes)
      fmt::print(stderr, "note: {}\n", note);
  return {};
}

}  // namespace

Status run_assemble(const AssembleCommand& command) {
  if (!command.rules.empty() && !command.gate)
    return with_hint(fail(Step::usage, "--rules {}: nothing is gated", command.rules),
                     "give --gate too");
  if (command.gate && command.build == "guarded")
    return with_hint(fail(Step::usage, "--gate: what is gated is the timed build"),
                     "--build timed or both");
  std::vector<Build> builds = {Build::timed, Build::guarded};
  if (command.build != "both") {
    PHASEBIT_TRY_ASSIGN(build, parse_build(command.build));
    builds = {build};
  }
  PHASEBIT_TRY_ASSIGN(tools, open_tools(command.tools));
  PHASEBIT_TRY_ASSIGN(targets,
                      chosen_targets(tools.toolchain, command.targets, command.targets_file));
  PHASEBIT_TRY_ASSIGN(space, open_space(command.space, Forks::included));
  Run run;
  for (const Build build : builds)
    PHASEBIT_TRY(assemble_build(command, tools, space, targets, build, run));
  if (command.json)
    fmt::print("{}\n", as_json(run).dump(1));
  else
    print_counts(run.counts, command.gate);
  for (const auto& [reason, images] : run.skipped)
    fmt::print(stderr, "{:8}  images skipped: {}\n", images, reason);
  return report_failures(run.failures, command.failures);
}

}  // namespace phasebit
