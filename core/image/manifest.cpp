#include "core/image/manifest.h"

#include "core/base/fields_json.h"

namespace phasebit::image {

using nlohmann::json;

const std::vector<std::string>& words_of(Build /*build*/) {
  static const std::vector<std::string> words = {"timed", "guarded"};
  return words;
}

std::string to_string(Build build) {
  return base::word_of(build);
}

const std::vector<std::string>& words_of(GateVerdict /*verdict*/) {
  static const std::vector<std::string> words = {"passed", "failed", "ungated"};
  return words;
}

const Image* BundleVariant::image(Build build) const {
  for (const Image& image : images)
    if (image.build == build) return &image;
  return nullptr;
}

// By its number in SampleRecord.
void to_json(json& value, Role role) {
  value = static_cast<std::uint32_t>(role);
}

void from_json(const json& value, Role& role) {
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > static_cast<std::int64_t>(Role::victim))
    throw json::other_error::create(501, "unknown role " + value.dump(), &value);
  role = static_cast<Role>(number);
}

// Types that JSON alone knows.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resources, registers, static_shared_bytes, stack_bytes,
                                   spill_store_bytes, spill_load_bytes, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VariantKey, id, hash, axes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GateResult, verdict, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VerbCensus, verb, role, hot, cold, beside)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WaitSite, number, kind, entry, file, line, verb,
                                                role, opcode, operand, address, heading, item,
                                                callers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NamedBarriers, name, base, stride, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GuardTable, sites, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeParameter, name, kind, offset, bytes, value, buffer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeLaunch, grid, block, cluster, shared_bytes, parameter_bytes,
                                   parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Image, build, module, entry, ptx_hash, text_hash, sass_class,
                                   resources, gate, census, warnings, guard, padding_bytes,
                                   base_module)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Manifest, version, target, ptxas, ptxas_flags,
                                                nvdisasm, commit, sweep, catalogue, variants)

std::string launch_signature(const LaunchShape& launch) {
  return base::as_json(launch, base::JsonPart::signature).dump();
}

std::string launch_signature(const WholeLaunch& whole) {
  return json(whole).dump();
}

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

}  // namespace phasebit::image
