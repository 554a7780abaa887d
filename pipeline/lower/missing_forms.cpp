#include "pipeline/lower/missing_forms.h"

#include "core/isa/forms.h"
#include "gen/llvm/options.h"
#include "gen/llvm/program_path.h"
#include "gen/llvm/worker.h"

#include <map>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::pipeline::lower {
namespace {

constexpr const char* kernel = "define ptx_kernel void @k() {\n  ret void\n}\n";

// Those of the forms that LLVM does not write.
Result<std::set<isa::Version>> later_versions(const isa::FormTable& table) {
  PHASEBIT_TRY_ASSIGN(program, llvm::find_program());
  llvm::Worker worker(program);
  std::set<isa::Version> all, later;
  for (const isa::Form& form : table.forms())
    if (!form.ptx_min.parts.empty()) all.insert(form.ptx_min);
  for (auto version = all.rbegin(); version != all.rend(); ++version) {
    const llvm::Options options{"sm_90a", llvm::ptx_number(*version)};
    if (worker.lower("k.ll", kernel, options)) break;
    later.insert(*version);
  }
  return later;
}

struct Instruction {
  std::size_t forms = 0, later = 0;
  std::set<std::string> versions;
  std::string first;
};

}  // namespace

Result<table::Table> missing_forms() {
  PHASEBIT_TRY_ASSIGN(forms, isa::FormTable::load());
  PHASEBIT_TRY_ASSIGN(later, later_versions(forms));
  std::map<std::string, Instruction> instructions;
  for (const isa::Form& form : forms.forms()) {
    Instruction& one = instructions[form.family.substr(0, form.family.find('.'))];
    ++one.forms;
    if (!later.contains(form.ptx_min)) continue;
    if (one.later++ == 0) one.first = form.text;
    one.versions.insert(form.ptx_min.text());
  }
  table::Table made;
  made.columns = {
      {"instruction"}, {"forms", true}, {"need a later PTX", true}, {"PTX"}, {"the first"}};
  for (const auto& [name, one] : instructions)
    if (one.later > 0)
      made.rows.push_back({name, one.forms, one.later,
                           fmt::format("{}", fmt::join(one.versions, ", ")),
                           fmt::format("`{}`", one.first)});
  made.notes = {fmt::format("LLVM {} writes no PTX {} or later.", llvm::built_version(),
                            later.empty() ? "" : later.begin()->text())};
  return made;
}

}  // namespace phasebit::pipeline::lower
