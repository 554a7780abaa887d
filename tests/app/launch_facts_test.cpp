// What is said of a stranger's launch: on the command line, in its directives, in Triton's file, in
// a launch that was captured. Offsets are those of the PTX ISA: each parameter at a multiple of its
// alignment.
#include "core/launch/bundle.h"
#include "core/launch/external.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

namespace phasebit::test {

using base::ProcessOutput;
using launch::ExternalLaunch;
using Kind = launch::ExternalParameter::Kind;
using Size = std::array<int, 3>;

namespace {

// n at 0, s at 8 to 32, m at 64 to 192.
const std::string text =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k(.param .u32 n, .param .align 8 .b8 s[24], .param .align 64 .b8 m[128])\n"
    "DIRECTIVES{\n  .reg .b32 r;\n  .reg .b64 p;\n  ld.param.u32 r, [n];\n"
    "  ld.param.u64 p, [s+8];\n  st.global.u32 [p], r;\n  ret;\n}\n";
const std::string map = "m=f16,256x64,512,64x32,128B,none";

class LaunchFacts : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = ptxas::find_toolchain({test::home(), {}, {}}); !found)
      GTEST_SKIP() << found.error().text();
    write("");
  }
  void write(const std::string& directives) {
    std::string own = text;
    own.replace(own.find("DIRECTIVES"), 10, directives);
    Project::write(file("k.ptx"), own);
  }
  fs::path file(const std::string& name) const { return home_.path() / name; }
  ProcessOutput pack(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"pack", "k.ptx",  "-t",          "sm_90a",
                                      "-o",   "bundle", "--no-anchors"};
    words.insert(words.end(), more.begin(), more.end());
    return home_.says(words);
  }
  ExternalLaunch packed(const std::vector<std::string>& more) const {
    const ProcessOutput output = pack(more);
    EXPECT_EQ(output.exit_status, 0) << output.err;
    const auto manifest = launch::read_manifest(file("bundle"));
    return manifest && manifest->variants.size() == 1 ? manifest->variants[0].external.value()
                                                      : ExternalLaunch{};
  }
  std::string refusal(const std::vector<std::string>& more) const {
    const ProcessOutput output = pack(more);
    EXPECT_EQ(output.exit_status, base::exit_code(Step::usage)) << output.err;
    return output.err;
  }
  Project home_;
};

const std::vector<std::string> whole = {
    "--grid",       "4",       "--block",           "64",      "--param",
    "0=items",      "--param", "s+8=buffer:4096:7", "--param", "s+16=f32:0.5",
    "--tensor-map", map};

std::vector<std::string> with(std::vector<std::string> words, std::vector<std::string> more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_F(LaunchFacts, FillStructsAndTensorMaps) {
  const ExternalLaunch launch = packed(whole);
  ASSERT_EQ(launch.parameter_bytes, 192);
  launch::MapBytes encoded{};
  encoded.fill(std::byte{0xab});
  const auto buffers = buffers_of(launch);
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].bytes, 4096U);
  EXPECT_EQ(buffers[1].bytes, 63U * 512 + 256 * 2);  // to after the last row's last element
  const auto block = launch::parameter_block(launch, 9, {0x1122334455667788, 0}, {encoded});
  const auto at = [&](int n) { return std::to_integer<int>(block[static_cast<size_t>(n)]); };
  EXPECT_EQ(at(0), 9);
  EXPECT_EQ(at(8), 0);  // of the struct, and not named
  EXPECT_EQ(at(16), 0x88);
  EXPECT_EQ(at(23), 0x11);
  EXPECT_EQ(at(24), 0);
  EXPECT_EQ(at(27), 0x3f);  // 0.5 is 0x3f000000
  EXPECT_EQ(at(63), 0);
  EXPECT_EQ(at(64), 0xab);
  EXPECT_EQ(at(191), 0xab);
  const auto& parameter = launch.parameters.back();
  EXPECT_EQ(parameter.kind, Kind::tensor_map);
  EXPECT_EQ(parameter.map->box, (std::vector<int>{64, 32}));
  EXPECT_EQ(parameter.map->strides, (std::vector<std::int64_t>{512}));
}

// One byte string for all, and what is named is written over it.
TEST_F(LaunchFacts, TakeAllBytesOfAFile) {
  std::string raw(192, '\x11');
  Project::write(file("raw"), raw);
  const ExternalLaunch launch =
      packed({"--params", "raw", "--param", "n=items", "--grid", "1", "--block", "32"});
  const auto block = launch::parameter_block(launch, 3, {});
  EXPECT_EQ(std::to_integer<int>(block[0]), 3);
  EXPECT_EQ(std::to_integer<int>(block[3]), 0);
  EXPECT_EQ(std::to_integer<int>(block[4]), 0x11);
  EXPECT_EQ(std::to_integer<int>(block[191]), 0x11);
  Project::write(file("raw"), raw.substr(1));
  EXPECT_NE(refusal({"--params", "raw", "--grid", "1", "--block", "32"})
                .find("raw has 191 bytes, and its parameters are 192"),
            std::string::npos);
}

TEST_F(LaunchFacts, RefuseWhatAParameterCannotBe) {
  struct Row {
    std::vector<std::string> words;
    std::string says;
  };
  const std::vector<Row> rows = {
      {{"--param", "m=items:u16"}, "'items:u16' is for a whole number of 4 or 8 bytes"},
      {{"--param", "s+24=u8:1"},
       "'s+24' is not a byte of parameter s (.param .align 8 .b8 s[24]) "
       "(s+0 to s+23)"},
      {{"--param", "s+22=u32:1"}, "'u32:1' is no number of its type"},
      {{"--param", "s=5"}, "and a value there needs a type (PLACE=u32:5"},
      {{"--param", "s=bytes:123"}, "'bytes:123' is no bytes of it"},
      {{"--param", "n=items:u64"}, "'items:u64' is for a whole number of 4 or 8 bytes"},
      {{"--tensor-map", "m=f16,256,512"}, "has 3 parts, not 6 (PLACE=ELEMENT,SIZES"},
      {{"--tensor-map", "m=f17,256,,64,none,none"}, "no element 'f17' (did you mean 'f16'?)"},
      {{"--tensor-map", "m=f16,256,,512,none,none"}, "box: 512 elements in dimension 0 (1 to 256)"},
      {{"--tensor-map", "s=f16,256,,64,none,none"},
       "24 bytes are left of parameter s (.param .align 8 .b8 s[24]), not 128"},
      {{"--tensor-map", "500=f16,256,,64,none,none"}, "no parameter has byte 500 of the 192"},
      {{"--param", "n=1"},
       "parameter 1 (.param .align 8 .b8 s[24]) has no value (--param "
       "1=bytes:DIGITS, --param 1+BYTES=TYPE:VALUE, --tensor-map 1=..., or "
       "--params FILE for all)"},
  };
  for (const Row& row : rows) {
    const std::string said = refusal(row.words);
    EXPECT_NE(said.find(row.says), std::string::npos) << row.says << "\n" << said;
  }
}

// A map's place has 128 bytes, no number: the items went there before.
TEST_F(LaunchFacts, RefuseItemsInAMap) {
  Project::edit(file("k.ptx"), ".b8 s[24]", ".b8 s[4]");
  Project::edit(file("k.ptx"), "ld.param.u64 p, [s+8];\n  st.global.u32 [p], r;\n", "");
  const auto parameters = packed(with({"--grid", "1", "--block", "32", "--tensor-map", map},
                                      {"--param", "n=1", "--param", "s=items"}))
                              .parameters;
  EXPECT_EQ(parameters[1].kind, Kind::items);
  EXPECT_NE(refusal({"--param", "s=items:u64"}).find("is for a whole number"), std::string::npos);
}

TEST_F(LaunchFacts, AreWhatTheDirectivesRequire) {
  write(".reqntid 96, 2, 1\n.explicitcluster\n.reqnctapercluster 1, 2, 1\n");
  std::vector<std::string> words = whole;
  words.erase(words.begin() + 2, words.begin() + 4);
  words[1] = "4,4";
  const ExternalLaunch launch = packed(words);
  EXPECT_EQ(launch.block, (Size{96, 2, 1}));
  EXPECT_EQ(launch.cluster, (Size{1, 2, 1}));
  EXPECT_NE(refusal(with(words, {"--block", "96"}))
                .find("a block of 96,1,1, and the file says it must be 96,2,1 (leave --block out)"),
            std::string::npos);
  words[1] = "4,3";
  EXPECT_NE(refusal(words).find("a grid of 4,3,1 is not made of clusters of 1,2,1"),
            std::string::npos);
  write(".maxntid 32, 1, 1\n");
  EXPECT_NE(refusal(whole).find("a block of 64 threads, and the file says 32 at most"),
            std::string::npos);
}

// As Triton 3 writes it next to the PTX; what is about another kernel says nothing.
TEST_F(LaunchFacts, AreWhatTritonSays) {
  std::vector<std::string> words = whole;
  words.erase(words.begin() + 2, words.begin() + 4);
  EXPECT_NE(refusal(words).find("its block is not given"), std::string::npos);
  const std::string facts =
      R"({"name": "k", "num_warps": 4, "num_ctas": 2, "shared": 1536, "num_stages": 3})";
  Project::write(file("k.json"), facts);
  const ExternalLaunch launch = packed(words);
  EXPECT_EQ(launch.block, (Size{128, 1, 1}));
  EXPECT_EQ(launch.cluster, (Size{2, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 1536);
  EXPECT_EQ(packed(with(words, {"--shared", "0", "--cluster", "1"})).shared_bytes, 0);
  Project::edit(file("k.json"), "\"k\"", "\"other\"");
  EXPECT_NE(refusal(words).find("its block is not given"), std::string::npos);
  Project::write(file("k.json"), "{");
  const ProcessOutput broken = pack(words);
  EXPECT_EQ(broken.exit_status, base::exit_code(Step::spec));
  EXPECT_NE(broken.err.find("k.json is not JSON (Triton's facts of the kernel"), std::string::npos)
      << broken.err;
}

// The file is what its reader takes, and a launch goes through both unchanged.
TEST_F(LaunchFacts, AreThoseOfACapturedLaunch) {
  ExternalLaunch launch = packed(with(whole, {"--shared", "64"}));
  launch.cooperative = true;
  for (auto& one : launch.parameters)
    if (one.kind == Kind::items)
      one = {"n", Kind::raw, 0, 4, 0, {}, 0, "05000000"};
    else if (one.kind == Kind::value)
      one = {"s", Kind::raw, 24, 4, 0, {}, 0, "0000003f"};
  launch.parameters[1].at = 16;
  ExternalLaunch other = launch;
  other.grid = {7, 1, 1};
  Project::write(
      file("launch.toml"),
      launch::launch_file_text({{"k", 12, 0, launch}, {"j", 1, 0, launch}, {"k", 2, 0, other}},
                               "made by hand"));
  const auto read = launch::read_launch_file(file("launch.toml"));
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->size(), 3U);
  EXPECT_EQ(read->at(0).launch, launch);
  EXPECT_EQ(read->at(0).times, 12);
  const auto captured = [](const std::string& name) {
    return std::vector<std::string>{"--launch", name, "--no-figure"};
  };
  EXPECT_NE(refusal(captured("launch.toml"))
                .find("(one of launch.toml#0: a grid of 4,1,1, 12 times; launch.toml#2: a grid of "
                      "7,1,1, 2 times)"),
            std::string::npos);
  ExternalLaunch expected = other;
  expected.no_figure = true;
  EXPECT_EQ(packed(captured("launch.toml#2")), expected);
  EXPECT_NE(refusal(captured("launch.toml#1")).find("--launch launch.toml#1 is none of them"),
            std::string::npos);
  const ExternalLaunch items = packed({"--launch", "launch.toml#0", "--param", "n=items"});
  EXPECT_EQ(items.parameters.back().kind, Kind::items);
  EXPECT_FALSE(items.no_figure);
  // On a GPU whose parameters begin at byte 0x210 of a bank, the driver puts one that is aligned to
  // 64 at 112.
  ExternalLaunch moved = other;
  moved.starts = {0, 8, 112};
  moved.parameter_bytes = 240;
  moved.parameters.back().offset = 112;
  Project::write(file("moved.toml"), launch::launch_file_text({{"k", 1, 0, moved}}, "by hand"));
  EXPECT_EQ(packed(captured("moved.toml")), expected);
  Project::edit(file("k.ptx"), ".b8 s[24]", ".b8 s[16]");
  EXPECT_NE(
      refusal(captured("launch.toml#0"))
          .find("its parameters are 3, and those of the captured launch 3 that begin at 0, 8, "
                "64 (the captured program has another build of it)"),
      std::string::npos);
}

// Without bounds the text does not say with how many registers a CTA begins; a launch does.
TEST_F(LaunchFacts, SayWithHowManyRegistersACtaBegins) {
  Project::write(file("k.ptx"),
                 ".version 8.0\n.target sm_90a\n.address_size 64\n"
                 ".visible .entry k()\n{\n  setmaxnreg.inc.sync.aligned.u32 232;\n"
                 "  ret;\n}\n");
  ExternalLaunch launch, large;
  launch.block = {384, 1, 1};
  large.block = {512, 1, 1};
  Project::write(
      file("launch.toml"),
      launch::launch_file_text({{"k", 1, 168, launch}, {"k", 3, 168, launch}}, "by hand"));
  Project::write(
      file("two.toml"),
      launch::launch_file_text({{"j", 1, 168, launch}, {"k", 1, 168, launch}, {"k", 1, 0, large}},
                               "by hand"));
  const auto guard = [&](const std::vector<std::string>& more) {
    return home_.says(with({"guard", "k.ptx", "--fail-on", "unguarded"}, more));
  };
  EXPECT_EQ(guard({}).exit_status, 1);
  for (const auto& [words, begin] :
       {std::pair{"launch.toml", "168"}, {"two.toml#1", "168"}, {"two.toml#2", "128"}}) {
    const ProcessOutput output = guard({"--launch", words});
    EXPECT_EQ(output.exit_status, 0) << output.err;
    EXPECT_NE(output.out.find(fmt::format("pb_guard_registers, (pbg_base, 1, {}, 232", begin)),
              std::string::npos)
        << words;
  }
  EXPECT_NE(guard({"--launch", "two.toml"})
                .err.find("two.toml has 2 launches of it, and --launch "
                          "two.toml is none of them (one of two.toml#1: "),
            std::string::npos);
  EXPECT_NE(guard({"--launch", "two.toml#0"}).err.find("no launch of a kernel of k.ptx"),
            std::string::npos);
}

// They go into the bundle, by their hash.
TEST_F(LaunchFacts, TakeWhatBuffersHeld) {
  ExternalLaunch launch = packed(with(whole, {"--no-figure"}));
  launch.parameters.erase(launch.parameters.begin());  // items are not captured
  for (auto& one : launch.parameters)
    if (one.kind == Kind::value) one = {"s", Kind::raw, 24, 4, 0, {}, 0, "0000003f"};
  const std::string bytes("\0\x01table", 7);
  launch.contents = {{"s@8", 9, 7, launch::contents_file("launch.contents", bytes)}};
  for (const launch::ExternalParameter& one : launch.parameters)
    if (one.kind == Kind::buffer) launch.contents[0].buffer = one.buffer.name;
  fs::create_directory(file("captured"));
  Project::write(file("captured/launch.toml"),
                 launch::launch_file_text({{"k", 1, 0, launch}}, "by hand"));
  const std::vector<std::string> words = {"--launch", "captured/launch.toml", "--no-figure"};
  const ProcessOutput missing = pack(words);
  EXPECT_EQ(missing.exit_status, base::exit_code(Step::bundle)) << missing.err;
  const fs::path held = file("captured") / launch.contents[0].file;
  ASSERT_TRUE(base::write_file(held, bytes));
  const ExternalLaunch found = packed(words);
  ASSERT_EQ(found.contents.size(), 1U);
  EXPECT_EQ(found.contents[0].at, 9U);
  EXPECT_EQ(launch::read_contents(file("bundle"), found.contents[0]).value(), bytes);
  const auto manifest = launch::read_manifest(file("bundle")).value();
  EXPECT_TRUE(launch::check_bundle(file("bundle"), manifest));
  ASSERT_TRUE(base::write_file(file("bundle") / found.contents[0].file, "others."));
  EXPECT_FALSE(launch::check_bundle(file("bundle"), manifest));
  const launch::ExternalContents right = launch.contents[0];
  for (const auto& [wrong, says] :
       {std::pair{launch::ExternalContents{right.buffer, 4090, 7, right.file},
                  "contents of 7 bytes at 4090 of buffer"},
        {{right.buffer, 9, 7, "../" + right.file}, "which is not a file in the same folder"},
        {{"other", 9, 7, right.file}, "contents of buffer other, which no parameter points to"}}) {
    launch.contents[0] = wrong;
    Project::write(file("captured/launch.toml"),
                   launch::launch_file_text({{"k", 1, 0, launch}}, "by hand"));
    const ProcessOutput refused = pack(words);
    EXPECT_EQ(refused.exit_status, base::exit_code(Step::spec)) << says;
    EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
  }
}

TEST_F(LaunchFacts, SayWhereALaunchFileIsWrong) {
  struct Row {
    const char *before, *after, *says;
  };
  const std::vector<Row> rows = {
      {"grid = [4, 1, 1]", "grid = [4, 1]", "launch.toml:6: grid: 2 numbers, not 3"},
      {"block = [64, 1, 1]", "block = [64, 0, 1]", "a size of 64,0,1"},
      {"kernel = \"k\"", "kernal = \"k\"", "kernal"},
      {"kind = \"buffer\"", "kind = \"bufer\"", "no kind 'bufer' (did you mean 'buffer'?)"},
      {"at = 16", "at = 4096", "points to byte 4096 of buffer s@16, which has 4096"},
      {"parameter_bytes = 192", "parameter_bytes = 64",
       "parameters that begin at 0, 8, 64 of 64 bytes"},
      {"[[launch]]", "[[lunch]]", "lunch"},
  };
  ExternalLaunch launch = packed(whole);
  launch.parameters[1].at = 16;
  for (auto& one : launch.parameters)
    if (one.kind == Kind::value) one = {"s", Kind::raw, 24, 4, 0, {}, 0, "0000003f"};
  for (const Row& row : rows) {
    Project::write(file("launch.toml"), launch::launch_file_text({{"k", 1, 0, launch}}, "by hand"));
    Project::edit(file("launch.toml"), row.before, row.after);
    const ProcessOutput output = pack({"--launch", "launch.toml", "--no-figure"});
    EXPECT_EQ(output.exit_status, base::exit_code(Step::spec)) << row.after;
    EXPECT_NE(output.err.find(row.says), std::string::npos) << output.err;
  }
}

}  // namespace
}  // namespace phasebit::test
