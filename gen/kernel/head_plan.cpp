#include "gen/kernel/head_plan.h"

#include "core/base/fields_toml.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/ptx/head/head.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/variant_head.h"
#include "gen/space/compilers.h"
#include "gen/space/hand_made.h"
#include "gen/space/variants.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace phasebit::kernel {

using launch::KeyAxes;
using launch::LaunchShape;
using launch::VariantKey;
using ptx::head::Head;
using space::Catalogue;
using space::component_kinds;
using space::ComponentKind;
using space::to_string;

namespace {

std::string in_id(const KeyAxes& axes) {
  std::string text;
  for (const auto& [axis, value] : axes) text += fmt::format("/{}={}", axis, value);
  return text;
}

class KeyCheck {
 public:
  KeyCheck(const Catalogue& catalogue, const Head& head) : catalogue_(catalogue), head_(head) {
    for (const auto& axis : head.key.axes)
      (space::is_later_axis(catalogue, axis.first) ? later_ : own_).push_back(axis);
  }

  Result<VariantKey> check() const {
    for (const ComponentKind kind : component_kinds) PHASEBIT_TRY(check_component(kind));
    for (const auto& [axis, value] : later_) PHASEBIT_TRY(check_later(axis, value));
    if (head_.own_components()) PHASEBIT_TRY(check_facts());
    if (head_.origin == ptx::head::nvcc_origin) PHASEBIT_TRY(check_built_by());
    for (const auto& [axis, value] : own_) PHASEBIT_TRY(check_axis(axis, value));
    PHASEBIT_TRY_ASSIGN(key, head_.own_components() ? own_key() : catalogue_key());
    key.id += in_id(later_);
    key.axes.insert(key.axes.end(), later_.begin(), later_.end());
    key.hash = base::short_hash(key.id);
    if (head_.key.id.empty() || head_.key.id == key.id) return key;
    return complain("id", "id", fmt::format("write `id = \"{}\"`, or leave it out", key.id),
                    fmt::format("'{}' is not what the key gives", head_.key.id));
  }

 private:
  tl::unexpected<Error> complain(const std::string& place, std::string_view key, std::string hint,
                                 const std::string& what) const {
    auto at = head_.where.find(place);
    if (at == head_.where.end()) at = head_.where.find("");
    const std::string where = at == head_.where.end() ? std::string("the head") : at->second;
    return with_hint(fail(Step::spec, "{}: {}: {}", where, key, what), std::move(hint));
  }

  std::string component(ComponentKind kind) const {
    return head_.key.value(std::string(to_string(kind)));
  }
  bool is_known(ComponentKind kind) const {
    return catalogue_.find(kind, component(kind)) != nullptr;
  }

  Status check_component(ComponentKind kind) const {
    const std::string axis(to_string(kind)), name = component(kind);
    const std::string hint = base::nearest_word_hint(name, catalogue_.values_of(axis));
    if (name.empty())
      return complain("key", "key", fmt::format("write `{} = \"...\"`, {}", axis, hint),
                      fmt::format("lacks '{}'", axis));
    if (is_known(kind) || head_.own_components()) return {};
    return complain("key " + axis, axis,
                    hint + "; `origin = \"file\"` above [key] for one of the file's own",
                    fmt::format("no {} '{}'", axis, name));
  }

  // How a text is assembled is not a part of it; LLVM made the text itself.
  Status check_later(const std::string& axis, const std::string& value) const {
    if (catalogue_.compiler(axis) != nullptr && !space::is_llvm_axis(catalogue_, axis))
      return complain(
          "key " + axis, axis,
          fmt::format("leave it out, and write `-a '{}={}'` on the command line", axis, value),
          "says how a text is assembled, which its key does not");
    if (axis != space::file_axis) return {};
    return complain("key " + axis, axis, "leave it out", "is in the id of every file's kernel");
  }

  // What the catalogue would say of a component that it does not have.
  Status check_facts() const {
    if (std::all_of(component_kinds.begin(), component_kinds.end(),
                    [&](ComponentKind kind) { return is_known(kind); }))
      return complain("origin", "origin", "leave it out",
                      "the catalogue has every component of the key");
    if (head_.rules.empty())
      return complain(
          "rules", "rules",
          "write `verbs = [{ verb = \"wait\", require = { \"SYNCS*\" = 1 } }]` in "
          "[rules]",
          fmt::format("with `origin = \"{}\"` the head says what its SASS must be", head_.origin));
    const launch::LaunchShape& launch = head_.launch;
    if (launch.phases_checked == 0 && launch.payload.words_per_slot == 0)
      return complain(
          "expects", "expects", "write `phases` or `payload` in [expects]",
          fmt::format("with `origin = \"{}\"` the head says what a launch verifies", head_.origin));
    return {};
  }

  // What nvcc made has no templates: by what it was made is part of what it is.
  Status check_built_by() const {
    for (const char* axis : ptx::head::nvcc_axes)
      if (head_.key.value(axis).empty())
        return complain("key", "key", fmt::format("write `{} = \"...\"` in [key]", axis),
                        fmt::format("lacks '{}', with `origin = \"nvcc\"`", axis));
    return {};
  }

  bool is_declared(const std::string& axis) const {
    const auto has = [&](const space::Component& part) {
      return std::any_of(part.axes.begin(), part.axes.end(),
                         [&](const space::Axis& one) { return one.name == axis; });
    };
    if (has(catalogue_.common())) return true;
    return std::any_of(component_kinds.begin(), component_kinds.end(), [&](ComponentKind kind) {
      const space::Component* part = catalogue_.find(kind, component(kind));
      return part != nullptr && has(*part);
    });
  }

  Status check_axis(const std::string& axis, const std::string& value) const {
    for (const ComponentKind kind : component_kinds)
      if (axis == to_string(kind)) return {};
    if (head_.own_components() && !is_declared(axis)) return {};
    const std::string place = "key " + axis;
    const auto known = catalogue_.resolve(axis);
    if (!known) return complain(place, axis, known.error().hint, known.error().message);
    if (*known != axis)
      return complain(place, axis, fmt::format("write `{} = \"{}\"`", *known, value),
                      "a head has the axis's own name");
    const Status valid = catalogue_.check_value(axis, value);
    if (valid) return {};
    return complain(place, axis, valid.error().hint, fmt::format("no value '{}'", value));
  }

  Result<VariantKey> catalogue_key() const {
    auto key = space::make_key(catalogue_, own_);
    if (key) return key;
    return complain("key", "key", key.error().hint, key.error().message);
  }

  VariantKey own_key() const {
    VariantKey key;
    KeyAxes rest = own_;
    for (const ComponentKind kind : component_kinds) {
      const std::string axis(to_string(kind));
      key.id += (key.id.empty() ? "" : "/") + component(kind);
      key.axes.emplace_back(axis, component(kind));
      std::erase_if(rest, [&](const auto& one) { return one.first == axis; });
    }
    key.id += in_id(rest);
    key.axes.insert(key.axes.end(), rest.begin(), rest.end());
    return key;
  }

  const Catalogue& catalogue_;
  const Head& head_;
  KeyAxes own_, later_;
};

}  // namespace

Result<VariantKey> check_head_key(const Catalogue& catalogue, const Head& head) {
  return KeyCheck(catalogue, head).check();
}

namespace {

class PlanCheck {
 public:
  PlanCheck(const Head& head, const Plan& plan)
      : head_(head), said_(head.launch), plan_(plan), planned_(plan.launch) {}

  Status check() const {
    PHASEBIT_TRY(check_fields());
    for (const launch::Role role : launch::all_roles) PHASEBIT_TRY(check_role(role));
    PHASEBIT_TRY(check_barriers());
    PHASEBIT_TRY(check_tensor_maps());
    PHASEBIT_TRY(check_data());
    return check_verified();
  }

 private:
  tl::unexpected<Error> complain(const std::string& key, const std::string& said,
                                 const std::string& value, const std::string& hint) const {
    auto at = head_.where.find(key);
    for (const char* above : {"launch", ""})
      if (at == head_.where.end()) at = head_.where.find(above);
    const std::string where = at == head_.where.end() ? std::string("the head") : at->second;
    return with_hint(
        fail(Step::spec, "{}: {}: {}, the variant of its key has {}", where, key, said, value),
        hint);
  }

  Status check_fields() const {
    const auto found = base::first_difference(said_, planned_, "[expects]");
    return found ? complain(found->key, found->said, found->wanted, found->hint) : Status();
  }

  // A warp that leaves early is asked for half of the items, and unit and rank say which items and
  // words. A text of more or fewer warps of a role has units and ranks of its own.
  Status check_role(launch::Role role) const {
    const auto slices_of = [&](const LaunchShape& shape) {
      std::vector<launch::RoleSlice> slices;
      for (const launch::RoleSlice& slice : shape.slices)
        if (slice.role == role) slices.push_back(slice);
      return slices;
    };
    const std::vector<launch::RoleSlice> said = slices_of(said_), planned = slices_of(planned_);
    if (said.empty() || planned.empty()) return {};
    const std::string key = fmt::format("role {}", ptx::head::word_of(role));
    const auto leaving = [](const std::vector<launch::RoleSlice>& slices) {
      return std::count_if(slices.begin(), slices.end(),
                           [](const launch::RoleSlice& slice) { return slice.leaves_early; });
    };
    if (leaving(said) != leaving(planned))
      return complain(key, fmt::format("{} of its warps leave early", leaving(said)),
                      fmt::to_string(leaving(planned)),
                      "`leaves_early` is that of the axis early_exit of [key]");
    if (said.size() != planned.size()) return {};
    const auto text = [](const std::vector<launch::RoleSlice>& slices) {
      std::vector<std::string> words;
      for (const launch::RoleSlice& slice : slices)
        words.push_back(fmt::format("{}/{}", slice.unit, slice.rank));
      std::sort(words.begin(), words.end());
      return fmt::format("unit/rank {}", fmt::join(words, ", "));
    };
    if (text(said) == text(planned)) return {};
    return complain(key, text(said), text(planned),
                    "write those, or the axes of [key] that decide them");
  }

  // Without an id, the kind of its barriers is what tells a text of another protocol.
  Status check_barriers() const {
    for (const ptx::head::HeadBarrier& planned : barriers_of(plan_))
      for (const ptx::head::HeadBarrier& barrier : head_.barriers)
        if (barrier.name == planned.name && barrier.kind != planned.kind)
          return complain("barrier " + barrier.name, "is a barrier of kind " + barrier.kind,
                          planned.kind,
                          "the protocol of [key] is another's, or the barrier's kind");
    return {};
  }

  // Its swizzle and its box are axes of the key.
  Status check_tensor_maps() const {
    for (const launch::tensor::TensorMap& planned : planned_.tensor_maps)
      for (const launch::tensor::TensorMap& map : said_.tensor_maps) {
        if (map.name != planned.name || map == planned) continue;
        const std::string key = "tensor map " + map.name;
        if (map.buffer != planned.buffer)
          return complain(key, fmt::format("lies in '{}'", map.buffer),
                          fmt::format("'{}'", planned.buffer),
                          fmt::format("write `buffer = \"{}\"`", planned.buffer));
        return complain(key, describe(map), describe(planned),
                        "write that, or the axes of [key] that decide it");
      }
    return {};
  }

  // A grid is verified by the sum of what it reads: other data have another sum, and of none it is
  // not asked for.
  Status check_data() const {
    const auto text = [](const LaunchShape& one) {
      return one.data.bytes == 0 ? std::string("no data") : base::toml_of(ptx::head::data_of(one));
    };
    const std::string planned = text(planned_);
    if (text(said_) != planned)
      return complain("data", text(said_), planned,
                      planned_.data.bytes == 0
                          ? "leave `data` out"
                          : fmt::format("write `data = {}` in [expects]", planned));
    for (const launch::Buffer& wanted : planned_.buffers)
      for (const launch::Buffer& buffer : said_.buffers) {
        if (planned_.data.bytes == 0 || buffer.name != wanted.name || buffer == wanted) continue;
        const auto shown = [](const launch::Buffer& one) {
          return fmt::format("{} bytes of {}", one.bytes, launch::to_string(one.fill));
        };
        return complain("buffer " + buffer.name, shown(buffer), shown(wanted),
                        fmt::format("write `bytes = {}, fill = \"{}\"`", wanted.bytes,
                                    launch::to_string(wanted.fill)));
      }
    return {};
  }

  // A figure means nothing where what was read or multiplied is another's, or not looked at.
  Status check_verified() const {
    if (said_.phases_checked < planned_.phases_checked)
      return complain("phases", fmt::format("{} are verified", said_.phases_checked),
                      fmt::format("{} to verify", planned_.phases_checked),
                      fmt::format("write `phases = {}` in [expects]", planned_.phases_checked));
    const int words = planned_.payload.words_per_slot;
    if (said_.payload.words_per_slot != words)
      return complain("payload", fmt::format("{} words of a slot", said_.payload.words_per_slot),
                      fmt::to_string(words),
                      words == 0 ? "leave `payload` out"
                                 : fmt::format("write `payload = {}` in [expects]",
                                               base::toml_of(planned_.payload)));
    const auto found = base::first_difference(said_.payload, planned_.payload, "its `payload`");
    return found ? complain("payload", found->said, found->wanted, found->hint) : Status();
  }

  const Head& head_;
  const LaunchShape& said_;
  const Plan& plan_;
  const LaunchShape& planned_;
};

launch::VariantKey of_catalogue(const space::Catalogue& catalogue, launch::VariantKey key) {
  std::erase_if(key.axes,
                [&](const auto& axis) { return space::is_later_axis(catalogue, axis.first); });
  return key;
}

// What says which code the text must become, and of which barriers; as it is written, which is one
// text for one meaning.
std::string gated_part(const Head& head) {
  Head part;
  part.rules = head.rules;
  part.covers = head.covers;
  part.exhaustive = head.exhaustive;
  part.items_per_iteration = head.items_per_iteration;
  part.items_beside = head.items_beside;
  part.barriers = head.barriers;
  return ptx::head::write_head(part);
}

}  // namespace

Status check_head_plan(const space::Catalogue& catalogue, const Head& head,
                       const launch::VariantKey& key) {
  if (head.own_components()) return {};
  PHASEBIT_TRY_ASSIGN(plan, make_plan(catalogue, of_catalogue(catalogue, key)));
  return PlanCheck(head, plan).check();
}

Status complete_head(const space::Catalogue& catalogue, Head& head) {
  PHASEBIT_TRY_ASSIGN(key, check_head_key(catalogue, head));
  PHASEBIT_TRY(check_head_plan(catalogue, head, key));
  head.key = std::move(key);
  return {};
}

Result<bool> is_held_to_key(const space::Catalogue& catalogue, const Head& head,
                            const launch::VariantKey& key) {
  if (head.own_components()) return true;
  const launch::VariantKey variant = of_catalogue(catalogue, key);
  PHASEBIT_TRY_ASSIGN(plan, make_plan(catalogue, variant));
  PHASEBIT_TRY_ASSIGN(rules, rules_of(catalogue, variant, key, plan));
  return gated_part(head) == gated_part(make_head(variant, plan, {}, std::move(rules)));
}

namespace {

std::vector<std::string> sorted_statements(const ptxas::Kernel& kernel) {
  std::vector<std::string> found;
  for (const std::string& statement : kernel.statements)
    if (statement.find(kernel.entry) == std::string::npos) found.push_back(statement);
  std::ranges::sort(found);
  return found;
}

// Decimal numbers of statements that one text has and the other lacks: an edit that puts another
// value of a range into the text puts one of these there.
std::set<std::string> numbers_of_one_alone(const std::vector<std::string>& text,
                                           const std::vector<std::string>& other) {
  std::vector<std::string> alone;
  std::ranges::set_difference(text, other, std::back_inserter(alone));
  std::set<std::string> found;
  for (const std::string& statement : alone)
    for (size_t at = 0; (at = statement.find_first_of("0123456789", at)) != std::string::npos;) {
      const size_t end = std::min(statement.find_first_not_of("0123456789", at), statement.size());
      found.insert(statement.substr(at, end - at));
      at = end;
    }
  return found;
}

// The values of an axis that a text may be of.
std::vector<std::string> candidates(const space::Catalogue& catalogue, const std::string& axis,
                                    const std::set<std::string>& numbers) {
  const auto declared = catalogue.axes_named(axis);
  if (std::ranges::none_of(declared, &space::Axis::is_range)) return catalogue.values_of(axis);
  std::vector<std::string> found;
  for (const std::string& number : numbers)
    if (catalogue.check_value(axis, number)) found.push_back(number);
  return found;
}

// Statements that one of two texts has and the other lacks.
size_t difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> differ;
  std::ranges::set_symmetric_difference(a, b, std::back_inserter(differ));
  return differ.size();
}

}  // namespace

Result<const NearbyTexts::Text*> NearbyTexts::text_of(const VariantKey& key) {
  const auto known = texts_.find(key.id);
  if (known != texts_.end()) return &known->second;
  PHASEBIT_TRY_ASSIGN(plan, make_plan(catalogue_, key));
  // Version and target are not statements.
  PHASEBIT_TRY_ASSIGN(rendered, renderer_.render(key, plan, launch::Build::timed, "", ""));
  return &texts_.emplace(key.id, sorted_statements(rendered.kernel)).first->second;
}

Result<std::string> NearbyTexts::nearer(const ptxas::Kernel& kernel, const VariantKey& key) {
  const Text text = sorted_statements(kernel);
  PHASEBIT_TRY_ASSIGN(own, text_of(key));
  size_t nearest = difference(text, *own);
  const std::set<std::string> numbers = numbers_of_one_alone(text, *own);
  std::string found;
  KeyAxes axes = key.axes;
  for (size_t n = 0; nearest > 0 && n < axes.size(); ++n) {
    auto& [axis, value] = axes[n];
    const std::string said = value;
    for (const std::string& other : candidates(catalogue_, axis, numbers)) {
      value = other;
      const auto neighbour = space::make_key(catalogue_, axes);
      if (!neighbour) continue;  // pruned
      const auto theirs = text_of(*neighbour);
      if (!theirs) continue;  // no plan, so no variant has this text
      const size_t differ = difference(text, **theirs);
      if (differ >= nearest) continue;
      nearest = differ;
      found = fmt::format("{}={}", axis, other);
    }
    value = said;
  }
  return found;
}

}  // namespace phasebit::kernel
