// Code files for the tests, made by the tools of the pinned toolchain and binutils.
#pragma once

#include "core/base/process.h"
#include "tests/analysis/sass/support.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

// What comes before the kernels of a text.
inline std::string ptx_head(const std::string& target, const std::string& files = "") {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n" + files;
}

// A kernel that stores a number.
inline std::string store_kernel(const std::string& name, int number) {
  return fmt::format(
      ".visible .entry {}(.param .u64 p)\n{{\n.reg .b64 a;\nld.param.u64 a, [p];\n"
      "st.global.u32 [a], {};\nret;\n}}\n",
      name, number);
}

class CodeFiles : public testing::Test {
 protected:
  void SetUp() override {
    const auto tools = find_tools();
    if (!tools) GTEST_SKIP() << "no ptxas and nvdisasm in .toolchains";
    ptxas_ = tools->ptxas, nvdisasm_ = tools->nvdisasm;
    const fs::path programs = fs::path(ptxas_).parent_path();
    fatbinary_ = (programs / "fatbinary").string();
    cuobjdump_ = programs / "cuobjdump";
    ASSERT_TRUE(fs::exists(fatbinary_)) << "the wheel of ptxas has it";
    ASSERT_TRUE(fs::exists(cuobjdump_)) << "tools/toolchain installs cuobjdump";
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    EXPECT_TRUE(base::write_file(path(name), bytes));
    return path(name);
  }
  static void run(const std::vector<std::string>& arguments) {
    const auto output = base::run_process(arguments);
    ASSERT_TRUE(output) << output.error().text();
    ASSERT_TRUE(output->ok()) << arguments.front() << ": " << output->err << output->out;
  }
  // NAME.cubin of a text without its head.
  std::string cubin(const std::string& name, const std::string& kernels,
                    const std::string& target = "sm_80", const std::string& files = "") const {
    const std::string source = write(name + ".ptx", ptx_head(target, files) + kernels);
    std::vector<std::string> arguments = {ptxas_, "-arch", target,
                                          source, "-o",    path(name + ".cubin")};
    if (!files.empty()) arguments.push_back("-lineinfo");
    run(arguments);
    return path(name + ".cubin");
  }
  // `images` are of --image3: "kind=elf,sm=80,file=...".
  std::string fatbin(const std::string& name, const std::vector<std::string>& images,
                     bool compressed = false, const std::string& ident = "") const {
    std::vector<std::string> arguments = {fatbinary_, "--create=" + path(name)};
    if (compressed) arguments.emplace_back("--compress-all");
    if (!ident.empty()) arguments.push_back("--ident=" + ident);
    for (const std::string& image : images) arguments.push_back("--image3=" + image);
    run(arguments);
    return path(name);
  }
  // A host object with bytes in a section, as nvcc leaves a fatbin.
  std::string object(const std::string& name, const std::string& bytes,
                     const std::string& section = ".nv_fatbin") const {
    const std::string raw = write(name + ".bin", bytes), plain = path(name + ".plain.o");
    run({"ld", "-r", "-b", "binary", raw, "-o", plain});
    run({"objcopy", "--rename-section", ".data=" + section, plain, path(name)});
    return path(name);
  }

  std::string ptxas_, nvdisasm_, fatbinary_;
  fs::path cuobjdump_;
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

}  // namespace phasebit::test
