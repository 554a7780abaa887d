// What a form's operands become, and what its family needs around it:
// gen/forms/operands.toml, whose head says what each key means.
#pragma once

#include "core/base/file.h"
#include "core/isa/forms.h"
#include "core/isa/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::forms {

// Shell patterns over a family's name and a form's text; an empty list fits all.
struct FormPattern {
  std::vector<std::string> families, forms;
  bool fits(const isa::Form& form) const;
};

struct Operand {
  std::string word;
  FormPattern where;
  std::vector<std::string> registers;  // "b32 f_count"
  std::vector<std::string> setup;
  std::string text;
  std::vector<std::string> result;  // statements that put it into `link`
  std::vector<std::string> tie;     // statements that make it depend on `link`
  std::string needs;                // what it lacks to be run
  int bytes = 0;                    // that the operation moves, for the barrier's transaction count
  bool crowds = false;              // no other CTA fits next to it
};

struct FormFamily {
  FormPattern where;
  std::vector<std::string> paths = {"plain"}, lanes = {"one"};
  bool barrier = false;    // an mbarrier is set up
  bool completes = false;  // its bytes complete on the barrier: they are awaited at the end
  bool pure = false;
  bool spread = false;  // each operation has an address register of its own
  std::vector<std::string> before, after, finish;
  int arrivals = 0, tx_bytes = 0;  // of an operation and lane
  int max_items = 0;
  std::string assembled_only;
  std::string ptx;  // version that the statements around it need; "" for any
};

// What an operation becomes: patterns of opcodes and their counts.
struct FormSass {
  using Counts = std::vector<std::pair<std::string, isa::CountRange>>;
  FormPattern where;
  std::vector<std::string> families;  // SASS families
  std::vector<std::string> paths;     // empty: all
  std::string ptxas;                  // a version range; "": all
  Counts opcodes;                     // of one operation
  Counts once;                        // of an item, however many operations it has
  Counts other_half;                  // of the statements before and after one operation
};

class OperandTable {
 public:
  static Result<OperandTable> load();  // <data root>/gen/forms/operands.toml
  static Result<OperandTable> read(std::string_view text, const std::string& file);

  // Step::spec with the form and the nearest word when the table has no such word.
  Result<const Operand*> find(std::string_view word, const isa::Form& form) const;
  // Step::spec when no family fits.
  Result<const FormFamily*> family(const isa::Form& form) const;
  std::vector<const FormSass*> sass(const isa::Form& form, std::string_view sass_family,
                                    std::string_view path) const;

 private:
  std::string file_;
  std::vector<Operand> operands_;
  std::vector<FormFamily> families_;
  std::vector<FormSass> sass_;
};

}  // namespace phasebit::forms
