#include "core/results/flat_keys.h"

#include "core/base/text.h"
#include "core/results/csv_rows.h"
#include "core/results/flat.h"
#include "core/results/flat_columns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace phasebit::results {

using launch::KeyAxes;

namespace {

constexpr std::string_view escaped_letters = " %=";

std::string escaped(std::string_view word) {
  std::string text;
  for (const char letter : word)
    text += escaped_letters.find(letter) == std::string_view::npos
                ? std::string(1, letter)
                : fmt::format("%{:02X}", static_cast<int>(letter));
  return text;
}

std::string unescaped(std::string_view text) {
  std::string word;
  for (std::size_t at = 0; at < text.size(); ++at) {
    int letter = 0;
    const char* digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, letter, 16).ptr == digits + 2) {
      word += static_cast<char>(letter);
      at += 2;
    } else {
      word += text[at];
    }
  }
  return word;
}

template <typename Take>
void each_word(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::vector<std::string> names_of(const KeyAxes& axes) {
  std::vector<std::string> names;
  for (const auto& [axis, value] : axes) names.push_back(axis);
  return names;
}

// Which axes must come before an axis.
class AxisOrder {
 public:
  void add(const std::vector<std::string>& names) {
    if (!seen_.insert(names).second) return;
    for (std::size_t n = 0; n < names.size(); ++n) {
      if (!before_.contains(names[n])) axes_.push_back(names[n]);
      auto& before = before_[names[n]];
      if (n > 0) before.insert(names[n - 1]);
    }
  }
  std::vector<std::string> take() {
    std::vector<std::string> ordered;
    while (!axes_.empty()) {
      auto next = std::ranges::find_if(axes_, [&](const auto& axis) { return is_free(axis); });
      if (next == axes_.end()) next = axes_.begin();  // keys contradict each other
      before_.erase(*next);
      ordered.push_back(std::move(*next));
      axes_.erase(next);
    }
    return ordered;
  }

 private:
  bool is_free(const std::string& axis) const {
    return std::ranges::none_of(before_.at(axis),
                                [&](const auto& other) { return before_.contains(other); });
  }
  std::set<std::vector<std::string>> seen_;
  std::vector<std::string> axes_;                        // as they were seen
  std::map<std::string, std::set<std::string>> before_;  // of those that are left
};

}  // namespace

std::vector<std::string> axis_columns(const std::vector<const VariantRow*>& variants) {
  AxisOrder order;
  std::set<const KeyAxes*> lists;
  for (const VariantRow* variant : variants)
    if (variant->has_key() && lists.insert(variant->defaults.get()).second)
      order.add(names_of(*variant->defaults));
  for (const VariantRow* variant : variants) {
    std::vector<std::string> others;  // after those with a default
    for (const auto& [axis, value] : variant->named)
      if (variant->has_key() && launch::find_axis(*variant->defaults, axis) == nullptr)
        others.push_back(axis);
    if (!others.empty()) order.add(others);
  }
  return order.take();
}

KeyColumns columns_of(const VariantRow& variant, const std::vector<std::string>& axes) {
  KeyColumns columns{std::vector<std::optional<std::string>>(axes.size()), {}, {}};
  if (!variant.has_key()) return columns;
  std::vector<std::string> in_columns;
  for (std::size_t n = 0; n < axes.size(); ++n) {
    if (const std::string* value = variant.find(axes[n])) columns.values[n] = *value;
    if (launch::find_axis(*variant.defaults, axes[n]) != nullptr) in_columns.push_back(axes[n]);
  }
  for (const auto& [axis, value] : variant.named) {
    const std::string* otherwise = launch::find_axis(*variant.defaults, axis);
    columns.named += (columns.named.empty() ? "" : " ") + escaped(axis) +
                     (otherwise == nullptr ? "" : "=" + escaped(*otherwise));
  }
  const std::vector<std::string> order = names_of(*variant.defaults);
  if (order != in_columns) columns.axis_order = joined_words(order);
  return columns;
}

Result<VariantRow> variant_of(const KeyColumns& columns, const std::vector<std::string>& axes,
                              KeyPool& pool) {
  const auto value_of = [&](const std::string& axis) {
    const auto at = std::ranges::find(axes, axis);
    return at == axes.end() ? std::optional<std::string>()
                            : columns.values[static_cast<std::size_t>(at - axes.begin())];
  };
  VariantRow row;
  std::map<std::string, std::optional<std::string>> named;  // with their defaults
  std::string missing;
  each_word(columns.named, [&](std::string_view word) {
    const std::size_t equals = std::min(word.find('='), word.size());
    std::string axis = unescaped(word.substr(0, equals));
    auto& otherwise = named[axis];
    if (equals < word.size()) otherwise = unescaped(word.substr(equals + 1));
    const auto value = value_of(axis);
    if (!value) missing = axis;
    row.named.emplace_back(std::move(axis), value.value_or(""));
  });
  KeyAxes defaults;
  const bool is_ordered = !columns.axis_order.empty();
  for (const std::string& axis : is_ordered ? split_words(columns.axis_order) : axes) {
    auto value = value_of(axis);
    if (const auto at = named.find(axis); at != named.end()) value = at->second;
    if (value) defaults.emplace_back(axis, std::move(*value));
    if (!value && is_ordered) missing = axis;
  }
  if (!missing.empty())
    return fail(Step::store, "column '{}{}': NULL, though the key names it", axis_prefix, missing);
  if (!defaults.empty() || !row.named.empty()) row.defaults = pool.share(std::move(defaults));
  return row;
}

namespace {

// Sorted. An anchor's id may have its name without the axis ("anchor/fma").
std::vector<std::string_view> words_of_id(std::string_view id) {
  constexpr std::string_view anchor = "anchor=";
  std::vector<std::string_view> words = base::split(id, '/');
  for (std::string_view& word : words)
    if (word.starts_with(anchor)) word.remove_prefix(anchor.size());
  std::ranges::sort(words);
  return words;
}

}  // namespace

Status check_id(const VariantRow& variant) {
  const std::string made = display_id(*variant.defaults, variant.named);
  const auto said = words_of_id(variant.id), wanted = words_of_id(made);
  bool is_made = std::ranges::includes(said, wanted);
  // The id of a component of its own names axes that are at their default, too.
  std::vector<std::string_view> more;
  std::ranges::set_difference(said, wanted, std::back_inserter(more));
  for (const std::string_view word : more) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string axis(word.substr(0, equals));
    const std::string* value = equals == word.size() ? nullptr : variant.find(axis);
    if (value != nullptr && *value != word.substr(equals + 1))
      return fail(Step::store, "column '{}{}': '{}', and the id says otherwise: {}", axis_prefix,
                  axis, *value, variant.id);
    is_made = is_made && value != nullptr;
  }
  if (is_made) return {};
  return fail(Step::store, "column 'id': {}, and the columns of its axes make {}", variant.id,
              made);
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + escaped(word);
  return text;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  each_word(text, [&](std::string_view word) { words.push_back(unescaped(word)); });
  return words;
}

namespace {

const std::vector<std::string> columns = {"point", "items", "cycles", "reading_1", "reading_2"};
constexpr std::size_t required_columns = 3;
static_assert(most_readings == 2);

class SampleReader {
 public:
  SampleReader(const std::unordered_map<std::uint64_t, SampleRow>& rows,
               std::vector<PointRow>& points)
      : rows_(rows), points_(points) {}

  Status take(const CsvRows& row) {
    if (row.row() == 0) return take_header(row);
    if (row.size() != column_of_.size())
      return fail(Step::store, "{} fields for {} columns", row.size(), column_of_.size());
    for (std::size_t n = 0; n < row.size(); ++n)
      if (row.changed(n)) PHASEBIT_TRY(take_field(row, n));
    return add_sample();
  }

 private:
  Status take_header(const CsvRows& row) {
    for (std::size_t n = 0; n < row.size(); ++n) {
      const std::string name = row.text(n);
      const auto at = std::ranges::find(columns, name);
      const auto column = static_cast<std::size_t>(at - columns.begin());
      if (at == columns.end())
        return with_hint(fail(Step::store, "column '{}': samples have no such column", name),
                         base::nearest_word_hint(name, columns));
      if (std::ranges::find(column_of_, column) != column_of_.end())
        return fail(Step::store, "column '{}': twice", name);
      column_of_.push_back(column);
    }
    for (std::size_t column = 0; column < required_columns; ++column)
      if (std::ranges::find(column_of_, column) == column_of_.end())
        return fail(Step::store, "no column '{}'", columns[column]);
    return {};
  }
  Status take_field(const CsvRows& row, std::size_t n) {
    const std::size_t column = column_of_[n];
    const std::string text = row.text(n);
    std::uint64_t& value = values_[column];
    null_[column] = row.null(n);
    if (row.null(n) && column >= required_columns) return {};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool in_range =
        columns[column] != "items" || value <= std::numeric_limits<decltype(Sample::items)>::max();
    if (code == std::errc() && end == text.data() + text.size() && in_range) return {};
    return fail(Step::store, "column '{}': '{}' is not a whole number in range", columns[column],
                text);
  }
  Status add_sample() {
    const auto at = rows_.find(values_[0]);
    if (at == rows_.end())
      return fail(Step::store, "column 'point': the results have no point {}", values_[0]);
    PointRow& point = points_[at->second.point];
    constexpr std::uint64_t most_reserved = 1 << 16;  // the number is only what a row says
    if (point.samples.empty()) point.samples.reserve(std::min(at->second.samples, most_reserved));
    Sample& sample = point.samples.emplace_back();
    sample.items = static_cast<std::uint32_t>(values_[1]);
    sample.cycles = values_[2];
    for (std::size_t n = 0; n < most_readings; ++n) {
      const std::size_t column = required_columns + n;
      if (null_[column] == (n < point.readings.size()))
        return fail(Step::store, "column '{}': point {} has {} readings", columns[column],
                    values_[0], point.readings.size());
      if (!null_[column]) sample.readings.push_back(values_[column]);
    }
    return {};
  }

  const std::unordered_map<std::uint64_t, SampleRow>& rows_;
  std::vector<PointRow>& points_;
  std::vector<std::size_t> column_of_;
  std::array<std::uint64_t, required_columns + most_readings> values_{};
  std::array<bool, required_columns + most_readings> null_{true, true, true, true, true};
};

}  // namespace

bool is_samples_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".samples.csv") || name.ends_with(".samples.csv.zst");
}

std::optional<fs::path> samples_path(const fs::path& results) {
  const std::string path = results.string();
  for (const std::string ending : {".csv", ".csv.zst"})
    if (path.ends_with(ending))
      return path.substr(0, path.size() - ending.size()) + ".samples" + ending;
  return std::nullopt;
}

bool is_results_file(const fs::path& path) {
  return samples_path(path).has_value() && !is_samples_file(path);
}

std::string samples_csv(const std::vector<PointRow>& points) {
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (std::size_t number = 0; number < points.size(); ++number)
    for (const Sample& sample : points[number].samples) {
      text += fmt::format("{},{},{}", number, sample.items, sample.cycles);
      for (std::size_t n = 0; n < most_readings; ++n)
        text += n < sample.readings.size() ? fmt::format(",{}", sample.readings[n]) : ",";
      text += '\n';
    }
  return text;
}

Status read_samples(const fs::path& path, const std::unordered_map<std::uint64_t, SampleRow>& rows,
                    std::vector<PointRow>& points) {
  PHASEBIT_TRY_ASSIGN(content, base::read_file(path));
  SampleReader reader(rows, points);
  PHASEBIT_TRY(
      each_row(path.string(), content, [&](const CsvRows& row) { return reader.take(row); }));
  for (const auto& [number, row] : rows)
    if (points[row.point].samples.size() != row.samples)
      return fail(Step::store, "{}: {} samples of point {}, of which the results count {}",
                  path.string(), points[row.point].samples.size(), number, row.samples);
  return {};
}

namespace {

// Columns without which it is not known whether two rows are of one point.
constexpr std::string_view of_a_point[] = {"aa_control", "sm",        "first_warp", "start_offset",
                                           "padding",    "gap_after", "gap_warps"};

}  // namespace

Status FlatRepeats::add(const FlatRow& row) {
  PHASEBIT_TRY(add_class(row));
  PHASEBIT_TRY(add_figure(row));
  ++rows_;
  return {};
}

Status FlatRepeats::add_class(const FlatRow& row) {
  const PointRow& point = row.point;
  if (point.sass_class.empty()) return {};
  class_of_.emplace(row.number, point.sass_class);
  if (row.figure_point) same_code_.push_back({rows_, *row.figure_point, point.sass_class});
  if (point.text_hash.empty()) return {};
  const auto [at, is_new] = classes_.try_emplace(
      {point.run_id, point.variant_id, point.ptx_hash, point.text_hash}, point.sass_class);
  if (at->second == point.sass_class) return {};
  return fail(Step::store,
              "column 'sass_class': {} has {} here and {} in an earlier row of the same code",
              point.variant_id, point.sass_class, at->second);
}

Status FlatRepeats::add_figure(const FlatRow& row) {
  const PointRow& point = row.point;
  if (!row.cycles) return {};
  if (!point.lacks.empty() &&
      std::ranges::any_of(of_a_point, [&](std::string_view column) { return row.lacks(column); }))
    return {};
  const Conditions& at = point.conditions;
  const bool is_new =
      figures_
          .insert({point.run_id, point.variant_id, point.device_uuid, point.text_hash, point.kind,
                   point.repetition, point.aa_control, at.sm, at.first_warp, at.start_offset,
                   at.padding, at.gap_after, at.gap_warps})
          .second;
  if (is_new) return {};
  return fail(Step::store,
              "column 'repetition': {} has a figure of repetition {} in an earlier row of the same "
              "device and conditions",
              point.variant_id, point.repetition);
}

std::optional<FlatRepeats::Contradiction> FlatRepeats::check_figure_classes() const {
  for (const SameCode& one : same_code_)
    if (const auto of = class_of_.find(one.figure_point);
        of != class_of_.end() && of->second != one.sass_class)
      return Contradiction{
          one.place, fmt::format("column 'sass_class': {}, and point {}, whose figures it has, {}",
                                 one.sass_class.text(), one.figure_point, of->second.text())};
  return std::nullopt;
}

}  // namespace phasebit::results
