// Every form of the pipeline's PTX instructions, and which targets take it: forms.csv.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/isa/version.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::isa {

struct Form {
  std::string id;      // "mbarrier.arrive#007"
  std::string family;  // "mbarrier.arrive"
  std::string text;    // "mbarrier.arrive.b64 state, [addr], #count;": words stand for operands
  Version ptx_min;     // the first PTX version that takes it; without parts when none does
  std::vector<bool> accepted;  // one a target of the table
  std::string note;
};

class FormTable {
 public:
  static Result<FormTable> load();  // <data root>/core/isa/forms.csv
  // Step::spec with file and line for whatever is wrong.
  static Result<FormTable> read(std::string_view text, const std::string& file);

  const std::vector<Form>& forms() const { return forms_; }
  // The targets that were asked, ascending; a form not asked of a target is not known there.
  const std::vector<std::string>& targets() const { return targets_; }

  const Form* find(std::string_view id) const;  // null when there is none
  // Step::usage with the nearest id.
  Result<const Form*> get(std::string_view id) const;

  // Whether ptxas took the form for the target. False for a target that is not in the table.
  bool accepts(const Form& form, std::string_view target) const;
  // The lowest target that takes it, one without a suffix before one with; "" when none does.
  std::string lowest_target(const Form& form) const;

 private:
  std::vector<Form> forms_;
  std::vector<std::string> targets_;
  std::map<std::string, size_t, std::less<>> by_id_;
};

// The first PTX version that knows the target (PTX ISA, release notes); 6.3 for an older one.
Version first_ptx_of_target(std::string_view target);

}  // namespace phasebit::isa
