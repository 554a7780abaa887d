#include "join/advise/model.h"

#include "core/base/text.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace phasebit::join::advise {

namespace {

constexpr std::size_t most_neighbours = 3;

// Every axis of the rows, in the order in which they come.
std::vector<std::string> axes_of(const std::vector<Row>& rows) {
  std::set<std::string> known;
  std::vector<std::string> axes;
  for (const Row& row : rows)
    for (const auto& [axis, value] : row.variant.key.axes)
      if (known.insert(axis).second) axes.push_back(axis);
  return axes;
}

bool is_number(const space::Catalogue& catalogue, const std::string& axis) {
  const auto declared = catalogue.axes_named(axis);
  return !declared.empty() && std::all_of(declared.begin(), declared.end(),
                                          [](const auto* one) { return one->integer; });
}

}  // namespace

Space::Space(const space::Catalogue& catalogue, const std::vector<Row>& rows)
    : axes_(axes_of(rows)), words_(axes_.size()) {
  for (const std::string& axis : axes_) is_number_.push_back(is_number(catalogue, axis));
  std::vector<Sample> samples;
  samples.reserve(rows.size());
  for (const Row& row : rows) samples.push_back({place_of(row.variant), row.value});
  estimator_.emplace(is_number_, std::move(samples));
}

// 0 and what is not a number are apart by what is 1 and 2.
double Space::number_of(std::size_t axis, const Variant& variant) const {
  const auto number = base::number_in(variant.key.value(axes_[axis]));
  if (!number) return absent;
  return *number > 0 ? std::log2(*number) : -1;
}

// A word that is at its default is 0, as that of an axis that the variant does not have: a protocol
// without the axis does what its default says.
double Space::word_of(std::size_t axis, const Variant& variant) {
  std::string word;
  for (const auto& [name, value] : variant.named)
    if (name == axes_[axis]) word = value;
  if (word.empty()) return 0;
  auto& words = words_[axis];
  const auto known = std::find(words.begin(), words.end(), word);
  const auto place = known - words.begin();
  if (known == words.end()) words.push_back(word);
  return static_cast<double>(place) + 1;
}

Place Space::place_of(const Variant& variant) {
  Place place(axes_.size());
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    place[axis] = is_number_[axis] ? number_of(axis, variant) : word_of(axis, variant);
  return place;
}

Model::Model(const space::Catalogue& catalogue, Evidence evidence, bool other)
    : catalogue_(catalogue), evidence_(std::move(evidence)), other_(other) {
  for (std::size_t n = 0; n < evidence_.rows.size(); ++n)
    by_id_[evidence_.rows[n].variant.key.id] = n;
}

const Row* Model::find(const std::string& id) const {
  if (const auto own = learned_.find(id); own != learned_.end()) return &own->second;
  if (other_) return nullptr;
  const auto known = by_id_.find(id);
  return known == by_id_.end() ? nullptr : &evidence_.rows[known->second];
}

const Row& Model::sample(const std::string& id) const {
  const auto own = learned_.find(id);
  return own != learned_.end() ? own->second : evidence_.rows[by_id_.at(id)];
}

void Model::learn(Row row) {
  learned_[row.variant.key.id] = std::move(row);
  space_.reset();
}

// Of samples on the scale of the evidence: what was learned in place of what it has.
Space& Model::space() {
  if (space_) return *space_;
  std::vector<Row> rows = evidence_.rows;
  scale_ = 1;
  if (other_ && !learned_.empty()) {
    Space known(catalogue_, rows);
    std::vector<double> ratios;
    for (const auto& [id, row] : learned_)
      ratios.push_back(row.value / known.estimator().value(known.place_of(row.variant)));
    scale_ = results::median(ratios);
  }
  for (const auto& [id, row] : learned_) {
    const auto known = by_id_.find(id);
    Row& sample = known == by_id_.end() ? rows.emplace_back(row) : rows[known->second] = row;
    sample.value = row.value / scale_;
  }
  samples_.clear();
  for (const Row& row : rows) samples_.push_back(row.variant.key.id);
  return space_.emplace(catalogue_, rows);
}

Period Model::period(const Variant& variant, bool whole) {
  if (const Row* row = find(variant.key.id))
    return {row->value, row->low, row->high, true, row->figure, {}};
  Space& known = space();
  const Place place = known.place_of(variant);
  if (!whole) return {known.estimator().value(place) * scale_, 0, 0, false, 0, {}};
  const Estimate made = known.estimator().estimate(place);
  Period period{made.value * scale_, made.low * scale_, made.high * scale_, false, 0, {}};
  for (const std::size_t n : made.from)
    if (period.from.size() < most_neighbours) period.from.push_back(samples_[n]);
  return period;
}

}  // namespace phasebit::join::advise
