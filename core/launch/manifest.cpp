#include "core/launch/manifest.h"

#include "core/base/fields_json.h"
#include "core/base/hash.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace phasebit::launch {

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
  const auto number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  if (number < 0 || number > static_cast<std::int64_t>(Role::victim))
    throw json::other_error::create(501, "unknown role " + value.dump(), &value);
  role = static_cast<Role>(number);
}

// Types that JSON alone knows.
template <typename Visit>
void fields(Visit& visit, const Resources* /*type*/) {
  visit("registers", &Resources::registers, {.most = 255});
  visit("static_shared_bytes", &Resources::static_shared_bytes, {.most = most_shared_bytes});
  visit("stack_bytes", &Resources::stack_bytes);
  visit("spill_store_bytes", &Resources::spill_store_bytes);
  visit("spill_load_bytes", &Resources::spill_load_bytes);
  visit("barriers", &Resources::barriers, {.most = 16});
}
template <typename Visit>
void fields(Visit& visit, const VariantKey* /*type*/) {
  visit("id", &VariantKey::id);
  visit("hash", &VariantKey::hash);
  visit("axes", &VariantKey::axes);
}
template <typename Visit>
void fields(Visit& visit, const GateResult* /*type*/) {
  visit("verdict", &GateResult::verdict);
  visit("reason", &GateResult::reason);
}
template <typename Visit>
void fields(Visit& visit, const VerbCensus* /*type*/) {
  visit("verb", &VerbCensus::verb);
  visit("role", &VerbCensus::role);
  visit("hot", &VerbCensus::hot);
  visit("cold", &VerbCensus::cold);
  visit("beside", &VerbCensus::beside);
}
template <typename Visit>
void fields(Visit& visit, const WaitSite* /*type*/) {
  visit("number", &WaitSite::number, {.least = 1});
  visit("kind", &WaitSite::kind);
  visit("entry", &WaitSite::entry);
  visit("file", &WaitSite::file);
  visit("line", &WaitSite::line);
  visit("verb", &WaitSite::verb);
  visit("role", &WaitSite::role);
  visit("opcode", &WaitSite::opcode);
  visit("operand", &WaitSite::operand);
  visit("address", &WaitSite::address);
  visit("heading", &WaitSite::heading);
  visit("item", &WaitSite::item);
  visit("callers", &WaitSite::callers, {.if_set = true});
}
template <typename Visit>
void fields(Visit& visit, const NamedBarriers* /*type*/) {
  visit("name", &NamedBarriers::name);
  visit("base", &NamedBarriers::base, {.most = most_shared_bytes});
  visit("stride", &NamedBarriers::stride, {.least = 1, .most = most_shared_bytes});
  visit("count", &NamedBarriers::count, {.most = most_shared_bytes});
}
template <typename Visit>
void fields(Visit& visit, const GuardTable* /*type*/) {
  visit("sites", &GuardTable::sites);
  visit("barriers", &GuardTable::barriers);
}
template <typename Visit>
void fields(Visit& visit, const Image* /*type*/) {
  visit("build", &Image::build);
  visit("module", &Image::module);
  visit("entry", &Image::entry);
  visit("ptx_hash", &Image::ptx_hash);
  visit("text_hash", &Image::text_hash);
  visit("sass_class", &Image::sass_class);
  visit("resources", &Image::resources);
  visit("gate", &Image::gate);
  visit("census", &Image::census);
  visit("warnings", &Image::warnings);
  visit("guard", &Image::guard);
  visit("padding_bytes", &Image::padding_bytes, {.most = 1 << 20});
  visit("base_module", &Image::base_module);
}
template <typename Visit>
void fields(Visit& visit, const Manifest* /*type*/) {
  visit("version", &Manifest::version);
  visit("target", &Manifest::target);
  visit("ptxas", &Manifest::ptxas);
  visit("ptxas_flags", &Manifest::ptxas_flags);
  visit("nvdisasm", &Manifest::nvdisasm);
  visit("commit", &Manifest::commit);
  visit("sweep", &Manifest::sweep);
  visit("catalogue", &Manifest::catalogue, {.if_set = true});
  visit("variants", &Manifest::variants);
  visit("seal", &Manifest::seal);
}

std::string launch_signature(const LaunchShape& launch) {
  return base::as_json(launch, base::JsonPart::signature).dump();
}

std::string launch_signature(const ExternalLaunch& external) {
  return json(external).dump();
}

namespace {

template <typename... Args>
tl::unexpected<Error> contradiction(const BundleVariant& variant, fmt::format_string<Args...> text,
                                    Args&&... args) {
  return with_hint(fail(Step::bundle, "manifest: {}: {}", variant.key.id,
                        fmt::format(text, std::forward<Args>(args)...)),
                   "pack it again");
}

// By the name of a file alone: nothing outside the bundle is read.
bool is_module_name(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Status check_slice(const BundleVariant& variant, const RoleSlice& slice) {
  const LaunchShape& launch = variant.launch;
  if (32 * slice.warp >= launch.threads)
    return contradiction(variant, "a role of warp {} in a launch of {} threads", slice.warp,
                         launch.threads);
  if (slice.rank_in_cluster >= launch.cluster_size)
    return contradiction(variant, "a role of CTA {} in a cluster of {}", slice.rank_in_cluster,
                         launch.cluster_size);
  if (32 % slice.lane_stride != 0 || slice.first_lane >= slice.lane_stride)
    return contradiction(variant, "a role of every {}th lane from lane {}", slice.lane_stride,
                         slice.first_lane);
  return {};
}

Status check_payload(const BundleVariant& variant) {
  const PayloadShape& payload = variant.launch.payload;
  if (payload.words_per_slot > 0 && payload.consumer_threads == 0)
    return contradiction(variant, "a payload of {} words that no thread reads",
                         payload.words_per_slot);
  if (payload.consumer_vector_words != 1 && payload.consumer_vector_words != 4)
    return contradiction(variant, "consumer_vector_words {}: 1 or 4",
                         payload.consumer_vector_words);
  if (payload.kept_words > payload.copy_words)
    return contradiction(variant, "{} words kept of {} copied", payload.kept_words,
                         payload.copy_words);
  return {};
}

Status check_launch(const BundleVariant& variant) {
  const LaunchShape& launch = variant.launch;
  if (std::max(launch.first_rank, launch.second_rank) >= launch.cluster_size)
    return contradiction(variant, "CTAs {} and {} of a cluster of {}", launch.first_rank,
                         launch.second_rank, launch.cluster_size);
  for (const RoleSlice& slice : launch.slices) PHASEBIT_TRY(check_slice(variant, slice));
  if (!variant.external && !has_timed_warp(launch))
    return contradiction(variant, "no warp has the timed role '{}'",
                         base::word_of(launch.timed_role));
  PHASEBIT_TRY(check_payload(variant));
  if (launch.data.tile_bytes == 0 ? !launch.data.empty()
                                  : launch.data.bytes % launch.data.tile_bytes != 0)
    return contradiction(variant, "data of {} bytes are not whole tiles of {}", launch.data.bytes,
                         launch.data.tile_bytes);
  for (const Buffer& buffer : launch.buffers)
    if (buffer.bytes == 0 && launch.workload.empty())
      return contradiction(variant, "buffer {} of 0 bytes", buffer.name);
  for (const tensor::TensorMap& map : launch.tensor_maps)
    if (const auto wrong = tensor::complaint_about(map, buffer_bytes(launch, map.buffer)))
      return contradiction(variant, "tensor map {}: {}: {}", map.name, wrong->key, wrong->what);
  return {};
}

Status check_external(const BundleVariant& variant) {
  if (!variant.external) return {};
  if (const auto wrong = complaint_about(*variant.external))
    return contradiction(variant, "{}", *wrong);
  return {};
}

Status check_images(const BundleVariant& variant) {
  if (variant.image(Build::timed) == nullptr) return contradiction(variant, "no timed image");
  for (const Image& image : variant.images) {
    const auto same = [&](const Image& other) { return other.build == image.build; };
    if (std::count_if(variant.images.begin(), variant.images.end(), same) > 1)
      return contradiction(variant, "two {} images", to_string(image.build));
    if (!is_module_name(image.module) ||
        (image.padding_bytes > 0 && !is_module_name(image.base_module)))
      return contradiction(variant, "the module of its {} image is '{}'", to_string(image.build),
                           image.padding_bytes > 0 ? image.base_module : image.module);
    // A stranger's says by whose rules.
    if (image.gate.verdict == GateVerdict::passed && !image.gate.reason.empty() &&
        !variant.external)
      return contradiction(variant, "passed by the gate, and refused: {}", image.gate.reason);
    if (image.gate.verdict == GateVerdict::failed && image.gate.reason.empty())
      return contradiction(variant, "refused by the gate without a reason");
  }
  return {};
}

// Of the images of one class, which are measured once.
struct ClassMember {
  const BundleVariant* variant;
  const Image* image;
};

Status check_same_code(const ClassMember& first, const ClassMember& other) {
  const auto signature = [](const BundleVariant& variant) {
    return variant.external ? launch_signature(*variant.external)
                            : launch_signature(variant.launch);
  };
  const char* differs = signature(*first.variant) != signature(*other.variant) ? "launches"
                        : first.image->padding_bytes == other.image->padding_bytes &&
                                first.image->text_hash != other.image->text_hash
                            ? "code"
                            : nullptr;
  if (differs == nullptr) return {};
  return contradiction(*other.variant, "has the class of {}, and other {}", first.variant->key.id,
                       differs);
}

void seal(json& part) {
  part.erase("seal");
  part["seal"] = base::content_hash(part.dump());
}

json sealed(const Manifest& manifest) {
  json made = manifest, seals = json::array();
  json variants = std::move(made["variants"]);
  for (json& variant : variants) {
    seal(variant);
    seals.push_back(variant["seal"]);
  }
  made["variants"] = std::move(seals);
  seal(made);
  made["variants"] = std::move(variants);
  return made;
}

Status check_seal(const std::string& who, const std::string& read, const json& right) {
  if (right["seal"] == read) return {};
  return with_hint(fail(Step::bundle, "{}: changed since it was packed: its seal is '{}', not '{}'",
                        who, right["seal"].get<std::string>(), read),
                   "pack it again");
}

}  // namespace

Status check_seals(const Manifest& manifest, const std::string& name) {
  const json right = sealed(manifest);
  for (std::size_t n = 0; n < manifest.variants.size(); ++n) {
    const BundleVariant& variant = manifest.variants[n];
    PHASEBIT_TRY(check_seal(fmt::format("{}: {}", name, variant.key.id), variant.seal,
                            right["variants"][n]));
  }
  return check_seal(name, manifest.seal, right);
}

Status check_manifest(const Manifest& manifest) {
  std::set<std::string> ids;
  std::map<std::string, ClassMember> classes;
  for (const BundleVariant& variant : manifest.variants) {
    if (!ids.insert(variant.key.id).second) return contradiction(variant, "duplicate id");
    if (variant.key.hash != base::short_hash(variant.key.id))
      return contradiction(variant, "its hash is {}, not {}", base::short_hash(variant.key.id),
                           variant.key.hash);
    PHASEBIT_TRY(check_launch(variant));
    PHASEBIT_TRY(check_external(variant));
    PHASEBIT_TRY(check_images(variant));
    if (is_anchor(variant.key)) continue;  // each is measured
    for (const Image& image : variant.images)
      if (const auto [at, added] =
              classes.try_emplace(image.sass_class, ClassMember{&variant, &image});
          !added)
        PHASEBIT_TRY(check_same_code(at->second, {&variant, &image}));
  }
  return {};
}

std::string to_json(const Manifest& manifest) {
  return sealed(manifest).dump(1) + "\n";
}

Result<Manifest> manifest_from_json(std::string_view text, const std::string& name) {
  try {
    const json parsed = json::parse(text);
    base::check_number<int>(parsed.at("version"), base::any_number);
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

namespace {

constexpr std::string_view version_suffix = "-2";

}  // namespace

std::string sass_class_word(const std::string& code_class, const LaunchShape& launch) {
  return base::short_hash(code_class + launch_signature(launch)) + std::string(version_suffix);
}

std::string sass_class_word(const std::string& code_class, const ExternalLaunch& external) {
  return base::short_hash(code_class + launch_signature(external)) + std::string(version_suffix);
}

}  // namespace phasebit::launch
