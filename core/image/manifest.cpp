#include "core/image/manifest.h"

#include <nlohmann/json.hpp>

namespace phasebit {

using nlohmann::json;

std::string to_string(Build build) {
  switch (build) {
    case Build::timed: return "timed";
    case Build::guarded: return "guarded";
  }
  bug("unknown build");
}

const Image* BundleVariant::image(Build build) const {
  for (const Image& image : images)
    if (image.build == build) return &image;
  return nullptr;
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resources, registers, static_shared_bytes, stack_bytes,
                                   spill_store_bytes, spill_load_bytes, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleSlice, warp, first_lane, lane_stride, role, unit, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PayloadShape, words_per_slot, consumer_threads,
                                   consumer_vector_words)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchShape, threads, ctas_per_sm, dynamic_shared_bytes,
                                   item_granule, min_items, producer_turns, consumer_turns,
                                   timed_role, work_amount, unit, slices, payload)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VariantKey, id, hash, axes)
NLOHMANN_JSON_SERIALIZE_ENUM(Build, {{Build::timed, "timed"}, {Build::guarded, "guarded"}})
NLOHMANN_JSON_SERIALIZE_ENUM(GateVerdict, {{GateVerdict::ungated, "ungated"},
                                           {GateVerdict::passed, "passed"},
                                           {GateVerdict::failed, "failed"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GateResult, verdict, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VerbCensus, verb, role, hot, cold)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Image, build, module, entry, ptx_hash, text_hash, sass_class,
                                   resources, gate, census, warnings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BundleVariant, key, launch, images)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Manifest, version, target, ptxas, ptxas_flags, nvdisasm, commit,
                                   sweep, variants)

std::string launch_signature(const LaunchShape& launch) { return json(launch).dump(); }

std::string to_json(const Manifest& manifest) {
  return json(manifest).dump(1) + "\n";
}

Result<Manifest> manifest_from_json(std::string_view text, const std::string& name) {
  try {
    const json parsed = json::parse(text);
    const int version = parsed.at("version").get<int>();
    if (version != manifest_version)
      return with_hint(fail(Step::bundle, "{}: manifest version {}, this program reads {}", name,
                            version, manifest_version),
                       version > manifest_version ? "use a newer phasebit-bench"
                                                  : "pack it again with this phasebit");
    return parsed.get<Manifest>();
  } catch (const json::exception& error) {
    return with_hint(fail(Step::bundle, "{}: {}", name, error.what()), "pack it again");
  }
}

}  // namespace phasebit
