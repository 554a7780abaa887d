// A bundle of a few kernels, run by the program on the GPU that is there.
#pragma once

#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/launch/bundle.h"
#include "core/results/store.h"
#include "tests/bench/broken_kernels.h"
#include "tests/bench/hanging_kernels.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Next to this test on a GPU machine, else where it was built.
inline std::string program_path() {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "phasebit-bench";
  return fs::exists(beside) ? beside.string() : PHASEBIT_BENCH;
}

inline bool is_anchor(const launch::BundleVariant& variant) {
  return variant.key.value("probe") == "anchor";
}

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* bundle = std::getenv("PHASEBIT_BUNDLE");
    if (bundle == nullptr) GTEST_SKIP() << "PHASEBIT_BUNDLE names no bundle";
    source_ = bundle;
    auto manifest = launch::read_manifest(source_);
    ASSERT_TRUE(manifest) << manifest.error().text();
    whole_ = std::move(*manifest);
    manifest_ = whole_;
    manifest_.variants.clear();
    keep([](const launch::BundleVariant& variant) { return is_anchor(variant); });
    folder_.emplace(std::move(base::TempDir::create().value()));
    if (const std::string missing = no_gpu(); !missing.empty()) GTEST_SKIP() << missing;
  }

  // Adds variants of the source bundle.
  template <typename Wanted>
  void keep(Wanted wanted) {
    for (const launch::BundleVariant& variant : whole_.variants)
      if (wanted(variant)) manifest_.variants.push_back(variant);
  }

  // A variant of one warp whose builds are kernels of broken_module().
  void add(const std::string& name, const std::string& timed, const std::string& guarded,
           const std::string& module) {
    launch::BundleVariant variant;
    variant.key.id = "broken/" + name;
    variant.key.hash = base::short_hash(variant.key.id);
    variant.key.axes = {{"probe", "broken"}};
    variant.launch.threads = 32;
    variant.launch.slices = {{0, 0, 1, launch::Role::consumer, 0, 0}};
    for (const auto& [build, entry] :
         {std::pair{launch::Build::timed, timed}, {launch::Build::guarded, guarded}}) {
      launch::Image image;
      image.build = build;
      image.entry = entry;
      image.module = base::content_hash(module);
      image.text_hash = image.sass_class = name + entry;
      image.gate.verdict = launch::GateVerdict::passed;
      variant.images.push_back(image);
    }
    modules_[base::content_hash(module)] = module;
    manifest_.variants.push_back(variant);
  }

  // The hanging kernels as one of the builds, with a sound kernel as the other; and one after
  // them.
  void take_hanging(const fs::path& folder, launch::Build build, const std::string& only = "") {
    const launch::Manifest hanging = launch::read_manifest(folder).value();
    for (launch::BundleVariant variant : hanging.variants) {
      if (variant.external || (!only.empty() && variant.key.id != only)) continue;
      launch::Image& image = variant.images.front();
      modules_[image.module] = launch::read_module(folder, image.module).value();
      add("sound", "pb_sound", "pb_sound", broken_module());
      const launch::BundleVariant sound = manifest_.variants.back();
      manifest_.variants.pop_back();
      image.build = build;
      if (build == launch::Build::timed) image.guard = {};
      variant.images.push_back(*sound.image(build == launch::Build::timed ? launch::Build::guarded
                                                                          : launch::Build::timed));
      // All have the same sound twin, but none is measured for another.
      variant.images.back().sass_class = variant.images.back().text_hash = variant.key.id;
      // A cluster has no SM of its own choice, which the sound kernel waits for: its timed build is
      // not reached, or its row says so.
      manifest_.variants.push_back(std::move(variant));
    }
    add("after", "pb_sound", "pb_sound", broken_module());
  }

  // Strangers' kernels with both builds, and a sound one of ours after them.
  void take_strangers(const fs::path& folder) {
    const launch::Manifest hanging = launch::read_manifest(folder).value();
    for (const launch::BundleVariant& variant : hanging.variants) {
      if (!variant.external) continue;
      for (const launch::Image& image : variant.images)
        modules_[image.module] = launch::read_module(folder, image.module).value();
      manifest_.variants.push_back(variant);
    }
    add("after", "pb_sound", "pb_sound", broken_module());
  }

  // Writes the bundle and runs the program, after `words` of its command line (such as timeout).
  base::ProcessOutput run(const std::vector<std::string>& flags = {},
                          std::vector<std::string> words = {}) {
    for (const launch::BundleVariant& variant : manifest_.variants)
      for (const launch::Image& image : variant.images)
        if (!image.module.empty() && !modules_.contains(image.module))
          modules_[image.module] = launch::read_module(source_, image.module).value();
    const fs::path bundle = folder_->path() / "bundle";
    EXPECT_TRUE(launch::write_bundle(bundle, manifest_, modules_));
    for (const std::string& word :
         {program_path(), std::string("--bundle"), bundle.string(), std::string("--store"),
          store_path().string(), std::string("--benchmark_enable_random_interleaving=false")})
      words.push_back(word);
    if (std::none_of(flags.begin(), flags.end(), [](const std::string& flag) {
          return flag.starts_with("--benchmark_repetitions");
        }))
      words.push_back("--benchmark_repetitions=1");
    words.insert(words.end(), flags.begin(), flags.end());
    return base::run_process(words).value();
  }

  fs::path store_path() const { return folder_->path() / "store.sqlite"; }

  // A/A controls and anchors left out.
  std::vector<results::PointRow> rows() {
    auto store = results::Store::open(store_path());
    std::vector<results::PointRow> found = store ? store->points().value() : decltype(found){};
    std::erase_if(found, [](const results::PointRow& row) {
      return row.kind != results::PointKind::point || row.aa_control;
    });
    return found;
  }

  // "" for a measured point, else its error.
  std::map<std::string, std::string> errors() {
    std::map<std::string, std::string> found;
    for (const results::PointRow& row : rows())
      found[row.variant_id] =
          row.error ? fmt::format("{}: {}", base::to_string(row.error->step), row.error->message)
                    : "";
    return found;
  }

  launch::Manifest whole_, manifest_;

 private:
  // Why there is no GPU to test on; "" when there is one.
  std::string no_gpu() {
    launch::Manifest anchors = manifest_;
    add("sound", "pb_sound", "pb_sound", broken_module());
    const base::ProcessOutput output = run({"--ignore-anchors"});
    manifest_ = anchors;
    const bool missing = contains(output.err, "there is no CUDA driver here") ||
                         contains(output.err, "finds no usable GPU");
    fs::remove(store_path());
    return missing ? output.err : "";
  }

  fs::path source_;
  std::optional<base::TempDir> folder_;
  std::map<std::string, std::string> modules_;
};

}  // namespace phasebit::test
