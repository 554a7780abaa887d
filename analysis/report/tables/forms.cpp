#include "analysis/report/tables/forms.h"

#include "analysis/report/data/row_flags.h"
#include "analysis/report/tables/form_costs.h"
#include "analysis/report/tables/form_levels.h"
#include "core/base/nearest.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fnmatch.h>

namespace phasebit::report::tables {

using data::flagged_cell;
using data::TableArguments;
using table::Cell;
using table::Table;

namespace {

bool argument_fits(const TableArguments& arguments, const std::string& name,
                   const std::string& value) {
  return std::all_of(arguments.begin(), arguments.end(), [&](const auto& argument) {
    return argument.first != name || fnmatch(argument.second.c_str(), value.c_str(), 0) == 0;
  });
}

Status check_arguments(const TableArguments& arguments, const std::vector<std::string>& known) {
  for (const auto& [name, value] : arguments)
    if (std::find(known.begin(), known.end(), name) == known.end())
      return with_hint(fail(Step::usage, "this table takes no argument '{}'", name),
                       base::nearest_word_hint(name, known));
  return {};
}

std::string family_of(const std::string& form) {
  return form.substr(0, form.find('#'));
}

// Rows of equal code under the first of them.
struct Group {
  FormCost cost;
  int others = 0;
};

std::vector<Group> group_by_code(const std::vector<FormCost>& costs) {
  std::vector<Group> groups;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> known;
  for (const FormCost& cost : costs) {
    const bool has_code = !cost.text_hashes.empty();
    const auto key = std::make_tuple(cost.text_hashes, cost.path, cost.measure, cost.lanes);
    const auto [at, is_new] = known.emplace(key, groups.size());
    if (is_new || !has_code)
      groups.push_back({cost, 0});
    else
      ++groups[at->second].others;
  }
  return groups;
}

}  // namespace

namespace {

constexpr const char* legend =
    "Cycles of one operation: the slopes of 8 and of 4 in a row, their difference over 4. ± is "
    "the sum of the half widths of their 95 % intervals, over 4. Measure throughput: independent "
    "operations, back to back; latency: each operation's operand needs the result before. Link: "
    "the "
    "instructions through which it does, measured alone: the same code with a NOP in the "
    "operation's "
    "place; where there is no link, it is in the figure. Without link: the difference. Loaded: "
    "beside 8 warps that compute and use shared memory.";

constexpr const char* levels_legend =
    "Forms whose isolated figures lie within max(0.5 cycles, 1 %) of the next are one row: from "
    "the "
    "lowest to the highest. Codes: into how many different pieces of code they were assembled. All "
    "say, none says: words that every form of the row has, and that none has, where others of this "
    "path, measure and lanes differ. Flags: of how many of these forms.";

constexpr int link_column = 6;  // behind "isolated"

Table rows_by_code(const std::vector<FormCost>& costs, const isa::FormTable& known) {
  Table table;
  table.columns = {{"form", false},    {"the same code", true}, {"path", false},
                   {"measure", false}, {"lanes", false},        {"isolated", true},
                   {"loaded", true},   {"SASS class", false}};
  const bool has_links =
      std::any_of(costs.begin(), costs.end(), [](const FormCost& cost) { return cost.has_link; });
  if (has_links)
    table.columns.insert(table.columns.begin() + link_column,
                         {{"link", true}, {"without link", true}});
  std::vector<std::string> all_flags;
  for (const Group& group : group_by_code(costs)) {
    const FormCost& cost = group.cost;
    const isa::Form* form = known.find(cost.form);
    const double others = group.others;
    data::RowFlags flags;
    table.rows.push_back(
        {form == nullptr ? cost.form : form->text,
         {group.others == 0 ? "" : fmt::format("+{}", group.others), others, {}},
         cost.path,
         cost.measure,
         cost.lanes,
         flagged_cell("isolated", cost.isolated, flags, table.notes),
         cost.has_loaded ? flagged_cell("loaded", cost.loaded, flags, table.notes) : Cell{},
         cost.sass_class.substr(0, 8)});
    if (has_links) {
      std::vector<Cell> cells(2);
      if (cost.has_link)
        cells = {flagged_cell("link", cost.link, flags, table.notes),
                 flagged_cell("without link", cost.alone, flags, table.notes)};
      std::vector<Cell>& row = table.rows.back();
      row.insert(row.begin() + link_column, cells.begin(), cells.end());
    }
    all_flags.push_back(flags.text());
  }
  data::add_flags_column(table, all_flags);
  return table;
}

Result<bool> wants_levels(const TableArguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (name != "rows") continue;
    if (value != "codes" && value != "levels")
      return with_hint(fail(Step::usage, "rows={}", value), "rows=codes or rows=levels");
    return value == "levels";
  }
  return false;
}

}  // namespace

Result<Table> forms_table(const data::ReportData& data, const TableArguments& arguments) {
  PHASEBIT_TRY(check_arguments(arguments, {"family", "path", "measure", "lanes", "rows"}));
  PHASEBIT_TRY_ASSIGN(levels, wants_levels(arguments));
  PHASEBIT_TRY_ASSIGN(known, isa::FormTable::load());
  std::vector<FormCost> costs = form_costs(data.aggregation.points);
  std::erase_if(costs, [&](const FormCost& cost) {
    return !argument_fits(arguments, "family", family_of(cost.form)) ||
           !argument_fits(arguments, "path", cost.path) ||
           !argument_fits(arguments, "measure", cost.measure) ||
           !argument_fits(arguments, "lanes", cost.lanes);
  });
  Table table = levels ? form_levels_table(costs, known) : rows_by_code(costs, known);
  if (table.rows.empty())
    return fail(Step::usage,
                "the results hold no form that fits (sweep forms of specs/forms.toml)");
  table.notes.insert(table.notes.begin(),
                     levels ? fmt::format("{} {}", legend, levels_legend) : legend);
  return table;
}

}  // namespace phasebit::report::tables
