// Flips each byte of images of other compilers, as flips_test does with ours: class_flips FILE...
// Of each file, a cubin or what holds some, it takes the smallest image and in it the kernel with
// the most code; of an image of more than 200 kB the sections that a class is made of. Fails where
// bytes without effect have no reason.
#include "analysis/foreign/file.h"
#include "core/base/process.h"
#include "tests/analysis/flips/flips.h"
#include "tests/home.h"

#include <algorithm>
#include <cstdio>

namespace phasebit::test {
namespace {

const foreign::CodeImage* smallest(const foreign::CodeFile& file) {
  const auto found = std::min_element(
      file.images.begin(), file.images.end(),
      [](const auto& a, const auto& b) { return a.bytes.size() < b.bytes.size(); });
  return found == file.images.end() ? nullptr : &*found;
}

std::string largest_kernel(const cubin::Cubin& cubin) {
  std::size_t most = 0;
  std::string entry;
  for (const cubin::CubinKernel& kernel : cubin.kernels)
    if (kernel.is_entry && kernel.text.size() > most)
      most = kernel.text.size(), entry = kernel.entry;
  return entry;
}

Status flip_file(const fs::path& path, FlippedKinds& all) {
  PHASEBIT_TRY_ASSIGN(targets, isa::TargetTable::load());
  const fs::path cuobjdump = test::home().data / ".toolchains/13.5.37/nvidia/cu13/bin/cuobjdump";
  PHASEBIT_TRY_ASSIGN(file, foreign::read_code_file(path, cuobjdump, targets));
  const foreign::CodeImage* image = smallest(file);
  if (image == nullptr) return fail(Step::disassemble, "no image");
  const std::string entry = largest_kernel(image->cubin);
  constexpr std::size_t large_bytes = 200'000;
  const auto which =
      image->bytes.size() > large_bytes ? FlippedSections::read : FlippedSections::all;
  PHASEBIT_TRY_ASSIGN(kinds, flip_each(std::string(image->bytes), entry, which));
  std::printf("%s: %.60s, %zu bytes, %s %s\n", image->name.c_str(), entry.c_str(),
              image->bytes.size(), image->cubin.tool.c_str(), image->cubin.tool_version.c_str());
  std::fflush(stdout);
  add(all, kinds);
  return {};
}

int flip_files(const std::vector<fs::path>& files) {
  FlippedKinds all;
  int failures = 0;
  for (const fs::path& file : files)
    if (const Status done = flip_file(file, all); !done) {
      std::printf("%s: %s\n", file.c_str(), done.error().text().c_str());
      ++failures;
    }
  std::printf("%s", report(all).c_str());
  for (const std::string& kind : unexplained(all)) {
    std::printf("no reason: %s\n", kind.c_str());
    ++failures;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace phasebit::test

int main(int argc, char** argv) {
  return phasebit::test::flip_files({argv + 1, argv + argc});
}
