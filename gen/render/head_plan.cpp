#include "gen/render/head_plan.h"

#include "core/ptx/head/payload.h"
#include "gen/probes/make_plan.h"
#include "gen/render/variant_head.h"
#include "gen/space/hand_made.h"

namespace phasebit::render {

using image::LaunchShape;
using ptx::head::Head;

namespace {

class PlanCheck {
 public:
  PlanCheck(const Head& head, const probes::Plan& plan)
      : head_(head), said_(head.launch), plan_(plan), planned_(plan.launch) {}

  Status check() const {
    PHASEBIT_TRY(check_numbers());
    PHASEBIT_TRY(check_figure());
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

  Status check_numbers() const {
    const struct {
      const char* key;
      long said, planned;
    } rows[] = {{"cluster_size", said_.cluster_size, planned_.cluster_size},
                {"ctas_per_sm", said_.ctas_per_sm, planned_.ctas_per_sm},
                {"sms", said_.sms, planned_.sms},
                {"load_ctas", said_.load_ctas, planned_.load_ctas},
                {"first_rank", said_.first_rank, planned_.first_rank},
                {"second_rank", said_.second_rank, planned_.second_rank},
                {"work_amount", said_.work_amount, planned_.work_amount},
                {"delay_cycles", said_.delay_cycles, planned_.delay_cycles},
                {"producer_turns", said_.producer_turns, planned_.producer_turns},
                {"consumer_turns", said_.consumer_turns, planned_.consumer_turns}};
    if (said_.guarded != planned_.guarded)
      return complain("guarded", fmt::to_string(said_.guarded), fmt::to_string(planned_.guarded),
                      "leave `guarded` out: its guarded build runs first");
    if (said_.fixed_warps != planned_.fixed_warps)
      return complain("fixed_warps", fmt::to_string(said_.fixed_warps),
                      fmt::to_string(planned_.fixed_warps),
                      fmt::format("write `fixed_warps = {}`", planned_.fixed_warps));
    for (const auto& row : rows) {
      if (row.said == row.planned) continue;
      return complain(row.key, fmt::to_string(row.said), fmt::to_string(row.planned),
                      fmt::format("write `{} = {}`, or the axes of [key] that decide it", row.key,
                                  row.planned));
    }
    return {};
  }

  Status check_figure() const {
    const std::string role = ptx::head::word_of(planned_.timed_role);
    if (said_.timed_role != planned_.timed_role)
      return complain("timed_role", ptx::head::word_of(said_.timed_role), role,
                      fmt::format("write `timed_role = \"{}\"`", role));
    if (said_.unit == planned_.unit) return {};
    return complain("unit", fmt::format("'{}'", said_.unit), fmt::format("'{}'", planned_.unit),
                    fmt::format("write `unit = \"{}\"`", planned_.unit));
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
      return one.data.bytes == 0 ? std::string("no data")
                                 : ptx::head::data_text(one.data, one.payload);
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

  // Who is said to read words where it multiplies would be held against another sum.
  Status check_product() const {
    const image::product::ProductShape &said = said_.payload.product,
                                       &planned = planned_.payload.product;
    if (said == planned) return {};
    const std::string text = ptx::head::product_text(planned);
    return complain("payload", fmt::format("product = {}", ptx::head::product_text(said)), text,
                    planned.rows == 0 ? "leave `product` out"
                                      : fmt::format("write `product = {}` in its `payload`", text));
  }

  // A figure means nothing where what was stored is another's, or not looked at.
  Status check_stored() const {
    if (said_.stored == planned_.stored) return {};
    const bool stores = !planned_.stored.buffer.empty();
    const std::string planned = ptx::head::stored_text(planned_.stored);
    return complain(
        "stored",
        said_.stored.buffer.empty() ? "nothing is stored" : ptx::head::stored_text(said_.stored),
        stores ? planned : "nothing is stored",
        stores ? fmt::format("write `stored = {}` in [expects]", planned) : "leave `stored` out");
  }

  Status check_verified() const {
    PHASEBIT_TRY(check_stored());
    const int words = planned_.payload.words_per_slot;
    if (said_.phases_checked < planned_.phases_checked)
      return complain("phases", fmt::format("{} are verified", said_.phases_checked),
                      fmt::format("{} to verify", planned_.phases_checked),
                      fmt::format("write `phases = {}` in [expects]", planned_.phases_checked));
    if (said_.payload.words_per_slot == words) return check_product();
    const std::string hint =
        words == 0 ? "leave `payload` out"
                   : fmt::format(
                         "write `payload = {{ words = {}, threads = {}, vector = {}, "
                         "period = {} }}` in [expects]",
                         words, planned_.payload.consumer_threads,
                         planned_.payload.consumer_vector_words, planned_.payload.period);
    return complain("payload", fmt::format("{} words of a slot", said_.payload.words_per_slot),
                    fmt::to_string(words), hint);
  }

  const Head& head_;
  const LaunchShape& said_;
  const probes::Plan& plan_;
  const LaunchShape& planned_;
};

}  // namespace

Status check_head_plan(const catalogue::Catalogue& catalogue, const Head& head,
                       const image::VariantKey& key) {
  if (head.own_components()) return {};
  image::VariantKey variant = key;
  std::erase_if(variant.axes, [](const auto& axis) { return space::is_later_axis(axis.first); });
  PHASEBIT_TRY_ASSIGN(plan, probes::make_plan(catalogue, variant));
  return PlanCheck(head, plan).check();
}

}  // namespace phasebit::render
