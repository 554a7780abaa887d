// Every byte of every section of small images of several compilers, flipped: what does not change
// the class of a kernel, by kind, with the reason. The counts are checked against a reviewed list.
#include "tests/analysis/flips/flips.h"

#include "core/base/file.h"
#include "core/base/process.h"
#include "tests/analysis/sass/class_images.h"
#include "tests/analysis/sass/rings.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// As LLVM's NVPTX backend writes it.
constexpr const char* of_llvm = R"(
.func (.param .b32 func_retval0) helper(.param .b32 helper_param_0);
.visible .entry sum(
	.param .u64 .ptr .global .align 4 sum_param_0,
	.param .u32 sum_param_1
)
.reqntid 64, 1, 1
{
	.reg .pred 	%p<3>;
	.reg .b32 	%r<9>;
	.reg .b64 	%rd<3>;
	ld.param.b32 	%r1, [sum_param_1];
	ld.param.b64 	%rd1, [sum_param_0];
	mov.b32 	%r2, 0;
	setp.lt.s32 	%p1, %r1, 1;
	@%p1 bra 	$L__BB0_3;
$L__BB0_1:
	ld.global.b32 	%r3, [%rd1];
	{
	.param .b32 param0;
	.param .b32 retval0;
	st.param.b32 	[param0], %r3;
	call.uni (retval0), helper, (param0);
	ld.param.b32 	%r4, [retval0];
	}
	add.s32 	%r2, %r2, %r4;
	add.s32 	%r1, %r1, -1;
	setp.ne.s32 	%p2, %r1, 0;
	@%p2 bra 	$L__BB0_1;
$L__BB0_3:
	st.global.b32 	[%rd1], %r2;
	ret;
}
.func (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	.reg .b32 	%r<3>;
	ld.param.b32 	%r1, [helper_param_0];
	mul.lo.s32 	%r2, %r1, 3;
	st.param.b32 	[func_retval0], %r2;
	ret;
}
)";

// Functions by a table, shared memory of three kinds, a pointer to data, what a launch allocates.
constexpr const char* of_tables = R"(
.visible .func (.param .b32 r) triple(.param .b32 x);
.visible .func (.param .b32 r) next(.param .b32 x);
.visible .global .align 8 .u64 table[2] = {triple, next};
.visible .global .align 4 .u32 words[2] = {1, 2};
.visible .global .align 8 .u64 at[1] = {generic(words)};
.visible .global .align 256 .b8 buffer[256];
.shared .align 4 .b8 outer[64];
.extern .shared .align 16 .b8 dynamic[];
.visible .func (.param .b32 r) triple(.param .b32 x)
{
  .reg .b32 v;
  ld.param.b32 v, [x];
  mul.lo.s32 v, v, 3;
  st.param.b32 [r], v;
  ret;
}
.visible .func (.param .b32 r) next(.param .b32 x)
{
  .reg .b32 v;
  ld.param.b32 v, [x];
  add.s32 v, v, 1;
  st.param.b32 [r], v;
  ret;
}
.visible .entry k(.param .u64 out, .param .u32 i)
{
  .shared .align 8 .b8 own[64];
  .reg .b64 o, p, f; .reg .b32 n, v;
  ld.param.u64 o, [out];
  ld.param.u32 n, [i];
  mul.wide.s32 f, n, 8;
  mov.u64 p, table;
  add.s64 p, p, f;
  ld.global.u64 f, [p];
  ld.global.u64 p, [at];
  ld.u32 v, [p];
  {
    .param .b32 a;
    .param .b32 b;
    st.param.b32 [a], v;
    like: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (b), f, (a), like;
    ld.param.b32 v, [b];
  }
  st.global.u32 [buffer], v;
  st.shared.u32 [own], v;
  st.shared.u32 [outer], v;
  st.shared.u32 [dynamic], v;
  bar.sync 2;
  ld.shared.u32 v, [own+4];
  st.global.u32 [o], v;
  ret;
}
)";

constexpr const char* of_tensor_memory = R"(
.visible .entry k()
{
  .shared .b32 address;
  tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [address], 32;
  ret;
}
)";

struct Source {
  const char* ptxas;
  const char* version;  // of PTX, for which the text is rewritten
  const char* target;
  std::string text;  // without .version and .target, or the name of a file that nvcc made
  const char* entry;
  std::vector<std::string> flags = {};
};

std::vector<Source> sources() {
  const std::string two = data_kernel + ".visible .entry beside()\n{\n  bar.sync 5;\n  ret;\n}\n";
  const char *old = "11.8.89/nvidia/cuda_nvcc", *middle = "12.4.131/nvidia/cuda_nvcc",
             *pinned = "13.5.37/nvidia/cu13";
  return {
      {old, "7.8", "sm_75", two, "k"},
      {old, "7.8", "sm_80", two, "k", {"-c"}},
      {old, "7.8", "sm_86", "memory_sm_75.ptx", "shared_flag"},
      {middle, "8.4", "sm_89", two, "k"},
      {middle, "8.4", "sm_90a", of_tables, "k", {"-c"}},
      {middle, "8.4", "sm_80", "pipeline_sm_80.ptx", "pipeline"},
      {middle, "8.4", "sm_90", "cluster_sm_90.ptx", "cluster", {"-lineinfo"}},
      {pinned, "8.7", "sm_90", two, "k"},
      {pinned, "8.7", "sm_80", two, "k", {"-c"}},
      {pinned, "8.8", "sm_103a", of_tables, "k"},
      {pinned, "8.7", "sm_120a", of_tables, "k", {"-c"}},
      {pinned, "8.7", "sm_90a", of_llvm, "sum"},
      {pinned, "9.0", "sm_90a", "barrier_sm_90.ptx", "by_state", {"-g"}},
      {pinned, "9.0", "sm_120a", "wait_loop_sm_90.ptx", "one_lane", {"-lineinfo"}},
      {pinned, "8.7", "sm_100a", of_tensor_memory, "k"},
  };
}

std::string heading(const Source& source) {
  return fmt::format(".version {}\n.target {}\n.address_size 64\n", source.version, source.target);
}

// What nvcc made, with another heading.
std::string text_of(const Source& source) {
  if (!source.text.ends_with(".ptx")) return heading(source) + source.text;
  const std::string made =
      base::read_file(base::source_root() / "tests/gen/guard" / source.text).value();
  const std::string last = ".address_size 64\n";
  return heading(source) + made.substr(made.find(last) + last.size());
}

Result<std::string> image_of(const Source& source) {
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string in = (folder.path() / "k.ptx").string(),
                    out = (folder.path() / "k.cubin").string();
  PHASEBIT_TRY(base::write_file(in, text_of(source)));
  const fs::path ptxas = base::source_root() / ".toolchains" / source.ptxas / "bin/ptxas";
  std::vector<std::string> words = {ptxas.string(), std::string("-arch=") + source.target};
  words.insert(words.end(), source.flags.begin(), source.flags.end());
  words.insert(words.end(), {in, "-o", out});
  PHASEBIT_TRY_ASSIGN(ran, base::run_process(words));
  if (!ran.ok()) return fail(Step::assemble, "{}{}", ran.out, ran.err);
  return base::read_file(out);
}

TEST(ClassFlips, AreThoseOfTheReviewedList) {
  PHASEBIT_NEEDS_TOOLS();
  FlippedKinds all;
  for (const Source& source : sources()) {
    const std::string what = fmt::format("{} {} {}", source.ptxas, source.target, source.entry);
    if (!fs::exists(base::source_root() / ".toolchains" / source.ptxas))
      GTEST_SKIP() << "no ptxas " << source.ptxas << " in .toolchains";
    const auto image = image_of(source);
    ASSERT_TRUE(image) << what << ": " << image.error().text();
    const auto kinds = flip_each(*image, source.entry);
    ASSERT_TRUE(kinds) << what << ": " << kinds.error().text();
    add(all, *kinds);
  }
  const auto ring_image = assemble({ring(try_wait_ring)}, "sm_107a", true, "9.5");
  ASSERT_TRUE(ring_image) << ring_image.error().text();
  add(all, flip_each(*ring_image, "k").value());
  EXPECT_EQ(fmt::format("{}", fmt::join(unexplained(all), "; ")), "") << "count for nothing: why?";
  const std::string found = report(all);
  const fs::path golden = base::source_root() / "tests/golden/class_flips.txt";
  if (std::getenv("PHASEBIT_ACCEPT") != nullptr) {
    ASSERT_TRUE(base::write_file(golden, found));
  }
  EXPECT_EQ(found, base::read_file(golden).value_or("no tests/golden/class_flips.txt"))
      << "PHASEBIT_ACCEPT=1 takes it over; review what is new";
}

}  // namespace
}  // namespace phasebit::test
