// Every byte of every section of three small images, flipped: what does not change the class of the
// kernel k, by section, with the reason. The counts are held against a reviewed list.
#include "analysis/cubin/cubin.h"
#include "analysis/cubin/elf_file.h"
#include "core/base/file.h"
#include "tests/analysis/sass/class_images.h"
#include "tests/analysis/sass/rings.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

struct Reason {
  std::string_view section;  // how its name begins
  std::string_view text;
};

// In the order in which a section is looked for.
constexpr Reason reasons[] = {
    {".shstrtab", "names of sections that nothing of k leads to"},
    {".strtab", "names of k itself, of what counts by content, and of what k does not lead to"},
    {".symtab", "symbols that k does not lead to; of the others what no address depends on"},
    {".debug_", "for debuggers"},
    {".nv_debug_", "for debuggers"},
    {".rela.debug_", "for debuggers"},
    {".rel.debug_", "for debuggers"},
    {".rela.nv_debug_", "for debuggers"},
    {".rela.nv.constant4", "pointers that k does not name"},
    {".note.", "which tool made the file, and how it was called"},
    {".nv.info.k", "parameters, and places that follow from the code, for the loader and tools"},
    {".nv.info", "of other kernels; of a callee what its caller decides"},
    {".nv.compat", "for tools that link or finish the file"},
    {".nv.callgraph", "calls inside the section, and those that lead nowhere"},
    {".nv.constant0.", "bank 0 is what a launch hands over"},
    {".nv.constant3", "constants that k does not name"},
    {".nv.constant4", "pointers that k does not name"},
    {".nv.global.init", "globals that k does not name"},
    {".nv.merc.", "the code in another form, of which a driver makes that of other SMs"},
    {".nv.capmerc.", "the code in another form, of which a driver makes that of other SMs"},
    {".text.beside", "k does not call it"},
};

std::string_view reason_of(const std::string& section) {
  for (const Reason& reason : reasons)
    if (section.starts_with(reason.section)) return reason.text;
  return {};
}

std::string class_of(const std::string& bytes) {
  const auto cubin = cubin::read_cubin(bytes);
  if (!cubin) return "unreadable";
  const cubin::CubinKernel* kernel = cubin->find("k");
  return kernel == nullptr ? "no kernel" : kernel->code.hash;
}

struct Place {
  std::string name;
  std::size_t offset = 0, size = 0;
};

std::vector<Place> places_of(const std::string& bytes) {
  const auto file = cubin::ElfFile::open(bytes, "image");
  std::vector<Place> places;
  for (const cubin::ElfSection& section : file->sections())
    if (!section.data.empty())
      places.push_back({section.name, section.header.sh_offset, section.data.size()});
  return places;
}

std::string report(const std::string& name, std::string bytes) {
  std::string text = name + "\n";
  const std::string before = class_of(bytes);
  for (const Place& place : places_of(bytes)) {
    std::size_t unchanged = 0;
    for (std::size_t i = place.offset; i < place.offset + place.size; ++i) {
      bytes[i] = static_cast<char>(~bytes[i]);
      unchanged += class_of(bytes) == before ? 1U : 0U;
      bytes[i] = static_cast<char>(~bytes[i]);
    }
    const std::string_view reason = reason_of(place.name);
    EXPECT_TRUE(unchanged == 0 || !reason.empty())
        << name << ": " << place.name << ": " << unchanged << " bytes count for nothing, and why?";
    text += fmt::format("  {:24} {:5} bytes, {:5} without effect{}{}\n", place.name, place.size,
                        unchanged, unchanged == 0 ? "" : ": ", unchanged == 0 ? "" : reason);
  }
  return text;
}

TEST(ClassFlips, AreThoseOfTheReviewedList) {
  PHASEBIT_NEEDS_TOOLS();
  const std::string two = data_kernel + ".visible .entry beside()\n{\n  bar.sync 5;\n  ret;\n}\n";
  const auto executable = assemble_text(two, "sm_90"),
             relocatable = assemble_text(two, "sm_80", {"-c"}),
             ring_image = assemble({ring(try_wait_ring)}, "sm_107a", true, "9.5");
  for (const auto* image : {&executable, &relocatable, &ring_image})
    ASSERT_TRUE(*image) << image->error().text();
  const std::string found = report("two kernels for sm_90", *executable) +
                            report("the same, relocatable, for sm_80", *relocatable) +
                            report("a ring for sm_107a with lines", *ring_image);
  const fs::path golden = base::source_root() / "tests/golden/class_flips.txt";
  if (std::getenv("PHASEBIT_ACCEPT") != nullptr) {
    ASSERT_TRUE(base::write_file(golden, found));
  }
  EXPECT_EQ(found, base::read_file(golden).value_or("no tests/golden/class_flips.txt"))
      << "PHASEBIT_ACCEPT=1 takes it over; review what is new";
}

}  // namespace
}  // namespace phasebit::test
