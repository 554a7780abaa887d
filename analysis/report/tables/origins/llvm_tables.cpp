#include "analysis/report/tables/origins/llvm_tables.h"

#include "analysis/report/data/difference.h"
#include "analysis/report/data/row_flags.h"
#include "analysis/report/tables/origins/llvm_pairs.h"
#include "analysis/report/tables/origins/models.h"

#include <algorithm>
#include <array>
#include <map>

namespace phasebit::report::tables::origins {

using table::Cell;
using table::Table;

namespace {

constexpr double slower = 1.05, faster = 0.95;

using GroupName = std::array<std::string, 3>;  // probe, protocol, mover
constexpr const char* all_word = "all";

struct Group {
  std::vector<const LlvmPair*> pairs;  // with two figures, by ratio
  std::size_t refused = 0;
  std::size_t at_most(double bound) const {
    return static_cast<std::size_t>(std::count_if(
        pairs.begin(), pairs.end(), [&](const LlvmPair* pair) { return pair->ratio() <= bound; }));
  }
};
using Groups = std::map<GroupName, Group>;

Groups groups_of(const std::vector<LlvmPair>& pairs) {
  Groups groups;
  for (const LlvmPair& pair : pairs) {
    if (pair.choice != usual_choice) continue;
    const data::VariantAxes& axes = pair.ours->axes;
    for (const GroupName& name :
         {GroupName{axes.value("probe"), axes.value("protocol"), axes.value("mover")},
          GroupName{all_word, "", ""}}) {
      Group& group = groups[name];
      if (pair.llvms->reason.empty())
        group.pairs.push_back(&pair);
      else
        ++group.refused;
    }
  }
  for (auto& [name, group] : groups)
    std::sort(group.pairs.begin(), group.pairs.end(),
              [](const LlvmPair* a, const LlvmPair* b) { return a->ratio() < b->ratio(); });
  return groups;
}

Cell ratio_cell(double ratio) {
  return {fmt::format("{:.3f}", ratio), ratio, {}};
}

std::vector<Cell> own_cells(const Group& group) {
  if (group.pairs.empty()) return {0, 0, 0, "-", "-", "-", "-"};
  const std::size_t count = group.pairs.size();
  return {count,
          group.at_most(slower),
          group.at_most(faster),
          ratio_cell(group.pairs.front()->ratio()),
          ratio_cell(group.pairs[count / 2]->ratio()),
          ratio_cell(group.pairs.back()->ratio()),
          group.pairs.back()->id};
}

Result<Table> no_pair() {
  return with_hint(fail(Step::usage, "no variant was measured by LLVM and by the templates"),
                   "specs/llvm.toml has sweeps of them, for -a llvm=none,22");
}

}  // namespace

Result<Table> llvm_table(const data::ReportData& data, const data::TableArguments& arguments) {
  PHASEBIT_TRY_ASSIGN(models, models_of(data));
  std::vector<std::vector<LlvmPair>> pairs;
  std::vector<Groups> groups;
  for (const Model& model : models) {
    pairs.push_back(llvm_pairs(model.data->aggregation, arguments));
    groups.push_back(groups_of(pairs.back()));
  }
  if (pairs.front().empty()) return no_pair();
  Table table;
  table.columns = {{"probe"},         {"protocol"},
                   {"mover"},         {"pairs", true},
                   {"<= 1.05", true}, {"<= 0.95", true},
                   {"lowest", true},  {"median", true},
                   {"highest", true}, {"variant of the highest"},
                   {"refused", true}};
  for (std::size_t other = 1; other < models.size(); ++other)
    table.columns.push_back({fmt::format("{}: <= 1.05", short_name(models[other])), true});
  const auto add = [&](const GroupName& name, const Group& group) {
    std::vector<Cell> row = {name[0], name[1], name[2]};
    for (Cell& cell : own_cells(group)) row.push_back(std::move(cell));
    row.emplace_back(group.refused);
    for (std::size_t other = 1; other < models.size(); ++other) {
      const Group& there = groups[other][name];
      row.push_back(there.pairs.empty()
                        ? Cell("-")
                        : Cell(fmt::format("{} of {}", there.at_most(slower), there.pairs.size())));
    }
    table.rows.push_back(std::move(row));
  };
  for (const auto& [name, group] : groups.front())
    if (name[0] != all_word) add(name, group);
  add({all_word, "", ""}, groups.front()[{all_word, "", ""}]);
  table.notes = {fmt::format(
      "Cycles by LLVM over cycles by the templates' PTX of the same variant, {}. <= 1.05: pairs "
      "that are at most 5 % slower; <= 0.95: more than 5 % faster. refused: LLVM's does not pass "
      "the gate, or has no figure.",
      models.front().name)};
  return table;
}

Result<Table> llvm_levels_table(const data::ReportData& data,
                                const data::TableArguments& arguments) {
  const std::vector<LlvmPair> pairs = llvm_pairs(data.aggregation, arguments);
  std::map<std::string, std::map<LlvmChoice, const LlvmPair*>> variants;
  for (const LlvmPair& pair : pairs) variants[pair.id][pair.choice] = &pair;
  std::erase_if(variants, [](const auto& one) { return one.second.size() < 2; });
  if (variants.empty()) return no_pair();
  const std::vector<std::pair<LlvmChoice, std::string>> shown = {
      {{"0", true}, "-O0"},
      {{"1", true}, "-O1"},
      {{"2", true}, "-O2"},
      {{"3", true}, "-O3"},
      {{"2", false}, "-O2, 64-bit addresses"}};
  Table table;
  table.columns = {{"variant"}, {"templates", true}};
  for (const auto& [choice, title] : shown) table.columns.push_back({title, true});
  std::vector<std::string> flags;
  for (const auto& [id, choices] : variants) {
    data::RowFlags row_flags;
    std::vector<Cell> row = {id};
    const auto add = [&](const std::string& title, const data::Aggregate& point) {
      row.push_back(data::flagged_cell(title, data::figure_of(point), row_flags, table.notes));
    };
    add("templates", *choices.begin()->second->ours);
    for (const auto& [choice, title] : shown) {
      const auto found = choices.find(choice);
      if (found == choices.end())
        row.emplace_back("-");
      else
        add(title, *found->second->llvms);
    }
    flags.push_back(row_flags.text());
    table.rows.push_back(std::move(row));
  }
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables::origins
