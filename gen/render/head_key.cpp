#include "gen/render/head_key.h"

#include "core/base/hash.h"
#include "core/base/nearest.h"
#include "core/ptx/head/words.h"
#include "gen/ptxas/assembler.h"
#include "gen/ptxas/llvm_axes.h"
#include "gen/space/hand_made.h"
#include "gen/space/variants.h"

#include <algorithm>

namespace phasebit::render {

using catalogue::Catalogue;
using catalogue::component_kinds;
using catalogue::ComponentKind;
using catalogue::to_string;
using image::KeyAxes;
using image::VariantKey;
using ptx::head::Head;

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
      (space::is_later_axis(axis.first) ? later_ : own_).push_back(axis);
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

  // How a text is assembled is no part of it; LLVM made the text itself.
  Status check_later(const std::string& axis, const std::string& value) const {
    if (ptxas::is_assembler_axis(axis) && !ptxas::is_llvm_axis(axis))
      return complain(
          "key " + axis, axis,
          fmt::format("leave it out, and write `-a '{}={}'` on the command line", axis, value),
          "says how a text is assembled, which its key does not");
    if (axis != space::file_axis) return {};
    return complain("key " + axis, axis, "leave it out", "stands in the id of every file's kernel");
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
    const image::LaunchShape& launch = head_.launch;
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
    const auto has = [&](const catalogue::Component& part) {
      return std::any_of(part.axes.begin(), part.axes.end(),
                         [&](const catalogue::Axis& one) { return one.name == axis; });
    };
    if (has(catalogue_.common())) return true;
    return std::any_of(component_kinds.begin(), component_kinds.end(), [&](ComponentKind kind) {
      const catalogue::Component* part = catalogue_.find(kind, component(kind));
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

}  // namespace phasebit::render
