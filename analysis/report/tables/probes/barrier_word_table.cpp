#include "analysis/report/tables/probes/barrier_word.h"

#include <map>

#include <fmt/format.h>

namespace phasebit::report::tables::probes {
namespace {

// "N", "-N", "N - 1", "3 - N", modulo 2^width.
std::string stored_as(const WordField& field) {
  const std::uint64_t half = 1ULL << (field.width - 1);
  const bool below = field.width > 1 && field.offset > half;
  const std::uint64_t size =
      below ? (field.width == 64 ? 0 : 1ULL << field.width) - field.offset : field.offset;
  if (size == 0) return field.sign > 0 ? "N" : "-N";
  if (field.sign > 0) return fmt::format("N {} {}", below ? "-" : "+", size);
  return below ? fmt::format("-N - {}", size) : fmt::format("{} - N", size);
}

std::string words_for(const std::string& quantity) {
  if (quantity == "phase") return "phase";
  if (quantity == "pending") return "pending arrivals";
  if (quantity == "expected") return "expected arrivals of the next phase";
  return "bytes pending (tx-count)";
}

}  // namespace

table::Table barrier_word_table(const std::vector<record::PointRow>& points,
                                const data::VariantKeys& keys) {
  std::map<std::string, std::vector<WordReading>> by_layout;
  for (WordReading& reading : word_readings(points, keys))
    by_layout[reading.layout].push_back(std::move(reading));
  table::Table table;
  table.columns = {{"layout", false},   {"quantity N", false}, {"bits", true},
                   {"width", true},     {"stored as", false},  {"different values", true},
                   {"words read", true}};
  for (const auto& [layout, readings] : by_layout)
    for (const WordField& field : derive_fields(readings))
      table.rows.push_back({layout, words_for(field.quantity),
                            fmt::format("{}:{}", field.low + field.width - 1, field.low),
                            std::to_string(field.width), stored_as(field),
                            std::to_string(field.values), std::to_string(readings.size())});
  table.notes.push_back(
      "Each row is the widest field that agrees with every word read; N is modulo 2 to the width.");
  return table;
}

}  // namespace phasebit::report::tables::probes
