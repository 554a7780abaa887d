#include "join/coverage/coverage.h"

#include "analysis/report/data/without_loop.h"
#include "analysis/report/report.h"
#include "core/base/text.h"
#include "core/results/load.h"
#include "gen/space/form_space.h"
#include "join/explain/explain.h"
#include "join/images/gate_images.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <utility>

#include <fnmatch.h>
#include <nlohmann/json.hpp>

namespace phasebit::join::coverage {

using base::Table;
using forms::FormBook;
using isa::Form;
using launch::GateVerdict;
using select::Space;
using space::Catalogue;
using space::ComponentKind;

namespace {

// The component that does nothing: others ask nothing of it.
std::string bare(const Catalogue& catalogue, ComponentKind kind) {
  for (const space::Component& component : catalogue.components(kind))
    if (component.can.empty()) return component.name;
  return {};
}

// The variant that stands for a form: its first path and lanes, four in a row; chained where only
// that can be measured.
Result<launch::VariantKey> standing_for(const Catalogue& catalogue,
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
    one.kernel.hash = kernel::kernel_hash(one.kernel);
  }
}

std::string gate_text(const launch::GateResult& gate) {
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
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, launch::Build::timed, request.tools.jobs));
  declare_for(prepared, book, request.target);
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  const std::vector<images::CodeColumn> column{{request.target, {}}};
  std::vector<images::ImageSet> sets = images::make_images(tools, prepared, column);
  std::vector<bool> assembled;
  for (const Result<launch::Image>& image : sets.front().images)
    assembled.push_back(image.has_value());
  PHASEBIT_TRY(images::gate_images(tools, disassembler, prepared, column, sets));
  size_t i = 0;
  for (FormCoverage& form : forms) {
    if (form.variant.empty()) continue;
    const Result<launch::Image>& image = sets.front().images[i];
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

// Results are optional: a table of what can be assembled is worth having without.
Result<std::map<std::string, std::string>> measured(const CoverageRequest& request) {
  report::ReportSource source{{request.results.begin(), request.results.end()}, {}};
  if (source.results.empty()) source.results = explain::published_results(request.tools.home);
  if (source.results.empty()) return std::map<std::string, std::string>();
  PHASEBIT_TRY_ASSIGN(results, results::load_results(source.results, results::no_samples));
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
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, launch::Build::timed, request.tools.jobs));
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

base::Cell number(int value) {
  return {value == 0 ? "" : std::to_string(value), static_cast<double>(value), {}};
}

std::vector<base::Cell> row(const std::string& name, const Tally& tally) {
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

namespace {

std::string_view without_predicate(std::string_view text) {
  if (!text.starts_with('@')) return text;
  const size_t blank = text.find(' ');
  return blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1);
}

// A number in a statement, and what stands for one in the table.
bool is_literal(std::string_view operand) {
  if (operand.empty()) return false;
  const char first = operand.front();
  return first == '#' || first == '-' || std::isdigit(static_cast<unsigned char>(first)) != 0;
}

// Commas inside of brackets and braces are not ends of operands.
std::string literals_of(std::string_view operands) {
  std::string marks;
  int depth = 0;
  size_t begin = 0;
  for (size_t n = 0; n <= operands.size(); ++n) {
    const char c = n < operands.size() ? operands[n] : ',';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && n < operands.size())) continue;
    const std::string_view operand = base::trimmed(operands.substr(begin, n - begin));
    if (operand.starts_with('%'))
      marks += operand;  // a special register is its own
    else
      marks += is_literal(operand) ? '#' : '.';
    begin = n + 1;
  }
  return marks;
}

}  // namespace

std::string shape_of_statement(std::string_view statement) {
  std::string_view text = without_predicate(statement);
  const size_t end = text.find(';');
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, blank)) + " " + literals_of(text.substr(blank + 1));
}

std::map<std::string, std::string> reached_forms(const isa::FormTable& table,
                                                 const std::vector<images::Prepared>& rings) {
  std::map<std::string, std::string> by_shape, reached;
  for (const images::Prepared& ring : rings)
    for (const std::string& statement : ring.kernel.statements)
      by_shape.emplace(shape_of_statement(statement), ring.key.id);
  for (const isa::Form& form : table.forms())
    if (const auto found = by_shape.find(shape_of_statement(form.text)); found != by_shape.end())
      reached.emplace(form.id, found->second);
  return reached;
}

}  // namespace phasebit::join::coverage
