// `phasebit capture` of a program on a driver without a GPU.
#include "core/launch/bundle.h"
#include "core/launch/external.h"
#include "join/capture/captured.h"
#include "tests/app/project.h"

#include <cstdlib>

namespace phasebit::test {

using base::ProcessOutput;
using launch::CapturedLaunch;
using launch::ExternalLaunch;
using Kind = launch::ExternalParameter::Kind;
using Size = std::array<int, 3>;

namespace {

class Capture : public testing::Test {
 protected:
  fs::path out() const { return folder_.path() / "launch.toml"; }
  ProcessOutput run(const std::string& way, const std::vector<std::string>& options = {}) const {
    std::vector<std::string> words = {
        "env",
        fmt::format("LD_LIBRARY_PATH={}", std::getenv("PHASEBIT_FAKE_DRIVER")),
        std::getenv("PHASEBIT_PROGRAM"),
        "capture",
        "-o",
        out().string()};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", std::getenv("PHASEBIT_FAKE_APP"), way});
    const auto output = base::run_process(words);
    EXPECT_TRUE(output) << output.error().text();
    return output.value_or(ProcessOutput{});
  }
  std::vector<CapturedLaunch> read() const {
    const auto launches = launch::read_launch_file(out());
    EXPECT_TRUE(launches) << launches.error().text();
    return launches.value_or(std::vector<CapturedLaunch>{});
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

void expect_axpy(const ExternalLaunch& launch, unsigned n) {
  EXPECT_EQ(launch.grid, (Size{4, 2, 1}));
  EXPECT_EQ(launch.block, (Size{64, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024);
  ASSERT_EQ(launch.parameter_bytes, 24);
  const auto buffers = buffers_of(launch);
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < buffers.size(); ++i) addresses.push_back(0x1000 * (i + 1));
  const auto block = parameter_block(launch, 0, addresses);
  EXPECT_EQ(std::to_integer<unsigned>(block[0]), n);
  EXPECT_EQ(std::to_integer<unsigned>(block[9]), 0x10U);  // the first buffer's address
}

// What lies after the parameters of a note is written nowhere.
TEST(CaptureNotes, SayWhatIsOutsideOfTheParameters) {
  const std::string note =
      R"({"kernel":"k","grid":[1,1,1],"block":[1,1,1],"cluster":[1,1,1],"shared_bytes":0,)"
      R"("registers":32,"cooperative":false,"parameters":"0000000000000000",)"
      R"("places":[[PLACE,8]],"maps":[],)"
      R"("pointers":[{"at":AT,"address":4096,"begin":4096,"bytes":8}]})";
  const auto says = [&](const std::string& place, const std::string& at) {
    std::string text = note + "\n";
    text.replace(text.find("PLACE"), 5, place).replace(text.find("AT,"), 2, at);
    const auto captured = join::capture::parse_notes(text, "n.jsonl", {});
    return captured ? std::string() : captured.error().message;
  };
  EXPECT_EQ(says("0", "0"), "");
  for (const auto& [place, at] :
       {std::pair("0", "1000000000"), std::pair("0", "-8"), std::pair("8", "0"),
        std::pair("2147483647", "0"), std::pair("1e200", "0"), std::pair("0", "1e200")})
    EXPECT_NE(says(place, at).find("n.jsonl:1: "), std::string::npos) << place << " " << at;
}

TEST(CaptureNotes, RefuseNumbersThatWouldWrap) {
  const auto captured =
      join::capture::parse_notes("{\"left_out\":18446744073709551615}\n", "n.jsonl", {});
  ASSERT_FALSE(captured);
  EXPECT_NE(captured.error().message.find("not an integer of 32 bits: 18446744073709551615"),
            std::string::npos)
      << captured.error().message;
}

TEST_F(Capture, NotesTheLaunchesOfALinkedProgram) {
  const ProcessOutput output = run("linked");
  EXPECT_EQ(output.exit_status, 3) << output.err;  // the program's
  EXPECT_NE(output.err.find("6 launches, 4 of them different"), std::string::npos) << output.err;
  const auto launches = read();
  ASSERT_EQ(launches.size(), 4U);
  EXPECT_EQ(launches[0].kernel, "axpy");
  EXPECT_EQ(launches[0].times, 3);
  EXPECT_EQ(launches[0].registers, 40);
  expect_axpy(launches[0].launch, 5);
  expect_axpy(launches[1].launch, 6);
  const auto buffers = buffers_of(launches[0].launch);
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].bytes, 4096U);
  EXPECT_EQ(buffers[1].bytes, 8192U);
  EXPECT_TRUE(launches[2].launch.cooperative);
  EXPECT_EQ(launches[2].launch.grid, (Size{2, 1, 1}));
  EXPECT_EQ(buffers_of(launches[2].launch).size(), 1U);  // a null pointer is none
  // A block of bytes: two parameters point to one allocation.
  EXPECT_EQ(launches[3].launch.parameter_bytes, 24);
  EXPECT_EQ(buffers_of(launches[3].launch).size(), 1U);
  // All that the program called came to the driver as it was.
  EXPECT_EQ(output.out,
            "cuLaunchKernel axpy grid 4 block 64 shared 1024 first 5\n"
            "cuLaunchKernel axpy grid 4 block 64 shared 1024 first 5\n"
            "cuLaunchKernel axpy grid 4 block 64 shared 1024 first 5\n"
            "cuLaunchKernel axpy grid 4 block 64 shared 1024 first 6\n"
            "cuLaunchCooperativeKernel axpy grid 2 block 32 shared 0 first 1\n"
            "cuLaunchKernel axpy grid 1 block 32 shared 0 first 9\n");
}

TEST_F(Capture, NotesWhatTheRuntimeAndTritonFindByName) {
  const ProcessOutput runtime = run("runtime");
  ASSERT_EQ(runtime.exit_status, 0) << runtime.err;
  EXPECT_NE(runtime.out.find("cuLaunchKernel_ptsz axpy grid 4"), std::string::npos) << runtime.out;
  const auto launches = read();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].times, 2);
  expect_axpy(launches[0].launch, 5);
  EXPECT_EQ(launches[0].launch.parameters.back().at, 1024U);
  const ExternalLaunch& tiles = launches[1].launch;
  EXPECT_EQ(tiles.cluster, (Size{2, 1, 1}));
  EXPECT_EQ(tiles.shared_bytes, 65536);
  ASSERT_EQ(tiles.parameters.size(), 4U);  // two as bytes, and what is written over them
  EXPECT_EQ(tiles.starts, (std::vector<int>{0, 64}));
  EXPECT_EQ(tiles.parameters[0].bytes, 24);  // without what is between it and the next
  EXPECT_EQ(tiles.parameters[2].offset, 8);
  EXPECT_EQ(tiles.parameters[2].at, 256U);
  const launch::ExternalParameter& map = tiles.parameters[3];
  ASSERT_EQ(map.kind, Kind::tensor_map);
  EXPECT_EQ(map.offset, 64);
  EXPECT_EQ(map.at, 4096U);
  EXPECT_EQ(map.buffer, tiles.parameters[2].buffer);  // one allocation
  EXPECT_EQ(map.map->element, launch::tensor::TensorElement::f16);
  EXPECT_EQ(map.map->sizes, (std::vector<std::int64_t>{256, 64}));
  EXPECT_EQ(map.map->strides, (std::vector<std::int64_t>{512}));
  EXPECT_EQ(map.map->swizzle, launch::tensor::TensorSwizzle::by_128);
  const auto block = parameter_block(tiles, 0, {0x10000}, {launch::MapBytes{}});
  EXPECT_EQ(std::to_integer<int>(block[0]), 7);
  EXPECT_EQ(std::to_integer<int>(block[19]), 0x3f);  // 0.5F
  EXPECT_EQ(run("dlsym").exit_status, 0);
  expect_axpy(read().at(0).launch, 5);
}

// The bytes that the first of launches that are alike finds, from where its parameters point to.
TEST_F(Capture, TakesWhatBuffersHold) {
  const auto held = [&](const launch::ExternalContents& one) {
    return launch::read_contents(folder_.path(), one).value();
  };
  const ProcessOutput output = run("contents", {"--contents"});
  EXPECT_EQ(output.exit_status, 0) << output.err;
  EXPECT_EQ(output.err.find("note: "), std::string::npos) << output.err;
  auto launches = read();
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].times, 2);
  const auto& contents = launches[0].launch.contents;
  ASSERT_EQ(contents.size(), 2U);
  EXPECT_EQ(contents[0].buffer, launches[0].launch.parameters[3].buffer.name);
  EXPECT_EQ(contents[0].at, 64U);
  std::string table(4096 - 64, '\0');
  for (std::size_t n = 0; n < 8; ++n) table[n] = static_cast<char>(16 + n);
  EXPECT_EQ(held(contents[0]), table);
  EXPECT_EQ(held(contents[1]), std::string(256, '\x5c'));
  EXPECT_TRUE(launches[1].launch.contents.empty());  // of a graph, which is not run yet
  const ProcessOutput cut =
      run("contents", {"--contents", "--most-bytes", "100", "--most-bytes-in-all", "150"});
  EXPECT_NE(cut.err.find("note: of 2 buffers the file has the first bytes"), std::string::npos)
      << cut.err;
  launches = read();
  ASSERT_EQ(launches[0].launch.contents.size(), 2U);
  EXPECT_EQ(held(launches[0].launch.contents[0]), table.substr(0, 100));
  EXPECT_EQ(held(launches[0].launch.contents[1]), std::string(50, '\x5c'));
  run("contents");
  EXPECT_TRUE(read()[0].launch.contents.empty());
}

// A hang is what this is for: the launch is on disk before it is made.
TEST_F(Capture, KeepsTheLaunchesOfAProgramThatIsKilled) {
  const ProcessOutput killed = run("killed");
  EXPECT_EQ(killed.exit_status, 128 + SIGKILL) << killed.err;
  EXPECT_NE(killed.err.find("was ended by signal 9"), std::string::npos) << killed.err;
  expect_axpy(read().at(0).launch, 5);
  EXPECT_EQ(run("forked").exit_status, 0);
  EXPECT_EQ(read().size(), 2U);
}

// Ctrl-C goes to both; a SIGTERM is passed on. Either way the file is written.
TEST_F(Capture, WritesDownTheLaunchesOfAProgramThatHangs) {
  const auto ended = base::run_process(
      {"sh", "-c",
       fmt::format("LD_LIBRARY_PATH={} {} capture -o {} -- {} hang & sleep 0.5; kill -TERM $!; "
                   "wait $!; echo $?",
                   std::getenv("PHASEBIT_FAKE_DRIVER"), std::getenv("PHASEBIT_PROGRAM"),
                   out().string(), std::getenv("PHASEBIT_FAKE_APP"))});
  ASSERT_TRUE(ended);
  EXPECT_TRUE(ended->out.ends_with(fmt::format("{}\n", 128 + SIGTERM))) << ended->out;
  expect_axpy(read().at(0).launch, 5);
}

TEST_F(Capture, LeavesOutWhatDiffersTooOftenAndSaysSo) {
  const ProcessOutput output = run("many", {"--most", "10"});
  EXPECT_NE(output.err.find("90 launches are left out: more than 10 of a kernel that differ"),
            std::string::npos)
      << output.err;
  EXPECT_EQ(read().size(), 10U);
  // One that is left out is not in the file for coming again.
  const ProcessOutput again = run("again", {"--most", "2"});
  EXPECT_NE(again.err.find("3 launches are left out"), std::string::npos) << again.err;
  ASSERT_EQ(read().size(), 2U);
  EXPECT_EQ(read().at(1).times, 3);
}

// RTLD_NEXT means the caller of dlsym; the program reads and writes what its caller gave it.
TEST_F(Capture, LeavesOtherSymbolsAlone) {
  const ProcessOutput output = run("next");
  EXPECT_EQ(output.exit_status, base::exit_code(Step::launch));  // it launched nothing
  EXPECT_NE(output.err.find("no launch of a kernel was seen"), std::string::npos) << output.err;
  EXPECT_EQ(output.err.find("note: "), std::string::npos) << output.err;  // and ended well
  const auto echoed = base::run_process(
      {"sh", "-c",
       fmt::format("echo words | LD_LIBRARY_PATH={} {} capture -o {} -- {} echo",
                   std::getenv("PHASEBIT_FAKE_DRIVER"), std::getenv("PHASEBIT_PROGRAM"),
                   out().string(), std::getenv("PHASEBIT_FAKE_APP"))});
  ASSERT_TRUE(echoed);
  EXPECT_TRUE(echoed->out.starts_with("read words\n")) << echoed->out;
}

TEST_F(Capture, SaysWhatItCannotStart) {
  const auto output = base::run_process({std::getenv("PHASEBIT_PROGRAM"), "capture", "-o",
                                         out().string(), "--", "./no-such-program"});
  ASSERT_TRUE(output);
  EXPECT_NE(output->exit_status, 0);
  EXPECT_NE(output->err.find("no-such-program"), std::string::npos) << output->err;
}

}  // namespace
}  // namespace phasebit::test
