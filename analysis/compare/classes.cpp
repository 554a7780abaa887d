#include "analysis/compare/classes.h"

#include "analysis/flow/features.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::compare {
namespace {

using nlohmann::ordered_json;

// Axes of either key whose values differ; "" stands for an axis that one does not have.
std::vector<AxisChange> axis_changes(const launch::VariantKey& from, const launch::VariantKey& to) {
  std::vector<AxisChange> changes;
  for (const auto& [axis, value] : from.axes)
    if (const std::string other = to.value(axis); other != value)
      changes.push_back({axis, value, other});
  for (const auto& [axis, value] : to.axes)
    if (from.value(axis).empty() && !value.empty() &&
        std::none_of(changes.begin(), changes.end(),
                     [&](const AxisChange& one) { return one.axis == axis; }))
      changes.push_back({axis, "", value});
  return changes;
}

// The values of all axes of some keys as numbers, a column for each axis that any of them has; 0 is
// none.
class AxisNumbers {
 public:
  explicit AxisNumbers(const std::vector<ClassMember>& members) {
    std::map<std::string, std::size_t> axes;
    for (const ClassMember& member : members)
      for (const auto& [axis, value] : member.key.axes) axes.emplace(axis, axes.size());
    columns_ = axes.size();
    numbers_.assign(columns_ * members.size(), 0);
    std::map<std::string, int> values = {{"", 0}};
    for (std::size_t m = 0; m < members.size(); ++m)
      for (const auto& [axis, value] : members[m].key.axes)
        numbers_[m * columns_ + axes.at(axis)] =
            values.emplace(value, static_cast<int>(values.size())).first->second;
  }
  // How many axes differ.
  std::size_t distance(std::size_t a, std::size_t b) const {
    const int *left = numbers_.data() + a * columns_, *right = numbers_.data() + b * columns_;
    std::size_t count = 0;
    for (std::size_t i = 0; i < columns_; ++i) count += left[i] != right[i] ? 1 : 0;
    return count;
  }

 private:
  std::size_t columns_ = 0;
  std::vector<int> numbers_;
};

std::vector<FreeAxis> free_axes(const std::vector<ClassMember>& members,
                                const VariantClass& group) {
  std::vector<FreeAxis> axes;
  for (const auto& [axis, first] : members[group.members.front()].key.axes) {
    FreeAxis free{axis, {}};
    for (const std::size_t member : group.members)
      if (const std::string value = members[member].key.value(axis);
          std::find(free.values.begin(), free.values.end(), value) == free.values.end())
        free.values.push_back(value);
    if (free.values.size() > 1) axes.push_back(std::move(free));
  }
  return axes;
}

ClassSplit nearest_split(const std::vector<ClassMember>& members, const AxisNumbers& axes,
                         const std::vector<VariantClass>& classes, std::size_t index) {
  std::size_t best = SIZE_MAX, best_class = 0, best_from = 0, best_to = 0;
  for (std::size_t other = 0; other < index; ++other)
    for (const std::size_t from : classes[other].members)
      for (const std::size_t to : classes[index].members) {
        const std::size_t far = axes.distance(from, to);
        if (far >= best) continue;
        best = far, best_class = other, best_from = from, best_to = to;
      }
  const ClassMember &from = members[best_from], &to = members[best_to];
  return {best_class,
          from.key.id,
          to.key.id,
          axis_changes(from.key, to.key),
          change_between(from.code, to.code),
          describe_change(from.code, to.code)};
}

std::string words_of(const FreeAxis& axis) {
  std::string text;
  for (const std::string& value : axis.values)
    text += (text.empty() ? "" : ", ") + (value.empty() ? "none" : value);
  return fmt::format("{} ({})", axis.axis, text);
}

std::string words_of(const AxisChange& change) {
  return fmt::format("{} {} -> {}", change.axis, change.from.empty() ? "none" : change.from,
                     change.to.empty() ? "none" : change.to);
}

template <typename Items>
std::string joined(const Items& items) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + words_of(item);
  return text;
}

}  // namespace

std::vector<VariantClass> find_classes(const std::vector<ClassMember>& members) {
  std::vector<VariantClass> classes;
  std::map<std::pair<std::string, std::string>, std::size_t> by_class;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto [found, fresh] = by_class.emplace(
        std::pair(members[i].code.text_hash, members[i].code.code.hash), classes.size());
    if (fresh)
      classes.push_back({members[i].code.text_hash, members[i].code.code.hash, {}, {}, {}});
    classes[found->second].members.push_back(i);
  }
  const AxisNumbers axes(members);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i].free_axes = free_axes(members, classes[i]);
    if (i > 0) classes[i].split = nearest_split(members, axes, classes, i);
  }
  return classes;
}

std::string classes_as_text(const std::vector<ClassMember>& members,
                            const std::vector<VariantClass>& classes) {
  std::string text;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const VariantClass& one = classes[i];
    text += fmt::format("{}  {}  {} instructions\n", i + 1, one.text_hash.substr(0, 6),
                        members[one.members.front()].code.features.kernel.instructions);
    for (const std::size_t member : one.members)
      text += fmt::format("     {}\n", members[member].key.id);
    if (!one.free_axes.empty())
      text += fmt::format("   one code whatever {}\n", joined(one.free_axes));
    if (one.split)
      text += fmt::format("   split from {} by {}: {}\n", one.split->from_class + 1,
                          joined(one.split->axes), one.split->difference);
  }
  return text;
}

std::string classes_as_json(const std::vector<ClassMember>& members,
                            const std::vector<VariantClass>& classes) {
  ordered_json all = ordered_json::array();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const VariantClass& one = classes[i];
    ordered_json ids = ordered_json::array(), axes = ordered_json::array(), split = nullptr;
    for (const std::size_t member : one.members) ids.push_back(members[member].key.id);
    for (const FreeAxis& axis : one.free_axes)
      axes.push_back({{"axis", axis.axis}, {"values", axis.values}});
    if (one.split) {
      ordered_json changes = ordered_json::array();
      for (const AxisChange& change : one.split->axes)
        changes.push_back({{"axis", change.axis}, {"from", change.from}, {"to", change.to}});
      split = {{"from_class", one.split->from_class + 1},
               {"from", one.split->from},
               {"to", one.split->to},
               {"axes", changes},
               {"change", to_string(one.split->change)},
               {"difference", one.split->difference}};
    }
    all.push_back({{"class", i + 1},
                   {"text_hash", one.text_hash},
                   {"code_class", one.code_class},
                   {"variants", ids},
                   {"free_axes", axes},
                   {"features", flow::as_json(members[one.members.front()].code.features)},
                   {"split", split}});
  }
  return all.dump(1) + "\n";
}

}  // namespace phasebit::compare
