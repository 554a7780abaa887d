#include "analysis/report/tables/tuned.h"

#include "analysis/report/data/comparison.h"
#include "core/base/nearest.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace phasebit::report::tables {

using data::Aggregate;
using data::Aggregation;
using data::VariantAxes;
using image::KeyAxes;
using table::Cell;
using table::Table;

namespace {

using Named = KeyAxes::const_iterator;

// The first axis that says that somebody made the text by hand; the assembler's stand behind it.
Named hand_made_at(const KeyAxes& named) {
  return std::find_if(named.begin(), named.end(), [](const auto& one) {
    return one.first == "tuned" || one.first.starts_with("snippet.");
  });
}

bool is_hand_made(const VariantAxes& axes) {
  const KeyAxes& named = axes.variant().named;
  return hand_made_at(named) != named.end();
}

// What it was made from.
std::string parent_of(const VariantAxes& axes) {
  const record::VariantRow& row = axes.variant();
  return record::display_id(row.defaults == nullptr ? KeyAxes() : *row.defaults,
                            {row.named.begin(), hand_made_at(row.named)});
}

// "tuned=test_ahead"
std::string made_by_hand(const VariantAxes& axes) {
  const KeyAxes& named = axes.variant().named;
  std::vector<std::string> words;
  for (Named at = hand_made_at(named); at != named.end(); ++at)
    words.push_back(fmt::format("{}={}", at->first, at->second));
  return fmt::format("{}", fmt::join(words, "/"));
}

Cell class_cell(const Aggregate* point) {
  constexpr size_t digits = 8;
  return point == nullptr ? "" : point->sass_class.substr(0, digits);
}

std::vector<Cell> row_of(const Aggregation& aggregation, const Aggregate& fork, Table& table) {
  const std::string parent_id = parent_of(fork.axes);
  const data::Comparison made = data::compare(aggregation, parent_id, fork.id);
  std::vector<Cell> row = {made_by_hand(fork.axes), parent_id};
  data::add_comparison(row, made, table.notes);
  row.insert(row.end(),
             {made.verdict, class_cell(data::find_variant(aggregation.points, parent_id)),
              class_cell(&fork)});
  return row;
}

// parent=ID, tuned=NAME
Result<bool> is_asked_for(const VariantAxes& axes, const data::TableArguments& arguments) {
  for (const auto& [name, value] : arguments) {
    if (name != "parent" && name != "tuned")
      return with_hint(fail(Step::usage, "no argument '{}'", name),
                       base::nearest_word_hint(name, {"parent", "tuned"}));
    if (name == "parent" && value != parent_of(axes)) return false;
    if (name == "tuned" && made_by_hand(axes) != "tuned=" + value) return false;
  }
  return true;
}

}  // namespace

Result<Table> tuned_table(const data::ReportData& data, const data::TableArguments& arguments) {
  // A parent's figure of another day is no neighbour of a fork's.
  const Aggregation aggregation = data::of_runs_with(data, is_hand_made);
  Table table;
  table.columns = {{"by hand", false},           {"from", false},      {"cycles before", true},
                   {"cycles by hand", true},     {"difference", true}, {"change", true},
                   {"A/A floor", true},          {"verdict", false},   {"SASS class before", false},
                   {"SASS class by hand", false}};
  for (const Aggregate& point : aggregation.points) {
    if (!is_hand_made(point.axes)) continue;
    PHASEBIT_TRY_ASSIGN(wanted, is_asked_for(point.axes, arguments));
    if (wanted) table.rows.push_back(row_of(aggregation, point, table));
  }
  if (table.rows.empty())
    return with_hint(fail(Step::usage, "nothing made by hand was measured"),
                     "phasebit pack --tuned, then phasebit-bench");
  return table;
}

}  // namespace phasebit::report::tables
