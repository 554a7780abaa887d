#include "app/commands.h"
#include "core/base/fields.h"

#include <nlohmann/json.hpp>

namespace phasebit::app {

using join::protocol::VariantRun;

namespace {

nlohmann::json as_json(const VariantRun& run) {
  nlohmann::json records = nlohmann::json::array();
  for (const launch::SampleRecord& one : run.output.records)
    if (one.role != 0)
      records.push_back({{"role", base::word_of(static_cast<launch::Role>(one.role))},
                         {"warp", one.hardware_warp},
                         {"items", one.items},
                         {"phases_checked", one.phases_checked},
                         {"phase_errors", one.phase_errors},
                         {"readings", one.readings}});
  return {{"launch", run.launch},
          {"instructions", run.instructions},
          {"ended", run.ended},
          {"findings", run.findings},
          {"records", records},
          {"checksums", run.output.checksum},
          {"verified", run.verified.has_value()},
          {"why", run.verified ? "" : run.verified.error().message}};
}

void print_run(const VariantRun& run) {
  fmt::print("{}, {} instructions of warps\n", run.launch, run.instructions);
  for (const launch::SampleRecord& one : run.output.records)
    if (one.role != 0)
      fmt::print("{}, warp {}: {} items, {} phases checked, {} wrong\n",
                 base::word_of(static_cast<launch::Role>(one.role)), one.hardware_warp, one.items,
                 one.phases_checked, one.phase_errors);
  for (const std::string& finding : run.findings) fmt::print("{}\n", finding);
  if (run.ended && run.verified)
    fmt::print("verified: payload, counts and phases are as on a GPU\n");
}

}  // namespace

Status run_run(const RunCommand& command) {
  RunCommand asked = command;
  asked.space.ids = {command.variant};
  PHASEBIT_TRY_ASSIGN(run, join::protocol::run_variant(asked));
  if (command.json)
    fmt::print("{}\n", as_json(run).dump(1));
  else
    print_run(run);
  if (!run.ended) return fail(Step::launch, "the launch does not end");
  return run.verified;
}

}  // namespace phasebit::app
