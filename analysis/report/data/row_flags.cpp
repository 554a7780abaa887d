#include "analysis/report/data/row_flags.h"

#include "analysis/report/data/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

namespace phasebit::report::data {

bool is_moved(const Figure& figure) {
  return figure.spread > std::max(0.5, 0.005 * std::abs(figure.value));
}

void RowFlags::add(const std::string& column, const Figure& figure) {
  const auto put = [&](const std::string& flag, const std::string& where) {
    auto known = std::find_if(columns_.begin(), columns_.end(),
                              [&](const auto& one) { return one.first == flag; });
    if (known == columns_.end()) known = columns_.insert(known, {flag, {}});
    known->second.push_back(where);
  };
  ++figures_;
  for (const std::string& flag : results::words_of(figure.flags)) put(flag, column);
  if (!figure.reason.empty()) return;
  if (!figure.interval_reached) put("too few rounds for an interval", column);
  if (is_moved(figure)) {
    const auto [at, is_new] = moved_.emplace(figure.factor, figure.spread);
    if (!is_new) at->second = std::max(at->second, figure.spread);
  }
}

std::string RowFlags::text() const {
  std::vector<std::string> words;
  for (const auto& [flag, columns] : columns_)
    words.push_back(
        columns.size() == figures_ ? flag : fmt::format("{}: {}", flag, fmt::join(columns, ", ")));
  std::vector<std::string> moved;
  for (const auto& [factor, most] : moved_)
    moved.push_back(fmt::format("{} ({:.2f})", factor, most));
  if (!moved.empty()) words.push_back(fmt::format("moved by {}", fmt::join(moved, ", ")));
  return fmt::format("{}", fmt::join(words, "; "));
}

void add_flags_column(base::Table& table, const std::vector<std::string>& flags) {
  if (std::all_of(flags.begin(), flags.end(), [](const auto& one) { return one.empty(); })) return;
  table.columns.push_back({"flags", false});
  for (std::size_t n = 0; n < flags.size(); ++n) table.rows[n].emplace_back(flags[n]);
}

base::Cell flagged_cell(const std::string& column, const Figure& figure, RowFlags& flags,
                        std::vector<std::string>& notes) {
  flags.add(column, figure);
  Figure plain = figure;
  plain.flags.clear();
  plain.interval_reached = true;
  return figure_cell(plain, notes);
}

}  // namespace phasebit::report::data
