// FILE.ptx in place of a variant: ours, edited, a stranger's, and what is said of a wrong one.
#include "core/base/hash.h"
#include "core/launch/bundle.h"
#include "gen/ptxas/toolchain.h"
#include "tests/app/project.h"
#include "tests/home.h"

namespace phasebit::test {
namespace {

const std::string ptx_files_ring = "ring/mbarrier/st_shared/none";

// Two kernels, a function that is not inlined, a global: as a compiler would write it.
const std::string strangers =
    ".version 7.8\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".global .align 4 .u32 counter;\n"
    ".func (.param .b32 r) twice(.param .b32 x)\n"
    "{\n  .reg .b32 %r<3>;\n  ld.param.b32 %r1, [x];\n"
    "  add.u32 %r2, %r1, %r1;\n"
    "  st.param.b32 [r], %r2;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry axpy(.param .u32 n, .param .f32 a, .param .u64 out)\n"
    "{\n"
    "  .reg .b32 %r<4>;\n"
    "  .reg .b64 %rd<2>;\n"
    "  ld.param.u32 %r1, [n];\n"
    "  ld.param.u64 %rd1, [out];\n"
    "  st.global.u32 [%rd1], %r1;\n"
    "  ret;\n"
    "}\n"
    ".visible .entry other()\n"
    "{\n"
    "  ret;\n"
    "}\n";

class PtxFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = ptxas::find_toolchain({test::home(), {}, {}}); !found)
      GTEST_SKIP() << found.error().text();
    Project::write(file("s.ptx"), strangers);
  }
  fs::path file(const std::string& name) const { return home_.path() / name; }
  std::string label(const std::string& name) const {
    return fs::path(name).stem().string() + "@" +
           base::content_hash(Project::read(file(name))).substr(0, 8);
  }
  // The text hash of one image, from its listing.
  static std::string code_of(const std::string& listing) {
    const size_t at = listing.find(".text ");
    return at == std::string::npos ? listing : listing.substr(at, 38);
  }
  Project home_;
};

TEST_F(PtxFiles, OfOursAreTheVariantThatTheyWereWrittenFrom) {
  Project::write(file("a.ptx"), home_.says({"show", ptx_files_ring}).out);
  const base::ProcessOutput variant = home_.says({"sass", "show", ptx_files_ring, "-t", "sm_90a"});
  const base::ProcessOutput read = home_.says({"sass", "show", "a.ptx", "-t", "sm_90a"});
  ASSERT_EQ(read.exit_status, 0) << read.err;
  EXPECT_EQ(code_of(read.out), code_of(variant.out));
  EXPECT_NE(read.out.find("gate passed"), std::string::npos) << read.out;
  EXPECT_TRUE(read.out.starts_with(ptx_files_ring + "/file=" + label("a.ptx") + " for sm_90a"))
      << read.out;
}

// What is called is outside the window, so a call itself must be counted.
TEST_F(PtxFiles, ACallInTheWindowIsRefused) {
  Project::write(file("a.ptx"), home_.says({"show", ptx_files_ring}).out);
  Project::edit(file("a.ptx"), ".address_size 64\n",
                ".address_size 64\n.func hidden(.reg .b32 a)\n{\nmembar.gl;\nnanosleep.u32 50;\n"
                "st.volatile.shared.u32 [a], a;\nret;\n}\n");
  const std::string heading =
      "    // [consumer release] templates/protocols/mbarrier/release.ptx:1\n";
  Project::edit(file("a.ptx"), heading, heading + "call hidden, (ring);\n");
  const base::ProcessOutput output =
      home_.says({"assemble", "a.ptx", "-t", "sm_90a", "--gate", "--no-cache"});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::gate));
  EXPECT_NE(output.err.find("no rule counts CALL"), std::string::npos) << output.err;
}

TEST_F(PtxFiles, ThatSomebodyEditedAreGatedByTheirHead) {
  Project::write(file("a.ptx"), home_.says({"show", ptx_files_ring}).out);
  const std::string poll = "mbarrier.try_wait.parity.shared.b64 done, [c_barrier]";
  Project::edit(file("a.ptx"), poll, "mbarrier.test_wait" + poll.substr(poll.find(".parity")));
  const base::ProcessOutput output =
      home_.says({"assemble", "a.ptx", "-t", "sm_90a", "--gate", "--no-cache"});
  EXPECT_EQ(output.exit_status, base::exit_code(Step::gate));
  EXPECT_NE(output.err.find("gate: wait (consumer): expected *SYNCS*PHASECHK*TRYWAIT* x1 per item, "
                            "found 0"),
            std::string::npos)
      << output.err;
  // The head is edited as well: now that is what it must be.
  Project::edit(file("a.ptx"),
                "{ verb = \"wait\", families = [\"hopper\", \"blackwell\", \"rubin\"], require = { "
                "\"*SYNCS*PHASECHK*TRYWAIT*\" = 1 } }",
                "{ verb = \"wait\", require = { \"*SYNCS*PHASECHK*\" = 1 } }");
  Project::edit(
      file("a.ptx"),
      "//@   { verb = \"wait\", families = [\"hopper\", \"blackwell\", \"rubin\"], ptxas = "
      "\">=12.8\", cold = { \"*SYNCS*PHASECHK*TRYWAIT*\" = 1 } },\n",
      "");
  Project::edit(file("a.ptx"), "\"mbarrier.try_wait* done, ?c_barrier]",
                "\"mbarrier.test_wait* done, ?c_barrier]");
  const base::ProcessOutput passed =
      home_.says({"assemble", "a.ptx", "-t", "sm_90a", "--gate", "--no-cache"});
  EXPECT_EQ(passed.exit_status, 0) << passed.err;
}

// A text under the key of another variant: its own rules pass, and everything that shows it says
// that they are not those of the key.
TEST_F(PtxFiles, ThatAreNotHeldToTheirKeySaySoInTheirId) {
  const std::string text = home_.says({"show", ptx_files_ring}).out;
  // After the key's last line, or a rule taken out. No rule holds layout and uniform_role.
  const std::string work = "//@ work = \"none\"\n";
  const auto with = [&](const char* axis) { return work + "//@ " + axis + "\n"; };
  const std::pair<std::string, std::string> rows[] = {
      {work, with("wait = \"test_wait\"")},
      {work, with("addressing = \"unrolled\"")},
      {work, with("semantics = \"fenced\"")},
      {work, with("arrival = \"thread\"")},
      {"{ verb = \"drain\", require = { \"LDS*\" = 1 } },\n//@", ""},
      {work, with("layout = \"v1\"")},
      {work, with("uniform_role = \"off\"")},
  };
  int n = 0;
  for (const auto& [before, after] : rows) {
    const std::string name = fmt::format("k{}.ptx", n++);
    Project::write(file(name), text);
    Project::edit(file(name), before, after);
    Project::edit(file(name), "//@ id = \"" + ptx_files_ring + "\"\n", "");
    const base::ProcessOutput read = home_.says({"sass", "show", name, "-t", "sm_90a"});
    EXPECT_NE((read.out + read.err).find(label(name) + "-not-held-to-its-key"), std::string::npos)
        << after << ": " << read.out << read.err;
  }
}

TEST_F(PtxFiles, OfAStrangerAreAssembledWithTheirFunctionsAndGlobals) {
  const base::ProcessOutput output =
      home_.says({"assemble", "s.ptx", "-t", "sm_90a,sm_100a", "--gate", "--no-cache", "--json"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  size_t targets = 0;
  for (size_t at = output.out.find("\"assembled\": 2"); at != std::string::npos;
       at = output.out.find("\"assembled\": 2", at + 1))
    ++targets;
  EXPECT_EQ(targets, 2U) << output.out;
  EXPECT_EQ(output.out.find("\"ungated\": 0"), std::string::npos) << output.out;
  const base::ProcessOutput shown = home_.says({"sass", "show", "s.ptx", "--kernel", "axpy"});
  EXPECT_TRUE(shown.out.starts_with("s.ptx: axpy for sm_90, by ptxas ")) << shown.out;
  EXPECT_NE(shown.out.find("s.ptx:19"), std::string::npos) << shown.out;  // the store
}

TEST_F(PtxFiles, OfAStrangerArePackedWithWhatSomebodySaysOfThem) {
  const base::ProcessOutput output =
      home_.says({"pack",        "s.ptx",   "--kernel", "axpy",    "-t",
                  "sm_90a",      "-o",      "bundle",   "--grid",  "4,2",
                  "--block",     "64",      "--shared", "1024",    "--param",
                  "n=items",     "--param", "1=0.5",    "--param", "out=buffer:4096:7",
                  "--no-anchors"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto manifest = launch::read_manifest(file("bundle"));
  ASSERT_TRUE(manifest) << manifest.error().text();
  ASSERT_EQ(manifest->variants.size(), 1U);
  const launch::BundleVariant& variant = manifest->variants.front();
  EXPECT_EQ(variant.key.id, "external/" + label("s.ptx") + "/axpy");
  EXPECT_EQ(variant.launch.unit, "ns per item");
  EXPECT_EQ(variant.images.front().gate.verdict, launch::GateVerdict::ungated);
  EXPECT_EQ(variant.images.front().gate.reason, "none: no head, outputs not verified");
  ASSERT_TRUE(variant.external);
  EXPECT_EQ(variant.external->grid, (std::array<int, 3>{4, 2, 1}));
  EXPECT_EQ(variant.external->block, (std::array<int, 3>{64, 1, 1}));
  EXPECT_EQ(variant.external->parameter_bytes, 16);
  const auto block = launch::parameter_block(*variant.external, 10, {0x1122334455667788});
  const std::vector<unsigned char> expected = {10,   0,    0,    0,    0,    0,    0,    0x3f,
                                               0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned char>(block[i]), expected[i]) << i;
}

// The head says what the entry's parameters after the block are, and the manifest how to fill
// them.
TEST_F(PtxFiles, AskForBuffersInTheirHead) {
  Project::write(file("a.ptx"), home_.says({"show", ptx_files_ring}).out);
  Project::edit(file("a.ptx"), "pb[96])", "pb[96], .param .u64 table)");
  const base::ProcessOutput nobody = home_.says({"assemble", "a.ptx", "-t", "sm_90a"});
  EXPECT_NE(nobody.err.find("resources: parameter 'table' of "), std::string::npos) << nobody.err;
  Project::edit(
      file("a.ptx"), "//@ [rules]\n",
      "//@ [resources]\n//@ buffers = [{ name = \"table\", bytes = 64, fill = \"random:7\" "
      "}]\n//@\n//@ [rules]\n");
  const base::ProcessOutput output =
      home_.says({"pack", "a.ptx", "-t", "sm_90a", "-o", "bundle", "--no-anchors"});
  ASSERT_EQ(output.exit_status, 0) << output.err;
  const auto manifest = launch::read_manifest(file("bundle"));
  ASSERT_TRUE(manifest) << manifest.error().text();
  ASSERT_EQ(manifest->variants.size(), 1U);
  EXPECT_EQ(manifest->variants.front().launch.buffers,
            (std::vector<launch::Buffer>{{"table", 64, {launch::BufferFill::Kind::random, 7}}}));
  EXPECT_NE(manifest->variants.front().image(launch::Build::guarded), nullptr);
}

// Where there is no rule of the catalogue, the head's own are what the gate asks for.
TEST_F(PtxFiles, WithAProtocolOfTheirOwnSaySo) {
  Project::write(file("a.ptx"), home_.says({"show", ptx_files_ring}).out);
  Project::edit(file("a.ptx"), "protocol = \"mbarrier\"", "protocol = \"ticket_lock\"");
  const std::vector<std::string> assemble = {"assemble", "a.ptx", "-t", "sm_90a", "--gate"};
  const base::ProcessOutput unknown = home_.says(assemble);
  EXPECT_EQ(unknown.exit_status, base::exit_code(Step::spec));
  EXPECT_NE(unknown.err.find(": protocol: no protocol 'ticket_lock' (one of: "), std::string::npos)
      << unknown.err;
  EXPECT_NE(unknown.err.find("; `origin = \"file\"` above [key] for one of the file's own)"),
            std::string::npos)
      << unknown.err;
  Project::edit(file("a.ptx"), "//@ id = \"ring/mbarrier/st_shared/none\"\n",
                "//@ origin = \"file\"\n");
  const base::ProcessOutput own = home_.says(assemble);
  EXPECT_EQ(own.exit_status, 0) << own.err;
}

struct Row {
  std::vector<std::string> arguments;
  Step step;
  std::string message;
};

void expect_errors(const Project& home, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const base::ProcessOutput output = home.says(row.arguments);
    EXPECT_EQ(output.exit_status, base::exit_code(row.step));
    EXPECT_EQ(output.err, "phasebit: " + row.message + "\n");
  }
}

TEST_F(PtxFiles, SayWhatALaunchLacks) {
  const std::vector<std::string> pack = {"pack", "s.ptx", "--kernel", "axpy", "-o", "b"};
  const auto packed = [&](std::vector<std::string> more) {
    more.insert(more.begin(), pack.begin(), pack.end());
    return more;
  };
  const std::vector<Row> rows = {
      {packed({}), Step::usage,
       "usage: s.ptx:13: axpy: parameter 0 (.param .u32 n) has no value (--param 0=VALUE, "
       "0=buffer:BYTES[:fill] or 0=items)"},
      {packed({"--param", "n=5", "--param", "a=1.5", "--param", "out=buffer:64"}), Step::usage,
       "usage: s.ptx:13: axpy: no parameter is the number of items, and its figure is a slope over "
       "them (--param NAME=items, or --no-figure for a guarded run alone)"},
      {packed({"--param", "n=items", "--param", "a=1.5", "--param", "out=buffer:64"}), Step::usage,
       "usage: s.ptx:13: axpy: its grid is not given (--grid X[,Y[,Z]])"},
      {packed({"--param", "outt=buffer:64"}), Step::usage,
       "usage: s.ptx:13: axpy: no parameter 'outt' (did you mean 'out'?)"},
      {packed({"--param", "n=items", "--param", "a=fast", "--param", "out=buffer:64"}), Step::usage,
       "usage: s.ptx:13: axpy: parameter a (.param .f32 a): 'fast' is no number of its type (a "
       "whole number, 0x..., or a decimal number for .f32 and .f64)"},
      {packed({"--param", "n=buffer:64", "--param", "a=1", "--param", "out=buffer:64"}),
       Step::usage,
       "usage: s.ptx:13: axpy: parameter n (.param .u32 n): 'buffer:64' is an address, and those "
       "are 8 bytes (a whole number, 0x..., or a decimal number for .f32 and .f64)"},
      {packed({"--param", "n=items", "--param", "a=1", "--param", "out=buffer:64:zeros"}),
       Step::usage,
       "usage: s.ptx:13: axpy: parameter out (.param .u64 out): 'buffer:64:zeros' is not "
       "buffer:BYTES[:fill] (the fill is zero, none, index, random:SEED, blocks:SEED, signs:SEED, "
       "normal:SEED, uniform:SEED, special:SEED, rare:SEED, "
       "bf16:normal:SEED (or another of these four), indices:MIX:BOUND:SEED or a number)"},
  };
  expect_errors(home_, rows);
}

TEST_F(PtxFiles, SayWhatTheyCannotBe) {
  Project::write(file("g.ptx"), home_.says({"show", ptx_files_ring, "--build", "guarded"}).out);
  Project::write(file("h.ptx"), home_.says({"show", ptx_files_ring}).out);
  const std::vector<Row> rows = {
      {{"sass", "show", "s.ptx"},
       Step::usage,
       "usage: s.ptx: has 2 kernels (give --kernel, a number or a name: 1 other, 2 axpy)"},
      {{"assemble", "s.ptx", "--kernel", "axpi"},
       Step::usage,
       "usage: no kernel 'axpi' in s.ptx (did you mean 'axpy'?)"},
      {{"assemble", "s.ptx", "--snippet", "wait=x.ptx"},
       Step::usage,
       "usage: files are not variants: no --snippet with it (choose with --kernel "
       "and "
       "--filter)"},
      {{"assemble", "s.ptx", "-a", "num_stages=2"},
       Step::usage,
       "usage: -a num_stages=2: a file has its axes (of a file: llvm, llvm_opt, short_ptr, ptxas, "
       "opt_level, maxrregcount, edit, padding)"},
      {{"sass", "classes", "h.ptx", "x.cubin"},
       Step::usage,
       "usage: h.ptx: PTX with heads and files of code together (it is variants: compare two at a "
       "time "
       "with `sass diff`)"},
      {{"assemble", "g.ptx"},
       Step::usage,
       "usage: g.ptx: pb_6b9286b10afb_g is a guarded build (give the timed one: its guarded build "
       "is "
       "made from it)"},
      {{"assemble", "none.ptx"}, Step::io, "io: cannot read none.ptx: No such file or directory"},
  };
  expect_errors(home_, rows);
}

TEST_F(PtxFiles, AskForNoOtherLaunchThanTheirKey) {
  const std::string text = home_.says({"show", ptx_files_ring}).out;
  const struct {
    const char *find, *put, *refusal;
  } rows[] = {
      {"shared_bytes = ", "shared_bytes = 20", "its head has shared_bytes = 20"},
      {"timed_role = ", "min_items = 9\n//@ timed_role = ",
       "its head has min_items = 9, the template of its key 1"},
      {"timed_role = ", "max_items = 99\n//@ timed_role = ",
       "its head has max_items = 99, the template of its key none"},
  };
  for (const auto& row : rows) {
    std::string edited = text;
    const std::size_t at = edited.find(row.find);
    ASSERT_NE(at, std::string::npos) << row.find;
    edited.replace(at, std::string(row.find).size(), row.put);
    Project::write(file("launch.ptx"), edited);
    const base::ProcessOutput output =
        home_.says({"assemble", "launch.ptx", "--check", "-t", "sm_90a", "--no-cache"});
    EXPECT_NE(output.exit_status, 0) << row.put;
    EXPECT_NE((output.out + output.err).find(row.refusal), std::string::npos)
        << output.out << output.err;
  }
}

TEST_F(PtxFiles, AreShownEntryByEntry) {
  const base::ProcessOutput several = home_.says({"show", "s.ptx"});
  EXPECT_EQ(several.err, "phasebit: usage: s.ptx has 2 kernels (--kernel: one of axpy, other)\n");
  const base::ProcessOutput one = home_.says({"show", "s.ptx", "--kernel", "axpy"});
  ASSERT_EQ(one.exit_status, 0) << one.err;
  const size_t begin = strangers.find(".visible .entry axpy");
  EXPECT_EQ(one.out, strangers.substr(begin, strangers.find(".visible .entry other") - begin));
}

TEST_F(PtxFiles, AreLimitedAsVariantsAre) {
  const auto assembled = [&](const std::vector<std::string>& which) {
    std::vector<std::string> words = {"assemble", "-t", "sm_90a", "--no-cache", "--json"};
    words.insert(words.end(), which.begin(), which.end());
    const base::ProcessOutput output = home_.says(words);
    EXPECT_EQ(output.exit_status, 0) << output.err;
    const size_t at = output.out.find("\"assembled\": ");
    return at == std::string::npos ? -1 : std::atoi(output.out.c_str() + at + 13);
  };
  EXPECT_EQ(assembled({"s.ptx"}), 2);
  EXPECT_EQ(assembled({"s.ptx", "--limit", "1"}), 1);
  for (const char* name : {"one", "two"})
    ASSERT_EQ(home_.says({"fork", ptx_files_ring, "--name", name}).exit_status, 0);
  EXPECT_EQ(assembled({"--tuned"}), 3);
  EXPECT_EQ(assembled({"--tuned", "--limit", "2"}), 2);
  EXPECT_EQ(assembled({"--tuned", "--filter", "tuned=two"}), 1);
}

TEST_F(PtxFiles, ThatAreShippedDoWhatTheirTemplatesDo) {
  fs::copy(test::home().data / "ptx" / "tuned", home_.path() / "ptx" / "tuned");
  const base::ProcessOutput output =
      home_.says({"assemble", "--tuned", "--check", "-t", "sm_90a", "--no-cache"});
  EXPECT_EQ(output.exit_status, 0) << output.out << output.err;
  // Four forks and what they are compared with.
  EXPECT_NE(output.out.find("       5       0        0\n"), std::string::npos) << output.out;
}

}  // namespace
}  // namespace phasebit::test
