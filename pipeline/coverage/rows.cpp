#include "pipeline/coverage/coverage.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace phasebit::pipeline::coverage {

using table::Table;

namespace {

struct Tally {
  int forms = 0, taken = 0, assembled = 0, gated = 0, measured = 0, in_rings = 0;
  std::string why;  // the first reason of a form without a figure and without a ring
  int lacking = 0;
  void add(const FormCoverage& form) {
    ++forms;
    taken += form.taken ? 1 : 0;
    assembled += form.assembled ? 1 : 0;
    gated += form.gate == "passed" ? 1 : 0;
    measured += form.measured ? 1 : 0;
    in_rings += form.ring.empty() ? 0 : 1;
    if (form.measured || !form.taken || !form.ring.empty()) return;
    ++lacking;
    if (why.empty()) why = form.why;
  }
};

table::Cell number(int value) {
  return {value == 0 ? "" : std::to_string(value), static_cast<double>(value), {}};
}

std::vector<table::Cell> row(const std::string& name, const Tally& tally) {
  const std::string why =
      tally.lacking == 0 ? "" : fmt::format("{} x {}", tally.lacking, tally.why);
  return {name,
          number(tally.forms),
          number(tally.taken),
          number(tally.assembled),
          number(tally.gated),
          number(tally.measured),
          number(tally.in_rings),
          why};
}

}  // namespace

Table coverage_summary(const std::vector<FormCoverage>& forms, const std::string& target) {
  Table table;
  table.columns = {{"family", false},
                   {"forms", true},
                   {"taken by " + target, true},
                   {"assembled", true},
                   {"gate passed", true},
                   {"measured", true},
                   {"in rings", true},
                   {"neither: why, the first", false}};
  Tally all;
  std::vector<std::pair<std::string, Tally>> families;  // in the order of the table
  for (const FormCoverage& form : forms) {
    const std::string& name = form.placed->form->family;
    auto at = std::find_if(families.begin(), families.end(),
                           [&](const auto& entry) { return entry.first == name; });
    if (at == families.end()) at = families.insert(at, {name, Tally()});
    at->second.add(form);
    all.add(form);
  }
  for (const auto& [name, tally] : families) table.rows.push_back(row(name, tally));
  all.why = "see the families";
  table.rows.push_back(row("all", all));
  return table;
}

Table coverage_list(const std::vector<FormCoverage>& forms) {
  Table table;
  table.columns = {{"id", false},   {"form", false},     {"targets", true}, {"assembled", false},
                   {"gate", false}, {"measured", false}, {"why not", false}};
  for (const FormCoverage& form : forms) {
    const auto targets = static_cast<int>(form.targets.size());
    table.rows.push_back({form.placed->form->id, form.placed->form->text, number(targets),
                          form.assembled ? "yes" : "", form.gate.substr(0, form.gate.find(':')),
                          form.measured ? "yes" : "", form.why});
  }
  return table;
}

std::string coverage_json(const std::vector<FormCoverage>& forms, const std::string& target) {
  nlohmann::json list = nlohmann::json::array();
  for (const FormCoverage& form : forms)
    list.push_back({{"id", form.placed->form->id},
                    {"family", form.placed->form->family},
                    {"form", form.placed->form->text},
                    {"ptx_min", form.placed->form->ptx_min.text()},
                    {"targets", form.targets},
                    {"variant", form.variant},
                    {"assembled", form.assembled},
                    {"refusal", form.refusal},
                    {"gate", form.gate},
                    {"measured", form.measured},
                    {"ring", form.ring},
                    {"why_not", form.why}});
  return nlohmann::json({{"target", target}, {"forms", list}}).dump(1);
}

}  // namespace phasebit::pipeline::coverage
