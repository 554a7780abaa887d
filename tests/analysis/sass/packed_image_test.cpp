// What holds images: fatbins and their members, static libraries.
#include "analysis/foreign/file.h"
#include "analysis/foreign/packed/fatbin.h"
#include "analysis/foreign/packed/images.h"
#include "tests/analysis/sass/code_files.h"

namespace phasebit::test {

using base::read_file;
using foreign::packed::FatbinMember;
using foreign::packed::read_members;

namespace {

using test::store_kernel;

class PackedImageTest : public test::CodeFiles {
 protected:
  Result<foreign::CodeFile> read(const std::string& file,
                                 const std::vector<std::string>& only = {}) const {
    return foreign::read_code_file(file, {}, *isa::TargetTable::load(), only);
  }
  static std::string image(const std::string& kind, const std::string& sm,
                           const std::string& file) {
    return "kind=" + kind + ",sm=" + sm + ",file=" + file;
  }
  std::string archive(const std::string& name, const std::vector<std::string>& members) const {
    std::vector<std::string> arguments = {"ar", "rcs", path(name)};
    arguments.insert(arguments.end(), members.begin(), members.end());
    run(arguments);
    return path(name);
  }
};

// Kind, target, sizes and packing as fatbinary was told; the bytes as they went in.
TEST_F(PackedImageTest, MembersAreWhatWentIn) {
  const struct {
    std::string target, sm, mode;
    FatbinMember::Packing packing;
  } rows[] = {
      {"sm_80", "80", "none", FatbinMember::Packing::none},
      {"sm_75", "75", "speed", FatbinMember::Packing::lz4},
      {"sm_90a", "90a", "size", FatbinMember::Packing::zstd},
      {"sm_100a", "100a", "balance", FatbinMember::Packing::zstd},
      {"sm_100f", "100f", "none", FatbinMember::Packing::none},
      {"sm_120", "120", "speed", FatbinMember::Packing::lz4},
  };
  for (const auto& row : rows) {
    std::string source = test::ptx_head(row.target) + store_kernel("k", 1);
    source.replace(source.find("8.0"), 3, "9.0");
    const std::string ptx = write("k.ptx", source), whole = path("k.cubin");
    run({ptxas_, "-arch", row.target, ptx, "-o", whole});
    run({fatbinary_, "--create=" + path("f.fatbin"), "--ident=src/k.cu", "--compress-all",
         "--compress-mode=" + row.mode, "--image3=" + image("elf", row.sm, whole),
         "--image3=" + image("ptx", row.sm, ptx)});
    const std::string bytes = *read_file(path("f.fatbin"));
    const auto fatbins = foreign::packed::find_fatbins(bytes, "f");
    ASSERT_TRUE(fatbins && fatbins->all.size() == 1) << row.target;
    const foreign::packed::FatbinMembers members = read_members(fatbins->all[0].bytes);
    EXPECT_EQ(members.problem, "");
    ASSERT_EQ(members.all.size(), 2U) << row.target;
    const FatbinMember& elf = members.all[0];
    EXPECT_EQ(elf.kind, FatbinMember::Kind::elf);
    EXPECT_EQ(members.all[1].kind, FatbinMember::Kind::ptx);
    EXPECT_EQ(elf.target, row.target);
    EXPECT_EQ(elf.source, "k.cu");
    EXPECT_EQ(elf.packing, row.packing) << row.target;
    const auto out = foreign::packed::unpack(elf);
    ASSERT_TRUE(out) << out.error().text();
    // What is not packed is filled up to 8 bytes.
    EXPECT_EQ(out->substr(0, fs::file_size(whole)), *read_file(whole)) << row.target;
    EXPECT_LT(out->size() - fs::file_size(whole), 8U);
    EXPECT_EQ(read_members(foreign::packed::alone(elf)).all.at(0).payload, elf.payload);
  }
}

TEST_F(PackedImageTest, DamagedMembersAreNotesBesideOthers) {
  const std::string file = fatbin("f.fatbin",
                                  {image("elf", "80", cubin("a", store_kernel("one", 1))),
                                   image("elf", "80", cubin("b", store_kernel("two", 2)))},
                                  true);
  std::string bytes = *read_file(file);
  const foreign::packed::FatbinMembers members = read_members(bytes);
  ASSERT_EQ(members.all.size(), 2U);
  const auto second = static_cast<std::size_t>(members.all[1].whole.data() - bytes.data());
  std::string flipped = bytes;
  flipped[second + 64 + 20] = static_cast<char>(flipped[second + 64 + 20] ^ 0x5a);
  flipped[second + 64 + 40] = static_cast<char>(flipped[second + 64 + 40] ^ 0x5a);
  auto code = read(write("flipped.fatbin", flipped));
  ASSERT_TRUE(code) << code.error().text();
  EXPECT_EQ(code->images.size(), 1U);
  ASSERT_EQ(code->notes.size(), 1U);
  EXPECT_TRUE(code->notes[0].starts_with(path("flipped.fatbin") + ": 2: sm_80: "))
      << code->notes[0];
  std::string headless = bytes;
  headless.replace(second, 8, 8, '\xff');
  code = read(write("headless.fatbin", headless));
  ASSERT_TRUE(code) << code.error().text();
  EXPECT_EQ(code->images.size(), 1U);
  EXPECT_EQ(code->notes,
            std::vector<std::string>{path("headless.fatbin") +
                                     ": damaged: image 2 of a fatbin does not begin like one"});
}

// Nothing else is unpacked: what is damaged there is not met.
TEST_F(PackedImageTest, OpensWhatIsAskedFor) {
  const std::string file =
      fatbin("f.fatbin", {image("elf", "80", cubin("a", store_kernel("one", 1))),
                          image("elf", "90a", cubin("b", store_kernel("two", 2), "sm_90a"))});
  const auto one = read(file, {"sm_90"});
  ASSERT_TRUE(one) << one.error().text();
  ASSERT_EQ(one->images.size(), 1U);
  EXPECT_EQ(one->images[0].cubin.target, "sm_90a");
  EXPECT_EQ(one->unopened, std::vector<std::string>{"sm_80"});
  const auto none = read(file, {"sm_75"});
  ASSERT_TRUE(none) << none.error().text();
  EXPECT_TRUE(none->images.empty());
  EXPECT_EQ(none->unopened, (std::vector<std::string>{"sm_80", "sm_90a"}));
}

// A shared library's relocatable images are what its linked ones were made of.
TEST_F(PackedImageTest, LinkedStandsForRelocatable) {
  const std::string linked =
      fatbin("l.fatbin", {image("elf", "80", cubin("l", store_kernel("k", 1)))});
  const std::string pieces =
      fatbin("r.fatbin", {image("elf", "80", cubin("r", store_kernel("k", 1)))});
  const std::string a = object("l.o", *read_file(linked));
  const std::string b = object("r.o", *read_file(pieces), "__nv_relfatbin");
  run({"cc", "-shared", "-nostdlib", a, b, b, "-Wl,--allow-multiple-definition", "-o",
       path("two.so")});
  const auto code = read(path("two.so"));
  ASSERT_TRUE(code) << code.error().text();
  EXPECT_EQ(code->images.size(), 1U);
  ASSERT_EQ(code->notes.size(), 1U);
  EXPECT_NE(code->notes[0].find("2 images: relocatable; linked images of the same architecture "
                                "hold the code (the first: "),
            std::string::npos)
      << code->notes[0];
}

TEST_F(PackedImageTest, StaticLibrary) {
  const std::string one =
      fatbin("1.fatbin", {image("elf", "80", cubin("a", store_kernel("one", 1)))});
  const std::string two =
      fatbin("2.fatbin", {image("elf", "80", cubin("b", store_kernel("two", 2)))});
  const std::string first = object("a_name_that_is_longer_than_its_field.o", *read_file(one));
  const std::string second = object("two.o", *read_file(two), "__nv_relfatbin");
  run({"cc", "-c", "-xc", "/dev/null", "-o", path("host.o")});
  const std::string file = archive("lib.a", {first, path("host.o"), second});
  const auto code = read(file);
  ASSERT_TRUE(code) << code.error().text();
  ASSERT_EQ(code->images.size(), 2U);
  EXPECT_EQ(code->images[0].name, file + ": a_name_that_is_longer_than_its_field.o: 1: sm_80");
  EXPECT_EQ(code->images[1].name, file + ": two.o: 1: sm_80");
  EXPECT_EQ(code->images[1].cubin.kernels.at(0).entry, "two");
  const std::string hosts = archive("host.a", {path("host.o")});
  EXPECT_EQ(read(hosts).error().text(), "disassemble: " + hosts + ": no GPU code in its 1 members");
  run({"ar", "rcsT", path("thin.a"), first});
  EXPECT_EQ(read(path("thin.a")).error().text(),
            "disassemble: " + path("thin.a") +
                ": a thin archive: its members are other files (name those)");
}

TEST_F(PackedImageTest, LinkerCodeAlone) {
  std::string bytes =
      *read_file(fatbin("f.fatbin", {image("elf", "80", cubin("a", store_kernel("one", 1)))}));
  bytes[16] = 8;  // as nvcc -code=lto_80 marks it
  const std::string file = write("lto.fatbin", bytes);
  EXPECT_EQ(read(file).error().text(),
            "disassemble: " + file +
                ": code for the linker (LTO) only: no machine code to read (link it, nvcc -dlto "
                "-arch=sm_90a ..., and name what that makes)");
}

TEST_F(PackedImageTest, DebugBuildsAreRemarks) {
  const std::string source = write("g.ptx", test::ptx_head("sm_80") + store_kernel("k", 1));
  run({ptxas_, "-g", "-arch", "sm_80", source, "-o", path("g.cubin")});
  const auto code = read(path("g.cubin"));
  ASSERT_TRUE(code) << code.error().text();
  EXPECT_EQ(code->remarks,
            std::vector<std::string>{path("g.cubin") +
                                     ": built with -G: every stall count is 0, so issue cycles say "
                                     "nothing"});
  EXPECT_TRUE(read(cubin("o", store_kernel("k", 1)))->remarks.empty());
}

TEST(Archive, Damaged) {
  const std::string magic = "!<arch>\n";
  const auto header = [](const std::string& name, const std::string& size) {
    return fmt::format("{:<16}{:<32}{:<10}`\n", name, "0", size);
  };
  const struct {
    std::string bytes, message;
  } rows[] = {
      {magic + "k.o/", "k.a: damaged: no header of a member at byte 8"},
      {magic + header("k.o/", "x"), "k.a: damaged: no header of a member at byte 8"},
      {magic + header("k.o/", "9") + "abc", "k.a: cut short: member 1 says 9 bytes, 3 are left"},
      {magic + header("k.o/", "3") + "abc\n" + "rest",
       "k.a: damaged: no header of a member at byte 72"},
  };
  for (const auto& row : rows) {
    const auto members = foreign::packed::read_archive(row.bytes, "k.a");
    ASSERT_FALSE(members) << row.message;
    EXPECT_EQ(members.error().message, row.message);
  }
  const std::string table = "long_name_of_a_member.o/\n";
  // What is read points into it.
  const std::string bytes = magic + header("/", "4") + "syms" +
                            header("//", std::to_string(table.size())) + table + "\n" +
                            header("/0", "3") + "abc\n" + header("b.o/", "0");
  const auto all = foreign::packed::read_archive(bytes, "k.a");
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].name, "long_name_of_a_member.o");
  EXPECT_EQ((*all)[0].bytes, "abc");
  EXPECT_EQ((*all)[1].name, "b.o");
}

}  // namespace
}  // namespace phasebit::test
