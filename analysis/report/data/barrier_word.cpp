#include "analysis/report/data/barrier_word.h"

#include "analysis/report/data/axes.h"

#include <array>
#include <map>
#include <set>
#include <utility>

namespace phasebit::report::data {
namespace {

// Odd, so that no bit of the count stays as it was.
constexpr std::int64_t tx_step = 21;

void arrive(BarrierState& state, std::int64_t count) {
  state.pending -= count;
  if (state.pending > 0 || state.tx_count != 0) return;
  state.phase += 1;
  state.pending = state.expected;
}

using Quantity = std::int64_t BarrierState::*;
constexpr std::array<std::pair<const char*, Quantity>, 4> quantities = {{
    {"phase", &BarrierState::phase},
    {"pending", &BarrierState::pending},
    {"expected", &BarrierState::expected},
    {"tx_count", &BarrierState::tx_count},
}};

std::uint64_t mask_of(int width) {
  return width == 64 ? ~0ULL : (1ULL << width) - 1;
}

std::uint64_t bits_of(std::uint64_t word, int low, int width) {
  return (word >> low) & mask_of(width);
}

// Whether the bits follow the quantity in all readings; the first gives the offset.
std::optional<std::uint64_t> offset_of(const std::vector<WordReading>& readings, Quantity quantity,
                                       const WordField& field) {
  std::optional<std::uint64_t> offset;
  for (const WordReading& reading : readings) {
    const auto value = static_cast<std::uint64_t>(field.sign * (reading.state.*quantity));
    const std::uint64_t here =
        (bits_of(reading.word, field.low, field.width) - value) & mask_of(field.width);
    if (offset && *offset != here) return std::nullopt;
    offset = here;
  }
  return offset;
}

// Bits that never change would agree with a quantity that never changes modulo 2^width.
bool varies(const std::vector<WordReading>& readings, Quantity quantity, int width) {
  std::set<std::uint64_t> values;
  for (const WordReading& reading : readings)
    values.insert(static_cast<std::uint64_t>(reading.state.*quantity) & mask_of(width));
  return values.size() > 1;
}

std::optional<WordField> widest_field(const std::vector<WordReading>& readings, Quantity quantity) {
  for (int width = 64; width >= 1 && varies(readings, quantity, width); --width) {
    for (int low = 0; low + width <= 64; ++low) {
      for (const int sign : {1, -1}) {
        WordField field{"", low, width, sign, 0, 0};
        const auto offset = offset_of(readings, quantity, field);
        if (!offset) continue;
        field.offset = *offset;
        return field;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<BarrierState> state_after(const std::string& operation, std::int64_t expected,
                                        std::uint32_t times) {
  BarrierState state{0, expected, expected, 0};
  for (std::uint32_t n = 0; n < times; ++n) {
    if (operation == "none") {
    } else if (operation == "arrive") {
      arrive(state, 1);
    } else if (operation == "arrive_count") {
      arrive(state, 2);
    } else if (operation == "expect_tx") {
      state.tx_count += tx_step;
    } else if (operation == "complete_tx") {
      state.tx_count -= tx_step;
    } else if (operation == "arrive_expect_tx") {
      state.tx_count += tx_step;
      arrive(state, 1);
    } else if (operation == "arrive_drop") {
      state.expected -= 1;
      arrive(state, 1);
    } else {
      return std::nullopt;
    }
  }
  return state;
}

std::vector<WordField> derive_fields(const std::vector<WordReading>& readings) {
  std::vector<WordField> fields;
  for (const auto& [name, quantity] : quantities) {
    std::set<std::int64_t> values;
    for (const WordReading& reading : readings) values.insert(reading.state.*quantity);
    if (values.size() < 2) continue;
    auto field = widest_field(readings, quantity);
    if (!field) continue;
    field->quantity = name;
    field->values = values.size();
    fields.push_back(*field);
  }
  return fields;
}

std::vector<WordReading> word_readings(const results::Rows& points, const VariantKeys& keys) {
  std::vector<WordReading> readings;
  for (const results::PointRow* point : points) {
    const VariantAxes axes = keys.of(point->variant_id);
    if (axes.value("probe") != word_probe || point->error) continue;
    // Other ways of reading show what was in shared memory before.
    if (axes.value("read_by") != "inval_ld") continue;
    const std::string operation = axes.value("operation");
    const std::int64_t expected = std::stoll(axes.value("expected_arrivals"));
    for (const results::Sample& sample : point->samples) {
      const auto state = state_after(operation, expected, sample.items);
      if (!state || sample.readings.size() != 2) continue;
      readings.push_back(
          {axes.value("word_layout"), *state, sample.readings[0] | sample.readings[1] << 32});
    }
  }
  return readings;
}

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

std::vector<WordFieldRow> word_field_rows(const results::Rows& points, const VariantKeys& keys) {
  std::map<std::string, std::vector<WordReading>> by_layout;
  for (WordReading& reading : word_readings(points, keys))
    by_layout[reading.layout].push_back(std::move(reading));
  std::vector<WordFieldRow> rows;
  for (const auto& [layout, readings] : by_layout)
    for (const WordField& field : derive_fields(readings))
      rows.push_back({layout, words_for(field.quantity),
                      fmt::format("{}:{}", field.low + field.width - 1, field.low), field.width,
                      stored_as(field), field.values, readings.size()});
  return rows;
}

}  // namespace phasebit::report::data
