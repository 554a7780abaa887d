#include "analysis/compare/line_table.h"

#include "analysis/flow/features_json.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::compare {
namespace {

// By file, then by number; code without a line stands behind all others.
struct ByPlace {
  bool operator()(const std::string& a, const std::string& b) const { return key(a) < key(b); }

 private:
  static std::tuple<bool, std::string, int> key(const std::string& line) {
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos) return {line.empty(), line, 0};
    return {false, line.substr(0, colon), std::atoi(line.c_str() + colon + 1)};
  }
};

template <typename Value>
using ByLine = std::map<std::string, Value, ByPlace>;

std::string shown(const std::string& line) {
  return line.empty() ? "(no line)" : line;
}

}  // namespace

std::optional<table::Table> line_table(
    const std::vector<std::pair<std::string, const CodeSummary*>>& columns) {
  ByLine<std::vector<std::string>> rows;
  table::Table table;
  table.columns.push_back({"source line"});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    table.columns.push_back({columns[c].first, true});
    if (columns[c].second == nullptr) continue;
    for (const LineSummary& one : columns[c].second->lines) {
      std::vector<std::string>& cells = rows[one.line];
      cells.resize(columns.size(), "-");
      cells[c] = fmt::format("{}/{}", one.counts.instructions, one.counts.issue_cycles);
    }
  }
  if (rows.empty()) return std::nullopt;
  for (const auto& [line, cells] : rows) {
    std::vector<table::Cell> row = {shown(line)};
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string line_changes(const CodeSummary& from, const CodeSummary& to) {
  constexpr std::size_t most = 12;
  ByLine<std::pair<int, int>> counts;
  for (const LineSummary& one : from.lines) counts[one.line].first = one.counts.instructions;
  for (const LineSummary& one : to.lines) counts[one.line].second = one.counts.instructions;
  std::vector<std::pair<std::string, std::pair<int, int>>> changed;
  for (const auto& one : counts)
    if (one.second.first != one.second.second) changed.emplace_back(one);
  std::stable_sort(changed.begin(), changed.end(), [](const auto& a, const auto& b) {
    const auto far = [](const auto& one) { return std::abs(one.second.first - one.second.second); };
    return far(a) > far(b);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
    text += fmt::format("{}{} {} -> {}", i == 0 ? "" : ", ", shown(changed[i].first),
                        changed[i].second.first, changed[i].second.second);
  if (changed.size() > most) text += fmt::format(", and {} more", changed.size() - most);
  return text;
}

nlohmann::ordered_json lines_as_json(const CodeSummary& code) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const LineSummary& one : code.lines)
    lines.push_back({{"line", one.line}, {"counts", flow::as_json(one.counts)}});
  return lines;
}

}  // namespace phasebit::compare
