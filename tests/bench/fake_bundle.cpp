#include "tests/bench/fake_bundle.h"

#include "core/base/hash.h"

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::Build;
using launch::BundleVariant;
using launch::GateVerdict;
using launch::Role;

namespace {

const std::string module_content = "no code at all";

launch::Image image_of(Build build, const std::string& entry) {
  launch::Image image;
  image.build = build;
  image.module = base::content_hash(module_content);
  image.entry = entry;
  image.ptx_hash = "ptx " + entry;
  image.text_hash = "text " + entry;
  image.sass_class = "class " + entry;
  image.gate.verdict = GateVerdict::passed;
  return image;
}

}  // namespace

launch::LaunchShape ring_shape() {
  launch::LaunchShape shape;
  shape.threads = 64;
  shape.dynamic_shared_bytes = 1024;
  shape.slices = {{0, 0, 1, Role::producer, 0, 0}, {1, 0, 1, Role::consumer, 0, 0}};
  shape.payload = {64, 32, 1};
  shape.phases_checked = 4;
  return shape;
}

BundleVariant ring_variant(const std::string& name) {
  BundleVariant variant;
  variant.key.id = "ring/" + name;
  variant.key.hash = base::short_hash(variant.key.id);
  variant.key.axes = {{"probe", "ring"}, {"name", name}};
  variant.launch = ring_shape();
  variant.images = {image_of(Build::timed, name + "_t"), image_of(Build::guarded, name + "_g")};
  const std::string entry = name + "_g", consumer = "consumer";
  variant.images.back().guard = {
      {{1, launch::WaitKind::parity, entry, "templates/protocols/mbarrier/wait.ptx", 5, "wait",
        consumer, "mbarrier.try_wait.parity.shared.b64", "c_parity", "c_barrier"},
       {2, launch::WaitKind::unknown, entry, "templates/movers/cp_async/drain.ptx", 3, "drain",
        consumer, "cp.async.wait_group", "0", ""}},
      {{"full_barrier", 0, 8, 4}, {"empty_barrier", 32, 8, 4}}};
  return variant;
}

BundleVariant stranger_variant(const std::string& name) {
  BundleVariant variant = ring_variant(name);
  variant.images.pop_back();
  variant.images.front().gate = {GateVerdict::ungated, "none: no head, outputs not verified"};
  variant.launch = {};
  variant.launch.threads = 64;
  variant.launch.guarded = false;
  variant.launch.unit = "ns per item";
  return variant;
}

std::vector<BundleVariant> anchor_variants() {
  std::vector<std::pair<std::string, int>> anchors = {
      {"clock_pair", 1},  {"globaltimer", 1}, {"fma_32", 1},   {"fma_64", 1},   {"checksum_32", 1},
      {"checksum_64", 1}, {"chase_16", 1},    {"chase_32", 1}, {"nanosleep", 1}};
  for (const int warps : {1, 2, 4, 8, 16, 32})
    anchors.emplace_back("bar_sync/warps=" + std::to_string(warps), warps);
  std::vector<BundleVariant> variants;
  for (const auto& [name, warps] : anchors) {
    BundleVariant variant;
    variant.key.id = "anchor/" + name;
    variant.key.hash = base::short_hash(variant.key.id);
    variant.key.axes = {{"probe", "anchor"}, {"anchor", name}};
    variant.launch.threads = 32 * warps;
    for (int warp = 0; warp < warps; ++warp)
      variant.launch.slices.push_back({warp, 0, 1, Role::consumer, 0, 32 * warp});
    variant.images = {image_of(Build::timed, "pb_anchor_" + name.substr(0, name.find('/')))};
    variant.images[0].gate.verdict = GateVerdict::ungated;
    variants.push_back(variant);
  }
  return variants;
}

nlohmann::json sound_anchors() {
  // Cycles of an item: as many operations as the name says, and 20 for the loop.
  return {{"pb_anchor_clock_pair", {{"cycles", 0}, {"intercept", 20}}},
          {"pb_anchor_globaltimer", {{"cycles", 48}, {"timer_step", 32}}},
          {"pb_anchor_fma_32", {{"cycles", 32 * 4 + 20}}},
          {"pb_anchor_fma_64", {{"cycles", 64 * 4 + 20}}},
          {"pb_anchor_checksum_32", {{"cycles", 32 * 4 + 20}}},
          {"pb_anchor_checksum_64", {{"cycles", 64 * 4 + 20}}},
          {"pb_anchor_chase_16", {{"cycles", 16 * 30 + 20}}},
          {"pb_anchor_chase_32", {{"cycles", 32 * 30 + 20}}},
          {"pb_anchor_nanosleep", {{"cycles", 1000}}},
          {"pb_anchor_bar_sync", {{"cycles", 16 * 25}}}};
}

FakeBundle::FakeBundle() : folder_(base::TempDir::create()) {
  manifest_.target = "sm_90a";
  manifest_.ptxas = "13.5.37";
  manifest_.sweep = "test";
  manifest_.variants = anchor_variants();
  script_ = {{"device", nlohmann::json::object()}, {"kernels", sound_anchors()}};
}

BundleVariant& FakeBundle::add(BundleVariant variant) {
  return manifest_.variants.emplace_back(std::move(variant));
}

fs::path FakeBundle::write() {
  EXPECT_TRUE(folder_);
  const fs::path folder = file("bundle");
  std::string module = module_content;
  for (const BundleVariant& variant : manifest_.variants)
    for (const launch::Image& image : variant.images) module += "\n.entry " + image.entry + "()";
  const std::string hash = base::content_hash(module);
  for (BundleVariant& variant : manifest_.variants)
    for (launch::Image& image : variant.images) image.module = hash;
  // The one without kernels is what a manifest from before names.
  EXPECT_TRUE(launch::write_bundle(
      folder, manifest_, {{hash, module}, {base::content_hash(module_content), module_content}}));
  EXPECT_TRUE(base::write_file(folder / "fake.json", script_.dump(1)));
  return folder;
}

}  // namespace phasebit::test
