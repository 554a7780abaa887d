#include "analysis/foreign/file.h"
#include "tests/analysis/sass/code_files.h"

namespace phasebit::test {

using base::read_file;
using foreign::read_code_file;
using isa::TargetTable;

namespace {

using test::store_kernel;

class CodeFileTest : public test::CodeFiles {
 protected:
  Result<foreign::CodeFile> read(const std::string& file) const {
    return read_code_file(file, cuobjdump_, *TargetTable::load());
  }
  // "sm_80 one two; sm_90a one": what could be read of a file.
  std::string contents(const std::string& file) const {
    const auto code = read(file);
    if (!code) return code.error().text();
    std::string text;
    for (const foreign::CodeImage& image : code->images) {
      text += (text.empty() ? "" : "; ") + image.cubin.target;
      for (const cubin::CubinKernel& kernel : image.cubin.kernels) text += " " + kernel.entry;
    }
    return text;
  }
  static std::string image(const std::string& target, const std::string& file) {
    return "kind=elf,sm=" + target + ",file=" + file;
  }
};

TEST_F(CodeFileTest, CubinsOfEveryTarget) {
  for (const char* target : {"sm_75", "sm_80", "sm_90", "sm_90a"})
    EXPECT_EQ(contents(cubin(target, store_kernel("k", 1), target)), std::string(target) + " k");
}

TEST_F(CodeFileTest, FatbinsAndHostFiles) {
  const std::string a = cubin("a", store_kernel("one", 1) + store_kernel("two", 2));
  const std::string b = cubin("b", store_kernel("one", 1), "sm_90a");
  const std::vector<std::string> images = {image("80", a), image("90a", b)};
  for (const bool compressed : {false, true}) {
    const std::string file = fatbin("f.fatbin", images, compressed);
    EXPECT_EQ(fs::file_size(file) < fs::file_size(a), compressed);
    for (const std::string& whole : {file, object("f.o", *read_file(file)),
                                     object("r.o", *read_file(file), "__nv_relfatbin")}) {
      const auto code = read(whole);
      ASSERT_TRUE(code) << code.error().text();
      ASSERT_EQ(code->images.size(), 2U) << whole;
      EXPECT_EQ(code->images[0].bytes, *read_file(a));
      EXPECT_EQ(code->images[1].bytes, *read_file(b));
      EXPECT_TRUE(code->notes.empty());
    }
  }
}

// An executable: the section is kept through the linker.
TEST_F(CodeFileTest, Executable) {
  const std::string file = fatbin("f.fatbin", {image("80", cubin("a", store_kernel("one", 1)))});
  const std::string source = write("main.c", "int main(void) { return 0; }\n");
  run({"cc", source, object("f.o", *read_file(file)), "-o", path("program")});
  EXPECT_EQ(contents(path("program")), "sm_80 one");
}

// Shared memory of a relocatable object is a section that is larger than the file.
TEST_F(CodeFileTest, Relocatable) {
  const std::string source =
      write("r.ptx", test::ptx_head("sm_90") +
                         ".shared .align 4 .b8 room[40000];\n.visible .entry k(.param .u64 p)\n{\n"
                         ".reg .b64 a;\n.reg .b32 x;\nld.param.u64 a, [p];\n"
                         "ld.shared.u32 x, [room];\nst.global.u32 [a], x;\nret;\n}\n");
  run({ptxas_, "-c", "-arch", "sm_90", source, "-o", path("r.cubin")});
  EXPECT_LT(fs::file_size(path("r.cubin")), 40000U);
  EXPECT_EQ(contents(path("r.cubin")), "sm_90 k");
}

// Two sources of one name, each with an image for sm_80: cuobjdump would write both to one file.
TEST_F(CodeFileTest, ImagesOfOneName) {
  std::string both;
  for (const char* name : {"one", "two"})
    both += *read_file(fatbin(std::string(name) + ".fatbin",
                              {image("80", cubin(name, store_kernel(name, 1)))}, false, "k.cu"));
  EXPECT_EQ(contents(object("two.o", both)), "sm_80 one; sm_80 two");
}

TEST_F(CodeFileTest, WithoutMachineCode) {
  const std::string text = write("k.ptx", test::ptx_head("sm_80") + store_kernel("k", 1));
  const std::string ptx = fatbin("p.fatbin", {"kind=ptx,sm=80,file=" + text});
  EXPECT_EQ(contents(ptx), "disassemble: " + ptx +
                               ": PTX only: no machine code to read (cuobjdump "
                               "-xptx all " +
                               ptx + " takes it out, ptxas assembles it)");
  const std::string empty = fatbin("e.fatbin", {});
  EXPECT_EQ(contents(empty), "disassemble: " + empty + ": no kernel in it");
  EXPECT_EQ(
      contents("/proc/self/exe"),
      "disassemble: /proc/self/exe: no GPU code in it: a host file without section .nv_fatbin "
      "or __nv_relfatbin");
  // A file of debugging information has the section's header alone.
  const std::string stripped = path("stripped.o");
  run({"objcopy", "--only-keep-debug", object("p.o", *read_file(ptx)), stripped});
  EXPECT_EQ(contents(stripped),
            "disassemble: " + stripped +
                ": no GPU code in it: a host file without section .nv_fatbin or __nv_relfatbin");
  const std::string words = write("k.cu", "__global__ void k();\n");
  EXPECT_EQ(contents(words), "disassemble: " + words + ": not an ELF file (21 bytes)");
  EXPECT_EQ(read(path("nowhere")).error().step, Step::io);
}

// The SM number of CUDA 13's layout is byte 1 of e_flags, which are at byte 48.
TEST_F(CodeFileTest, SmThatIsNotKnown) {
  std::string bytes = *read_file(cubin("k", store_kernel("k", 1)));
  bytes[49] = static_cast<char>(133);
  const std::string newer = write("newer.cubin", bytes);
  EXPECT_EQ(contents(newer), "disassemble: " + newer +
                                 ": code for sm_133, an architecture that phasebit does not "
                                 "know: not in core/isa/targets.toml (nvdisasm 13.5.37 or newer "
                                 "prints it)");
  bytes[49] = 70;
  const std::string older = write("older.cubin", bytes);
  EXPECT_EQ(contents(older),
            "disassemble: " + older +
                ": code for sm_70; sm_75 is the oldest that can be read (nvdisasm 12.9 is the last "
                "that prints it)");
  // With code that can be read it is a note.
  const std::string good = cubin("good", store_kernel("good", 1));
  const std::string other = cubin("other", store_kernel("other", 2), "sm_75");
  std::string two = *read_file(fatbin("both.fatbin", {image("80", good), image("75", other)}));
  two[two.rfind("\x7f"
                "ELF") +
      49] = 70;
  const auto both = read(write("both.fatbin", two));
  ASSERT_TRUE(both) << both.error().text();
  ASSERT_EQ(both->images.size(), 1U);
  EXPECT_EQ(both->images[0].cubin.kernels[0].entry, "good");
  ASSERT_EQ(both->notes.size(), 1U);
  EXPECT_NE(both->notes[0].find("code for sm_70"), std::string::npos) << both->notes[0];
}

TEST_F(CodeFileTest, EveryTruncationIsAnErrorOrTheWholeCode) {
  const std::string a = cubin("a", store_kernel("one", 1));
  const std::string f = fatbin("f.fatbin", {image("80", a)});
  for (const std::string& file : {a, f, object("f.o", *read_file(f))}) {
    const std::string bytes = *read_file(file);
    const std::size_t step = bytes.size() / 61;
    for (std::size_t size = 0; size < bytes.size(); size += step) {
      const auto code = read(write("cut", bytes.substr(0, size)));
      EXPECT_TRUE(code || !code.error().message.empty());
      // What comes last in a cubin is needed too.
      EXPECT_TRUE(file != a || !code) << size;
      if (!code) continue;
      EXPECT_EQ(code->images.at(0).cubin.kernels.at(0).text,
                read(file)->images.at(0).cubin.kernels.at(0).text)
          << size;
    }
  }
}

// A packing that is not known goes to cuobjdump: here the flag that says zstd is taken away.
TEST_F(CodeFileTest, ToolThatFails) {
  const std::string good = fatbin("g.fatbin", {image("80", cubin("a", store_kernel("one", 1)))});
  std::string bytes =
      *read_file(fatbin("f.fatbin", {image("80", cubin("a", store_kernel("one", 1)))}, true));
  ASSERT_EQ(bytes.at(16 + 41) & 0x80, 0x80);
  bytes[16 + 41] = static_cast<char>(bytes[16 + 41] & 0x7f);
  const std::string f = write("other.fatbin", bytes);
  const auto with = [&](const fs::path& tool) {
    return read_code_file(f, tool, *TargetTable::load()).error().text();
  };
  const std::string image = "disassemble: " + f + ": 1: sm_80: ";
  EXPECT_EQ(with({}),
            image + "packed in a way that phasebit does not know, and there is no cuobjdump");
  const auto script = [&](const std::string& name, const std::string& text) {
    const std::string file = write(name, "#!/bin/sh\n" + text + "\n");
    fs::permissions(file, fs::perms::owner_all);
    return file;
  };
  EXPECT_EQ(with(script("killed", "kill -9 $$")),
            image + "cuobjdump was ended by signal 9 (Killed): ");
  EXPECT_EQ(with(script("refuses", "echo no >&2; echo more >&2; exit 3")),
            image + "cuobjdump exited with 3: no");
  EXPECT_NE(with(script("lies", "echo 'Extracting ELF file    1: k.sm_80.cubin'"))
                .find("cuobjdump said k.sm_80.cubin, but: "),
            std::string::npos);
  EXPECT_EQ(with(script("mute", "exit 0")), image + "cuobjdump finds no image in it");
  const auto unpacked = read_code_file(
      f,
      script("works", "cp " + path("a.cubin") + " a.cubin; echo 'Extracting ELF file 1: a.cubin'"),
      *TargetTable::load());
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  EXPECT_EQ(unpacked->images.at(0).cubin.kernels.at(0).entry, "one");
}

}  // namespace
}  // namespace phasebit::test
