#include "gen/guard/guard.h"

#include "core/isa/opcodes.h"
#include "core/isa/targets.h"
#include "core/isa/version.h"
#include "gen/guard/function_guard.h"
#include "gen/guard/helpers.h"
#include "gen/guard/registers.h"
#include "gen/kernel/render.h"
#include "gen/ptxas/module.h"

#include <algorithm>

namespace phasebit::guard {

using isa::Version;
using launch::SourceLine;
using ptx::PtxFile;
using ptx::PtxFunction;
using ptx::PtxStatement;
using ptxas::Kernel;
using ptxas::ModuleText;

namespace {

struct TextNeeds {
  int sm = 0;
  Version ptx;
};

Result<TextNeeds> needs_of(const PtxFile& file) {
  const std::string target = file.target.substr(0, file.target.find(','));
  if (target.empty() || file.version.empty())
    return with_hint(fail(Step::usage, "{}: no .version or no .target", file.name),
                     "write both before everything else");
  const auto parsed = isa::parse_target(target);
  if (!parsed) return fail(Step::usage, "{}: .target: {}", file.name, parsed.error().message);
  const auto version = isa::parse_version(file.version);
  if (!version) return fail(Step::usage, "{}: .version: {}", file.name, version.error().message);
  const Version least{{6, 3}};
  if (parsed->sm < 70 || *version < least)
    return with_hint(fail(Step::usage, "{}: a guard needs sm_70 and PTX 6.3, the text is for {} {}",
                          file.name, target, file.version),
                     "raise .target and .version");
  return TextNeeds{parsed->sm, *version};
}

Status check_free(const PtxFile& file) {
  for (const std::size_t i : file.globals)
    for (const std::string& operand : file.statements[i].parsed.operands)
      if (operand.find(launch::guard_variable) != std::string::npos)
        return with_hint(
            fail(Step::usage, "{}: the text is guarded already", file.place(file.statements[i])),
            "guard the text that it was made from");
  return {};
}

bool is_instruction_of(const PtxStatement& statement, bool (*wanted)(const PtxStatement&)) {
  return statement.part == PtxStatement::Part::instruction && wanted(statement);
}

// Somewhere a barrier waits for all threads that are still there.
bool waits_for_all(const PtxStatement& statement) {
  const auto barrier = uses_barrier(statement);
  return (barrier && barrier->count.empty()) || uses_cluster_barrier(statement) != ClusterUse::none;
}

bool is_counted(const PtxStatement& statement) {
  return uses_barrier(statement) || uses_cluster_barrier(statement) != ClusterUse::none ||
         is(statement, isa::PtxFact::registers);
}

// After what a module begins with.
std::size_t behind_header(const PtxFile& file) {
  std::size_t behind = 0;
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const std::string& name = file.statements[i].parsed.name;
    if (name == ".version" || name == ".target" || name == ".address_size") behind = i + 1;
  }
  return behind;
}

// The functions that were added go before everything that may call them.
void insert_helpers(GuardedPtx& guarded, std::vector<ptx::PlacedStatement> helpers) {
  const auto at = static_cast<std::ptrdiff_t>(behind_header(guarded.file));
  auto& statements = guarded.file.statements;
  guarded.origins.insert(guarded.origins.begin() + at, helpers.size(), -1);
  statements.insert(statements.begin() + at, std::make_move_iterator(helpers.begin()),
                    std::make_move_iterator(helpers.end()));
}

using RegistersByEntry = std::map<std::string, std::vector<ptx::head::HeadRegisters>>;

Result<RegistersByEntry> registers_of(const PtxFile& file, const GuardOptions& options) {
  RegistersByEntry found;
  for (const PtxFunction* entry : file.entries()) {
    found[entry->name] = options.registers;
    if (entry->head_lines.empty()) continue;
    PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(entry->head_lines, file.name));
    found[entry->name] = std::move(head.registers);
  }
  return found;
}

void drop_register_limits(GuardJob& job) {
  for (const PtxFunction& function : job.file.functions)
    for (const std::size_t i : function.directives)
      if (job.file.statements[i].parsed.name == ".maxnreg") job.insertions.remove(i);
}

}  // namespace

Result<GuardedPtx> guard(const PtxFile& file, const GuardOptions& options) {
  PHASEBIT_TRY(check_free(file));
  PHASEBIT_TRY_ASSIGN(needs, needs_of(file));
  PHASEBIT_TRY_ASSIGN(registers, registers_of(file, options));
  GuardJob job{file, summaries_of(file), ptx::sources_of(file), std::move(registers)};
  // Where the counts are not zeroed, the last thread that leaves does.
  const auto asks_for_exits = options.print ? is_counted : waits_for_all;
  job.counts_exits = std::any_of(file.statements.begin(), file.statements.end(), [&](auto& placed) {
    return is_instruction_of(placed.parsed, asks_for_exits);
  });
  job.find_callers();
  job.registers_at_begin = registers_at_begin(file, options.launches);
  drop_register_limits(job);
  for (const PtxFunction& function : file.functions)
    if (function.has_body) guard_function(job, function);
  GuardedPtx guarded;
  guarded.file = job.insertions.applied(file, guarded.origins);
  const GuardHelpers helpers{needs.sm >= 80 && needs.ptx >= Version{{7, 0}},
                             needs.sm >= 90 && needs.ptx >= Version{{7, 8}}, options.print,
                             options.limit_ns};
  PHASEBIT_TRY_ASSIGN(added, helper_statements(helpers, job.sites));
  insert_helpers(guarded, std::move(added));
  PHASEBIT_TRY(ptx::find_outline(guarded.file));
  guarded.sites = std::move(job.sites);
  guarded.site_statements = std::move(job.site_statements);
  guarded.notes = std::move(job.notes);
  return guarded;
}

namespace {

// Where the statements of the module's text came from.
class Origins {
 public:
  Origins(const Kernel& kernel, const ModuleText& module, const PtxFile& file)
      : kernel_(kernel), module_(module), file_(file) {}
  SourceLine of(std::size_t statement) const {
    const int n = module_.at(file_.statements[statement].line).statement;
    return n < 1 ? SourceLine{} : kernel_.source[static_cast<std::size_t>(n) - 1];
  }

 private:
  const Kernel& kernel_;
  const ModuleText& module_;
  const PtxFile& file_;
};

void place_sites(GuardedKernel& made, const GuardedPtx& guarded, const Origins& origins) {
  made.sites = guarded.sites;
  for (std::size_t n = 0; n < made.sites.size(); ++n) {
    const SourceLine source = origins.of(guarded.site_statements[n]);
    made.sites[n].file = (source.of_templates ? "templates/" : "") + source.file;
    made.sites[n].line = source.line;
    made.sites[n].verb = source.verb;
    made.sites[n].role = source.role;
  }
}

// After the signature. A text that has such bounds itself keeps them.
void add_bounds(Kernel& kernel, const GuardBounds& bounds, const ptx::PtxFunction& function,
                const PtxFile& file) {
  for (const std::size_t i : function.directives) {
    const std::string& name = file.statements[i].parsed.name;
    if (name == ".maxntid" || name == ".reqntid") return;
  }
  if (bounds.threads == 0) return;
  kernel.statements.insert(kernel.statements.begin() + 1,
                           {fmt::format(".maxntid {}", bounds.threads),
                            fmt::format(".minnctapersm {}", bounds.ctas_per_sm)});
  kernel.source.insert(kernel.source.begin() + 1, 2, kernel.source.front());
}

}  // namespace

Result<GuardedKernel> guard_kernel(const Kernel& timed, const std::string& entry,
                                   const GuardBounds& bounds,
                                   const std::vector<ptx::head::HeadRegisters>& registers) {
  const ModuleText module =
      ptxas::module_text(timed.ptx_version, timed.ptx_target, {&timed}, false);
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(module.text, timed.entry));
  GuardOptions options;
  options.print = false;
  options.registers = registers;
  PHASEBIT_TRY_ASSIGN(guarded, guard(file, options));
  const ptx::PtxFunction* function = guarded.file.find(timed.entry);
  if (function == nullptr || !function->has_body)
    return fail(Step::assemble, "{}: no kernel with a body", timed.entry);
  const Origins origins(timed, module, file);
  GuardedKernel made{timed, {}};
  Kernel& kernel = made.kernel;
  kernel.entry = entry;
  kernel.build = launch::Build::guarded;
  kernel.statements.clear();
  kernel.source.clear();
  for (std::size_t i = 0; i <= function->close; ++i) {
    const std::string text = ptx::plain_text(guarded.file.statements[i].text);
    if (guarded.origins[i] < 0) {
      kernel.preamble.push_back(text);
    } else if (i >= function->signature) {
      kernel.statements.push_back(i == function->signature
                                      ? text.substr(0, text.find(timed.entry)) + entry +
                                            text.substr(text.find(timed.entry) + timed.entry.size())
                                      : text);
      kernel.source.push_back(origins.of(static_cast<std::size_t>(guarded.origins[i])));
    }
  }
  place_sites(made, guarded, origins);
  add_bounds(kernel, bounds, *function, guarded.file);
  kernel.hash = kernel::kernel_hash(kernel);
  return made;
}

}  // namespace phasebit::guard
