#include "analysis/compare/diff_report.h"
#include "analysis/disassembly/instruction_json.h"
#include "analysis/flow/features_json.h"

#include <nlohmann/json.hpp>

namespace phasebit::compare {
namespace {

using nlohmann::ordered_json;

ordered_json side_json(const DiffSide& side, const flow::Features& features) {
  return {{"name", side.name},
          {"sm", side.sm},
          {"entry", side.kernel.entry},
          {"text_hash", side.kernel.text_hash},
          {"code_class", side.kernel.code.hash},
          {"features", flow::as_json(features)}};
}

ordered_json counts_json(const ChangeCounts& counts) {
  ordered_json json;
  for (std::size_t i = 0; i < counts.aligned.size(); ++i) json[change_names[i]] = counts.aligned[i];
  json["only_left"] = counts.only_left;
  json["only_right"] = counts.only_right;
  json["moved"] = counts.moved;
  return json;
}

ordered_json instruction_json(const DiffSide& side, int index) {
  if (index < 0) return nullptr;
  const cubin::Instruction& instruction = side.kernel.instructions[static_cast<std::size_t>(index)];
  ordered_json json = disassembly::as_json(instruction);
  json["verb"] = flow::verb_name(flow::source_line(side.source, instruction));
  return json;
}

}  // namespace

std::string diff_as_json(const DiffSide& left, const DiffSide& right, const KernelDiff& diff) {
  ordered_json verbs = ordered_json::array(), rows = ordered_json::array();
  for (const VerbDiff& verb : diff.verbs)
    verbs.push_back({{"verb", verb.verb}, {"counts", counts_json(verb.counts)}});
  for (const DiffRow& row : diff.rows)
    rows.push_back({{"change", to_string(row.change)},
                    {"left", instruction_json(left, row.left)},
                    {"right", instruction_json(right, row.right)}});
  const ordered_json all = {{"left", side_json(left, diff.left)},
                            {"right", side_json(right, diff.right)},
                            {"change", to_string(diff.change)},
                            {"beside", diff.beside},
                            {"same_census", diff.same_census},
                            {"counts", counts_json(diff.counts)},
                            {"verbs", verbs},
                            {"rows", rows}};
  return all.dump(1) + "\n";
}

}  // namespace phasebit::compare
