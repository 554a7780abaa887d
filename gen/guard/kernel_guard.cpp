#include "gen/guard/kernel_guard.h"

#include "gen/guard/guard.h"
#include "gen/ptxas/module.h"
#include "gen/render/render.h"

namespace phasebit::guard {

using image::SourceLine;
using ptx::PtxFile;
using ptxas::Kernel;
using ptxas::ModuleText;

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

// Behind the signature. A text that has such bounds itself keeps them.
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
  kernel.build = image::Build::guarded;
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
  kernel.hash = render::kernel_hash(kernel);
  return made;
}

}  // namespace phasebit::guard
