#include "pipeline/coverage/coverage.h"

#include "analysis/report/data/form_costs.h"
#include "analysis/report/report.h"
#include "core/store/load.h"
#include "gen/space/form_space.h"
#include "pipeline/coverage/reached.h"
#include "pipeline/explain/measured.h"
#include "pipeline/images/gate_images.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include <fnmatch.h>

namespace phasebit::pipeline::coverage {

using catalogue::Catalogue;
using catalogue::ComponentKind;
using forms::FormBook;
using image::GateVerdict;
using isa::Form;
using select::Space;

namespace {

// The component that does nothing: others ask nothing of it.
std::string bare(const Catalogue& catalogue, ComponentKind kind) {
  for (const catalogue::Component& component : catalogue.components(kind))
    if (component.can.empty()) return component.name;
  return {};
}

// The variant that stands for a form: its first path and lanes, four in a row; chained where only
// that can be measured.
Result<image::VariantKey> standing_for(const Catalogue& catalogue,
                                       const forms::PlacedForm& placed) {
  const bool chained = placed.family->pure && placed.chains();
  return space::make_key(catalogue, {{"probe", "form"},
                                     {"protocol", bare(catalogue, ComponentKind::protocol)},
                                     {"mover", bare(catalogue, ComponentKind::mover)},
                                     {"work", bare(catalogue, ComponentKind::work)},
                                     {"form", placed.form->id},
                                     {"path", placed.family->paths.front()},
                                     {"lanes", placed.family->lanes.front()},
                                     {"measure", chained ? "latency" : "throughput"}});
}

Result<std::vector<FormCoverage>> list_forms(const FormBook& book, const Catalogue& catalogue,
                                             const CoverageRequest& request, Space& space) {
  std::vector<FormCoverage> forms;
  for (const Form& form : book.table().forms()) {
    if (fnmatch(request.family.c_str(), form.family.c_str(), 0) != 0) continue;
    FormCoverage coverage;
    PHASEBIT_TRY_ASSIGN(placed, book.placed(form.id));
    coverage.placed = placed;
    for (const std::string& target : book.table().targets())
      if (book.table().accepts(form, target)) coverage.targets.push_back(target);
    coverage.taken = book.table().accepts(form, request.target);
    if (!coverage.targets.empty()) {
      PHASEBIT_TRY_ASSIGN(key, standing_for(catalogue, *placed));
      coverage.variant = key.id;
      space.expansion.variants.push_back(std::move(key));
    }
    forms.push_back(std::move(coverage));
  }
  return forms;
}

// A form that the target does not take is put to ptxas all the same, for its own words.
void declare_for(std::vector<images::Prepared>& prepared, const FormBook& book,
                 const std::string& target) {
  for (images::Prepared& one : prepared) {
    const Form* form = book.table().find(one.key.value("form"));
    if (form == nullptr || book.table().accepts(*form, target)) continue;
    one.kernel.ptx_target = target;
    one.kernel.ptx_version = std::max(form->ptx_min, isa::first_ptx_of_target(target)).text();
    one.kernel.hash = render::kernel_hash(one.kernel);
  }
}

std::string gate_text(const image::GateResult& gate) {
  switch (gate.verdict) {
    case GateVerdict::passed: return "passed";
    case GateVerdict::failed: return "failed: " + gate.reason;
    case GateVerdict::ungated: return "ungated: " + gate.reason;
  }
  bug("unknown verdict");
}

Status assemble_forms(const CoverageRequest& request, const FormBook& book, const Space& space,
                      std::vector<FormCoverage>& forms) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(request.tools));
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, request.target));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, request.tools.jobs));
  declare_for(prepared, book, request.target);
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  const std::vector<images::CodeColumn> column{{request.target, {}}};
  std::vector<images::ImageSet> sets = images::make_images(tools, prepared, column);
  std::vector<bool> assembled;
  for (const Result<image::Image>& image : sets.front().images)
    assembled.push_back(image.has_value());
  PHASEBIT_TRY(images::gate_images(tools, disassembler, prepared, column, sets));
  size_t i = 0;
  for (FormCoverage& form : forms) {
    if (form.variant.empty()) continue;
    const Result<image::Image>& image = sets.front().images[i];
    form.assembled = assembled[i++];
    if (image)
      form.gate = gate_text(image->gate);
    else if (form.assembled)
      form.gate = "failed: " + image.error().message;
    else
      form.refusal = image.error().message;
  }
  return {};
}

// Results are no must: a table of what can be assembled is worth having without.
Result<std::map<std::string, std::string>> measured(const CoverageRequest& request) {
  report::ReportSource source{{request.results.begin(), request.results.end()}, {}};
  if (source.results.empty()) source.results = explain::published_results(request.tools.home);
  if (source.results.empty()) return std::map<std::string, std::string>();
  PHASEBIT_TRY_ASSIGN(results, store::load_results(source.results, store::no_samples));
  return report::data::measured_forms(
      report::data::aggregate(results.points, report::data::VariantKeys(results)).points);
}

// The sweep `reached` of specs/stores.toml: a ring for each form that movers have.
Status find_rings(const CoverageRequest& request, const FormBook& book,
                  std::vector<FormCoverage>& forms) {
  select::SpaceRequest rings;
  rings.home = request.tools.home;
  rings.spec = (rings.home.data / "specs" / "stores.toml").string();
  rings.sweep = "reached";
  PHASEBIT_TRY_ASSIGN(space, select::open_space(rings));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, request.tools.jobs));
  const std::map<std::string, std::string> reached = reached_forms(book.table(), prepared);
  for (FormCoverage& form : forms)
    if (const auto found = reached.find(form.placed->form->id); found != reached.end())
      form.ring = found->second;
  return {};
}

std::string why_not(const FormCoverage& form, const std::map<std::string, std::string>& measured,
                    const std::string& target) {
  const Form& row = *form.placed->form;
  if (form.targets.empty()) return "ptxas takes it for no target";
  if (!form.taken)
    return form.refusal.empty() ? fmt::format("ptxas does not take it for {}", target)
                                : form.refusal;
  if (!form.refusal.empty()) return form.refusal;
  if (!form.placed->needs.empty()) return "needs " + form.placed->needs;
  const auto found = measured.find(row.id);
  if (found != measured.end()) return found->second;
  if (form.gate.starts_with("failed") || form.gate.starts_with("ungated")) return form.gate;
  return "not measured yet";
}

}  // namespace

Result<std::vector<FormCoverage>> cover_forms(const CoverageRequest& request) {
  PHASEBIT_TRY_ASSIGN(book, FormBook::get());
  select::SpaceRequest own;
  own.home = request.tools.home;
  PHASEBIT_TRY_ASSIGN(catalogue, select::load_catalogue(own));
  Space space{select::templates_folder(own), std::move(catalogue), {}, {}, request.target, {}};
  PHASEBIT_TRY_ASSIGN(forms, list_forms(*book, space.catalogue, request, space));
  if (forms.empty()) return fail(Step::usage, "no family fits '{}'", request.family);
  if (request.assemble) PHASEBIT_TRY(assemble_forms(request, *book, space, forms));
  PHASEBIT_TRY(find_rings(request, *book, forms));
  PHASEBIT_TRY_ASSIGN(known, measured(request));
  for (FormCoverage& form : forms) {
    const auto found = known.find(form.placed->form->id);
    form.measured = form.taken && found != known.end() && found->second.empty();
    if (!form.measured) form.why = why_not(form, known, request.target);
    if (!form.measured && form.taken && !form.ring.empty())
      form.why = fmt::format("in the ring {}; alone: {}", form.ring, form.why);
  }
  return forms;
}

}  // namespace phasebit::pipeline::coverage
