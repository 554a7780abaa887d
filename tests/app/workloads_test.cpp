// Workloads on the CPU: what the templates make is run by the interpreter, and its output compared
// with the reference, for sizes at every end of its loops.
#include "analysis/protocol/check.h"
#include "core/launch/workload/bf16.h"
#include "core/ptx/run/machine.h"
#include "join/images/executions.h"
#include "join/images/prepare.h"
#include "join/select/open_space.h"
#include "tests/home.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include <gtest/gtest.h>

namespace phasebit::test {

using launch::LaunchShape;
namespace workload = launch::workload;

namespace {

struct Made {
  ptx::PtxFile file;
  ptx::head::Head head;
  const ptx::PtxFunction& entry() const { return *file.entries().front(); }
};

// With its text edited, where that is asked for.
Made make(const std::string& id, const std::string& from = "", const std::string& to = "") {
  auto request = at_home<join::select::SpaceRequest>();
  request.ids = {id};
  const auto space = join::select::open_space(request);
  EXPECT_TRUE(space) << space.error().message;
  auto rendered =
      join::images::render_one(*space, space->expansion.variants.at(0), launch::Build::timed);
  EXPECT_TRUE(rendered) << rendered.error().message;
  if (!from.empty()) {
    int edited = 0;
    for (kernel::ListingLine& line : rendered->listing)
      if (const size_t at = line.text.find(from); at != std::string::npos)
        line.text.replace(at, from.size(), to), ++edited;
    EXPECT_GT(edited, 0) << from;
  }
  auto file = join::images::file_of(space->catalogue, *rendered);
  EXPECT_TRUE(file) << file.error().message;
  return {std::move(*file), rendered->head};
}

// What its verification says of a launch of so many elements; "" for right.
std::string run(const Made& made, std::uint32_t elements, const launch::BufferFill& fill) {
  ptx::head::Head head = made.head;
  head.launch.buffers.at(0).fill = fill;
  const auto launches = join::images::launches_of(head, made.entry(), {elements});
  if (!launches) return launches.error().message;
  const auto program = ptx::run::decode(made.file, made.entry());
  if (!program) return program.error().message;
  ptx::run::RunOptions options;
  options.most_steps = 20'000'000;
  const auto outcome = ptx::run::run_launch(*program, launches->front().launch, options);
  if (!outcome.ended) return "did not end";
  if (outcome.has_unfollowed) return "has values that are not computed";
  const Status verified = launches->front().verify(outcome);
  return verified ? "" : verified.error().message;
}

// Why it is not made; "" for what is.
std::string error_of(const std::string& id) {
  auto request = at_home<join::select::SpaceRequest>();
  request.ids = {id};
  const auto space = join::select::open_space(request);
  if (!space) return space.error().message;
  const auto made =
      join::images::render_one(*space, space->expansion.variants.at(0), launch::Build::timed);
  return made ? std::string() : made.error().message;
}

void says(const std::string& id, const std::string& text) {
  const std::string found = error_of(id);
  EXPECT_NE(found.find(text), std::string::npos) << id << ": " << found;
}

using Kind = launch::BufferFill::Kind;
constexpr launch::BufferFill fills[] = {{Kind::normal, 1}, {Kind::uniform, 2}, {Kind::special, 3}};

// P1 to P5 and H2 to H6: cooperative with one slot, two, and more; roles by lane and by warp, one
// producer or several, consumers that take turns; told to a warp and to the CTA; each mover; and
// plain loads, without a ring.
constexpr const char* kernels[] = {
    "scale/none/ld_global/none/num_stages=1/roles=unified/producers=2/consumers=2",
    "scale/cta_barrier/ld_st/none/num_stages=1/roles=unified/producers=2/consumers=2/"
    "payload_bytes=1024",
    "scale/cta_barrier/ld_st/none/num_stages=2/roles=unified/producers=2/consumers=2/"
    "payload_bytes=1024",
    "scale/cp_async_group/cp_async/none/num_stages=3/roles=unified/producers=2/consumers=2/"
    "wait_prior=1/payload_bytes=1024",
    "scale/cp_async_group/cp_async/none/num_stages=2/roles=unified/publish=warp/payload_bytes=1024",
    "scale/mbarrier/ld_st/none/num_stages=2/granularity=even_odd_lanes/payload_bytes=512",
    "scale/mbarrier/ld_st/none/num_stages=2/producers=2/payload_bytes=1024",
    "scale/named_barrier/ld_st/none/num_stages=2/payload_bytes=1024",
    "scale/flag_acquire_release/ld_st/none/num_stages=2/payload_bytes=1024",
    "scale/cp_async_mbarrier/cp_async/none/num_stages=2/consumers=2/payload_bytes=1024",
    "scale/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=1024",
    "scale/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=1024/elements=1",
    "scale/mbarrier_bulk/bulk/none/consumers=2/sharing=round_robin/payload_bytes=1024",
    "scale/mbarrier_bulk/bulk/none/num_stages=2/granularity=producer_warp/payload_bytes=2048",
};

// W7: tiles that a CTA draws.
constexpr const char* drawing_kernels[] = {
    "scale/mbarrier_bulk/bulk/none/num_stages=2/consumers=2/payload_bytes=1024/schedule=counter",
    "scale/mbarrier/ld_st/none/num_stages=1/payload_bytes=1024/schedule=counter",
    "scale/named_barrier/ld_st/none/num_stages=3/consumers=2/payload_bytes=1024/schedule=counter",
    "scale/cta_barrier/ld_st/none/num_stages=2/payload_bytes=1024/schedule=counter",
    "scale/flag_acquire_release/ld_st/none/num_stages=2/payload_bytes=1024/schedule=counter",
};

void expect_right_for_every_size(const char* id) {
  const Made made = make(id);
  const auto tile = static_cast<std::uint32_t>(made.head.launch.workload.tile_elements);
  // Rounds of the ring of both CTAs, and ends within a tile and within a vector.
  const std::uint32_t counts[] = {
      0, 1, 2, 7, tile, tile - 1, tile + 1, 5 * tile + 13, 18 * tile, 19 * tile + tile / 2 + 3};
  for (const std::uint32_t elements : counts)
    for (const launch::BufferFill& fill : fills)
      EXPECT_EQ(run(made, elements, fill), "")
          << id << ", " << elements << " of " << to_string(fill);
}

protocol::Checked checked(const Made& made, const std::vector<std::uint32_t>& items,
                          const protocol::CheckOptions& options = {}) {
  const auto launches = join::images::launches_of(made.head, made.entry(), items);
  EXPECT_TRUE(launches) << launches.error().message;
  return protocol::check(made.file, made.entry(), *launches, options);
}

TEST(Workloads, ScaleIsRightForEverySize) {
  for (const char* id : kernels) expect_right_for_every_size(id);
}

TEST(Workloads, ScaleOfDrawnTilesIsRightForEverySize) {
  for (const char* id : drawing_kernels) expect_right_for_every_size(id);
}

// Each is proved: no schedule of these launches hangs, races or leaves another output.
TEST(Workloads, ScaleIsProved) {
  for (const char* id : kernels) {
    const Made made = make(id);
    const auto shape = ptx::run::shape_of_run(made.head.launch);
    const auto found =
        checked(made, ptx::run::usual_items(shape, join::images::stages_of(made.head)));
    EXPECT_EQ(found.verdict, protocol::Verdict::proved) << id << "\n" << text_of(found);
  }
}

// Which tiles a CTA has depends on the schedule, so one run proves nothing, and schedules are
// drawn. With one word for all items a producer may overwrite what a consumer has not read.
TEST(Workloads, DrawnTilesAreExplored) {
  protocol::CheckOptions options;
  options.schedules = 20;
  const char* id = drawing_kernels[0];
  const auto found = checked(make(id), {0, 549, 9 * 256}, options);
  EXPECT_EQ(found.verdict, protocol::Verdict::explored) << text_of(found);
  EXPECT_NE(text_of(found).find("an atomic that several threads run on one address"),
            std::string::npos);
  const auto edited =
      checked(make(id, "and.b32 word, word, 63", "and.b32 word, word, 0"), {9 * 256}, options);
  EXPECT_EQ(edited.verdict, protocol::Verdict::error) << text_of(edited);
}

// A CTA for every tile; the answer of the launch control decides, so nothing is proved. One more
// question after the answer that there is no further tile would be under way when its CTA leaves.
TEST(Workloads, LaunchControlIsAskedUntilThereIsNoFurtherTile) {
  const char* id =
      "scale/mbarrier_bulk/bulk/none/consumers=2/payload_bytes=1024/schedule=launch_control";
  const std::vector<std::uint32_t> items = {0, 1, 255, 256, 512};
  const auto found = checked(make(id), items);
  EXPECT_EQ(found.verdict, protocol::Verdict::explored) << text_of(found);
  const auto edited = checked(
      make(id, "setp.lt.and.u32 asks, next, tiles, draws", "setp.le.and.u32 asks, 0, tiles, draws"),
      items);
  EXPECT_EQ(edited.verdict, protocol::Verdict::error);
  EXPECT_NE(text_of(edited).find("may leave before this has ended"), std::string::npos)
      << text_of(edited);
}

// P5: a thread waits for its own copies, and a barrier tells others. The warp's own is enough where
// one warp has the ring, or where each thread reads what it copied; copies of 4 bytes are read by
// other threads, of the other warp too.
TEST(Workloads, AWarpBarrierIsNotEnoughForTwoWarps) {
  const std::string ring = "scale/cp_async_group/cp_async/none/num_stages=2/roles=unified/";
  EXPECT_NE(error_of(ring + "publish=warp/producers=2/consumers=2/payload_bytes=1024")
                .find("bar.warp.sync tells one warp alone"),
            std::string::npos);
  const std::string two = "producers=2/consumers=2/", words = "copy_bytes=4/cache=ca/";
  constexpr const char *cta = "bar.sync 0;", *warp = "bar.warp.sync 0xffffffff;";
  const std::vector<std::uint32_t> items = {9 * 256};
  const auto verdict = [&](const Made& made) { return checked(made, items).verdict; };
  using protocol::Verdict;
  EXPECT_EQ(verdict(make(ring + words + "publish=warp/payload_bytes=1024")), Verdict::proved);
  EXPECT_EQ(verdict(make(ring + two + words + "payload_bytes=1024")), Verdict::proved);
  EXPECT_EQ(verdict(make(ring + two + "payload_bytes=1024", cta, warp)), Verdict::proved);
  const auto race = checked(make(ring + two + words + "payload_bytes=1024", cta, warp), items);
  EXPECT_EQ(race.verdict, Verdict::error);
  EXPECT_NE(text_of(race).find("drain"), std::string::npos) << text_of(race);
}

TEST(Workloads, EditsThatSpoilTheOutputAreSeen) {
  const char* id = "scale/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=1024";
  const struct {
    const char *from, *to, *says;
  } edits[] = {
      // One element of four is not scaled.
      {"mul.f32 kept0_2, kept0_2, factor", "mov.f32 kept0_2, kept0_2", "in element 2 of 2600"},
      // The factor's last bit is another.
      {"mul.f32 kept0_0, kept0_0, factor", "mul.f32 kept0_0, kept0_0, 0f3F333334",
       "by reference 'scale'"},
      // The ragged end one element short.
      {"setp.ge.u32 more, at, elements", "setp.gt.u32 more, at, tiles", "was not written"},
      // The next tile in place of the one after the other CTA's.
      {"mul.lo.u32 tile, ctas, 1", "mul.lo.u32 tile, ctas, 2", ""},
  };
  // Every other tile that is drawn.
  const std::string drew =
      run(make(drawing_kernels[0], "[counter], 1", "[counter], 2"), 6000, fills[0]);
  EXPECT_NE(drew.find("the CTAs drew"), std::string::npos) << drew;
  for (const auto& edit : edits) {
    const std::string found = run(make(id, edit.from, edit.to), 2600, fills[0]);
    EXPECT_NE(found, "") << edit.from;
    EXPECT_NE(found.find(edit.says), std::string::npos) << edit.from << ": " << found;
  }
}

// Twice as many tiles are waited for, filled and handed back twice as often.
TEST(Workloads, ExecutionsAreThoseOfTiles) {
  const Made made = make("scale/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=1024");
  const auto counted = join::images::counted_of(made.file, made.entry(), made.head);
  EXPECT_EQ(counted.why_not, "");
  for (const std::string verb : {"acquire", "fill", "wait", "release"}) {
    std::uint64_t once = 0, twice = 0;
    for (const auto& [key, pair] : counted.counts)
      if (key.verb == verb && key.window == protocol::Window::inside &&
          key.counting == protocol::Counting::synchronisation)
        once += pair.once, twice += pair.twice;
    EXPECT_GT(once, 0U) << verb;
    EXPECT_EQ(twice, 2 * once) << verb;
  }
}

TEST(Workloads, BadInputIsAnErrorWithItsLimit) {
  EXPECT_NE(error_of("scale/mbarrier_bulk/bulk/none/payload_bytes=1024/elements=2147483649")
                .find("no value '2147483649'"),
            std::string::npos);
  EXPECT_EQ(error_of("scale/mbarrier_bulk/bulk/none/payload_bytes=1024/elements=2147483648"), "");
  EXPECT_NE(error_of("scale/mbarrier_bulk/bulk/none/num_stages=32/consumers=2/payload_bytes=16384")
                .find("at most 231424 bytes"),
            std::string::npos);
}

// What a manifest or a head of a user's may say.
TEST(Workloads, ShapesThatCannotBeVerifiedAreRefused) {
  const LaunchShape sound =
      make("scale/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=1024").head.launch;
  EXPECT_TRUE(launch::check_shape(sound)) << launch::check_shape(sound).error().message;
  const struct {
    void (*change)(LaunchShape& shape);
    const char* message;
  } rows[] = {
      {[](LaunchShape& one) { one.workload.reference = "scales"; },
       "workload: no reference 'scales'"},
      {[](LaunchShape& one) { one.workload.elements = 16'777'217; },
       "workload: 16777217 elements in 67108864 bytes of 'out'"},
      {[](LaunchShape& one) { one.workload.output = "result"; },
       "workload: 16777216 elements in 0 bytes of 'result'"},
      {[](LaunchShape& one) { one.workload.output = "in"; },
       "workload: no buffer before 'in' is its input"},
      {[](LaunchShape& one) { one.buffers[0].fill = {Kind::index, 0}; },
       "workload: input 'in' holds index, not numbers"},
  };
  for (const auto& row : rows) {
    LaunchShape shape = sound;
    row.change(shape);
    const Status checked = launch::check_shape(shape);
    ASSERT_FALSE(checked) << row.message;
    EXPECT_EQ(checked.error().message, row.message);
  }
}

// The comparison itself, against values by hand.
TEST(Workloads, ComparesAsFloatingPointIsCompared) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  LaunchShape shape;
  shape.workload = {"scale", "out", 100, 4, -24, -150};
  const auto input = launch::content_of({"in", 400, {Kind::special, 3}});
  shape.buffers = {{"in", 400, {Kind::special, 3}},
                   {"out", 400, {Kind::word, workload::untouched}}};
  const auto check = [&](float argument, std::uint64_t element, float found) {
    shape.work_amount = std::bit_cast<std::uint32_t>(argument);
    workload::Expected expected = launch::expected_output(shape);
    const std::uint32_t word = std::bit_cast<std::uint32_t>(found);
    return static_cast<bool>(expected.check(100, element, std::span(&word, 1)));
  };
  // Every seventh, from the fourth on: NaN, infinities, zeros, subnormals, the smallest normal, the
  // largest and its opposite.
  EXPECT_TRUE(std::isnan(std::bit_cast<float>(input[3])));
  EXPECT_TRUE(check(2, 3, nan));
  EXPECT_FALSE(check(2, 3, 1));
  EXPECT_TRUE(check(2, 10, inf));
  EXPECT_FALSE(check(2, 10, -inf));
  EXPECT_TRUE(check(2, 17, -inf));
  EXPECT_TRUE(check(2, 59, inf));  // twice the largest is rounded to infinity
  EXPECT_FALSE(check(2, 59, std::numeric_limits<float>::max()));
  EXPECT_TRUE(check(2, 38, std::numeric_limits<float>::denorm_min() * 2));
  EXPECT_FALSE(check(2, 38, 0));  // a kernel that flushes subnormal numbers
  // Within half a unit in the last place of 24 bits, and not a unit.
  const float ordinary = std::bit_cast<float>(input[0]);
  EXPECT_TRUE(check(1, 0, ordinary));
  EXPECT_FALSE(check(1, 0, std::nextafter(ordinary, inf)));
}

// H9: warps that share a row and warps that take turns, one row a tile and several, each mover, and
// plain loads; a matrix of one tile and of many; every mix.
struct Gather {
  const char* id;
  std::vector<std::uint32_t> elements;  // ends within a row of x and within a tile among them
};
const Gather gathers[] = {
    {"gather/none/ld_global/none/num_stages=1/roles=unified/producers=2/consumers=2/"
     "payload_bytes=2048/rank=8/hidden=256/batch=9/adapters=5",
     {72, 71, 9, 1, 0}},
    {"gather/cta_barrier/ld_st/none/num_stages=1/roles=unified/producers=2/consumers=2/"
     "payload_bytes=2048/rank=4/hidden=256/batch=9/adapters=3/mix=even",
     {36, 35, 3, 0}},
    {"gather/cta_barrier/ld_st/none/num_stages=2/roles=unified/payload_bytes=1024/rank=16/"
     "hidden=128/batch=5/adapters=2/mix=zipf",
     {80, 79, 17, 1}},
    {"gather/cp_async_group/cp_async/none/num_stages=4/roles=unified/producers=4/consumers=4/"
     "wait_prior=2/payload_bytes=2048/rank=16/hidden=512/batch=4/adapters=4",
     {64, 33, 16, 0}},
    {"gather/mbarrier/ld_st/none/num_stages=2/producers=2/consumers=2/payload_bytes=1024/rank=8/"
     "hidden=256/batch=7/adapters=4/mix=same",
     {56, 8, 7}},
    {"gather/cp_async_mbarrier/cp_async/none/num_stages=2/consumers=2/payload_bytes=1024/rank=8/"
     "hidden=256/batch=7/adapters=4",
     {56, 55, 2}},
    {"gather/mbarrier_bulk/bulk/none/num_stages=3/consumers=4/payload_bytes=8192/rank=16/"
     "hidden=512/batch=6/adapters=5/mix=even",
     {96, 95, 50, 0}},
    {"gather/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=512/rank=1/hidden=128/batch=11/"
     "adapters=5",
     {11, 10, 1, 0}},
    {"gather/mbarrier_bulk/bulk/none/consumers=2/sharing=round_robin/payload_bytes=1024/rank=4/"
     "hidden=128/batch=8/adapters=5/mix=zipf",
     {32, 31, 29, 2}},
    {"gather/mbarrier_bulk/bulk/none/num_stages=2/granularity=producer_warp/payload_bytes=4096/"
     "rank=4/hidden=1024/batch=5/adapters=3",
     {20, 19, 0}},
    {"gather/mbarrier_bulk/bulk/none/num_stages=2/consumers=16/payload_bytes=32768/rank=2/"
     "hidden=8192/batch=4/adapters=3",
     {8, 7}},
};

// W7: rows of x that a CTA draws, each of one tile or of several.
const Gather drawing_gathers[] = {
    {"gather/mbarrier_bulk/bulk/none/num_stages=2/payload_bytes=512/rank=1/hidden=128/batch=11/"
     "adapters=4/schedule=counter",
     {11, 9, 2, 1, 0}},
    {"gather/mbarrier_bulk/bulk/none/num_stages=3/consumers=4/payload_bytes=8192/rank=16/"
     "hidden=2048/batch=5/adapters=3/schedule=counter",
     {80, 79, 17, 3}},
    {"gather/mbarrier/ld_st/none/num_stages=2/consumers=2/payload_bytes=1024/rank=8/hidden=256/"
     "batch=7/adapters=3/schedule=counter",
     {56, 55, 9, 0}},
};

// What its verification says of a launch of its own contents.
std::string run_own(const Made& made, std::uint32_t elements) {
  return run(made, elements, made.head.launch.buffers.at(0).fill);
}

void expect_right(const Gather& one) {
  for (const char* contents :
       {"data_seed=1", "data_seed=2/contents=uniform", "data_seed=3/contents=rare"}) {
    const Made made = make(std::string(one.id) + "/" + contents);
    for (const std::uint32_t elements : one.elements)
      EXPECT_EQ(run_own(made, elements), "") << one.id << ", " << contents << ", " << elements;
  }
}

TEST(Workloads, GatherIsRightForEveryShapeAndSeed) {
  for (const Gather& one : gathers) expect_right(one);
}

TEST(Workloads, GatherOfDrawnRowsIsRightInEverySchedule) {
  protocol::CheckOptions options;
  options.schedules = 5;
  for (const Gather& one : drawing_gathers) {
    expect_right(one);
    const auto found = checked(make(one.id), one.elements, options);
    EXPECT_EQ(found.verdict, protocol::Verdict::explored) << one.id << "\n" << text_of(found);
  }
}

TEST(Workloads, GatherIsProved) {
  for (const Gather& one : gathers) {
    const Made made = make(one.id);
    const auto found = checked(made, one.elements);
    EXPECT_EQ(found.verdict, protocol::Verdict::proved) << one.id << "\n" << text_of(found);
  }
}

TEST(Workloads, EditsThatSpoilAGatherAreSeen) {
  const std::string id = gathers[6].id;
  const struct {
    const char *from, *to;
  } wrong[] = {
      {"sum1_0, 16, 31", "sum1_0, 8, 31"},                       // half of the lanes, twice
      {"fma.rn.f32 sum2_3, word3", "fma.rn.f32 sum2_3, word2"},  // a word in another's place
      {"p_matrix, 4, p_part", "p_matrix, 3, p_part"},            // another matrix
      {"setp.ne.u32 other, row, x_row", "setp.gt.u32 other, row, items"},  // x stays
      {"mul.wide.u32 to, out_tile, 16", "mul.wide.u32 to, out_tile, 20"},
      {"sub.u32 place, place, row", "add.u32 place, place, row"},  // what is less than a tile
  };
  for (const auto& edit : wrong) {
    const std::string found = run_own(make(id, edit.from, edit.to), 95);
    EXPECT_NE(found, "") << edit.from;
  }
  // One barrier a tile is enough for two places of the warps' sums, and not for one.
  const auto race = checked(make(id, "mov.u32 partials, other_partials", "mov.u32 row, row"), {96});
  EXPECT_EQ(race.verdict, protocol::Verdict::error) << text_of(race);
}

// By hand: x = (1, 2), (3, 4); matrices ((5, 6), (7, 8)) and ((-1, 2), (inf, max)).
TEST(Workloads, TheReferenceOfGatherIsThatByHand) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float max = std::numeric_limits<float>::max();
  const auto check = [&](std::uint32_t first_matrix, std::uint64_t element, float found) {
    const std::vector<float> index = {std::bit_cast<float>(first_matrix), std::bit_cast<float>(0U)};
    workload::WorkloadShape shape{"gather", "out", 4, 1, -18, -132};
    shape.rows = shape.columns = 2;
    workload::Expected expected(shape,
                                {0, {{1, 2, 3, 4}, {5, 6, 7, 8, -1, 2, inf, max}, index}, 2, 2});
    const std::uint32_t word = std::bit_cast<std::uint32_t>(found);
    return static_cast<bool>(expected.check(4, element, std::span(&word, 1)));
  };
  EXPECT_TRUE(check(0, 0, 17));  // 5 + 12
  EXPECT_TRUE(check(0, 1, 23));  // 7 + 16
  EXPECT_TRUE(check(1, 2, 39));  // 15 + 24
  EXPECT_TRUE(check(1, 3, 53));  // 21 + 32
  // -1 + 4 is 3, and its terms' sizes are 5: right within 5 * 2^-18 = 0.0000191.
  EXPECT_TRUE(check(1, 0, 3.000019F));
  EXPECT_FALSE(check(1, 0, 3.00002F));
  EXPECT_FALSE(check(1, 0, std::numeric_limits<float>::quiet_NaN()));
  // inf + 2 * max: the finite term is above the largest f32, so the order decides.
  EXPECT_TRUE(check(1, 1, inf));
  EXPECT_TRUE(check(1, 1, std::numeric_limits<float>::quiet_NaN()));
}

TEST(Workloads, IndicesAreDrawnAsTheirMixSays) {
  const auto drawn = [](const std::string& mix, std::uint64_t count) {
    const auto fill = launch::BufferFill::of_text("indices:" + mix);
    EXPECT_TRUE(fill) << mix;
    EXPECT_EQ(to_string(*fill), "indices:" + mix);
    return launch::content_of({"index", 4 * count, *fill});
  };
  const auto same = drawn("same:9:5", 20);
  EXPECT_LT(same[0], 9U);
  EXPECT_EQ(std::count(same.begin(), same.end(), same[0]), 20);
  auto distinct = drawn("distinct:9:5", 18);
  EXPECT_TRUE(std::equal(distinct.begin(), distinct.begin() + 9, distinct.begin() + 9));
  EXPECT_FALSE(std::is_sorted(distinct.begin(), distinct.begin() + 9));
  std::sort(distinct.begin(), distinct.end());
  for (std::uint32_t n = 0; n < 18; ++n) EXPECT_EQ(distinct[n], n / 2);
  // Of 25,000: 1/4 each within four deviations of 68; 12, 6, 4 and 3 of 25 within four of 79 at
  // most.
  const auto even = drawn("even:4:6", 25000), zipf = drawn("zipf:4:7", 25000);
  const int chances[] = {12000, 6000, 4000, 3000};
  for (std::uint32_t n = 0; n < 4; ++n) {
    EXPECT_NEAR(std::count(even.begin(), even.end(), n), 6250, 272) << n;
    EXPECT_NEAR(std::count(zipf.begin(), zipf.end(), n), chances[n], 316) << n;
  }
  for (const char* text : {"indices:same:9", "indices:any:9:5", "indices:same:0:5",
                           "indices:same:1048577:5", "indices:same:9:x"})
    EXPECT_FALSE(launch::BufferFill::of_text(text)) << text;
}

TEST(Workloads, ABadGatherIsAnErrorWithItsLimit) {
  const std::string ring = "gather/mbarrier_bulk/bulk/none/payload_bytes=16384";
  says(ring + "/rank=5", "no value '5'");
  says(ring + "/batch=1000001", "no value '1000001'");
  says(ring + "/rank=128/adapters=65536", "matrices: 34359738368 elements, 0 to 2147483648");
  says(ring + "/num_stages=16/consumers=4", "at most 231424 bytes");
  says(ring + "/hidden=2048/rank=1", "each matrix so many tiles");
  const Made made = make(gathers[0].id);
  LaunchShape shape = made.head.launch;
  EXPECT_TRUE(launch::check_shape(shape)) << launch::check_shape(shape).error().message;
  EXPECT_EQ(run_own(made, 73), "73 elements, the inputs have room for 72");
  shape.buffers[2].fill.bound = 6;
  const Status checked = launch::check_shape(shape);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            "workload: 'index' holds indices below 6, 'matrices' 5 matrices of 8192 bytes");
}

// W9: tiles of one and of several warpgroups, CTAs alone and two that share rows of A or of B, both
// swizzles; a launch of no row, of less than a tile, of several bands of tiles.
const Gather gemms[] = {
    {"gemm/mbarrier_bulk/matrices/wgmma/num_stages=2/granularity=producer_warp/tile_n=64/"
     "payload_bytes=16384/m=330/n=128/k=192",
     {330 * 128, 200 * 128, 65 * 128, 64 * 128, 128, 0}},
    {"gemm/mbarrier_bulk/matrices/wgmma/num_stages=3/granularity=producer_warp/consumers=2/"
     "tile_n=64/tile_k=32/payload_bytes=12288/in_flight=1/order_rows=1/m=600/n=128/k=160",
     {600 * 128, 129 * 128, 5 * 128}},
    {"gemm/mbarrier_bulk/matrices/wgmma/num_stages=2/granularity=producer_warp/consumers=2/"
     "tile_n=256/in_flight=1/setmaxnreg=on/m=300/n=256/k=320",
     {300 * 256, 256}},
    {"gemm/mbarrier_cluster_bulk/matrices/wgmma/num_stages=2/granularity=producer_warp/tile_n=64/"
     "payload_bytes=16384/cluster_size=2/multicast=a/m=300/n=256/k=192",
     {300 * 256, 64 * 256, 256, 0}},
    {"gemm/mbarrier_cluster_bulk/matrices/wgmma/num_stages=3/granularity=producer_warp/consumers=2/"
     "tile_n=64/payload_bytes=24576/in_flight=1/cluster_size=2/multicast=b/m=700/n=128/k=192",
     {700 * 128, 130 * 128, 128 * 128, 128}},
};

// The interpreter does not compute products: what they are is compared on a GPU.
TEST(Workloads, GemmIsProved) {
  for (const Gather& one : gemms) {
    const auto found = checked(make(one.id), one.elements);
    EXPECT_EQ(found.verdict, protocol::Verdict::proved) << one.id << "\n" << text_of(found);
  }
}

TEST(Workloads, EditsThatSpoilAGemmAreSeen) {
  const struct {
    const char *from, *to;
  } wrong[] = {
      {"cp.async.bulk.wait_group.read 1", "cp.async.bulk.wait_group.read 2"},  // a buffer in use
      {"fence.proxy.async.shared::cta", "mov.u32 at, at"},  // words that the copy does not see
      {"bar.sync c_store_barrier, 128", "mov.u32 at, at"},
      {"wgmma.wait_group.sync.aligned 0", "mov.u32 c_depth, c_depth"},  // sums under way
      {"mad.lo.u32 c_buffer, own, 16384", "mad.lo.u32 c_buffer, own, 8192"},
  };
  for (const auto& edit : wrong) {
    const auto found = checked(make(gemms[2].id, edit.from, edit.to), {300 * 256});
    EXPECT_EQ(found.verdict, protocol::Verdict::error) << edit.from << "\n" << text_of(found);
  }
}

// By hand: a = (1, 2), (3, 4); b = (5, 6), (7, 8). bf16 has steps of 1/4 from 32 on.
TEST(Workloads, TheReferenceOfGemmIsThatByHand) {
  workload::WorkloadShape shape{"gemm", "out", 4, 4, -12, -133};
  shape.rows = shape.columns = 2;
  shape.halves = true;
  const auto check = [&](float first, float second, float third, float fourth) {
    workload::Expected expected(shape, {0, {{1, 2, 3, 4}, {5, 6, 7, 8}}, 2, 2});
    const auto half = [](float value) { return std::uint32_t{workload::bf16_of(value)}; };
    const std::uint32_t words[] = {half(first) | half(second) << 16U, half(third) | half(fourth)
                                                                                        << 16U};
    return static_cast<bool>(expected.check(4, 0, words));
  };
  EXPECT_TRUE(check(17, 23, 39, 53));
  EXPECT_FALSE(check(23, 17, 39, 53));
  EXPECT_FALSE(check(17, 23, 39.25F, 53));
  EXPECT_EQ(workload::bf16_of(1.00390625F), 0x3F80);  // a tie goes to the even one
  EXPECT_EQ(workload::bf16_of(1.01171875F), 0x3F82);
  EXPECT_TRUE(std::isnan(workload::value_of_bf16(workload::bf16_of(NAN))));
}

// 2^46 products: of 8,192 rows one is compared.
TEST(Workloads, OfALargeProductSomeRowsAreCompared) {
  workload::WorkloadShape shape{"gemm", "out", std::int64_t{1} << 31, 1, -12, -133};
  shape.rows = shape.columns = std::int64_t{1} << 15;
  workload::Expected expected(shape, {0, {{1, 2, 3}, {4, 5, 6}}, 1U << 15U, 1U << 15U});
  const std::uint32_t word = 0;
  EXPECT_FALSE(expected.check(std::uint64_t{1} << 31U, 0, std::span(&word, 1)));
  EXPECT_TRUE(
      expected.check(std::uint64_t{1} << 31U, std::uint64_t{1} << 15U, std::span(&word, 1)));
}

TEST(Workloads, ABadGemmIsAnErrorWithItsReason) {
  const std::string gemm =
      "gemm/mbarrier_bulk/matrices/wgmma/granularity=producer_warp/consumers=2/";
  says(gemm + "tile_n=256/n=640", "n is whole tiles of columns");
  says(gemm + "tile_n=256/num_stages=6", "at most 231424 bytes");
  says(gemm + "tile_n=256/multicast=a", "CTAs of a cluster share rows");
  says(gemm + "tile_n=128", "payload_bytes = 2 * tile_k");
}

}  // namespace
}  // namespace phasebit::test
