#include "join/lists/lists.h"

#include "gen/space/catalogue.h"
#include "gen/space/compilers.h"
#include "gen/space/spec.h"
#include "gen/space/variants.h"
#include "join/select/open_space.h"
#include "join/select/space.h"

#include <algorithm>

namespace phasebit::join::lists {

using base::Table;
using space::Component;
using space::ComponentKind;
using space::to_string;

namespace {

Result<space::Catalogue> catalogue_of(const ListRequest& request) {
  select::SpaceRequest space;
  space.home = request.home;
  space.templates = request.templates;
  return select::load_catalogue(space);
}

// More values than that are thousands, of which the first few say what they look like.
constexpr std::ptrdiff_t most_values = 40, shown_values = 3;

std::string values_of(const space::Axis& axis) {
  if (axis.is_range())
    return fmt::format("{}{}..{}{}", axis.may_be_none ? "none " : "", axis.low, axis.high,
                       axis.step == 1 ? "" : fmt::format(" in steps of {}", axis.step));
  if (std::ssize(axis.values) > most_values)
    return fmt::format("{} ... ({} in all)",
                       fmt::join(axis.values.begin(), axis.values.begin() + shown_values, " "),
                       axis.values.size());
  std::string text = fmt::format("{}", fmt::join(axis.values, " "));
  if (axis.others == space::toolchain_values) text += ", or another that is installed";
  if (axis.others == space::llvm_values) text += ", or the version of phasebit-llvm";
  if (axis.others == space::edit_values) text += ", ADDRESS.NOP, ADDRESS.YIELD";
  return text;
}

// An axis that several components of a kind declare alike is one row that names them all.
void add_axis(Table& table, const space::Axis& axis, const std::string& kind,
              const std::string& name = {}) {
  const std::string values = values_of(axis);
  for (auto& row : table.rows)
    if (!name.empty() && row[0].text == axis.name && row[1].text.starts_with(kind + " ") &&
        row[2].text == axis.default_value && row[3].text == values && row[4].text == axis.doc) {
      row[1].text += ", " + name;
      return;
    }
  table.rows.push_back(
      {axis.name, name.empty() ? kind : kind + " " + name, axis.default_value, values, axis.doc});
}

Result<Table> list_components(const ListRequest& request, ComponentKind kind) {
  PHASEBIT_TRY_ASSIGN(catalogue, catalogue_of(request));
  Table table;
  table.columns = {{std::string(to_string(kind)), false}, {"what it is", false}};
  for (const Component& one : catalogue.components(kind)) table.rows.push_back({one.name, one.doc});
  return table;
}

// The spec files in question, by name.
std::vector<fs::path> specs_of(const ListRequest& request) {
  if (!request.spec.empty()) return {select::spec_file(request.home, request.spec)};
  std::vector<fs::path> files;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(request.home.data / "specs", missing))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Whether a TOML file declares sweeps: specs/ also holds expectations (`sass gate`).
Result<bool> has_sweeps(const fs::path& file) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
  return text.find("[[sweep]]") != std::string::npos;
}

}  // namespace

Result<Table> list_axes(const ListRequest& request) {
  PHASEBIT_TRY_ASSIGN(catalogue, catalogue_of(request));
  Table table;
  table.columns = {{"axis"}, {"of"}, {"default"}, {"values"}, {"what it is"}};
  table.columns[1].wraps_at = 32;
  table.columns[3].wraps_at = 32;
  table.columns[4].wraps_at = 44;
  for (const ComponentKind kind : space::component_kinds)
    table.rows.push_back({std::string(to_string(kind)), "every variant", "",
                          fmt::format("{}", fmt::join(catalogue.values_of(to_string(kind)), " ")),
                          fmt::format("see `phasebit list {}s`", to_string(kind))});
  for (const space::Axis& axis : catalogue.common().axes) add_axis(table, axis, "every variant");
  for (const ComponentKind kind : space::component_axis_order)
    for (const Component& one : catalogue.components(kind))
      for (const space::Axis& axis : one.axes)
        add_axis(table, axis, std::string(to_string(kind)), one.name);
  for (const space::Axis& axis : catalogue.compilers())
    add_axis(table, axis, std::string(base::word_of(axis.read_by)));
  return table;
}

Result<Table> list_probes(const ListRequest& request) {
  return list_components(request, ComponentKind::probe);
}
Result<Table> list_protocols(const ListRequest& request) {
  return list_components(request, ComponentKind::protocol);
}
Result<Table> list_movers(const ListRequest& request) {
  return list_components(request, ComponentKind::mover);
}
Result<Table> list_works(const ListRequest& request) {
  return list_components(request, ComponentKind::work);
}

Result<Table> list_sweeps(const ListRequest& request) {
  PHASEBIT_TRY_ASSIGN(catalogue, catalogue_of(request));
  Table table;
  table.columns = {{"sweep", false}, {"variants", true}, {"spec", false}, {"what it is", false}};
  for (const fs::path& file : specs_of(request)) {
    PHASEBIT_TRY_ASSIGN(has, has_sweeps(file));
    if (!has && request.spec.empty()) continue;
    PHASEBIT_TRY_ASSIGN(spec, space::load_spec(request.home, file, catalogue));
    for (const space::Sweep& sweep : spec.sweeps) {
      PHASEBIT_TRY_ASSIGN(expansion, space::expand(catalogue, spec, sweep.name));
      const size_t choices = space::combinations(catalogue, sweep.assembler).size();
      table.rows.push_back({sweep.name, expansion.variants.size() * choices,
                            kernel::shown_path(request.home, file), sweep.doc});
    }
  }
  return table;
}

}  // namespace phasebit::join::lists
