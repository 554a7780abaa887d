#include "gen/render/head_plan.h"

#include "core/base/fields_toml.h"
#include "gen/probes/make_plan.h"
#include "gen/render/variant_head.h"
#include "gen/space/hand_made.h"

#include <algorithm>

namespace phasebit::render {

using image::LaunchShape;
using ptx::head::Head;

namespace {

class PlanCheck {
 public:
  PlanCheck(const Head& head, const probes::Plan& plan)
      : head_(head), said_(head.launch), plan_(plan), planned_(plan.launch) {}

  Status check() const {
    PHASEBIT_TRY(check_fields());
    for (const image::Role role : image::all_roles) PHASEBIT_TRY(check_role(role));
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

  // Who leaves early is asked for half of the items, and unit and rank say which items and words. A
  // text of more or fewer warps of a role has units and ranks of its own.
  Status check_role(image::Role role) const {
    const auto slices_of = [&](const LaunchShape& shape) {
      std::vector<image::RoleSlice> slices;
      for (const image::RoleSlice& slice : shape.slices)
        if (slice.role == role) slices.push_back(slice);
      return slices;
    };
    const std::vector<image::RoleSlice> said = slices_of(said_), planned = slices_of(planned_);
    if (said.empty() || planned.empty()) return {};
    const std::string key = fmt::format("role {}", ptx::head::word_of(role));
    const auto leaving = [](const std::vector<image::RoleSlice>& slices) {
      return std::count_if(slices.begin(), slices.end(),
                           [](const image::RoleSlice& slice) { return slice.leaves_early; });
    };
    if (leaving(said) != leaving(planned))
      return complain(key, fmt::format("{} of its warps leave early", leaving(said)),
                      fmt::to_string(leaving(planned)),
                      "`leaves_early` is that of the axis early_exit of [key]");
    if (said.size() != planned.size()) return {};
    const auto text = [](const std::vector<image::RoleSlice>& slices) {
      std::vector<std::string> words;
      for (const image::RoleSlice& slice : slices)
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
    for (const image::tensor::TensorMap& planned : planned_.tensor_maps)
      for (const image::tensor::TensorMap& map : said_.tensor_maps) {
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
    for (const image::Buffer& wanted : planned_.buffers)
      for (const image::Buffer& buffer : said_.buffers) {
        if (planned_.data.bytes == 0 || buffer.name != wanted.name || buffer == wanted) continue;
        const auto shown = [](const image::Buffer& one) {
          return fmt::format("{} bytes of {}", one.bytes, image::to_string(one.fill));
        };
        return complain("buffer " + buffer.name, shown(buffer), shown(wanted),
                        fmt::format("write `bytes = {}, fill = \"{}\"`", wanted.bytes,
                                    image::to_string(wanted.fill)));
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
  const probes::Plan& plan_;
  const LaunchShape& planned_;
};

image::VariantKey of_catalogue(image::VariantKey key) {
  std::erase_if(key.axes, [](const auto& axis) { return space::is_later_axis(axis.first); });
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

Status check_head_plan(const catalogue::Catalogue& catalogue, const Head& head,
                       const image::VariantKey& key) {
  if (head.own_components()) return {};
  PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(catalogue, of_catalogue(key)));
  return PlanCheck(head, plan).check();
}

Result<bool> is_held_to_key(const catalogue::Catalogue& catalogue, const Head& head,
                            const image::VariantKey& key) {
  if (head.own_components()) return true;
  const image::VariantKey variant = of_catalogue(key);
  PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(catalogue, variant));
  PHASEBIT_TRY_ASSIGN(rules, rules_of(catalogue, variant, key, plan));
  return gated_part(head) == gated_part(make_head(variant, plan, {}, std::move(rules)));
}

}  // namespace phasebit::render
