// The program on a real GPU. Needs PHASEBIT_BUNDLE, a bundle packed for it; skips, saying so,
// without one and without a GPU.
#include "tests/bench/gpu_test.h"

#include <chrono>
#include <set>

namespace phasebit::test {

using base::ProcessOutput;

namespace {

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
  using Kind = launch::BufferFill::Kind;
  const std::vector<launch::Buffer> right = {{"numbers", 4096, {Kind::index, 0}},
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

// Whether the parts are in the text in their order; " || " is between alternatives.
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

// One warp on one SM, of the 64 that a Hopper's has room for; other GPUs have 48 or 32. It reads
// nothing that is worth a MB. Skipped, with the reason in its row, where counters are not
// permitted.
TEST_F(GpuTest, CountersAreOfTheKernelAlone) {
  add("sound", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run({"--counters"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  ASSERT_EQ(errors()["broken/sound"], "");
  const results::PointRow row = rows().front();
  if (!row.quality.no_counters.empty()) GTEST_SKIP() << row.quality.no_counters.text();
  std::map<std::string, double> counters;
  for (const results::Counter& one : row.counters) counters[one.name] = one.value;
  EXPECT_GT(counters["warps_active_percent"], 1) << output.err;
  EXPECT_LT(counters["warps_active_percent"], 10);
  EXPECT_GT(counters["issue_slots_percent"], 0);
  EXPECT_EQ(counters["tensor_pipe_percent"], 0);
  EXPECT_LT(counters["dram_read_bytes"], 1e6);
  EXPECT_NEAR(counters["stall_selected_cycles"], 1, 1e-6);
}

TEST_F(GpuTest, WithoutCuptiTheRowSaysWhy) {
  add("sound", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run({"--counters", "--cupti", "/nonexistent/libcupti.so"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(errors()["broken/sound"], "");
  EXPECT_TRUE(contains(output.err, "no counters: device: there is no CUPTI here")) << output.err;
  EXPECT_TRUE(contains(rows().front().quality.no_counters.text(), "there is no CUPTI here"));
}

// PHASEBIT_HANGING is the folder that pack_hanging made (tests/bench/pack_hanging.cpp).
TEST_F(GpuTest, EveryKindOfHangIsReportedWithItsPlace) {
  const char* folder = std::getenv("PHASEBIT_HANGING");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_HANGING names no folder of hanging kernels";
  take_hanging(folder, launch::Build::guarded);
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
  const std::string& error = found["external/stranger/hangs"];
  EXPECT_EQ(error.find("guard: guarded build, 1 items: deadlock: warp 0 lane "), 0U) << error;
  EXPECT_TRUE(contains(error, "= 4, found 7") && contains(error, place)) << error;
  EXPECT_EQ(found["external/stranger/ends"], "");
  EXPECT_EQ(found["broken/after"], "");
}

// As in a user's own program: pb_guard is not set, so the kernel prints and traps.
TEST_F(GpuTest, AGuardedKernelAlonePrintsAndTraps) {
  const char* folder = std::getenv("PHASEBIT_HANGING");
  if (folder == nullptr) GTEST_SKIP() << "PHASEBIT_HANGING names no folder of hanging kernels";
  take_hanging(folder, launch::Build::timed, "hanging/parity");
  const ProcessOutput output = run({"--watchdog-seconds", "5"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  const std::string error = errors()["hanging/parity"];
  EXPECT_TRUE(contains(error, "launch: ") && contains(error, "CUDA_ERROR_")) << error;
  EXPECT_TRUE(contains(output.out + output.err,
                       "phasebit: guard: no progress at parity.ptx:39 a.ptx:1 wait"))
      << output.out << output.err;
}

// 16 is the most of a manifest, and some GPUs take 8; the row names that and what this one takes.
TEST_F(GpuTest, AClusterThatIsTooLargeIsARowWithTheDevicesLimit) {
  add("cluster", "pb_sound", "pb_sound", broken_module());
  manifest_.variants.back().launch.cluster_size = launch::most_ctas_of_cluster;
  add("after", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, 0) << output.err;
  auto found = errors();
  const std::string& error = found["broken/cluster"];
  EXPECT_EQ(found["broken/after"], "");
  if (error.starts_with("verify: ")) GTEST_SKIP() << "this GPU takes a cluster of 16";
  EXPECT_EQ(error.find("device: a cluster of 16 CTAs: "), 0U) << error;
  EXPECT_TRUE(contains(error, "takes at most") || contains(error, "has no clusters")) << error;
}

TEST_F(GpuTest, ABundleForAnotherGpuIsRefusedBeforeAnyLaunch) {
  manifest_.target = whole_.target == "sm_75" ? "sm_120a" : "sm_75";
  add("sound", "pb_sound", "pb_sound", broken_module());
  const ProcessOutput output = run();
  EXPECT_EQ(output.exit_status, base::exit_code(Step::device));
  EXPECT_TRUE(contains(output.err, "the bundle is for " + manifest_.target + ", but "))
      << output.err;
  EXPECT_TRUE(contains(output.err, " is sm_")) << output.err;
  EXPECT_FALSE(fs::exists(store_path()));
}

TEST_F(GpuTest, VariantsOfTheBundleRunAndTheirPayloadIsRight) {
  constexpr std::size_t wanted = 100;  // spread over the bundle
  const std::size_t stride = std::max<std::size_t>(1, whole_.variants.size() / wanted);
  std::size_t n = 0;
  keep([&](const launch::BundleVariant& variant) {
    return n++ % stride == 0 && !is_anchor(variant);
  });
  const ProcessOutput output = run({"--no-aa"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  for (const auto& [variant, error] : errors()) EXPECT_EQ(error, "") << variant;
}

using Points = std::multiset<std::pair<std::string, int>>;

// Of each variant the repetitions that have a row, measured or of the same code.
Points points_of(const std::vector<results::PointRow>& rows) {
  Points found;
  for (const results::PointRow& row : rows) {
    EXPECT_FALSE(row.error) << row.variant_id.text() << ": " << row.error->message;
    found.emplace(row.variant_id.text(), row.repetition);
  }
  return found;
}

// Killed 20 times and asked to end 5 times, a little later each time, then left to its end: it has
// the rows of a run that nothing disturbed, each once.
TEST_F(GpuTest, KilledAndEndedItLosesAndRepeatsNoPoint) {
  const std::size_t stride = std::max<std::size_t>(1, whole_.variants.size() / 60);
  std::size_t n = 0;
  keep([&](const launch::BundleVariant& variant) {
    return n++ % stride == 0 && !is_anchor(variant);
  });
  const std::vector<std::string> flags = {"--benchmark_repetitions=30", "--no-aa"};
  ASSERT_EQ(run(flags).exit_status, 0);
  const Points undisturbed = points_of(rows());
  fs::remove(store_path());
  // The start and the anchors, and little else.
  const auto start = std::chrono::steady_clock::now();
  run({"--no-aa"});
  const std::chrono::duration<double> shortest = std::chrono::steady_clock::now() - start;
  fs::remove(store_path());
  std::size_t before = 0, grew = 0;
  for (int end = 0; end < 25; ++end) {
    const char* signal = end % 5 == 4 ? "TERM" : "KILL";
    run(flags, {"timeout", "--foreground", std::string("--signal=") + signal,
                fmt::format("{}", shortest.count() * (0.5 + 0.04 * end))});
    const std::size_t now = points_of(rows()).size();
    EXPECT_GE(now, before) << signal << " " << end;
    grew += now > before;
    before = now;
  }
  EXPECT_LT(before, undisturbed.size());  // else the last ones disturbed nothing
  EXPECT_GT(grew, 5U);
  const ProcessOutput output = run(flags);
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(points_of(rows()), undisturbed);
}

}  // namespace
}  // namespace phasebit::test
