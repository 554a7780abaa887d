#include "core/launch/bundle.h"

#include "core/base/hash.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace phasebit::test {

using base::content_hash;
using base::TempDir;
using launch::BufferFill;
using launch::Build;
using launch::BundleVariant;
using launch::can_be_padded;
using launch::check_bundle;
using launch::check_manifest;
using launch::ExternalLaunch;
using launch::ExternalParameter;
using launch::GateVerdict;
using launch::Image;
using launch::LaunchShape;
using launch::Manifest;
using launch::manifest_from_json;
using launch::manifest_version;
using launch::read_manifest;
using launch::read_module;
using launch::Role;
using launch::to_json;
using launch::to_string;
using launch::WaitKind;
using launch::write_bundle;
using launch::placement::CodeMoves;
using launch::placement::move_code;
using launch::stores::StoreOperation;
using launch::stores::StoreRewrite;

namespace {

using nlohmann::json;

LaunchShape full_launch() {
  LaunchShape launch;
  launch.threads = 96;
  launch.ctas_per_sm = 2;
  launch.load_ctas = 3;
  launch.cluster_size = 4;
  launch.dynamic_shared_bytes = 4096;
  launch.item_granule = 8;
  launch.min_items = 16;
  launch.producer_turns = 3;
  launch.consumer_turns = 4;
  launch.timed_role = Role::both;
  launch.max_items = 4096;
  launch.work_amount = 5;
  launch.delay_cycles = 77;
  launch.first_rank = 1;
  launch.second_rank = 2;
  launch.readings = {{"polls", "polls per item", Role::victim, 1}};
  launch.guarded = false;
  launch.phases_checked = 9;
  launch.unit = "cycles per \"round\" trip\n";
  launch.slices = {{1, 1, 2, Role::consumer, 6, 7, 3}, {0, 0, 1, Role::producer, 0, 9}};
  launch.payload = {256, 64, 4, 37, {"tiles", {0, 1}, 2, {3}}, 5, 6, 7, {64, 128, 2}};
  launch.fixed_warps = true;
  launch.gap_after = 1;
  launch.gap_warps = 2;
  launch.slots_summed = 4;
  launch.sms = 132;
  launch.stored = {"out", "tiles", StoreOperation::add_u32, StoreRewrite::plus_one};
  launch.data = {8192, 4096, 2};
  launch.workload = {"scale", "out", 2048, 512, -24, -150, true};
  launch.buffers = {{"out", 64, {BufferFill::Kind::random, 7}}};
  launch.tensor_maps.resize(1);
  launch.tensor_maps[0].name = "tiles";
  launch.tensor_maps[0].im2col.emplace();
  return launch;
}

// A manifest in which every field differs from its default and from every other.
Manifest full_manifest() {
  Manifest manifest;
  manifest.target = "sm_90a";
  manifest.ptxas = "13.5.37";
  manifest.ptxas_flags = "-O3";
  manifest.nvdisasm = "13.5.38";
  manifest.commit = "0123abc-dirty";
  manifest.sweep = "core";
  manifest.catalogue.axes["num_stages"] = {"4", "stages"};
  manifest.catalogue.protocols["mbarrier"] = {"{wait}", {}};
  BundleVariant variant;
  variant.key = {"ring/mbarrier", "0123456789ab", {{"probe", "ring"}, {"stages", "8"}}};
  variant.launch = full_launch();
  Image image;
  image.build = Build::guarded;
  image.module = "aa";
  image.entry = "pb_x_g";
  image.ptx_hash = "bb";
  image.text_hash = "cc";
  image.sass_class = "dd";
  image.resources = {40, 41, 42, 43, 44, 16};
  image.gate = {GateVerdict::failed, "wait of consumer: expected 1, found 2"};
  image.census = {
      {"wait", "consumer", {{"SYNCS.PHASECHK.TRANS64.TRYWAIT", 1}}, {{"BRA", 2}}, {{"NOP", 1}}}};
  image.warnings = {"one", "two"};
  image.padding_bytes = 208;
  image.base_module = "a0";
  image.guard = {
      {{1, WaitKind::state, "k", "f.ptx", 7, "wait", "consumer", "op", "x", "y", "", "", "c.cu:1"}},
      {{"full_barrier", 0, 8, 4}}};
  Image timed;
  timed.gate = {GateVerdict::passed, ""};
  ExternalLaunch external;
  external.parameters = {
      {"n", ExternalParameter::Kind::items, 8, 4, 1, {"n", 16, {BufferFill::Kind::word, 7}}}};
  variant.external = external;
  variant.images = {image, timed};
  manifest.variants = {variant};
  return manifest;
}

TEST(Manifest, ComesBackFromJsonAsItWas) {
  const Manifest manifest = full_manifest();
  const std::string text = to_json(manifest);
  const auto back = manifest_from_json(text, "m");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(to_json(*back), text);
  // Spot checks, in case writing loses what reading does not look for.
  const BundleVariant& variant = back->variants.at(0);
  EXPECT_EQ(variant.launch, manifest.variants.at(0).launch);
  EXPECT_EQ(variant.key.value("stages"), "8");
  EXPECT_EQ(variant.key.value("nowhere"), "");
  EXPECT_EQ(variant.launch.timed_role, Role::both);
  EXPECT_EQ(variant.launch.unit, "cycles per \"round\" trip\n");
  EXPECT_EQ(variant.launch.slices.at(0).role, Role::consumer);
  EXPECT_EQ(variant.launch.slices.at(1).rank, 9);
  EXPECT_EQ(variant.launch.slices.at(0).rank_in_cluster, 3);
  EXPECT_EQ(variant.launch.slices.at(1).rank_in_cluster, -1);
  EXPECT_EQ(variant.launch.payload.consumer_vector_words, 4);
  EXPECT_EQ(variant.launch.readings.at(0).role, Role::victim);
  const Image* guarded = variant.image(Build::guarded);
  ASSERT_NE(guarded, nullptr);
  EXPECT_EQ(guarded->resources.barriers, 16);
  EXPECT_EQ(guarded->gate.verdict, GateVerdict::failed);
  EXPECT_EQ(guarded->census.at(0).cold.at("BRA"), 2);
  EXPECT_EQ(guarded->census.at(0).beside.at("NOP"), 1);
  EXPECT_EQ(guarded->warnings, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(guarded->guard.sites.at(0).kind, WaitKind::state);
  EXPECT_EQ(guarded->guard.barriers.at(0).count, 4);
  EXPECT_EQ(guarded->padding_bytes, 208);
  EXPECT_EQ(guarded->base_module, "a0");
  EXPECT_EQ(variant.image(Build::timed)->padding_bytes, 0);
  EXPECT_EQ(variant.image(Build::timed)->gate.verdict, GateVerdict::passed);
  EXPECT_EQ(variant.external.value().parameters.at(0).kind, ExternalParameter::Kind::items);
  EXPECT_EQ(back->commit, "0123abc-dirty");
  EXPECT_EQ(back->catalogue, manifest.catalogue);
}

struct FieldCount {
  std::size_t count = 0;
  template <typename Member>
  void operator()(const char* /*name*/, Member LaunchShape::* /*member*/,
                  const base::Field& /*field*/ = {}) {
    ++count;
  }
};

TEST(Manifest, EveryFieldOfEveryPartIsWritten) {
  const json value = json::parse(to_json(full_manifest()));
  const json& variant = value.at("variants").at(0);
  EXPECT_EQ(value.size(), 10U);
  EXPECT_EQ(variant.size(), 5U);
  EXPECT_EQ(variant.at("external").size(), 7U);
  EXPECT_EQ(variant.at("external").at("parameters").at(0).size(), 6U);
  EXPECT_EQ(variant.at("key").size(), 3U);
  FieldCount launch;
  fields(launch, static_cast<const LaunchShape*>(nullptr));
  EXPECT_EQ(variant.at("launch").size(), launch.count);
  EXPECT_EQ(variant.at("launch").at("slices").at(0).size(), 8U);
  EXPECT_EQ(variant.at("launch").at("payload").size(), 9U);
  EXPECT_EQ(variant.at("launch").at("payload").at("tile").size(), 4U);
  EXPECT_EQ(variant.at("launch").at("payload").at("product").size(), 3U);
  EXPECT_EQ(variant.at("launch").at("stored").size(), 4U);
  EXPECT_EQ(variant.at("launch").at("data").size(), 3U);
  EXPECT_EQ(variant.at("launch").at("buffers").at(0).size(), 3U);
  EXPECT_EQ(variant.at("launch").at("tensor_maps").at(0).size(), 12U);
  EXPECT_EQ(variant.at("launch").at("tensor_maps").at(0).at("im2col").size(), 4U);
  EXPECT_EQ(variant.at("launch").at("readings").at(0).size(), 4U);
  EXPECT_EQ(variant.at("images").at(0).size(), 13U);
  EXPECT_EQ(variant.at("images").at(1).size(), 13U);
  EXPECT_EQ(variant.at("images").at(0).at("resources").size(), 6U);
  EXPECT_EQ(variant.at("images").at(0).at("guard").at("sites").at(0).size(), 13U);
  EXPECT_EQ(variant.at("images").at(0).at("guard").at("barriers").at(0).size(), 4U);
  EXPECT_EQ(variant.at("images").at(0).at("census").at(0).size(), 5U);
}

std::string error_of(const json& value) {
  const auto manifest = manifest_from_json(value.dump(), "b/manifest.json");
  return manifest ? "read" : manifest.error().text();
}

TEST(Manifest, ANewerOrOlderOneIsNamed) {
  json value = json::parse(to_json(full_manifest()));
  EXPECT_EQ(error_of(value), "read");
  value["version"] = manifest_version + 1;
  EXPECT_EQ(error_of(value),
            fmt::format("bundle: b/manifest.json: manifest version {}, this program "
                        "reads {} (use a newer phasebit-bench)",
                        manifest_version + 1, manifest_version));
  // A newer one may hold anything else.
  EXPECT_EQ(error_of(json{{"version", manifest_version + 1}}), error_of(value));
  value["version"] = manifest_version - 1;
  EXPECT_EQ(error_of(value),
            fmt::format("bundle: b/manifest.json: manifest version {}, this program "
                        "reads {} (pack it again with this phasebit)",
                        manifest_version - 1, manifest_version));
}

TEST(Manifest, WhatIsMissingOrUnknownIsNamed) {
  const json good = json::parse(to_json(full_manifest()));
  struct Row {
    const char *pointer, *value, *named;
  };
  const Row rows[] = {
      {"/variants/0/images/0/build", "\"tmied\"", "unknown word \"tmied\""},
      {"/variants/0/images/0/gate/verdict", "\"pased\"", "unknown word \"pased\""},
      {"/variants/0/launch/timed_role", "5", "unknown role 5"},
      {"/variants/0/launch/threads", "\"many\"", "type must be number, but is string"},
      {"/variants", "7", "type must be array, but is number"},
  };
  for (const Row& row : rows) {
    json bad = good;
    bad[json::json_pointer(row.pointer)] = json::parse(row.value);
    const std::string said = error_of(bad);
    EXPECT_EQ(said.substr(0, 25), "bundle: b/manifest.json: ") << said;
    EXPECT_NE(said.find(row.named), std::string::npos) << said;
    EXPECT_NE(said.find(" (pack it again)"), std::string::npos) << said;
  }
  json without = good;
  without["variants"][0]["launch"].erase("payload");
  EXPECT_NE(error_of(without).find("key 'payload' not found"), std::string::npos);
}

// No field takes a number that its type would cut, and none but coordinates and exponents one far
// below zero.
TEST(Manifest, EveryNumberHasARange) {
  const json good = json::parse(to_json(full_manifest()));
  const json flat = good.flatten();
  int numbers = 0;
  for (const auto& [pointer, value] : flat.items()) {
    if (!value.is_number()) continue;
    ++numbers;
    const bool may_be_negative = pointer.find("/tile/at") != std::string::npos ||
                                 pointer.find("/tile/offsets") != std::string::npos ||
                                 pointer.find("/workload/relative") != std::string::npos ||
                                 pointer.find("/workload/absolute") != std::string::npos;
    for (const char* text : {"-32", "1e300", "64.7", "99999999999999999999"}) {
      if (may_be_negative && std::string_view(text) == "-32") continue;
      json bad = good;
      bad[json::json_pointer(pointer)] = json::parse(text);
      const std::string said = error_of(bad);
      EXPECT_NE(said, "read") << pointer << " = " << text;
      EXPECT_TRUE(pointer == "/version" || said.find(pointer) != std::string::npos) << said;
    }
  }
  EXPECT_GT(numbers, 80);
}

TEST(Manifest, ALimitOfTheHardwareIsNamedWithTheField) {
  json bad = json::parse(to_json(full_manifest()));
  bad["variants"][0]["launch"]["cluster_size"] = 17;
  EXPECT_NE(
      error_of(bad).find("(/variants/0/launch/cluster_size) 17 is not a whole number from 1 to 16"),
      std::string::npos)
      << error_of(bad);
}

const char* const module_of_k = "7e7e";

// Two variants of one class that nothing contradicts.
Manifest sound_manifest() {
  Manifest manifest;
  for (const char* id : {"ring/a", "ring/b"}) {
    BundleVariant variant;
    variant.key = {id, base::short_hash(id), {{"probe", "ring"}}};
    variant.launch.threads = 64;
    variant.launch.slices = {{0, 0, 1, Role::producer, 0, 0}, {1, 0, 1, Role::consumer, 0, 0}};
    variant.launch.payload = {64, 32, 1};
    Image image;
    image.module = module_of_k;
    image.entry = "k";
    image.text_hash = "t";
    image.sass_class = "c";
    image.gate.verdict = GateVerdict::passed;
    variant.images = {image};
    manifest.variants.push_back(variant);
  }
  return manifest;
}

TEST(Manifest, WhatContradictsItselfIsRefusedByName) {
  ASSERT_TRUE(check_manifest(sound_manifest()));
  struct Row {
    void (*edit)(BundleVariant& variant);
    const char* said;
  };
  const Row rows[] = {
      {[](BundleVariant& v) { v.images.clear(); }, "no timed image"},
      {[](BundleVariant& v) { v.images.push_back(v.images[0]); }, "two timed images"},
      {[](BundleVariant& v) { v.images[0].module = "../../etc/passwd"; },
       "the module of its timed image is '../../etc/passwd'"},
      {[](BundleVariant& v) { v.images[0].gate.reason = "wait: expected 1, found 2"; },
       "passed by the gate, and refused: wait: expected 1, found 2"},
      {[](BundleVariant& v) { v.images[0].gate.verdict = GateVerdict::failed; },
       "refused by the gate without a reason"},
      {[](BundleVariant& v) { v.images[0].text_hash = "u"; },
       "has the class of ring/a, and other code"},
      {[](BundleVariant& v) { v.launch.min_items = 2; },
       "has the class of ring/a, and other launches"},
      {[](BundleVariant& v) { v.launch.threads = 32; },
       "a role of warp 1 in a launch of 32 threads"},
      {[](BundleVariant& v) { v.launch.slices[0].rank_in_cluster = 1; },
       "a role of CTA 1 in a cluster of 1"},
      {[](BundleVariant& v) { v.launch.slices[0].lane_stride = 3; },
       "a role of every 3th lane from lane 0"},
      {[](BundleVariant& v) { v.launch.first_rank = 1; }, "CTAs 1 and 0 of a cluster of 1"},
      {[](BundleVariant& v) { v.launch.timed_role = Role::victim; },
       "no warp has the timed role 'victim'"},
      {[](BundleVariant& v) { v.launch.payload.consumer_threads = 0; },
       "a payload of 64 words that no thread reads"},
      {[](BundleVariant& v) { v.launch.payload.consumer_vector_words = 3; },
       "consumer_vector_words 3: 1 or 4"},
      {[](BundleVariant& v) { v.launch.payload.kept_words = 1; }, "1 words kept of 0 copied"},
      {[](BundleVariant& v) { v.launch.data = {100, 64, 1}; },
       "data of 100 bytes are not whole tiles of 64"},
      {[](BundleVariant& v) { v.launch.tensor_maps.resize(1); }, "tensor map"},
      {[](BundleVariant& v) { v.key.hash = "0123"; }, "its hash is "},
  };
  for (const Row& row : rows) {
    Manifest bad = sound_manifest();
    row.edit(bad.variants[1]);
    const Status checked = check_manifest(bad);
    ASSERT_FALSE(checked) << row.said;
    EXPECT_NE(checked.error().text().find(fmt::format("bundle: manifest: ring/b: {}", row.said)),
              std::string::npos)
        << checked.error().text();
  }
  Manifest twice = sound_manifest();
  twice.variants[1] = twice.variants[0];
  EXPECT_EQ(check_manifest(twice).error().text(),
            "bundle: manifest: ring/a: duplicate id (pack it again)");
}

// A parameter that lies after the block would be written there.
TEST(Manifest, AStrangersParametersLieInTheirBlock) {
  Manifest manifest = sound_manifest();
  ExternalLaunch external;
  external.parameter_bytes = 8;
  external.starts = {4};
  external.parameters = {{"n", ExternalParameter::Kind::items, 4, 4, 0, {}}};
  manifest.variants[0].external = manifest.variants[1].external = external;
  EXPECT_TRUE(check_manifest(manifest));
  external.parameters[0].offset = 8;
  manifest.variants[0].external = external;
  EXPECT_NE(check_manifest(manifest).error().text().find("parameter n of 4 bytes at 8"),
            std::string::npos);
  external.block = {32, 32, 2};
  manifest.variants[0].external = external;
  EXPECT_NE(check_manifest(manifest).error().text().find("a block of 2048 threads, 1024 at most"),
            std::string::npos);
}

// Products and sums that do not fit a number are beyond every limit.
TEST(Manifest, AStrangersSizesAreNotWrapped) {
  const auto says = [](void (*change)(ExternalLaunch&), const std::string& what) {
    ExternalLaunch external;
    external.parameter_bytes = 8;
    external.starts = {0};
    external.parameters = {{"n", ExternalParameter::Kind::items, 0, 4, 0, {}}};
    EXPECT_FALSE(complaint_about(external));
    change(external);
    EXPECT_EQ(complaint_about(external).value_or("nothing"), what);
  };
  says([](ExternalLaunch& one) { one.grid = {INT32_MAX, INT32_MAX, 4}; },
       "a grid of 9223372036854775807 CTAs");
  says([](ExternalLaunch& one) { one.block = {1 << 30, 1 << 30, 16}; },
       "a block of 9223372036854775807 threads, 1024 at most");
  says([](ExternalLaunch& one) { one.parameters[0].offset = INT32_MAX; },
       "parameter n of 4 bytes at 2147483647, past the 8 bytes of all");
  says([](ExternalLaunch& one) { one.parameter_bytes = INT32_MAX; },
       "2147483647 bytes of parameters, 32764 at most");
}

TEST(Manifest, ATornTextIsAnErrorWhereverItIsCut) {
  const std::string text = to_json(full_manifest());
  for (size_t bytes = 0; bytes + 2 < text.size(); bytes += 7) {
    const auto manifest = manifest_from_json(text.substr(0, bytes), "m");
    ASSERT_FALSE(manifest) << bytes;
    EXPECT_EQ(manifest.error().step, Step::bundle);
  }
}

class Bundle : public testing::Test {
 protected:
  TempDir folder_ = TempDir::create().value();
  const fs::path& folder() const { return folder_.path(); }
};

TEST_F(Bundle, ComesBackFromItsFolder) {
  const std::string cubin(
      "\x7f"
      "ELF\0\1\2",
      7);
  const std::string hash = content_hash(cubin);
  ASSERT_TRUE(write_bundle(folder() / "b", full_manifest(), {{hash, cubin}}));
  const auto manifest = read_manifest(folder() / "b");
  ASSERT_TRUE(manifest) << manifest.error().text();
  EXPECT_EQ(to_json(*manifest), to_json(full_manifest()));
  EXPECT_EQ(read_module(folder() / "b", hash).value(), cubin);
}

// Each of these has its range, and contradicts nothing.
TEST_F(Bundle, WhatWasChangedSinceItWasPackedIsRefused) {
  Manifest manifest = sound_manifest();
  manifest.variants[0].launch.phases_checked = manifest.variants[1].launch.phases_checked = 4;
  manifest.variants[1].images[0].module = "7f7f";
  ASSERT_TRUE(write_bundle(folder(), manifest, {}));
  ASSERT_TRUE(read_manifest(folder()));
  const fs::path file = folder() / "manifest.json";
  const json good = json::parse(base::read_file(file).value());
  struct Row {
    void (*edit)(json& value);
    const char* said;
  };
  const Row rows[] = {
      {[](json& value) {
         json& variants = value["variants"];
         std::swap(variants[0]["images"][0]["module"], variants[1]["images"][0]["module"]);
       },
       ": ring/a"},
      {[](json& value) { value["variants"][1]["launch"]["phases_checked"] = 0; }, ": ring/b"},
      {[](json& value) { value["variants"][1]["launch"]["unit"] = "cycles per phase"; },
       ": ring/b"},
      {[](json& value) { value["variants"][1]["images"][0]["text_hash"] = "u"; }, ": ring/b"},
      {[](json& value) { value["variants"][1]["seal"] = ""; }, ": ring/b"},
      {[](json& value) { value["ptxas"] = "13.5.38"; }, ""},
      {[](json& value) { value["variants"].erase(0); }, ""},
  };
  for (const Row& row : rows) {
    json bad = good;
    row.edit(bad);
    ASSERT_TRUE(base::write_file(file, bad.dump()));
    const auto manifest_read = read_manifest(folder());
    ASSERT_FALSE(manifest_read) << bad.dump();
    const std::string said = manifest_read.error().text();
    EXPECT_TRUE(said.starts_with(fmt::format(
        "bundle: {}{}: changed since it was packed: its seal is '", file.string(), row.said)))
        << said;
  }
  // Both values: what it is, and what it was.
  json bad = good;
  bad["commit"] = "0123abc";
  ASSERT_TRUE(base::write_file(file, bad.dump()));
  const auto changed = manifest_from_json(bad.dump(), "m");
  ASSERT_TRUE(changed);
  EXPECT_EQ(read_manifest(folder()).error().text(),
            fmt::format("bundle: {}: changed since it was packed: its seal is '{}', not '{}' (pack "
                        "it again)",
                        file.string(), json::parse(to_json(*changed))["seal"].get<std::string>(),
                        good["seal"].get<std::string>()));
}

TEST_F(Bundle, EachKernelIsLookedForInItsModule) {
  using namespace std::string_literals;
  const std::string cubin = "\x7f"s + "ELF\0.text.k\0.text.kk\0"s;
  Manifest manifest = sound_manifest();
  for (BundleVariant& variant : manifest.variants) variant.images[0].module = content_hash(cubin);
  ASSERT_TRUE(write_bundle(folder(), manifest, {{content_hash(cubin), cubin}}));
  const Status checked = check_bundle(folder(), manifest);
  EXPECT_TRUE(checked) << checked.error().text();
  manifest.variants[1].images[0].entry = "kkk";
  EXPECT_NE(check_bundle(folder(), manifest).error().text().find("has no kernel 'kkk'"),
            std::string::npos);
  manifest.variants[1].images[0].module = "7e7e";
  EXPECT_NE(check_bundle(folder(), manifest).error().text().find("7e7e.cubin: No such file"),
            std::string::npos);
}

TEST_F(Bundle, AFolderThatIsNoneSaysHowToMakeOne) {
  const std::string path = folder().string();
  EXPECT_EQ(read_manifest(folder()).error().text(),
            fmt::format("bundle: {} is not a bundle: cannot read {}/manifest.json: No such file or "
                        "directory (make one with `phasebit pack`)",
                        path, path));
}

TEST_F(Bundle, ATornAndAMissingModuleAreNamed) {
  const std::string hash = content_hash("cubin");
  const std::string file = (folder() / "modules" / (hash + ".cubin")).string();
  EXPECT_EQ(read_module(folder(), hash).error().text(),
            fmt::format("bundle: cannot read {}: No such file or directory", file));
  ASSERT_TRUE(write_bundle(folder(), full_manifest(), {{hash, "cubi"}}));
  EXPECT_EQ(read_module(folder(), hash).error().text(),
            fmt::format("bundle: {} is torn: its content does not match its name (pack and copy "
                        "the bundle again)",
                        file));
}

// Code of 16 bytes with a number in front that names its place.
TEST_F(Bundle, AModuleIsPaddedWhenItIsRead) {
  using Kind = CodeMoves::Insertion::Kind;
  const std::string code = std::string("\0\0\0\0", 4) + "CODECODECODECODE";
  const CodeMoves moves = {{{4, Kind::padding, 0}, {20, Kind::tail, 0}}, {{0, 4, 1, 0, 0}}};
  const auto padded = [&](int bytes) { return move_code(code, moves, bytes).value(); };
  Image plain;
  plain.module = content_hash(code);
  Image own = plain;
  own.padding_bytes = 32;
  own.base_module = plain.module;
  own.module = content_hash(padded(32));
  Image other = plain;
  other.module = content_hash("x");
  ASSERT_TRUE(write_bundle(folder(), full_manifest(), {{plain.module, code}, {other.module, "x"}},
                           {{plain.module, moves}}));
  EXPECT_EQ(read_module(folder(), plain).value(), code);
  EXPECT_EQ(read_module(folder(), plain, 208).value(), padded(208));
  EXPECT_EQ(read_module(folder(), own).value(), padded(32));
  EXPECT_EQ(read_module(folder(), own, 208).value(), padded(32));  // keeps its own
  EXPECT_TRUE(can_be_padded(folder(), plain));
  EXPECT_TRUE(can_be_padded(folder(), own));
  EXPECT_FALSE(can_be_padded(folder(), other));
  EXPECT_EQ(read_module(folder(), plain, 24).error().text(),
            "usage: padding=24: not a multiple of 16 from 0 to 1024");
  const std::string file = (folder() / "modules" / other.module).string() + ".moves";
  EXPECT_EQ(
      read_module(folder(), other, 16).error().text(),
      fmt::format("bundle:  cannot be padded: cannot read {}: No such file or directory", file));
  // Padded in another way than it was gated.
  own.padding_bytes = 48;
  EXPECT_EQ(read_module(folder(), own).error().text(),
            fmt::format("bundle: {} is torn: its content does not match its name (pack and copy "
                        "the bundle again)",
                        (folder() / "modules" / plain.module).string() + ".moves"));
}

TEST(BuildWords, AreThoseOfTheCommandLine) {
  EXPECT_EQ(to_string(Build::timed), "timed");
  EXPECT_EQ(to_string(Build::guarded), "guarded");
}

}  // namespace
}  // namespace phasebit::test
