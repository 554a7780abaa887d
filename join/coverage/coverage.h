// What is known of each PTX form on one target.
#pragma once

#include "core/base/table.h"
#include "core/isa/forms.h"
#include "gen/forms/form.h"
#include "join/images/prepare.h"
#include "join/images/tools.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::join::coverage {

struct CoverageRequest {
  images::ToolOptions tools;
  std::vector<std::string> results;  // empty: the published ones
  std::string target = "sm_90a";
  std::string family = "*";  // a shell pattern
  bool assemble = true;      // false: what the table says alone
};

struct FormCoverage {
  const forms::PlacedForm* placed = nullptr;
  std::vector<std::string> targets;  // that take it, by core/isa/forms.csv
  bool taken = false;                // by the target in question
  std::string variant;               // the one that stands for it; "" when none does
  std::string refusal;               // ptxas's own words; "" when it assembled or was not asked
  bool assembled = false;
  std::string gate;  // passed, failed: reason, ungated: reason; "" when not asked
  bool measured = false;
  std::string ring;  // a variant whose mover or protocol has the form; "" without one
  std::string why;   // it has no figure; "" when it has
};

// Every form of the families. Step::usage when no family fits.
Result<std::vector<FormCoverage>> cover_forms(const CoverageRequest& request);

// Plain rows of the families, or of the forms with `list`.
base::Table coverage_summary(const std::vector<FormCoverage>& forms, const std::string& target);
base::Table coverage_list(const std::vector<FormCoverage>& forms);
std::string coverage_json(const std::vector<FormCoverage>& forms, const std::string& target);

// Which forms are in rings, where the mover or the protocol has them.

// What a statement and the form that it is have in common: the opcode, and which operands are
// literals. "" for what is not a statement. "cp.async.bulk.wait_group.read #"
std::string shape_of_statement(std::string_view statement);

// By id of the form: the first of these variants that has it.
std::map<std::string, std::string> reached_forms(const isa::FormTable& table,
                                                 const std::vector<images::Prepared>& rings);

}  // namespace phasebit::join::coverage
