// The program on a real GPU. Needs PHASEBIT_BUNDLE, a bundle packed for it; skips, saying so,
// without one and without a GPU.
#include "core/base/hash.h"
#include "core/base/process.h"
#include "core/image/bundle.h"
#include "core/store/store.h"
#include "tests/bench/broken_kernels.h"
#include "tests/bench/hanging_kernels.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Beside this test on a GPU machine, else where it was built.
std::string program_path() {
  const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / "phasebit-bench";
  return fs::exists(beside) ? beside.string() : PHASEBIT_BENCH;
}

bool is_anchor(const BundleVariant& variant) {
  return variant.key.value("probe") == "anchor";
}

class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* bundle = std::getenv("PHASEBIT_BUNDLE");
    if (bundle == nullptr) GTEST_SKIP() << "PHASEBIT_BUNDLE names no bundle";
    source_ = bundle;
    auto manifest = read_manifest(source_);
    ASSERT_TRUE(manifest) << manifest.error().text();
    whole_ = std::move(*manifest);
    manifest_ = whole_;
    manifest_.variants.clear();
    keep([](const BundleVariant& variant) { return is_anchor(variant); });
    folder_.emplace(std::move(TempDir::create().value()));
    if (const std::string missing = no_gpu(); !missing.empty()) GTEST_SKIP() << missing;
  }

  // Adds variants of the source bundle.
  template <typename Wanted>
  void keep(Wanted wanted) {
    for (const BundleVariant& variant : whole_.variants)
      if (wanted(variant)) manifest_.variants.push_back(variant);
  }

  // A variant of one warp whose builds are kernels of broken_module().
  void add(const std::string& name, const std::string& timed, const std::string& guarded,
           const std::string& module) {
    BundleVariant variant;
    variant.key.id = "broken/" + name;
    variant.key.hash = short_hash(variant.key.id);
    variant.key.axes = {{"probe", "broken"}};
    variant.launch.threads = 32;
    variant.launch.slices = {{0, 0, 1, Role::consumer, 0, 0}};
    for (const auto& [build, entry] : {std::pair{Build::timed, timed}, {Build::guarded, guarded}}) {
      Image image;
      image.build = build;
      image.entry = entry;
      image.module = content_hash(module);
      image.text_hash = image.sass_class = name + entry;
      image.gate.verdict = GateVerdict::passed;
      variant.images.push_back(image);
    }
    modules_[content_hash(module)] = module;
    manifest_.variants.push_back(variant);
  }

  // The hanging kernels as one of the builds, beside a sound kernel as the other; and one behind
  // them.
  void take_hanging(const fs::path& folder, Build build, const std::string& only = "") {
    const Manifest hanging = read_manifest(folder).value();
    for (BundleVariant variant : hanging.variants) {
      if (variant.whole || (!only.empty() && variant.key.id != only)) continue;
      Image& image = variant.images.front();
      modules_[image.module] = read_module(folder, image.module).value();
      add("sound", "pb_sound", "pb_sound", broken_module());
      const BundleVariant sound = manifest_.variants.back();
      manifest_.variants.pop_back();
      image.build = build;
      if (build == Build::timed) image.guard = {};
      variant.images.push_back(*sound.image(build == Build::timed ? Build::guarded : Build::timed));
      // All have the same sound twin, but none is measured for another.
      variant.images.back().sass_class = variant.images.back().text_hash = variant.key.id;
      // A cluster has no SM of its own choice, which the sound kernel waits for: its timed build is
      // not reached, or its row says so.
      manifest_.variants.push_back(std::move(variant));
    }
    add("after", "pb_sound", "pb_sound", broken_module());
  }

  // Strangers' kernels with both builds, and a sound one of ours behind them.
  void take_strangers(const fs::path& folder) {
    const Manifest hanging = read_manifest(folder).value();
    for (const BundleVariant& variant : hanging.variants) {
      if (!variant.whole) continue;
      for (const Image& image : variant.images)
        modules_[image.module] = read_module(folder, image.module).value();
      manifest_.variants.push_back(variant);
    }
    add("after", "pb_sound", "pb_sound", broken_module());
  }

  ProcessOutput run(const std::vector<std::string>& flags = {}) {
    for (const BundleVariant& variant : manifest_.variants)
      for (const Image& image : variant.images)
        if (!image.module.empty() && !modules_.contains(image.module))
          modules_[image.module] = read_module(source_, image.module).value();
    const fs::path bundle = folder_->path() / "bundle";
    EXPECT_TRUE(write_bundle(bundle, manifest_, modules_));
    std::vector<std::string> words = {program_path(),
                                      "--bundle",
                                      bundle.string(),
                                      "--store",
                                      store_path().string(),
                                      "--benchmark_repetitions=1",
                                      "--benchmark_enable_random_interleaving=false"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_process(words).value();
  }

  fs::path store_path() const { return folder_->path() / "store.sqlite"; }

  // "" for a measured point, else its error; A/A controls left out.
  std::map<std::string, std::string> errors() {
    std::map<std::string, std::string> found;
    const Store store = Store::open(store_path()).value();
    const auto rows = store.points().value();
    for (const PointRow& row : rows)
      if (row.kind == PointKind::point && !row.aa_control)
        found[row.variant_id] =
            row.error ? fmt::format("{}: {}", to_string(row.error->step), row.error->message) : "";
    return found;
  }

  Manifest whole_, manifest_;

 private:
  // Why there is no GPU to test on; "" when there is one.
  std::string no_gpu() {
    Manifest anchors = manifest_;
    add("sound", "pb_sound", "pb_sound", broken_module());
    const ProcessOutput output = run({"--ignore-anchors"});
    manifest_ = anchors;
    const bool missing = contains(output.err, "there is no CUDA driver here") ||
                         contains(output.err, "finds no usable GPU");
    fs::remove(store_path());
    return missing ? output.err : "";
  }

  fs::path source_;
  std::optional<TempDir> folder_;
  std::map<std::string, std::string> modules_;
};

TEST_F(GpuTest, EveryAnchorIsInItsRange) {
  add("sound", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_FALSE(contains(output.err, "ANCHOR OFF")) << output.err;
  EXPECT_TRUE(contains(output.err, "anchor     fma: 4")) << output.err;
}

TEST_F(GpuTest, ABrokenKernelCostsItsRowAndTheGpuStillWorks) {
  const std::string module = broken_module();
  add("before", "pb_sound", "pb_sound", module);
  add("never_ends", "pb_never_ends", "pb_sound", module);
  add("traps", "pb_traps", "pb_sound", module);
  add("no_code", "pb_sound", "pb_sound", "no code at all");
  add("no_such_kernel", "pb_missing", "pb_sound", module);
  add("after", "pb_sound", "pb_sound", module);
  const ProcessOutput output = run({"--watchdog-seconds", "3"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  EXPECT_EQ(found["broken/before"], "");
  EXPECT_EQ(found["broken/never_ends"],
            "launch: hung in the timed build, and was killed after 3 s");
  EXPECT_TRUE(contains(found["broken/traps"], "launch: ")) << found["broken/traps"];
  EXPECT_TRUE(contains(found["broken/traps"], "CUDA_ERROR_")) << found["broken/traps"];
  EXPECT_TRUE(contains(found["broken/no_code"], "bundle: cuModuleLoadData: CUDA_ERROR_"))
      << found["broken/no_code"];
  EXPECT_EQ(found["broken/no_such_kernel"], "bundle: the module has no kernel pb_missing");
  EXPECT_EQ(found["broken/after"], "");
  EXPECT_EQ(found.size(), 6U);
}

// The kernel traps where a buffer is not as its fill says, at any launch of the point: each launch
// finds it filled anew. The second is told of other fills than it looks for.
TEST_F(GpuTest, BuffersOfAHeadAreFilledBeforeEachLaunch) {
  using Kind = BufferFill::Kind;
  const std::vector<Buffer> right = {{"numbers", 4096, {Kind::index, 0}},
                                     {"draws", 64, {Kind::random, 1}},
                                     {"zeros", 64, {Kind::word, 0}}};
  add("buffers", "pb_buffers", "pb_buffers", broken_module());
  manifest_.variants.back().launch.buffers = right;
  add("other_fill", "pb_buffers", "pb_buffers", broken_module());
  manifest_.variants.back().launch.buffers = right;
  manifest_.variants.back().launch.buffers[2].fill.kind = Kind::none;  // counted up by a launch
  add("after", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  EXPECT_EQ(found["broken/buffers"], "");
  EXPECT_TRUE(contains(found["broken/other_fill"], "CUDA_ERROR_")) << found["broken/other_fill"];
  EXPECT_EQ(found["broken/after"], "");
}

// Whether the parts stand in the text in their order; " || " stands between alternatives.
bool has_parts(const std::string& text, const std::vector<const char*>& parts) {
  std::size_t from = 0;
  for (const std::string part : parts) {
    const std::size_t bar = part.find(" || ");
    const std::string first = part.substr(0, bar);
    const std::string second = bar == std::string::npos ? first : part.substr(bar + 4);
    const std::size_t at = std::min(text.find(first, from), text.find(second, from));
    if (at == std::string::npos) return false;
    from = at + 1;
  }
  return true;
}

// PHASEBIT_HANGING is the folder that pack_hanging made (tests/bench/pack_hanging.cpp).
TEST_F(GpuTest, EveryKindOfHangIsReportedWithItsPlace) {
  const char* folder = std::getenv("PHASEBIT_HANGING");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_HANGING names no folder of hanging kernels";
  take_hanging(folder, Build::guarded);
  const ProcessOutput output = run({"--watchdog-seconds", "20"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  for (const HangingKernel& kernel : hanging_kernels()) {
    const std::string& error = found[std::string("hanging/") + kernel.name];
    if (kernel.expected.empty())
      EXPECT_EQ(error, "") << kernel.name;
    else
      EXPECT_TRUE(contains(error, "guard: ") && has_parts(error, kernel.expected))
          << kernel.name << ": " << error;
  }
  EXPECT_EQ(found["broken/after"], "");
}

// Neither head nor rules: its guarded build still says where it hangs, long before the watchdog.
TEST_F(GpuTest, AStrangersKernelThatHangsIsReportedWithItsPlace) {
  const char* folder = std::getenv("PHASEBIT_HANGING");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_HANGING names no folder of hanging kernels";
  take_strangers(folder);
  const ProcessOutput output = run({"--watchdog-seconds", "20"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  const std::string place = fmt::format("at stranger.ptx:{}", waiting_stranger_line);
  const std::string& error = found["whole/stranger/hangs"];
  EXPECT_EQ(error.find("guard: guarded build, 1 items: deadlock: warp 0 lane "), 0U) << error;
  EXPECT_TRUE(contains(error, "= 4, found 7") && contains(error, place)) << error;
  EXPECT_EQ(found["whole/stranger/ends"], "");
  EXPECT_EQ(found["broken/after"], "");
}

// As in a user's own program: nobody sets pb_guard, so the kernel prints and traps.
TEST_F(GpuTest, AGuardedKernelAlonePrintsAndTraps) {
  const char* folder = std::getenv("PHASEBIT_HANGING");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_HANGING names no folder of hanging kernels";
  take_hanging(folder, Build::timed, "hanging/parity");
  const ProcessOutput output = run({"--watchdog-seconds", "5"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const std::string error = errors()["hanging/parity"];
  EXPECT_TRUE(contains(error, "launch: ") && contains(error, "CUDA_ERROR_")) << error;
  EXPECT_TRUE(contains(output.out + output.err, "phasebit: guard: no progress at a.ptx:1 wait"))
      << output.out << output.err;
}

// No GPU so far takes 32; the row names that and what this one takes.
TEST_F(GpuTest, AClusterThatIsTooLargeIsARowWithTheDevicesLimit) {
  add("cluster", "pb_sound", "pb_sound", broken_module());
  manifest_.variants.back().launch.cluster_size = 32;
  add("after", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  const std::string& error = found["broken/cluster"];
  EXPECT_EQ(error.find("device: a cluster of 32 CTAs: "), 0U) << error;
  EXPECT_TRUE(contains(error, "takes at most") || contains(error, "has no clusters")) << error;
  EXPECT_EQ(found["broken/after"], "");
}

TEST_F(GpuTest, ABundleForAnotherGpuIsRefusedBeforeAnyLaunch) {
  manifest_.target = whole_.target == "sm_75" ? "sm_120a" : "sm_75";
  add("sound", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, exit_code(Step::device));
  EXPECT_TRUE(contains(output.err, "the bundle is for " + manifest_.target + ", but "))
      << output.err;
  EXPECT_TRUE(contains(output.err, " is sm_")) << output.err;
  EXPECT_FALSE(fs::exists(store_path()));
}

TEST_F(GpuTest, VariantsOfTheBundleRunAndTheirPayloadIsRight) {
  constexpr std::size_t wanted = 100;  // spread over the bundle
  const std::size_t stride = std::max<std::size_t>(1, whole_.variants.size() / wanted);
  std::size_t n = 0;
  keep([&](const BundleVariant& variant) { return n++ % stride == 0 && !is_anchor(variant); });
  const ProcessOutput output = run({"--no-aa"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  for (const auto& [variant, error] : errors()) EXPECT_EQ(error, "") << variant;
}

}  // namespace
}  // namespace phasebit::test
