#include "gen/space/variants.h"

#include "gen/space/hand_made.h"
#include "gen/space/point.h"

#include <algorithm>
#include <unordered_set>

namespace phasebit::space {

using launch::VariantKey;

namespace {

using Named = Draft::Named;

// A block with the overrides worked in.
SweepBlock with_overrides(SweepBlock block, const std::vector<AxisValues>& overrides) {
  for (const AxisValues& override_values : overrides) {
    const auto is_it = [&](const AxisValues& varied) {
      return varied.axis == override_values.axis;
    };
    for (auto* group : {&block.cross, &block.once_around, &block.pairs})
      std::erase_if(*group, is_it);
    std::erase_if(block.baseline,
                  [&](const auto& value) { return value.first == override_values.axis; });
    block.cross.push_back(override_values);
  }
  return block;
}

Status check_leading(const SweepBlock& block) {
  for (const ComponentKind kind : component_kinds) {
    const std::string_view name = to_string(kind);
    const bool named = std::any_of(block.baseline.begin(), block.baseline.end(),
                                   [&](const auto& value) { return value.first == name; }) ||
                       std::any_of(block.cross.begin(), block.cross.end(),
                                   [&](const AxisValues& varied) { return varied.axis == name; });
    if (!named) return fail(Step::spec, "{}: baseline: names no {}", block.where, name);
  }
  return {};
}

// Each point is kept, to see which of them is there already.
Status check_size(const SweepBlock& block) {
  constexpr double most = 2'000'000;
  const double points = points_of(block);
  if (points <= most) return {};
  return with_hint(fail(Step::spec, "{}: {:.0f} points, at most {:.0f}", block.where, points, most),
                   "vary fewer axes in `cross`, others in `once_around`, or make several blocks");
}

class Expander {
 public:
  explicit Expander(const Catalogue& catalogue) : catalogue_(catalogue) {}

  Status add(const SweepBlock& block) {
    PHASEBIT_TRY(check_leading(block));
    PHASEBIT_TRY(check_size(block));
    outside_.clear();
    Draft draft(catalogue_.vocabulary());
    for (const auto& [axis, value] : block.baseline) put(draft, axis, value, Named::baseline);
    return cross(block, 0, draft);
  }

  Expansion take() { return std::move(expansion_); }

 private:
  void put(Draft& draft, const std::string& axis, const std::string& value, Named how) const {
    draft.set(catalogue_.vocabulary().slot(axis),
              value_number(catalogue_.vocabulary(), axis, value), how);
  }

  Status cross(const SweepBlock& block, size_t depth, const Draft& draft) {
    if (depth == block.cross.size()) return around(block, draft);
    const AxisValues& varied = block.cross[depth];
    for (const std::string& value : varied.values) {
      Draft next = draft;
      put(next, varied.axis, value, Named::varied);
      PHASEBIT_TRY(cross(block, depth + 1, next));
    }
    return {};
  }

  Status around(const SweepBlock& block, const Draft& draft) {
    PHASEBIT_TRY(emit(block, draft));
    for (const AxisValues& varied : block.once_around) PHASEBIT_TRY(each(block, varied, draft));
    for (size_t i = 0; i < block.pairs.size(); ++i) {
      // Alone too, so that one axis is left when an override takes the other.
      PHASEBIT_TRY(each(block, block.pairs[i], draft));
      for (size_t j = i + 1; j < block.pairs.size(); ++j)
        PHASEBIT_TRY(pair(block, block.pairs[i], block.pairs[j], draft));
    }
    return {};
  }

  Status each(const SweepBlock& block, const AxisValues& varied, const Draft& draft) {
    for (const std::string& value : varied.values) {
      Draft next = draft;
      put(next, varied.axis, value, Named::varied);
      PHASEBIT_TRY(emit(block, next));
    }
    return {};
  }

  Status pair(const SweepBlock& block, const AxisValues& first, const AxisValues& second,
              const Draft& draft) {
    for (const std::string& value : first.values) {
      Draft next = draft;
      put(next, first.axis, value, Named::varied);
      PHASEBIT_TRY(each(block, second, next));
    }
    return {};
  }

  Status emit(const SweepBlock& block, const Draft& draft) {
    PHASEBIT_TRY_ASSIGN(settled, settle(catalogue_, draft));
    std::string bytes(reinterpret_cast<const char*>(settled.asked.data()),
                      settled.asked.size() * sizeof settled.asked[0]);
    if (block.when) {
      PHASEBIT_TRY_ASSIGN(inside, block.when->holds(settled.point));
      if (!inside) {
        if (outside_.insert(std::move(bytes)).second) count(block.reason);
        return {};
      }
    }
    if (!seen_.insert(std::move(bytes)).second) return {};
    if (settled.pruned.empty())
      expansion_.variants.push_back(key_of(catalogue_, settled.point));
    else
      count(settled.pruned);
    return {};
  }

  void count(const std::string& reason) {
    auto& pruned = expansion_.pruned;
    const auto known = std::find_if(pruned.begin(), pruned.end(),
                                    [&](const auto& entry) { return entry.first == reason; });
    if (known != pruned.end())
      ++known->second;
    else
      pruned.emplace_back(reason, 1);
  }

  const Catalogue& catalogue_;
  Expansion expansion_;
  std::unordered_set<std::string> seen_;     // points, pruned or not
  std::unordered_set<std::string> outside_;  // points outside the block at hand
};

}  // namespace

double points_of(const SweepBlock& block) {
  double crossed = 1, around = 1, in_pairs = 0;
  for (const AxisValues& varied : block.cross) crossed *= static_cast<double>(varied.values.size());
  for (const AxisValues& varied : block.once_around)
    around += static_cast<double>(varied.values.size());
  for (const AxisValues& varied : block.pairs) {
    const auto values = static_cast<double>(varied.values.size());
    around += values * (1 + in_pairs);
    in_pairs += values;
  }
  return crossed * around;
}

Result<Expansion> expand(const Catalogue& catalogue, const Spec& spec, std::string_view sweep_name,
                         const std::vector<std::string>& overrides) {
  PHASEBIT_TRY_ASSIGN(sweep, spec.find(sweep_name));
  std::vector<AxisValues> parsed;
  for (const std::string& text : overrides) {
    PHASEBIT_TRY_ASSIGN(values, parse_override(catalogue, text));
    for (const AxisValues& other : parsed)
      if (other.axis == values.axis)
        return fail(Step::usage, "-a {}: axis '{}' is already given", text, values.axis);
    parsed.push_back(std::move(values));
  }
  Expander expander(catalogue);
  for (const SweepBlock& block : sweep->blocks)
    PHASEBIT_TRY(expander.add(with_overrides(block, parsed)));
  return expander.take();
}

std::string describe(const Expansion& expansion) {
  int points = 0;
  for (const auto& [reason, count] : expansion.pruned) points += count;
  std::string text = fmt::format("{} variants\n", expansion.variants.size());
  if (points > 0) text += fmt::format("{} points pruned:\n", points);
  for (const auto& [reason, count] : expansion.pruned)
    text += fmt::format("{:8}  {}\n", count, reason);
  return text;
}

// Between ids, hashes, named values and keys.

namespace {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

constexpr const char* id_form = "probe/protocol/mover/work, then /axis=value";

Result<NamedValues> split_id(std::string_view id) {
  NamedValues values;
  while (true) {
    const size_t end = std::min(id.find('/'), id.size());
    const std::string_view part = id.substr(0, end);
    const size_t equals = part.find('=');
    const size_t index = values.size();
    const bool leading = index < component_kinds.size();
    if (part.empty() || leading != (equals == std::string_view::npos))
      return with_hint(fail(Step::spec, "not the id of a variant"), id_form);
    if (leading)
      values.emplace_back(to_string(component_kinds[index]), part);
    else
      values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    if (end == id.size()) break;
    id.remove_prefix(end + 1);
  }
  if (values.size() < component_kinds.size())
    return with_hint(fail(Step::spec, "not the id of a variant"), id_form);
  return values;
}

bool looks_like_a_hash(std::string_view text) {
  constexpr size_t shortest = 4;
  return text.size() >= shortest &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<VariantKey> find_hash(const Expansion& known, std::string_view prefix) {
  std::vector<const VariantKey*> found;
  for (const VariantKey& key : known.variants)
    if (key.hash.substr(0, prefix.size()) == prefix) found.push_back(&key);
  if (found.empty())
    return with_hint(fail(Step::usage, "{}: no variant has this hash", prefix),
                     "a hash is looked up in one sweep; an id needs none");
  if (found.size() > 1)
    return fail(Step::usage, "{}: the hash of {} variants, {} and {} among them", prefix,
                found.size(), found[0]->id, found[1]->id);
  return *found.front();
}

}  // namespace

Result<VariantKey> make_key(const Catalogue& catalogue, const NamedValues& values) {
  PHASEBIT_TRY_ASSIGN(settled, settle_values(catalogue, values));
  if (!settled.pruned.empty())
    return fail(Step::spec, "pruned: {}", fill_in(catalogue, settled.point, settled.pruned));
  return key_of(catalogue, settled.point);
}

Result<VariantKey> parse_variant(const Catalogue& catalogue, std::string_view id_or_hash,
                                 const Expansion* known) {
  if (looks_like_a_hash(id_or_hash)) return find_hash(known ? *known : Expansion{}, id_or_hash);
  return split_id(id_or_hash)
      .and_then([&](const NamedValues& values) { return make_key(catalogue, values); })
      .map_error([&](Error error) {
        error.step = Step::usage;
        error.message = fmt::format("{}: {}", id_or_hash, error.message);
        return error;
      });
}

std::vector<std::string> default_axes(const Catalogue& catalogue, const VariantKey& key) {
  std::vector<std::string> names;
  VariantKey own = template_key(catalogue, key);
  std::erase_if(own.axes, [&](const auto& axis) { return is_later_axis(catalogue, axis.first); });
  const auto point = point_of(catalogue, own);
  if (!point) return names;
  for (const Component* part : catalogue.parts(*point))
    for (const Axis& axis : part->axes)
      if ((*point)[static_cast<size_t>(axis.slot)] == axis.default_number)
        names.push_back(axis.name);
  return names;
}

}  // namespace phasebit::space
