#include "tests/padded/padded.h"

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/elf_file.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

using cubin::ElfFile;

namespace {

constexpr std::size_t code_alignment = 128;

std::string nops(const char* word, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text.append(word, 16);
  return text;
}

// Stall 1 and no scoreboard; stall 0, as at the end of each kernel of ptxas.
constexpr char padding_nop[] = "\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xe2\x0f\0";
constexpr char tail_nop[] = "\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xc0\x0f\0";

using CodeWords = std::vector<std::uint32_t>;

// Indices of places, by what `cuobjdump -elf` prints of an attribute.
std::vector<std::size_t> places_of(int attribute, const CodeWords& words) {
  std::vector<std::size_t> places;
  const auto every = [&](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < words.size(); i += step) places.push_back(i);
  };
  if (attribute == 0x1c || attribute == 0x28 || attribute == 0x31 || attribute == 0x46) every(0, 1);
  if (attribute == 0x39) every(0, 4);
  if (attribute == 0x40) every(0, 3);
  if (attribute == 0x55) every(1, 2);
  if (attribute == 0x6c) every(1, 1);
  if (attribute == 0x34)
    for (std::size_t i = 0; i < words.size(); i += 3 + words[i + 2]) {
      places.push_back(i);
      for (std::size_t n = 0; n < words[i + 2]; ++n) places.push_back(i + 3 + n);
    }
  return places;
}

// The section with the places of one attribute after the other moved.
std::string moved_info(std::string info, std::size_t padding) {
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(info[at + i]); };
    const std::size_t size = byte(0) == 4 ? byte(2) + 256U * byte(3) : 0;
    const int attribute = byte(1);
    at += 4;
    if (CodeWords words(size / 4); !words.empty()) {
      std::memcpy(words.data(), info.data() + at, 4 * words.size());
      for (const std::size_t i : places_of(attribute, words))
        words[i] += static_cast<std::uint32_t>(padding);
      std::memcpy(info.data() + at, words.data(), 4 * words.size());
    }
    at += size;
  }
  return info;
}

struct Twins {
  ElfFile before, after;
  std::size_t padding, growth;
  std::string entry;
  bool is_padded(const std::string& section) const {
    return section.starts_with(".text.") && (entry.empty() || section == ".text." + entry);
  }
  bool is_padded(std::size_t section) const {
    return section < before.sections().size() && is_padded(before.sections()[section].name);
  }
};

void expect_sections(const Twins& twins) {
  ASSERT_EQ(twins.before.sections().size(), twins.after.sections().size());
  for (std::size_t i = 1; i < twins.before.sections().size(); ++i) {
    const cubin::ElfSection &old = twins.before.sections()[i], &made = twins.after.sections()[i];
    SCOPED_TRACE(old.name);
    EXPECT_EQ(made.name, old.name);
    EXPECT_EQ(made.header.sh_type, old.header.sh_type);
    EXPECT_EQ(made.header.sh_flags, old.header.sh_flags);
    EXPECT_EQ(made.header.sh_link, old.header.sh_link);
    EXPECT_EQ(made.header.sh_info, old.header.sh_info);
    EXPECT_EQ(made.header.sh_addralign, old.header.sh_addralign);
    if (!old.data.empty()) {
      EXPECT_EQ(made.header.sh_offset % old.header.sh_addralign, 0U);
    }
    const std::string data(old.data);
    if (twins.is_padded(old.name)) {
      EXPECT_TRUE(made.data == nops(padding_nop, twins.padding) + data +
                                   nops(tail_nop, twins.growth - twins.padding));
      EXPECT_EQ(made.data.size() % code_alignment, 0U);
    } else if (old.name.starts_with(".nv.info.")) {
      const bool padded = twins.is_padded(".text." + old.name.substr(9));
      EXPECT_TRUE(made.data == (padded ? moved_info(data, twins.padding) : data));
    } else if (old.header.sh_type != SHT_SYMTAB && old.header.sh_type != SHT_RELA &&
               old.header.sh_type != SHT_REL && old.name.find("debug_") == std::string::npos) {
      EXPECT_TRUE(made.data == data);
    }
  }
}

void expect_symbols(const Twins& twins) {
  const auto old = twins.before.read_symbols(), made = twins.after.read_symbols();
  ASSERT_EQ(made.size(), old.size());
  for (std::size_t i = 0; i < old.size(); ++i) {
    SCOPED_TRACE(old[i].name);
    const GElf_Sym &a = old[i].entry, &b = made[i].entry;
    const bool moves =
        twins.is_padded(std::size_t{a.st_shndx}) && GELF_ST_TYPE(a.st_info) != STT_SECTION;
    EXPECT_EQ(made[i].name, old[i].name);
    EXPECT_EQ(b.st_shndx, a.st_shndx);
    EXPECT_EQ(b.st_value, a.st_value + (moves && a.st_value != 0 ? twins.padding : 0));
    EXPECT_EQ(b.st_size, a.st_size + (moves && a.st_value == 0 ? twins.growth : 0));
  }
}

void expect_relocations(const Twins& twins) {
  const auto old = cubin::read_relocations(twins.before),
             made = cubin::read_relocations(twins.after);
  const auto symbols = twins.before.read_symbols();
  ASSERT_EQ(made.size(), old.size());
  for (const auto& [section, list] : old) {
    const std::string& name = twins.before.sections()[section].name;
    const bool of_frames = name == ".debug_frame";
    const bool of_lines = name.find("debug_line") != std::string::npos;
    std::size_t advances = 0;  // DW_LNS_advance_pc of two bytes after the addresses before
    ASSERT_EQ(made.at(section).size(), list.size()) << name;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const cubin::Relocation &a = list[i], &b = made.at(section)[i];
      SCOPED_TRACE(fmt::format("{} at {:#x}", name, a.offset));
      EXPECT_EQ(b.type, a.type);
      EXPECT_EQ(b.symbol, a.symbol);
      EXPECT_EQ(b.offset, a.offset + 3 * advances + (twins.is_padded(name) ? twins.padding : 0));
      const GElf_Sym& symbol = symbols.at(a.symbol).entry;
      const bool leads_in = twins.is_padded(std::size_t{symbol.st_shndx}) && symbol.st_value == 0;
      if (of_lines && leads_in) ++advances;
      if (!leads_in || of_lines) {
        EXPECT_EQ(b.addend, a.addend);
      } else if (twins.before.find(".rela" + name) != nullptr) {
        const bool moves = of_frames || a.addend > 0;
        EXPECT_EQ(b.addend, a.addend + static_cast<std::int64_t>(moves ? twins.padding : 0));
      } else {
        std::uint64_t was = 0, is = 0;
        std::memcpy(&was, twins.before.sections()[section].data.data() + a.offset, 8);
        std::memcpy(&is, twins.after.sections()[section].data.data() + a.offset, 8);
        EXPECT_EQ(is, was + (of_frames || was > 0 ? twins.padding : 0));
      }
    }
    if (of_lines) {
      EXPECT_EQ(twins.after.sections()[section].data.size(),
                twins.before.sections()[section].data.size() + 3 * advances);
    }
  }
}

// A segment holds the sections that it held, to the byte at both ends.
void expect_segments(const Twins& twins, const std::string& before, const std::string& after) {
  const GElf_Ehdr &old = twins.before.header(), &made = twins.after.header();
  ASSERT_EQ(made.e_phnum, old.e_phnum);
  for (std::size_t i = 0; i < old.e_phnum; ++i) {
    SCOPED_TRACE(fmt::format("segment {}", i));
    Elf64_Phdr a, b;
    std::memcpy(&a, before.data() + old.e_phoff + i * sizeof a, sizeof a);
    std::memcpy(&b, after.data() + made.e_phoff + i * sizeof b, sizeof b);
    EXPECT_EQ(b.p_type, a.p_type);
    EXPECT_EQ(b.p_memsz - b.p_filesz, a.p_memsz - a.p_filesz);
    for (std::size_t n = 1; n < twins.before.sections().size(); ++n) {
      const GElf_Shdr &x = twins.before.sections()[n].header, &y = twins.after.sections()[n].header;
      if (twins.before.sections()[n].data.empty()) continue;
      const auto within = [](const GElf_Shdr& section, const Elf64_Phdr& segment) {
        return section.sh_offset >= segment.p_offset &&
               section.sh_offset + section.sh_size <= segment.p_offset + segment.p_filesz;
      };
      EXPECT_EQ(within(y, b), within(x, a)) << twins.before.sections()[n].name;
      if (x.sh_offset + x.sh_size == a.p_offset + a.p_filesz) {
        EXPECT_EQ(y.sh_offset + y.sh_size, b.p_offset + b.p_filesz);
      }
    }
  }
}

void expect_lines(const Twins& twins, const cubin::Cubin& before, const cubin::Cubin& after) {
  ASSERT_EQ(after.kernels.size(), before.kernels.size());
  for (std::size_t i = 0; i < before.kernels.size(); ++i) {
    const cubin::CubinKernel &old = before.kernels[i], &made = after.kernels[i];
    SCOPED_TRACE(old.entry);
    EXPECT_EQ(made.code.hash, old.code.hash);
    EXPECT_EQ(made.registers, old.registers);
    EXPECT_EQ(made.barriers, old.barriers);
    EXPECT_EQ(made.is_entry, old.is_entry);
    if (!twins.is_padded(".text." + old.entry)) continue;
    const auto skipped = static_cast<std::ptrdiff_t>(twins.padding / 16);
    ASSERT_EQ(made.lines.empty(), old.lines.empty());
    if (old.lines.empty()) continue;
    EXPECT_TRUE(std::equal(old.lines.begin(), old.lines.end(), made.lines.begin() + skipped));
    EXPECT_TRUE(std::all_of(made.lines.begin(), made.lines.begin() + skipped,
                            [](int line) { return line == 0; }));
  }
}

}  // namespace

void expect_padded(const std::string& before, const std::string& after, std::size_t padding,
                   const std::string& entry) {
  auto old = ElfFile::open(before, "before"), made = ElfFile::open(after, "after");
  ASSERT_TRUE(old) << old.error().text();
  ASSERT_TRUE(made) << made.error().text();
  const Twins twins{std::move(*old), std::move(*made), padding,
                    (padding + code_alignment - 1) / code_alignment * code_alignment, entry};
  expect_sections(twins);
  expect_symbols(twins);
  expect_relocations(twins);
  expect_segments(twins, before, after);
  const auto cubin = cubin::read_cubin(before), padded = cubin::read_cubin(after);
  ASSERT_TRUE(cubin) << cubin.error().text();
  ASSERT_TRUE(padded) << padded.error().text();
  expect_lines(twins, *cubin, *padded);
}

}  // namespace phasebit::test
