// Buffers and tensor maps of a head against the parameters of its entry.
#include "tests/ptx/checked_head.h"

namespace phasebit::test {
namespace {

// After the block each parameter is the address of the buffer of its name.
TEST(Head, BuffersAreTheParametersOfTheirNames) {
  const std::string two =
      "//@ [resources]\n//@ buffers = [{ name = \"b\", bytes = 8 }, { name = \"a\", bytes = 4 }]\n";
  std::string text = checked_text;
  text.replace(text.find("pb[96]"), 6, "pb[96], .param .u64 a, .param .u64 .ptr .global b");
  const std::string sound = preamble + checked_head + two + text;
  const auto file = ptx::read_ptx(sound, "t.ptx");
  ASSERT_TRUE(file);
  const ptx::PtxFunction& entry = *file->entries().front();
  auto head = ptx::head::read_head(entry.head_lines, file->name);
  ASSERT_TRUE(head) << head.error().text();
  EXPECT_TRUE(ptx::head::check_head(*head, *file, entry));
  ptx::head::order_buffers(*head, entry);
  ASSERT_EQ(head->launch.buffers.size(), 2U);
  EXPECT_EQ(head->launch.buffers[0].name, "a");
  EXPECT_EQ(head->launch.buffers[1].name, "b");
  const std::vector<Broken> rows = {
      {", { name = \"a\", bytes = 4 }", "",
       "spec: t.ptx:16: resources: parameter 'a' of 'k' is not described (write `buffers = [{ "
       "name = \"a\", bytes = 4096 }]` in [resources])"},
      {".u64 a", ".u32 a",
       "spec: t.ptx:17: buffer a: the text has `.param .u32 a`, which holds no address (write "
       "`.param .u64 a`)"},
      {", .param .u64 a, .param .u64 .ptr .global b", "",
       "spec: t.ptx:17: buffer b: 'k' has no parameter of that name (write `k(.param .align 8 .b8 "
       "pb[96], .param .u64 b)`)"},
  };
  for (const Broken& row : rows) expect_broken(sound, row);
}

// A tensor map is 128 bytes after the addresses, and lies in a buffer of the head.
TEST(Head, TensorMapsAreParametersBehindTheBuffers) {
  const std::string resources =
      "//@ [resources]\n//@ buffers = [{ name = \"b\", bytes = 4096 }]\n"
      "//@ tensor_maps = [{ name = \"m\", buffer = \"b\", element = \"u32\", sizes = [32, 32], "
      "box = [32, 8] }]\n";
  std::string text = checked_text;
  text.replace(text.find("pb[96]"), 6, "pb[96], .param .u64 b, .param .align 64 .b8 m[128]");
  const std::string sound = preamble + checked_head + resources + text;
  const auto file = ptx::read_ptx(sound, "t.ptx");
  ASSERT_TRUE(file);
  const ptx::PtxFunction& entry = *file->entries().front();
  const auto head = ptx::head::read_head(entry.head_lines, file->name);
  ASSERT_TRUE(head) << head.error().text();
  const auto checked = ptx::head::check_head(*head, *file, entry);
  EXPECT_TRUE(checked) << checked.error().text();
  const std::vector<Broken> rows = {
      {".align 64 .b8 m", ".align 8 .b8 m",
       "spec: t.ptx:18: tensor map m: the text has `.param .align 8 .b8 m[128]`, which holds no "
       "tensor map (write `.param .align 64 .b8 m[128]`)"},
      {".param .u64 b, .param .align 64 .b8 m[128]", ".param .align 64 .b8 m[128], .param .u64 b",
       "spec: t.ptx:17: buffer b: parameter 'b' of 'k' comes after tensor maps (write it before "
       "them)"},
      {", .param .align 64 .b8 m[128]", "",
       "spec: t.ptx:18: tensor map m: 'k' has no parameter of that name (write `.param .align 64 "
       ".b8 m[128]` after the others)"},
      {"buffer = \"b\"", "buffer = \"c\"",
       "spec: t.ptx:18: tensor map m: there is no buffer 'c' (did you mean 'b'?)"},
      {"box = [32, 8]", "box = [32, 8], swizzle = \"64B\"",
       "spec: t.ptx:18: tensor map m: box: 128 bytes in the innermost dimension (64 at most with "
       "swizzle = \"64B\")"},
      {"sizes = [32, 32]", "sizes = [32, 33]",
       "spec: t.ptx:18: tensor map m: buffer: 'b' has 4096 bytes, the tensor 4224 (write `bytes = "
       "4224` or more, or smaller sizes)"},
  };
  for (const Broken& row : rows) expect_broken(sound, row);
}

}  // namespace
}  // namespace phasebit::test
