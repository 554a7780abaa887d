// A head's launch against the plan of the variant that its key names.
#include "gen/kernel/head_plan.h"

#include "core/base/toml.h"
#include "tests/gen/plans.h"

namespace phasebit::test {
namespace {

Status check(const std::string& text) {
  std::vector<ptx::PtxHeadLine> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back({text.substr(begin, end - begin), static_cast<int>(lines.size()) + 1});
    begin = end + 1;
  }
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(lines, "t.ptx"));
  PHASEBIT_TRY_ASSIGN(key, kernel::check_head_key(test::shipped(), head));
  return kernel::check_head_plan(test::shipped(), head, key);
}

const std::string good =
    "format = 1\n"
    "roles = [{ role = \"producer\", warps = [0] }, { role = \"consumer\", warps = [1] }]\n"
    "[key]\n"
    "probe = \"ring\"\n"
    "protocol = \"mbarrier\"\n"
    "mover = \"st_shared\"\n"
    "work = \"none\"\n"
    "[launch]\n"
    "threads = 64\n"
    "timed_role = \"consumer\"\n"
    "unit = \"cycles per item\"\n"
    "[expects]\n"
    "phases = 8\n"
    "payload = { words = 128, threads = 32, vector = 4 }\n";

const struct {
  std::string from, to, message;
} rows[] = {
    {"phases = 8\n", "",
     "spec: t.ptx:12: phases: 0 are verified, the variant of its key has 8 to verify (write "
     "`phases = 8` in [expects])"},
    {"phases = 8", "phases = 4",
     "spec: t.ptx:13: phases: 4 are verified, the variant of its key has 8 to verify (write "
     "`phases = 8` in [expects])"},
    {"[expects]\nphases = 8\npayload = { words = 128, threads = 32, vector = 4 }\n", "",
     "spec: t.ptx:8: phases: 0 are verified, the variant of its key has 8 to verify (write "
     "`phases = 8` in [expects])"},
    {"payload = { words = 128, threads = 32, vector = 4 }\n", "",
     "spec: t.ptx:12: payload: 0 words of a slot, the variant of its key has 128 (write `payload "
     "= { words = 128, threads = 32, vector = 4 }` in [expects])"},
    {"\"st_shared\"", "\"none\"",
     "spec: t.ptx:14: payload: 128 words of a slot, the variant of its key has 0 (leave "
     "`payload` "
     "out)"},
    {"timed_role = \"consumer\"", "timed_role = \"producer\"",
     "spec: t.ptx:10: timed_role: producer, the variant of its key has consumer (write "
     "`timed_role = \"consumer\"`)"},
    {"per item", "per round trip",
     "spec: t.ptx:11: unit: 'cycles per round trip', the variant of its key has 'cycles per "
     "item' (write `unit = \"cycles per item\"`)"},
    {"warps = [1]", "warps = [1], leaves_early = true",
     "spec: t.ptx:2: role consumer: 1 of its warps leave early, the variant of its key has 0 "
     "(`leaves_early` is that of the axis early_exit of [key])"},
    {"work = \"none\"\n", "work = \"none\"\nearly_exit = \"drop\"\nconsumers = \"2\"\n",
     "spec: t.ptx:2: role consumer: 0 of its warps leave early, the variant of its key has 1 "
     "(`leaves_early` is that of the axis early_exit of [key])"},
    {"warps = [1]", "warps = [1], unit = 1",
     "spec: t.ptx:2: role consumer: unit/rank 1/0, the variant of its key has unit/rank 0/0 "
     "(write those, or the axes of [key] that decide them)"},
    {"warps = [0]", "warps = [0], rank = 32",
     "spec: t.ptx:2: role producer: unit/rank 0/32, the variant of its key has unit/rank 0/0 "
     "(write those, or the axes of [key] that decide them)"},
    {"format = 1\n",
     "format = 1\nbarriers = [{ name = \"full\", kind = \"flag\", base = 0, count = 4, arrivals "
     "= 1 "
     "}]\n",
     "spec: t.ptx:2: barrier full: is a barrier of kind flag, the variant of its key has "
     "mbarrier "
     "(the protocol of [key] is another's, or the barrier's kind)"},
    {"threads = 64", "threads = 64\nguarded = false",
     "spec: t.ptx:10: guarded: false, the variant of its key has true (write `guarded = true`, "
     "or the axes of [key] that decide it)"},
    {"threads = 64", "threads = 64\ncluster_size = 2",
     "spec: t.ptx:10: cluster_size: 2, the variant of its key has 1 (write `cluster_size = 1`, "
     "or the axes of [key] that decide it)"},
    {"work = \"none\"\n", "work = \"none\"\nctas_per_sm = \"2\"\n",
     "spec: t.ptx:9: ctas_per_sm: 1, the variant of its key has 2 (write `ctas_per_sm = 2`, or "
     "the axes of [key] that decide it)"},
};

TEST(HeadPlan, SaysWhatTheKeyDecides) {
  const Status status = check(good);
  EXPECT_TRUE(status) << status.error().text();
  for (const auto& row : rows) {
    std::string text = good;
    ASSERT_NE(text.find(row.from), std::string::npos) << row.from;
    text.replace(text.find(row.from), row.from.size(), row.to);
    const Status status = check(text);
    ASSERT_FALSE(status) << row.message;
    EXPECT_EQ(status.error().text(), row.message);
  }
}

// The text may differ from the variant's: its threads and its shared memory are its own. And a
// component of its own has no plan.
TEST(HeadPlan, LeavesTheRest) {
  std::string text = good;
  text.replace(text.find("[1] }]"), 6, "[1] }, { role = \"none\", warps = [2] }]");
  text.replace(text.find("threads = 64"), 12, "threads = 96\nshared_bytes = 4096");
  EXPECT_TRUE(check(text));
  text =
      "origin = \"file\"\n" + good + "[rules]\nverbs = [{ verb = \"wait\", forbid = [\"A*\"] }]\n";
  text.replace(text.find("\"mbarrier\""), 10, "\"mine\"");
  text.replace(text.find("phases = 8\n"), 11, "");
  const Status status = check(text);
  EXPECT_TRUE(status) << status.error().text();
}

// The swizzle is an axis of the key; a map of the file's own may be what it likes.
TEST(HeadPlan, ATensorMapIsThatOfItsKey) {
  std::string text = good;
  const auto put = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  put("\"mbarrier\"", "\"mbarrier_bulk\"");
  put("\"st_shared\"", "\"bulk_tensor\"");
  put("work = \"none\"\n", "work = \"none\"\npayload_bytes = \"1024\"\n");
  put("words = 128, threads = 32, vector = 4",
      "words = 256, threads = 32, vector = 4, period = 37");
  text +=
      "[resources]\ntensor_maps = [{ name = \"tile_map\", buffer = \"payload_in\", element = "
      "\"u32\", sizes = [32, 296], box = [32, 8] }]\n";
  const Status sound = check(text);
  EXPECT_TRUE(sound) << sound.error().text();
  put("box = [32, 8]", "box = [32, 8], swizzle = \"128B\"");
  EXPECT_EQ(check(text).error().text(),
            "spec: t.ptx:17: tensor map tile_map: a tensor of 32 x 296 u32, strides 128 bytes, a "
            "box of 32 x 8, swizzle 128B, the variant of its key has a tensor of 32 x 296 u32, "
            "strides 128 bytes, a box of 32 x 8 (write that, or the axes of [key] that decide it)");
}

// What a grid reads, and whether its sum is looked at, is the key's too.
TEST(HeadPlan, DataAreThoseOfItsKey) {
  const std::string data =
      "data = { bytes = 8589934592, tile = 4096, tensor = { map = "
      "\"tile_map\", at = [0, 0] } }";
  std::string text = good;
  const auto put = [](std::string into, const std::string& from, const std::string& to) {
    EXPECT_NE(into.find(from), std::string::npos) << from;
    return into.replace(into.find(from), from.size(), to);
  };
  text = put(text, "\"ring\"", "\"stream\"");
  text = put(text, "\"mbarrier\"", "\"mbarrier_bulk\"");
  text = put(text, "\"st_shared\"", "\"bulk_tensor\"");
  text = put(text, "work = \"none\"\n", "work = \"none\"\npayload_bytes = \"4096\"\n");
  text = put(text, "payload = { words = 128, threads = 32, vector = 4 }", data);
  text = put(text, "cycles per item", "ns per item");
  text = put(text, "threads = 64\n", "threads = 64\nsms = 1024\n");
  text +=
      "[resources]\nbuffers = [{ name = \"data\", bytes = 8589934592, fill = \"blocks:1\" }, { "
      "name = \"places\", bytes = 4096, fill = \"zero\" }]\n"
      "tensor_maps = [{ name = \"tile_map\", buffer = \"data\", element = \"u32\", sizes = [32, "
      "67108864], box = [32, 32] }]\n";
  const Status sound = check(text);
  EXPECT_TRUE(sound) << sound.error().text();
  const std::string has = ", the variant of its key has ",
                    should = " (write `" + data + "` in [expects])";
  const std::string planned = data.substr(7) + should;
  EXPECT_EQ(check(put(text, data + "\n", "")).error().text(),
            "spec: t.ptx:14: data: no data" + has + planned);
  EXPECT_EQ(check(put(text, "tile = 4096,", "tile = 4096, readers = 0,")).error().text(),
            "spec: t.ptx:16: data: " +
                put(data.substr(7), "tile = 4096,", "tile = 4096, readers = 0,") + has + planned);
  EXPECT_EQ(check(put(text, "blocks:1", "signs:1")).error().text(),
            "spec: t.ptx:18: buffer data: 8589934592 bytes of signs:1" + has +
                "8589934592 bytes of blocks:1 (write `bytes = 8589934592, fill = \"blocks:1\"`)");
  EXPECT_EQ(check(put(text, "buffer = \"data\"", "buffer = \"places\"")).error().text(),
            "spec: t.ptx:19: tensor map tile_map: lies in 'places'" + has +
                "'data' (write `buffer = \"data\"`)");
}

}  // namespace
}  // namespace phasebit::test
