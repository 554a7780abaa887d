#include "app/commands.h"
#include "core/base/file.h"
#include "join/images/assembled.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit::app {

using join::images::Failure;
using join::images::TargetCount;

namespace {

using nlohmann::json;

base::Table counted(const std::vector<TargetCount>& counts, bool gated) {
  base::Table table;
  for (const char* title : {"target", "build", "ptxas"}) table.columns.push_back({title});
  for (const char* title : {"assembled", "skipped", "refused", "classes", "registers", "spills",
                            "warnings", "passed", "failed", "ungated"})
    table.columns.push_back({title, true});
  for (const TargetCount& row : counts)
    table.rows.push_back({row.target, row.build, row.ptxas, row.assembled, row.skipped, row.refused,
                          row.classes, row.most_registers, row.spills, row.warnings,
                          row.gate_passed, row.gate_failed, row.ungated});
  constexpr std::size_t verdicts = 3;
  if (gated) return table;
  table.columns.resize(table.columns.size() - verdicts);
  for (std::vector<base::Cell>& row : table.rows) row.resize(table.columns.size());
  return table;
}

json as_json(const join::images::AssembledImages& made) {
  json rows = json::array(), bad = json::array();
  for (const TargetCount& row : made.counts)
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
  for (const Failure& failure : made.failures)
    bad.push_back({{"target", failure.target},
                   {"build", failure.build},
                   {"variant", failure.variant},
                   {"error", failure.error.text()}});
  return {{"targets", rows},
          {"skipped", made.skipped},
          {"not_counted", made.notes.not_counted},
          {"found", made.notes.found},
          {"failures", bad}};
}

Status report_failures(const std::vector<Failure>& failures, const std::string& path) {
  std::string text;
  for (const Failure& failure : failures)
    text += fmt::format("{} {} {}: {}\n", failure.target, failure.build, failure.variant,
                        failure.error.text());
  if (!path.empty()) PHASEBIT_TRY(base::write_file(path, text));
  if (failures.empty()) return {};
  std::vector<join::images::Refusal> refusals;
  for (const Failure& failure : failures)
    refusals.push_back({failure.target + " " + failure.variant, failure.error});
  fmt::print(stderr, "{}",
             join::images::refusal_text(refusals, 5,
                                        path.empty() ? "--failures FILE writes them all" : ""));
  return fail(failures.front().error.step, "{}",
              failures.size() == 1 ? "1 image was refused"
                                   : fmt::format("{} images were refused", failures.size()));
}

}  // namespace

void say_notes(const join::images::ExecutionNotes& notes) {
  const auto say = [](const char* what, const std::map<std::string, std::string>& variants) {
    if (variants.empty()) return;
    std::vector<join::images::Refusal> all;
    for (const auto& [id, why] : variants) all.push_back({id, Error{Step::gate, why, {}}});
    fmt::print(stderr, "{:8}  variants {}:\n{}", variants.size(), what,
               join::images::refusal_text(all, 3, "--json has them all"));
  };
  say("whose executions are not counted", notes.not_counted);
  say("that check finds wrong", notes.found);
}

Status run_assemble(const AssembleCommand& command) {
  PHASEBIT_TRY_ASSIGN(made, join::images::assemble_images(command));
  if (command.json)
    fmt::print("{}\n", as_json(made).dump(1));
  else
    fmt::print("{}", base::render(counted(made.counts, command.gate || command.check),
                                  base::TableFormat::text));
  for (const auto& [reason, images] : made.skipped)
    fmt::print(stderr, "{:8}  images skipped: {}\n", images, reason);
  say_notes(made.notes);
  return report_failures(made.failures, command.failures);
}

}  // namespace phasebit::app
