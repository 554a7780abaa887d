#include "core/store/flat_keys.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>

namespace phasebit::store {

using image::KeyAxes;
using record::VariantRow;

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

const std::string* find(const KeyAxes& axes, const std::string& wanted) {
  const auto at = std::ranges::find(axes, wanted, &KeyAxes::value_type::first);
  return at == axes.end() ? nullptr : &at->second;
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
      if (variant->has_key() && find(*variant->defaults, axis) == nullptr) others.push_back(axis);
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
    if (find(*variant.defaults, axes[n]) != nullptr) in_columns.push_back(axes[n]);
  }
  for (const auto& [axis, value] : variant.named) {
    const std::string* otherwise = find(*variant.defaults, axis);
    columns.named += (columns.named.empty() ? "" : " ") + escaped(axis) +
                     (otherwise == nullptr ? "" : "=" + escaped(*otherwise));
  }
  const std::vector<std::string> order = names_of(*variant.defaults);
  if (order != in_columns) columns.axis_order = joined_words(order);
  return columns;
}

Result<VariantRow> variant_of(const KeyColumns& columns, const std::vector<std::string>& axes,
                              record::KeyPool& pool) {
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
  const std::string made = record::display_id(*variant.defaults, variant.named);
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

}  // namespace phasebit::store
