#include "join/lower/missing_forms.h"

#include "core/isa/forms.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/llvm/worker.h"
#include "gen/space/hand_made.h"
#include "join/lower/verb_table.h"
#include "join/select/open_space.h"

#include <map>
#include <set>

#include <fmt/ranges.h>

namespace phasebit::join::lower {

using report::TableSource;
using report::data::TableArguments;

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

Result<base::Table> missing_forms() {
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
  base::Table made;
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

namespace {

Status no_arguments(const TableArguments& arguments) {
  if (arguments.empty()) return {};
  return fail(Step::usage, "this table has no argument '{}'", arguments.front().first);
}

}  // namespace

std::map<std::string, report::TableMaker> document_tables(const base::Home& home) {
  VerbTableRequest request;
  request.home = request.tools.home = home;
  return {{"llvm_verbs",
           [request](const TableSource& source,
                     const TableArguments& arguments) -> Result<base::Table> {
             PHASEBIT_TRY(no_arguments(arguments));
             return verb_table(request, source.database, source.device);
           }},
          {"llvm_forms",
           [](const TableSource&, const TableArguments& arguments) -> Result<base::Table> {
             PHASEBIT_TRY(no_arguments(arguments));
             return missing_forms();
           }}};
}

namespace {

// "createpolicy.fractional..." of `%policy = call i64 asm "createpolicy.fractional...", "=l"()`;
// "" for IR without.
std::string asm_of(const std::string& statement) {
  size_t begin = statement.find(" asm ");
  if (begin == std::string::npos) return {};
  begin = statement.find('"', begin);
  const size_t end = statement.find('"', begin + 1);
  return statement.substr(begin + 1, end - begin - 1);
}

}  // namespace

Result<base::Table> inline_asm(const select::SpaceRequest& request) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request));
  kernel::Renderer renderer(space.catalogue, space.templates);
  std::map<std::pair<std::string, std::string>, int> variants;  // by place and text
  int with_ir = 0, with_asm = 0;
  for (const launch::VariantKey& key : space.expansion.variants) {
    const auto plan = kernel::make_plan(space.catalogue, space::template_key(space.catalogue, key));
    if (!plan) continue;
    const auto ir = renderer.render_ir(key, *plan);
    if (!ir) continue;
    ++with_ir;
    std::map<std::pair<std::string, std::string>, int> own;
    for (size_t n = 0; n < ir->kernel.statements.size(); ++n)
      if (const std::string text = asm_of(ir->kernel.statements[n]); !text.empty())
        own.try_emplace({ir->kernel.source[n].place(), text}, 1);
    with_asm += own.empty() ? 0 : 1;
    for (const auto& [place, one] : own) variants[place] += one;
  }
  base::Table made;
  made.columns = {{"template"}, {"inline asm"}, {"variants", true}};
  for (const auto& [place, count] : variants)
    made.rows.push_back({place.first, place.second, count});
  made.rows.push_back({"any", fmt::format("of {} variants with IR", with_ir), with_asm});
  return made;
}

}  // namespace phasebit::join::lower
