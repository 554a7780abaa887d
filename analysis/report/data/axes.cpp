#include "analysis/report/data/axes.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace phasebit::report::data {

using launch::ProtocolLabels;
using results::VariantRow;

namespace {

std::string unit_name(const VariantAxes& axes) {
  const std::string granularity = axes.value("granularity");
  return granularity == "even_odd_lanes" ? "even/odd lanes" : granularity + "s";
}

// Calls text(words) and axis(name) for the parts of a pattern without brackets.
template <typename OnText, typename OnAxis>
void walk(std::string_view pattern, const OnText& text, const OnAxis& axis) {
  while (!pattern.empty()) {
    const size_t open = std::min(pattern.find('{'), pattern.size());
    text(pattern.substr(0, open));
    pattern.remove_prefix(open);
    const size_t close = pattern.find('}');
    if (close == std::string_view::npos) break;
    std::string found(pattern.substr(1, close - 1));
    if (found.ends_with('!')) found.pop_back();  // of older results
    axis(found);
    pattern.remove_prefix(close + 1);
  }
}

// The parts of a pattern; those in brackets are there only where one of their axes is named.
struct PatternPart {
  std::string_view text;
  bool optional = false;
};

std::vector<PatternPart> parts_of(std::string_view pattern) {
  std::vector<PatternPart> parts;
  while (!pattern.empty()) {
    const bool optional = pattern.front() == '[';
    const size_t end = std::min(pattern.find(optional ? ']' : '['), pattern.size());
    parts.push_back({pattern.substr(optional ? 1 : 0, end - (optional ? 1 : 0)), optional});
    pattern.remove_prefix(std::min(end + (optional ? 1 : 0), pattern.size()));
  }
  return parts;
}

std::string filled(const PatternPart& part, const VariantAxes& axes) {
  std::string text;
  bool any_named = false;
  walk(
      part.text, [&](std::string_view words) { text += words; },
      [&](const std::string& axis) {
        text += axes.value(axis);
        any_named = any_named || axes.names(axis);
      });
  return part.optional && !any_named ? std::string() : text;
}

}  // namespace

std::string VariantAxes::value(const std::string& axis) const {
  if (const std::string* own = variant_->find(axis)) return *own;
  const std::string* common = catalogue_->default_of(axis);
  return common == nullptr ? std::string() : *common;
}

std::string VariantAxes::default_of(const std::string& axis) const {
  if (variant_->defaults != nullptr)
    for (const auto& [name, value] : *variant_->defaults)
      if (name == axis) return value;
  const std::string* common = catalogue_->default_of(axis);
  return common == nullptr ? std::string() : *common;
}

int VariantAxes::number(const std::string& axis, int otherwise) const {
  const std::string text = value(axis);
  int number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string VariantAxes::first_value(const std::string& axis) const {
  const std::string* common = catalogue_->default_of(axis);
  return common == nullptr ? std::string() : *common;
}

bool VariantAxes::names(const std::string& axis) const {
  return std::any_of(variant_->named.begin(), variant_->named.end(),
                     [&](const auto& one) { return one.first == axis; });
}

bool VariantAxes::is_as_declared() const {
  static const std::set<std::string> done_to_variants = {
      "tuned", "edit", "padding", "nvcc", "ptxas", "opt_level", "maxrregcount"};
  // LLVM makes the text anew of the same axes; templates and files of a user's may have their own.
  static const std::set<std::string> others = {"llvm", "llvm_opt", "short_ptr", "anchor"};
  const bool own = names("file") || names("templates");
  return std::none_of(variant_->named.begin(), variant_->named.end(), [&](const auto& one) {
    if (done_to_variants.contains(one.first) || one.first.starts_with("snippet.")) return true;
    // Such as a flag of ptxas: what the catalogue's facts do not have was done to the variant.
    return !own && !catalogue_->empty() && !others.contains(one.first) &&
           catalogue_->default_of(one.first) == nullptr;
  });
}

std::string VariantAxes::warp_layout() const {
  if (value("roles") == "unified")
    return fmt::format("{} unified {}", value("producers"), unit_name(*this));
  std::string text =
      value("granularity") == "producer_warp"
          ? fmt::format("1 warp x {} {}", value("consumers"),
                        value("consumers") == "1" ? "warpgroup" : "warpgroups")
          : fmt::format("{} x {} {}", value("producers"), value("consumers"), unit_name(*this));
  if (value("placement") != default_of("placement")) text += ", " + value("placement");
  if (value("sharing") != default_of("sharing")) text += ", " + value("sharing");
  return text;
}

const ProtocolLabels* VariantAxes::protocol() const {
  const auto at = catalogue_->protocols.find(value("protocol"));
  return at == catalogue_->protocols.end() ? nullptr : &at->second;
}

std::string VariantAxes::waited_on() const {
  const ProtocolLabels* facts = protocol();
  if (facts == nullptr) return value("protocol");
  std::string text;
  for (const PatternPart& part : parts_of(facts->waits_on)) text += filled(part, *this);
  return text;
}

std::vector<std::string> VariantAxes::blank_axes() const {
  std::vector<std::string> blank;
  if (const ProtocolLabels* facts = protocol())
    for (const std::string& axis : facts->blank)
      if (!names(axis)) blank.push_back(axis);
  return blank;
}

std::vector<std::string> VariantAxes::axes_of_column(const std::string& column) const {
  if (column == "warp_layout")
    return {"roles", "granularity", "producers", "consumers", "placement", "sharing"};
  if (column != "waited_on") return {column};
  std::vector<std::string> axes;
  if (const ProtocolLabels* facts = protocol())
    for (const PatternPart& part : parts_of(facts->waits_on))
      walk(
          part.text, [](std::string_view) {},
          [&](const std::string& axis) { axes.push_back(axis); });
  return axes;
}

VariantKeys::VariantKeys(const results::Results& results)
    : catalogue_(std::make_shared<const launch::CatalogueFacts>(results.catalogue)) {
  auto axes = std::make_shared<std::unordered_map<Word, VariantAxes>>();
  axes->reserve(results.variants.size());
  for (const VariantRow& variant : results.variants)
    axes->emplace(variant.id, VariantAxes(std::make_shared<const VariantRow>(variant), catalogue_));
  axes_ = std::move(axes);
}

VariantAxes VariantKeys::of(const Word& id) const {
  const auto at = axes_->find(id);
  if (at != axes_->end()) return at->second;
  return {std::make_shared<const VariantRow>(VariantRow{id, {}, nullptr, {}}), catalogue_};
}

}  // namespace phasebit::report::data
