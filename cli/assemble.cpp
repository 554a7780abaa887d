#include "cli/commands.h"
#include "cli/images.h"
#include "cli/words.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::json;

// What became of the variants on one target and build.
struct TargetCount {
  std::string target, build;
  size_t assembled = 0, too_new = 0, refused = 0, classes = 0;
  size_t gate_passed = 0, gate_failed = 0, ungated = 0;
  int most_registers = 0, spills = 0, warnings = 0;
};

struct Failure {
  std::string target, build, variant;
  Error error;
};

bool needs_later_target(const Prepared& prepared, const std::string& target) {
  return !check_ptx_target(prepared.kernel.ptx_target, target);
}

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

TargetCount count_images(const std::string& target, Build build,
                         const std::vector<Prepared>& prepared, const ImageSet& set,
                         std::vector<Failure>& failures) {
  TargetCount count;
  count.target = target;
  count.build = to_string(build);
  std::set<std::string> classes;
  for (size_t i = 0; i < prepared.size(); ++i) {
    const Result<Image>& image = set.images[i];
    if (image) {
      count_image(*image, count, classes);
      if (image->gate.verdict == GateVerdict::failed)
        failures.push_back(
            {target, count.build, prepared[i].key.id, Error{Step::gate, image->gate.reason, {}}});
    } else if (needs_later_target(prepared[i], target)) {
      ++count.too_new;
    } else {
      ++count.refused;
      failures.push_back({target, count.build, prepared[i].key.id, image.error()});
    }
  }
  count.classes = classes.size();
  return count;
}

void print_counts(const std::vector<TargetCount>& counts, bool gated) {
  fmt::print("{:<10} {:<8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>7} {:>9}", "target", "build",
             "assembled", "too new", "refused", "classes", "registers", "spills", "warnings");
  if (gated) fmt::print(" {:>7} {:>7} {:>8}", "passed", "failed", "ungated");
  fmt::print("\n");
  for (const TargetCount& row : counts) {
    fmt::print("{:<10} {:<8} {:>9} {:>8} {:>8} {:>8} {:>9} {:>7} {:>9}", row.target, row.build,
               row.assembled, row.too_new, row.refused, row.classes, row.most_registers, row.spills,
               row.warnings);
    if (gated) fmt::print(" {:>7} {:>7} {:>8}", row.gate_passed, row.gate_failed, row.ungated);
    fmt::print("\n");
  }
}

json as_json(const std::vector<TargetCount>& counts, const std::vector<Failure>& failures) {
  json rows = json::array(), bad = json::array();
  for (const TargetCount& row : counts)
    rows.push_back({{"target", row.target},
                    {"build", row.build},
                    {"assembled", row.assembled},
                    {"too_new", row.too_new},
                    {"refused", row.refused},
                    {"classes", row.classes},
                    {"most_registers", row.most_registers},
                    {"spills", row.spills},
                    {"warnings", row.warnings},
                    {"gate_passed", row.gate_passed},
                    {"gate_failed", row.gate_failed},
                    {"ungated", row.ungated}});
  for (const Failure& failure : failures)
    bad.push_back({{"target", failure.target},
                   {"build", failure.build},
                   {"variant", failure.variant},
                   {"error", failure.error.text()}});
  return {{"targets", rows}, {"failures", bad}};
}

Status report_failures(const std::vector<Failure>& failures, const std::string& path) {
  std::string text;
  for (const Failure& failure : failures)
    text += fmt::format("{} {} {}: {}\n", failure.target, failure.build, failure.variant,
                        failure.error.text());
  if (!path.empty()) PHASEBIT_TRY(write_file(path, text));
  if (failures.empty()) return {};
  constexpr size_t shown = 5;
  for (size_t i = 0; i < std::min(shown, failures.size()); ++i)
    fmt::print(stderr, "{} {}: {}\n", failures[i].target, failures[i].variant,
               failures[i].error.text());
  if (failures.size() > shown && path.empty())
    fmt::print(stderr, "... and {} more; --failures FILE writes them all\n",
               failures.size() - shown);
  return fail(failures.front().error.step, "{} images were refused", failures.size());
}

struct Run {
  std::vector<TargetCount> counts;
  std::vector<Failure> failures;
};

Status assemble_build(const AssembleCommand& command, Tools& tools, const Space& space,
                      const std::vector<std::string>& targets, Build build, Run& run) {
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, build, command.tools.jobs));
  std::optional<Disassembler> disassembler;
  if (command.gate && build == Build::timed) {
    PHASEBIT_TRY_ASSIGN(opened, open_disassembler(tools));
    disassembler = std::move(opened);
  }
  std::vector<ImageSet> sets = make_images(tools, prepared, targets);
  for (size_t i = 0; i < sets.size(); ++i) {
    if (disassembler)
      PHASEBIT_TRY(
          gate_images(tools, *disassembler, space.catalogue, prepared, targets[i], sets[i]));
    run.counts.push_back(count_images(targets[i], build, prepared, sets[i], run.failures));
  }
  if (!sets.empty())
    for (const std::string& note : sets.front().assembly->notes)
      fmt::print(stderr, "note: {}\n", note);
  return {};
}

}  // namespace

Status run_assemble(const AssembleCommand& command) {
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
    fmt::print("{}\n", as_json(run.counts, run.failures).dump(1));
  else
    print_counts(run.counts, command.gate);
  return report_failures(run.failures, command.failures);
}

}  // namespace phasebit
