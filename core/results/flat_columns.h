// The columns of a results file: each is one entry, which reads, writes and checks it.
#pragma once

#include "core/results/record.h"

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::results {

// As many readings as a SampleRecord has room for.
inline constexpr std::size_t most_readings = 2;

// A row as its columns have it.
struct FlatRow {
  struct Reading {
    ReadingName of;
    std::optional<double> value;
    MedianInterval interval;
    bool interval_ok = true;
    std::vector<double> segments;  // the slopes of what is not a line; else none
  };
  std::uint64_t number = 0;
  std::optional<std::uint64_t> figure_point;  // of same_code: the row with its figures
  PointRow point;  // without readings, samples, error, figures and what says how good they are
  Word hash;       // "" where it is short_hash(id)
  std::uint64_t samples = 0;  // rows in the file of samples
  std::optional<double> cycles;
  Summary figures;  // but for these; `modes` is empty where there is one
  bool interval_ok = true;
  std::vector<double> segments;
  std::array<Reading, most_readings> readings;
  std::optional<Step> error_step;
  std::string error;
  DeviceRow device;
  RunRow run;
  // Whether the column is one of point.lacks.
  bool lacks(std::string_view column) const;
};

// The point whole: its readings, error, figures and quality too.
PointRow point_of(const FlatRow& row);
// Its columns, but for the device, the run, and the numbers of rows.
void set_point(FlatRow& row, const PointRow& point);

struct Column {
  enum class Part { point, device, run };
  std::string name;
  Part part = Part::point;
  bool required = false;  // a file without it is refused
  std::string wanted;     // "a number": what read() accepts
  // False for a text that is not of the column's type or range. `text` is without quotes.
  std::function<bool(std::string_view text, FlatRow& row)> read;
  std::function<void(FlatRow& row)> clear;  // NULL
  // Appends the field, nothing for NULL.
  std::function<void(const FlatRow& row, std::string& line)> write;
  // Whether a row of this program has a value here; not set where NULL means "none". A NULL in such
  // a row is refused in a required column, and else says that its program did not know the column:
  // PointRow::lacks.
  std::function<bool(const FlatRow& row)> expected;
};

// In the order of the file. Columns of axes follow (flat.h).
std::span<const Column> flat_columns();

}  // namespace phasebit::results
