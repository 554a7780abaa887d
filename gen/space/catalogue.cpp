#include "gen/space/catalogue.h"

#include "core/base/text.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace phasebit::space {

std::string_view to_string(ComponentKind kind) {
  switch (kind) {
    case ComponentKind::probe: return "probe";
    case ComponentKind::protocol: return "protocol";
    case ComponentKind::mover: return "mover";
    case ComponentKind::work: return "work";
  }
  bug("unknown kind of component");
}

const std::vector<std::string>& words_of(ReadBy /*reader*/) {
  static const std::vector<std::string> words = {"templates", "llvm", "ptxas", "image"};
  return words;
}

bool Axis::has(std::string_view value) const {
  if (may_be_none && value == "none") return true;
  if (!is_range()) return std::find(values.begin(), values.end(), value) != values.end();
  std::int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  // "08" is not a second name for 8.
  const bool canonical = value == std::to_string(number);
  return error == std::errc{} && rest == end && canonical && number >= low && number <= high &&
         (number - low) % step == 0;
}

std::vector<std::string> Axis::all() const {
  if (!is_range()) return values;
  std::vector<std::string> numbers;
  if (may_be_none) numbers.emplace_back("none");
  if (static_cast<std::uint64_t>((high - low) / step) >= most_listed_values)
    return {std::to_string(low), default_value, std::to_string(high)};
  for (std::int64_t number = low; number <= high; number += step)
    numbers.push_back(std::to_string(number));
  return numbers;
}

bool Component::has_verb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const Component* Catalogue::find(ComponentKind kind, std::string_view name) const {
  for (const Component& component : components(kind))
    if (component.name == name) return &component;
  return nullptr;
}

namespace {

bool is_called(const Axis& axis, std::string_view name) {
  return axis.name == name || (!axis.alias.empty() && axis.alias == name);
}

std::optional<ComponentKind> leading_axis(std::string_view name) {
  for (const ComponentKind kind : component_kinds)
    if (to_string(kind) == name) return kind;
  return {};
}

// Calls visit(axis) for all axes of a catalogue, those of the templates in the order of their
// slots.
template <typename Visit>
void for_each_axis(const Catalogue& catalogue, Visit visit) {
  for (const Axis& axis : catalogue.common().axes) visit(axis);
  for (const ComponentKind kind : component_axis_order)
    for (const Component& component : catalogue.components(kind))
      for (const Axis& axis : component.axes) visit(axis);
  for (const Axis& axis : catalogue.compilers()) visit(axis);
}

// "1..32", or the nearest value.
std::string value_hint(const Catalogue& catalogue, std::string_view name,
                       const std::vector<const Axis*>& axes, std::string_view value) {
  const bool ranges =
      std::all_of(axes.begin(), axes.end(), [](const Axis* axis) { return axis->is_range(); });
  if (axes.empty() || !ranges) return base::nearest_word_hint(value, catalogue.values_of(name));
  // Components that declare it may each have a range of their own.
  auto low = axes.front()->low, high = axes.front()->high;
  for (const Axis* axis : axes) {
    low = std::min(low, axis->low);
    high = std::max(high, axis->high);
  }
  const std::int64_t step = axes.front()->step;
  return fmt::format("{}a whole number in {}..{}{}", axes.front()->may_be_none ? "none, or " : "",
                     low, high, step == 1 ? "" : fmt::format(" in steps of {}", step));
}

// All that a spec may call an axis.
std::vector<std::string> names_of_axes(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const ComponentKind kind : component_kinds) names.emplace_back(to_string(kind));
  for_each_axis(catalogue, [&](const Axis& axis) {
    names.push_back(axis.name);
    if (!axis.alias.empty()) names.push_back(axis.alias);
  });
  return names;
}

}  // namespace

const Axis* Catalogue::compiler(std::string_view name) const {
  for (const Axis& axis : compilers_)
    if (is_called(axis, name)) return &axis;
  return nullptr;
}

Result<std::string> Catalogue::resolve(std::string_view name) const {
  if (leading_axis(name)) return std::string(name);
  const Axis* found = nullptr;
  for_each_axis(*this, [&](const Axis& axis) {
    if (is_called(axis, name)) found = &axis;
  });
  if (found != nullptr && found->read_by != ReadBy::templates)
    return with_hint(fail(Step::spec, "'{}' says how a text is compiled, not what it is", name),
                     "give it with -a, in [sweep.assembler], or last in an id");
  if (found != nullptr) return found->name;
  return tl::unexpected<Error>(vocabulary_.no_axis(name, names_of_axes(*this)));
}

std::vector<const Axis*> Catalogue::axes_named(std::string_view name) const {
  std::vector<const Axis*> axes;
  for_each_axis(*this, [&](const Axis& axis) {
    if (axis.name == name) axes.push_back(&axis);
  });
  return axes;
}

std::vector<std::string> Catalogue::values_of(std::string_view name) const {
  std::vector<std::string> all;
  if (const auto kind = leading_axis(name)) {
    for (const Component& component : components(*kind)) all.push_back(component.name);
    return all;
  }
  // A range may be of many thousands, and several components may declare it.
  std::unordered_set<std::string> known;
  for (const Axis* axis : axes_named(name))
    for (const std::string& value : axis->all())
      if (known.insert(value).second) all.push_back(value);
  return all;
}

Status Catalogue::check_value(std::string_view name, std::string_view value) const {
  const std::vector<const Axis*> axes = axes_named(name);
  for (const Axis* axis : axes)
    if (axis->has(value)) return {};
  if (const auto kind = leading_axis(name); kind && find(*kind, value) != nullptr) return {};
  const Error* folder = vocabulary_.explained(fmt::format("{}/{}", name, value));
  return with_hint(fail(Step::spec, "{}: no value '{}'", name, value),
                   folder != nullptr ? folder->hint : value_hint(*this, name, axes, value));
}

Result<Expression> Catalogue::compile(std::string_view text, ValueKind wanted,
                                      bool derived_allowed) const {
  PHASEBIT_TRY_ASSIGN(compiled, Expression::compile(text, vocabulary_, wanted));
  for (const int slot : compiled.slots()) {
    const std::string& name = vocabulary_.name(slot).text;
    if (!derived_allowed && std::find(derived_.begin(), derived_.end(), name) != derived_.end())
      return fail(Step::spec, "'{}' is known to gates alone", name);
  }
  return std::move(compiled);
}

const Component& Catalogue::chosen(ComponentKind kind, const Values& point) const {
  // The leading axes are the first names of the vocabulary.
  const std::int64_t word = point[static_cast<size_t>(kind)];
  for (const Component& component : components(kind))
    if (component.word == word) return component;
  bug(fmt::format("a point without {}", to_string(kind)));
}

std::array<const Component*, 5> Catalogue::parts(const Values& point) const {
  std::array<const Component*, 5> all{&common_};
  for (size_t i = 0; i < component_axis_order.size(); ++i)
    all[i + 1] = &chosen(component_axis_order[i], point);
  return all;
}

std::int64_t value_number(const Vocabulary& vocabulary, std::string_view axis,
                          std::string_view value) {
  if (vocabulary.name(vocabulary.slot(axis)).kind == ValueKind::word)
    return vocabulary.word_id(value);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::string value_text(const Catalogue& catalogue, int slot, std::int64_t number) {
  const Vocabulary& vocabulary = catalogue.vocabulary();
  if (vocabulary.name(slot).kind == ValueKind::word) return vocabulary.word(number);
  return std::to_string(number);
}

const std::vector<std::string>& component_verbs(ComponentKind kind) {
  static const std::vector<std::string> none;
  static const std::vector<std::string> protocol = {"init",   "prime", "acquire",  "try_acquire",
                                                    "commit", "wait",  "try_wait", "release",
                                                    "quit",   "tail",  "leave"};
  static const std::vector<std::string> mover = {"fill_setup", "fill",      "drain_setup",
                                                 "drain",      "use_words", "until_read"};
  static const std::vector<std::string> work = {"work_setup", "work", "work_done", "work_end",
                                                "work_result"};
  switch (kind) {
    case ComponentKind::probe: return none;
    case ComponentKind::protocol: return protocol;
    case ComponentKind::mover: return mover;
    case ComponentKind::work: return work;
  }
  bug("unknown kind of component");
}

bool is_component_verb(const std::string& name) {
  return std::any_of(component_kinds.begin(), component_kinds.end(), [&](ComponentKind kind) {
    const std::vector<std::string>& verbs = component_verbs(kind);
    return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
  });
}

std::optional<ComponentKind> kind_of_verb(std::string_view verb) {
  for (const ComponentKind kind : component_kinds) {
    const std::vector<std::string>& verbs = component_verbs(kind);
    if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) return kind;
  }
  return {};
}

}  // namespace phasebit::space
