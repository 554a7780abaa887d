#include "gen/space/point.h"

#include "core/base/hash.h"
#include "gen/space/form_space.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace phasebit::space {

using launch::VariantKey;

namespace {

using Parts = std::array<const Component*, 5>;

bool has_number(const Catalogue& catalogue, const Axis& axis, std::int64_t number) {
  if (axis.is_range())
    return number >= axis.low && number <= axis.high && (number - axis.low) % axis.step == 0;
  return axis.has(value_text(catalogue, axis.slot, number));
}

// Step by step towards a point; the first value that has no meaning gives the reason.
struct Settling {
  const Catalogue& catalogue;
  const Draft& draft;
  Parts parts;
  Settled out;
  std::string meaningless;

  std::int64_t& at(int slot) { return out.point[static_cast<size_t>(slot)]; }
  void blame(std::string reason) {
    if (meaningless.empty()) meaningless = std::move(reason);
  }
  void place_values();
  void place_value(const Component& part, const Axis& axis);
  void find_absent();
  std::string absent_reason(int slot) const;
  Status ask_conditions();
  Status ask_rules();
};

void Settling::place_values() {
  for (const Component* part : parts)
    for (const Axis& axis : part->axes) place_value(*part, axis);
}

void Settling::place_value(const Component& part, const Axis& axis) {
  const auto slot = static_cast<size_t>(axis.slot);
  at(axis.slot) = axis.default_number;
  if (draft.named[slot] == Draft::Named::no) return;
  const std::int64_t value = draft.values[slot];
  const bool known = has_number(catalogue, axis, value);
  if (known || draft.varies(axis.slot)) at(axis.slot) = value;
  if (!known && draft.varies(axis.slot))
    blame(fmt::format("{} has no {}={}", part.name, axis.name,
                      value_text(catalogue, axis.slot, value)));
}

// Axes that only components have which are not chosen.
void Settling::find_absent() {
  out.asked = out.point;
  std::vector<bool> present(out.point.size());
  for (const Component* part : parts)
    for (const Axis& axis : part->axes) present[static_cast<size_t>(axis.slot)] = true;
  for (size_t slot = component_kinds.size(); slot < present.size(); ++slot) {
    const int number = static_cast<int>(slot);
    if (present[slot] || !draft.varies(number)) continue;
    const auto axes = catalogue.axes_named(catalogue.vocabulary().name(number).text);
    const bool is_default = std::any_of(axes.begin(), axes.end(), [&](const Axis* axis) {
      return axis->default_number == draft.values[slot];
    });
    if (is_default) continue;
    out.asked[slot] = draft.values[slot];
    blame(absent_reason(number));
  }
}

std::string Settling::absent_reason(int slot) const {
  for (const ComponentKind kind : component_axis_order) {
    std::vector<std::string> owners;
    for (const Component& component : catalogue.components(kind))
      for (const Axis& axis : component.axes)
        if (axis.slot == slot) owners.push_back(fmt::format("'{}'", component.name));
    if (owners.empty()) continue;
    const std::string& axis = catalogue.vocabulary().name(slot).text;
    return fmt::format("{} has a meaning only where {} {}", axis, to_string(kind),
                       owners.size() == 1 ? "== " + owners.front()
                                          : fmt::format("in {{{}}}", fmt::join(owners, ", ")));
  }
  bug("a name of no axis is varied");
}

Status Settling::ask_conditions() {
  for (const Component* part : parts) {
    for (const Axis& axis : part->axes) {
      if (!axis.when || at(axis.slot) == axis.default_number) continue;
      PHASEBIT_TRY_ASSIGN(holds, axis.when->holds(out.point));
      if (holds) continue;
      if (draft.varies(axis.slot))
        blame(fmt::format("{} has a meaning only where {}", axis.name, axis.when->text()));
      else
        at(axis.slot) = out.asked[static_cast<size_t>(axis.slot)] = axis.default_number;
    }
  }
  return {};
}

Status Settling::ask_rules() {
  for (const Component* part : parts) {
    for (const Rule& rule : part->rules) {
      PHASEBIT_TRY_ASSIGN(holds, rule.prune.holds(out.point));
      if (!holds) continue;
      out.pruned = rule.reason;
      return {};
    }
  }
  PHASEBIT_TRY_ASSIGN(no_form, why_no_form(catalogue, out.point));
  out.pruned = no_form.empty() ? meaningless : no_form;
  return {};
}

}  // namespace

Result<Settled> settle(const Catalogue& catalogue, const Draft& draft) {
  Settled out;
  out.point.assign(draft.values.size(), 0);
  std::copy_n(draft.values.begin(), component_kinds.size(), out.point.begin());
  const Parts parts = catalogue.parts(out.point);
  Settling settling{catalogue, draft, parts, std::move(out), {}};
  settling.place_values();
  settling.find_absent();
  PHASEBIT_TRY(settling.ask_conditions());
  PHASEBIT_TRY(settling.ask_rules());
  return std::move(settling.out);
}

std::string fill_in(const Catalogue& catalogue, const Values& point, std::string_view text) {
  std::string filled;
  while (!text.empty()) {
    const size_t open = std::min(text.find('{'), text.size());
    filled += text.substr(0, open);
    text.remove_prefix(open);
    if (text.empty()) break;
    const size_t close = text.find('}');
    const std::string_view name = text.substr(1, close == std::string_view::npos ? 0 : close - 1);
    const int slot = catalogue.vocabulary().slot(name);
    // A brace of an expression, as in `in {'a'}`, stays.
    filled += slot < 0 ? "{" : value_text(catalogue, slot, point[static_cast<size_t>(slot)]);
    text.remove_prefix(slot < 0 ? 1 : close + 1);
  }
  return filled;
}

VariantKey key_of(const Catalogue& catalogue, const Values& point) {
  VariantKey key;
  for (const ComponentKind kind : component_kinds) {
    const std::string& name = catalogue.chosen(kind, point).name;
    key.id += (key.id.empty() ? "" : "/") + name;
    key.axes.emplace_back(to_string(kind), name);
  }
  for (const Component* part : catalogue.parts(point)) {
    for (const Axis& axis : part->axes) {
      const std::int64_t number = point[static_cast<size_t>(axis.slot)];
      key.axes.emplace_back(axis.name, value_text(catalogue, axis.slot, number));
      if (number != axis.default_number)
        key.id += fmt::format("/{}={}", axis.name, key.axes.back().second);
    }
  }
  key.hash = base::short_hash(key.id);
  return key;
}

Result<Settled> settle_values(const Catalogue& catalogue,
                              const std::vector<std::pair<std::string, std::string>>& values) {
  Draft draft(catalogue.vocabulary());
  for (const auto& [name, value] : values) {
    PHASEBIT_TRY_ASSIGN(axis, catalogue.resolve(name));
    PHASEBIT_TRY(catalogue.check_value(axis, value));
    const int slot = catalogue.vocabulary().slot(axis);
    if (draft.varies(slot)) return fail(Step::spec, "axis '{}' twice", axis);
    draft.set(slot, value_number(catalogue.vocabulary(), axis, value), Draft::Named::varied);
  }
  for (const ComponentKind kind : component_kinds)
    if (!draft.varies(static_cast<int>(kind))) return fail(Step::spec, "no {}", to_string(kind));
  return settle(catalogue, draft);
}

Result<Values> point_of(const Catalogue& catalogue, const VariantKey& key) {
  return settle_values(catalogue, key.axes)
      .map([](Settled settled) { return std::move(settled.point); })
      .map_error([&](Error error) {
        error.message = fmt::format("{}: {}", key.id, error.message);
        return error;
      });
}

namespace {

void append(std::string& id, const std::string& part) {
  id += (id.empty() ? "" : "/") + part;
}

}  // namespace

Result<TypedId> read_typed_id(const base::Home& home, const Catalogue& catalogue,
                              const std::string& id) {
  TypedId typed;
  std::istringstream parts(id);
  for (std::string part; std::getline(parts, part, '/');) {
    const size_t equals = part.find('=');
    const std::string axis = equals == std::string::npos ? std::string() : part.substr(0, equals);
    if (catalogue.compiler(axis) != nullptr) {
      PHASEBIT_TRY_ASSIGN(values,
                          parse_compiler_values(home, catalogue, axis, part.substr(equals + 1)));
      typed.named.push_back(std::move(values));
      continue;
    }
    append(typed.text, part);
    if (axis == tuned_axis)
      typed.fork = part.substr(equals + 1);
    else if (is_snippet_axis(axis))
      typed.snippets = true;
    else
      append(typed.variant, part);
  }
  for (const AxisValues& one : typed.named)
    if (one.values.size() != 1 || std::ranges::count(typed.named, one.axis, &AxisValues::axis) != 1)
      return fail(Step::usage, "{}: has several values of {}", id, one.axis);
  typed.choice = combinations(catalogue, typed.named).front();
  return typed;
}

}  // namespace phasebit::space
