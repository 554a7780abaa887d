#include "core/image/manifest.h"

#include "core/image/stores/json.h"
#include "core/image/tensor/json.h"

#include <nlohmann/json.hpp>

namespace phasebit::image {

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

namespace {

// NLOHMANN_JSON_SERIALIZE_ENUM would read an unknown word as the first of its list.
template <typename Enum, size_t n>
Enum read_word(const json& value, const std::pair<Enum, const char*> (&words)[n]) {
  for (const auto& [entry, word] : words)
    if (value == word) return entry;
  throw json::other_error::create(501, "unknown word " + value.dump(), &value);
}

std::string word_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::passed: return "passed";
    case GateVerdict::failed: return "failed";
    case GateVerdict::ungated: return "ungated";
  }
  bug("unknown verdict");
}

}  // namespace

void to_json(json& value, Build build) {
  value = to_string(build);
}

void from_json(const json& value, Build& build) {
  build = read_word<Build>(value, {{Build::timed, "timed"}, {Build::guarded, "guarded"}});
}

void to_json(json& value, GateVerdict verdict) {
  value = word_of(verdict);
}

void from_json(const json& value, GateVerdict& verdict) {
  verdict = read_word<GateVerdict>(value, {{GateVerdict::ungated, "ungated"},
                                           {GateVerdict::passed, "passed"},
                                           {GateVerdict::failed, "failed"}});
}

constexpr std::pair<WholeParameter::Kind, const char*> parameter_words[] = {
    {WholeParameter::Kind::value, "value"},
    {WholeParameter::Kind::buffer, "buffer"},
    {WholeParameter::Kind::items, "items"}};

void to_json(json& value, WholeParameter::Kind kind) {
  for (const auto& [entry, word] : parameter_words)
    if (entry == kind) value = word;
}

void from_json(const json& value, WholeParameter::Kind& kind) {
  kind = read_word(value, parameter_words);
}

void to_json(json& value, const BufferFill& fill) {
  value = to_string(fill);
}

void from_json(const json& value, BufferFill& fill) {
  const auto read = read_fill(value.get<std::string>());
  if (!read) throw json::other_error::create(501, "unknown fill " + value.dump(), &value);
  fill = *read;
}

void to_json(json& value, WaitKind kind) {
  value = to_string(kind);
}

void from_json(const json& value, WaitKind& kind) {
  for (const WaitKind one : every_wait_kind)
    if (value == to_string(one)) {
      kind = one;
      return;
    }
  throw json::other_error::create(501, "unknown word " + value.dump(), &value);
}

void to_json(json& value, Role role) {
  value = static_cast<std::uint32_t>(role);
}

void from_json(const json& value, Role& role) {
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > static_cast<std::int64_t>(Role::victim))
    throw json::other_error::create(501, "unknown role " + value.dump(), &value);
  role = static_cast<Role>(number);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resources, registers, static_shared_bytes, stack_bytes,
                                   spill_store_bytes, spill_load_bytes, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RoleSlice, warp, first_lane, lane_stride, role, unit, rank,
                                   rank_in_cluster, leaves_early)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PayloadShape, words_per_slot, consumer_threads,
                                   consumer_vector_words, period, thread_words, copy_words,
                                   kept_words)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DataShape, bytes, tile_bytes, readers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reading, name, unit, role, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchShape, threads, ctas_per_sm, sms, load_ctas, cluster_size,
                                   dynamic_shared_bytes, item_granule, min_items, max_items,
                                   producer_turns, consumer_turns, timed_role, work_amount,
                                   delay_cycles, first_rank, second_rank, readings, guarded,
                                   phases_checked, unit, slices, payload, data)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VariantKey, id, hash, axes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GateResult, verdict, reason)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VerbCensus, verb, role, hot, cold, beside)
// Bundles of before have no heading and no item.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(WaitSite, number, kind, entry, file, line, verb,
                                                role, opcode, operand, address, heading, item)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NamedBarriers, name, base, stride, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GuardTable, sites, barriers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Buffer, name, bytes, fill)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TilePayload, map, at, copies, offsets)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeParameter, name, kind, offset, bytes, value, buffer)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(WholeLaunch, grid, block, cluster, shared_bytes, parameter_bytes,
                                   parameters)

// Few images are padded.
void to_json(json& value, const Image& image) {
  value = {{"build", image.build},         {"module", image.module},
           {"entry", image.entry},         {"ptx_hash", image.ptx_hash},
           {"text_hash", image.text_hash}, {"sass_class", image.sass_class},
           {"resources", image.resources}, {"gate", image.gate},
           {"census", image.census},       {"warnings", image.warnings},
           {"guard", image.guard}};
  if (image.padding_bytes == 0) return;
  value["padding_bytes"] = image.padding_bytes;
  value["base_module"] = image.base_module;
}

void from_json(const json& value, Image& image) {
  value.at("build").get_to(image.build);
  value.at("module").get_to(image.module);
  value.at("entry").get_to(image.entry);
  value.at("ptx_hash").get_to(image.ptx_hash);
  value.at("text_hash").get_to(image.text_hash);
  value.at("sass_class").get_to(image.sass_class);
  value.at("resources").get_to(image.resources);
  value.at("gate").get_to(image.gate);
  value.at("census").get_to(image.census);
  value.at("warnings").get_to(image.warnings);
  value.at("guard").get_to(image.guard);
  image.padding_bytes = value.value("padding_bytes", 0);
  image.base_module = value.value("base_module", "");
}

// Few kernels have buffers or tensor maps, and only a stranger's has the last of them.
void to_json(json& value, const BundleVariant& variant) {
  value = {{"key", variant.key}, {"launch", variant.launch}, {"images", variant.images}};
  if (!variant.launch.buffers.empty()) value["buffers"] = variant.launch.buffers;
  if (!variant.launch.tensor_maps.empty()) value["tensor_maps"] = variant.launch.tensor_maps;
  if (const TilePayload& tile = variant.launch.payload.tile; !tile.map.empty())
    value["tile"] = tile;
  if (!variant.launch.stored.buffer.empty()) value["stored"] = variant.launch.stored;
  if (const auto& product = variant.launch.payload.product; product.rows > 0)
    value["product"] = {
        {"rows", product.rows}, {"columns", product.columns}, {"blocks", product.blocks}};
  if (variant.launch.fixed_warps) value["fixed_warps"] = true;
  if (variant.whole) value["whole"] = *variant.whole;
}

void from_json(const json& value, BundleVariant& variant) {
  value.at("key").get_to(variant.key);
  value.at("launch").get_to(variant.launch);
  value.at("images").get_to(variant.images);
  if (value.contains("buffers")) value.at("buffers").get_to(variant.launch.buffers);
  if (value.contains("tensor_maps")) value.at("tensor_maps").get_to(variant.launch.tensor_maps);
  if (value.contains("tile")) value.at("tile").get_to(variant.launch.payload.tile);
  if (value.contains("stored")) value.at("stored").get_to(variant.launch.stored);
  if (value.contains("product"))
    variant.launch.payload.product = {value.at("product").at("rows").get<int>(),
                                      value.at("product").at("columns").get<int>(),
                                      value.at("product").at("blocks").get<int>()};
  variant.launch.fixed_warps = value.value("fixed_warps", false);
  if (value.contains("whole")) variant.whole = value.at("whole").get<WholeLaunch>();
}

void to_json(json& value, const CatalogueFacts& facts) {
  value = json_of(facts);
}

void from_json(const json& value, CatalogueFacts& facts) {
  facts = facts_of(value);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Manifest, version, target, ptxas, ptxas_flags,
                                                nvdisasm, commit, sweep, catalogue, variants)

std::string launch_signature(const LaunchShape& launch) {
  // Two launches that differ in what they verify measure the same: classes, and comparisons with
  // launches of before this field, must not move for it, nor for later fields that say nothing.
  json shape = launch;
  shape.erase("phases_checked");
  if (launch.sms == 0) shape.erase("sms");
  if (launch.data.bytes == 0) shape.erase("data");
  if (launch.payload.thread_words == 0) shape["payload"].erase("thread_words");
  // What is verified of a word, and code that says it.
  shape["payload"].erase("copy_words");
  shape["payload"].erase("kept_words");
  if (!launch.buffers.empty()) shape["buffers"] = launch.buffers;
  if (!launch.tensor_maps.empty()) shape["tensor_maps"] = launch.tensor_maps;
  return shape.dump();
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
