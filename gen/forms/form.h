// One form as a kernel of the probe `form`: what it declares, does before the loop, and repeats.
#pragma once

#include "core/isa/version.h"
#include "core/launch/launch.h"
#include "core/launch/variant_key.h"
#include "core/ptx/head/head.h"
#include "gen/forms/operands.h"

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::forms {

// A form with its operands in place.
struct PlacedForm {
  const isa::Form* form = nullptr;
  const FormFamily* family = nullptr;
  std::string statement;
  std::vector<std::string> registers, setup;  // of the inputs
  // The result that a next operation can be chained through; without a name when there is none.
  std::string result_name, result_register;
  std::vector<std::string> result, tie;
  int tx_bytes = 0;     // of an operation and lane
  bool crowds = false;  // no other CTA fits next to it
  std::string needs;    // what it lacks to be run; "" when it can
  bool chains() const { return !result.empty() && !tie.empty(); }
};

Result<PlacedForm> place_form(const OperandTable& operands, const isa::Form& form);

// forms.csv and operands.toml together.
class FormBook {
 public:
  // Read once a process: the files are data of the program.
  static Result<const FormBook*> get();
  // Step::spec when a form has an operand or a family that operands.toml does not know.
  static Result<std::unique_ptr<FormBook>> make(isa::FormTable table, OperandTable operands);

  const isa::FormTable& table() const { return table_; }
  const OperandTable& operands() const { return operands_; }
  // Step::usage with the nearest id.
  Result<const PlacedForm*> placed(std::string_view id) const;

 private:
  isa::FormTable table_;
  OperandTable operands_;
  std::vector<PlacedForm> placed_;  // in the order of the table
};

// The values that `values_of = "forms"` adds to an axis: every id of forms.csv.
Result<std::vector<std::string>> form_ids();

// The axes of a variant of the probe `form`.
struct FormPoint {
  std::string form, path, measure, lanes, load;
  int unroll = 4;
};
FormPoint form_point(const launch::VariantKey& key);

// Why such a point is not a variant; "" for one that is.
Result<std::string> why_no_form(const FormBook& book, const FormPoint& point);

// Warps, items and load of its launch.
Result<launch::LaunchShape> form_launch(const FormBook& book, const FormPoint& point);

// Adds the names of templates/probes/form.
Status add_form_names(nlohmann::json& context, const FormBook& book, const FormPoint& point);

// What its window must hold on a SASS family: the opcodes of each [[sass]] that fits; none when
// nothing is declared. Counts of the same pattern add up, and other synchronisation is refused.
Result<std::vector<ptx::head::HeadRule>> form_rules(const FormBook& book, const FormPoint& point,
                                                    const std::string& sass_family);

// What a form needs of PTX and the architecture.

struct FormNeeds {
  isa::Version ptx;    // of the form and of the kernel's own statements around it
  int sm = 0;          // of the lowest target that accepts the form
  std::string suffix;  // "a" or "f" when only such targets take it
  int around_sm = 0;   // of the statements around it; 0: any
  std::string reason;
};

// Step::usage for an unknown id, with the nearest one.
Result<FormNeeds> form_needs(const FormBook& book, const std::string& id);

}  // namespace phasebit::forms
