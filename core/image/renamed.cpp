#include "core/image/renamed.h"

#include "core/image/facts.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace phasebit::image {
namespace {

struct RenamedAxis {
  std::string_view before, today;
};
constexpr auto renamed_axes = std::to_array<RenamedAxis>({
    {"bystanders", "victims"},
    {"chain", "measure"},
    {"neighbour_work", "victim_work"},
    {"unit", "granularity"},
});

struct RenamedValue {
  std::string_view axis, before, today;  // `axis` by its name of today
};
constexpr auto renamed_values = std::to_array<RenamedValue>({
    {"anchor", "fold_32", "checksum_32"},
    {"anchor", "fold_64", "checksum_64"},
    {"granularity", "parity", "even_odd_lanes"},
    {"measure", "issue", "throughput"},
    {"probe", "neighbour", "interference"},
    {"probe", "word", "barrier_word"},
    {"sharing", "turns", "round_robin"},
    {"tuned", "deferred_fold", "deferred_checksum"},
});

}  // namespace

std::string_view axis_today(std::string_view axis) {
  for (const RenamedAxis& one : renamed_axes)
    if (one.before == axis) return one.today;
  return axis;
}

std::string_view value_today(std::string_view axis, std::string_view value) {
  for (const RenamedValue& one : renamed_values)
    if (one.axis == axis && one.before == value) return one.today;
  return value;
}

std::string id_today(const std::string& id) {
  if (id.find('/') == std::string::npos) return id;
  std::string today;
  today.reserve(id.size() + 16);
  std::string_view first;
  for (size_t at = 0, part = 0; at <= id.size(); ++part) {
    const size_t end = std::min(id.find('/', at), id.size());
    const std::string_view word = std::string_view(id).substr(at, end - at);
    at = end + 1;
    if (part == 0)
      first = word;
    else
      today += '/';
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos) {
      const std::string_view axis = axis_today(word.substr(0, equals));
      today.append(axis).append("=").append(value_today(axis, word.substr(equals + 1)));
    } else if (part == 1 && first == "anchor") {  // behind it stands its name
      today += value_today("anchor", word);
    } else {
      today += part < component_axes.size() ? value_today(component_axes[part], word) : word;
    }
  }
  return today;
}

std::string hint_of_today(std::string_view today, std::string_view name, std::string otherwise) {
  return today == name ? std::move(otherwise) : fmt::format("it is '{}' today", today);
}

bool is_renamed(const KeyAxes& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const auto& one) {
    const std::string_view axis = axis_today(one.first);
    return axis != one.first || value_today(axis, one.second) != one.second;
  });
}

KeyAxes axes_today(KeyAxes axes) {
  for (auto& [axis, value] : axes) {
    axis = axis_today(axis);
    value = value_today(axis, value);
  }
  return axes;
}

}  // namespace phasebit::image
