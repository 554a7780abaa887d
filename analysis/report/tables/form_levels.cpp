#include "analysis/report/tables/form_levels.h"

#include "analysis/report/data/figures.h"
#include "analysis/report/data/row_flags.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/ranges.h>

namespace phasebit::report::tables {

using data::Figure;
using isa::FormTable;
using table::Cell;

namespace {

using Place = std::tuple<std::string, std::string, std::string>;

Place place_of(const FormCost& cost) {
  return {cost.path, cost.measure, cost.lanes};
}

bool is_apart(double lower, double higher) {
  return higher - lower > std::max(0.5, 0.01 * std::abs(lower));
}

// What the cell of a form without a figure says.
std::string refusal_of(const FormCost& cost) {
  std::vector<std::string> notes;
  return data::figure_cell(cost.isolated, notes).text;
}

bool is_new_level(const FormCost& before, const FormCost& cost) {
  if (place_of(before) != place_of(cost)) return true;
  const bool has = before.isolated.reason.empty();
  if (has != cost.isolated.reason.empty()) return true;
  return has ? is_apart(before.isolated.value, cost.isolated.value)
             : refusal_of(before) != refusal_of(cost);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words = {""};
  for (const char c : text) {
    if (c == '.' || c == ' ') words.emplace_back();
    if (c != ' ' && c != ',' && c != ';') words.back() += c;
  }
  words.erase(words.begin());  // the name
  std::erase(words, "");
  return words;
}

using Figures = std::vector<const Figure*>;

Figures figures_of(const FormLevel& level, Figure FormCost::* which) {
  Figures figures;
  for (const FormCost* cost : level.costs)
    if ((cost->*which).reason.empty()) figures.push_back(&(cost->*which));
  return figures;
}

// "41.00", "41.00 to 43.00": the lowest and the highest, with the digits of the widest.
Cell range_cell(const Figures& figures) {
  if (figures.empty()) return {};
  double low = figures.front()->value, high = low, width = 0;
  for (const Figure* figure : figures) {
    low = std::min(low, figure->value), high = std::max(high, figure->value);
    width = std::max(width, figure->half_width);
  }
  const std::string first = data::shown(low, width), last = data::shown(high, width);
  return {first == last ? first : fmt::format("{} to {}", first, last), (low + high) / 2,
          (high - low) / 2 + width};
}

Cell cell_of(const FormLevel& level) {
  const FormCost& any = *level.costs.front();
  return any.isolated.reason.empty() ? range_cell(figures_of(level, &FormCost::isolated))
                                     : Cell(refusal_of(any));
}

void note_spread(const Figure& figure, double& most, std::string& factor) {
  const bool moves = figure.spread > std::max(0.5, 0.005 * std::abs(figure.value));
  if (!moves || figure.spread <= most) return;
  most = figure.spread;
  factor = figure.factor;
}

// "modes: 3; moved by SM: up to 3.10", by number of forms.
std::string flags_of(const FormLevel& level) {
  std::map<std::string, std::set<std::string>> forms;  // by flag
  double most = 0;
  std::string factor;
  for (const FormCost* cost : level.costs) {
    for (const Figure* figure : {&cost->isolated, &cost->loaded}) {
      if (figure == &cost->loaded && !cost->has_loaded) continue;
      if (!figure->reason.empty()) continue;
      for (const std::string& flag : record::words_of(figure->flags))
        forms[flag].insert(cost->form);
      note_spread(*figure, most, factor);
    }
  }
  std::vector<std::string> words;
  for (const auto& [flag, ids] : forms) words.push_back(fmt::format("{}: {}", flag, ids.size()));
  if (most > 0) words.push_back(fmt::format("moved by {} ({:.2f})", factor, most));
  return fmt::format("{}", fmt::join(words, "; "));
}

// What two levels must have in common to be one row: the forms, and what they cost.
std::pair<std::set<std::string>, std::string> content_of(const FormLevel& level) {
  std::set<std::string> forms;
  for (const FormCost* cost : level.costs) forms.insert(cost->form);
  return {forms, cell_of(level).text};
}

// Joins levels that differ in `differs` alone, `same` being the other of path and lanes.
std::vector<FormLevel> joined(const std::vector<FormLevel>& levels, std::string FormLevel::* same,
                              std::string FormLevel::* differs) {
  std::vector<FormLevel> out;
  for (const FormLevel& level : levels) {
    const auto twin = std::find_if(out.begin(), out.end(), [&](const FormLevel& other) {
      return other.measure == level.measure && other.*same == level.*same &&
             content_of(other) == content_of(level);
    });
    if (twin == out.end()) {
      out.push_back(level);
      continue;
    }
    (*twin).*differs += ", " + level.*differs;
    twin->costs.insert(twin->costs.end(), level.costs.begin(), level.costs.end());
  }
  return out;
}

using Texts = std::vector<std::string>;

std::string text_of(const FormCost& cost, const FormTable& known) {
  const isa::Form* form = known.find(cost.form);
  return form == nullptr ? cost.form : form->text;
}

// One of each form, in the order of their ids.
std::map<std::string, const FormCost*> forms_of(const FormLevel& level) {
  std::map<std::string, const FormCost*> forms;
  for (const FormCost* cost : level.costs) forms.emplace(cost->form, cost);
  return forms;
}

std::vector<Cell> row_of(const FormLevel& level, const Texts& all, const FormTable& known) {
  Texts texts;
  std::set<std::string> codes;
  for (const auto& [id, cost] : forms_of(level)) {
    texts.push_back(text_of(*cost, known));
    codes.insert(cost->text_hashes);
  }
  return {level.path,
          level.measure,
          level.lanes,
          cell_of(level),
          range_cell(figures_of(level, &FormCost::loaded)),
          static_cast<int>(texts.size()),
          static_cast<int>(codes.size()),
          fmt::format("{}", fmt::join(common_words(texts, all), " ")),
          fmt::format("{}", fmt::join(absent_words(texts, all), " ")),
          texts.front()};
}

}  // namespace

std::vector<FormLevel> form_levels(const std::vector<FormCost>& costs) {
  std::vector<const FormCost*> order;
  for (const FormCost& cost : costs) order.push_back(&cost);
  std::stable_sort(order.begin(), order.end(), [](const FormCost* a, const FormCost* b) {
    if (place_of(*a) != place_of(*b)) return place_of(*a) < place_of(*b);
    const bool has = a->isolated.reason.empty();
    if (has != b->isolated.reason.empty()) return has;
    return has ? a->isolated.value < b->isolated.value : refusal_of(*a) < refusal_of(*b);
  });
  std::vector<FormLevel> levels;
  const FormCost* before = nullptr;
  for (const FormCost* cost : order) {
    if (before == nullptr || is_new_level(*before, *cost))
      levels.push_back({cost->path, cost->measure, cost->lanes, {}});
    levels.back().costs.push_back(cost);
    before = cost;
  }
  levels = joined(levels, &FormLevel::path, &FormLevel::lanes);
  return joined(levels, &FormLevel::lanes, &FormLevel::path);
}

std::vector<std::string> common_words(const std::vector<std::string>& level,
                                      const std::vector<std::string>& others) {
  if (level.empty()) return {};
  const auto in_all = [](const Texts& texts, const std::string& word) {
    return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
      const auto words = words_of(text);
      return std::find(words.begin(), words.end(), word) != words.end();
    });
  };
  std::vector<std::string> common;
  for (const std::string& word : words_of(level.front()))
    if (in_all(level, word) && !in_all(others, word) &&
        std::find(common.begin(), common.end(), word) == common.end())
      common.push_back(word);
  return common;
}

std::vector<std::string> absent_words(const std::vector<std::string>& level,
                                      const std::vector<std::string>& others) {
  std::set<std::string> known;
  for (const std::string& text : level)
    for (const std::string& word : words_of(text)) known.insert(word);
  std::vector<std::string> absent;
  for (const std::string& text : others)
    for (const std::string& word : words_of(text))
      if (known.insert(word).second) absent.push_back(word);
  return absent;
}

table::Table form_levels_table(const std::vector<FormCost>& costs, const FormTable& known) {
  table::Table table;
  table.columns = {{"path", false},       {"measure", false}, {"lanes", false},
                   {"isolated", true},    {"loaded", true},   {"forms", true},
                   {"codes", true},       {"all say", false}, {"none says", false},
                   {"one of them", false}};
  std::vector<std::string> flags;
  std::map<Place, Texts> all;
  for (const FormCost& cost : costs) all[place_of(cost)].push_back(text_of(cost, known));
  for (const FormLevel& level : form_levels(costs)) {
    table.rows.push_back(row_of(level, all.at(place_of(*level.costs.front())), known));
    flags.push_back(flags_of(level));
  }
  data::add_flags_column(table, flags);
  return table;
}

}  // namespace phasebit::report::tables
