#include "tests/analysis/flips/flips.h"

#include "analysis/cubin/code_class.h"
#include "tests/analysis/flips/attributes.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace phasebit::test {
namespace {

struct Field {
  std::string_view name;
  std::size_t begin, end;
};
// Elf64_Sym, Elf64_Rela, Elf64_Rel (System V ABI, object files).
constexpr Field symbol_fields[] = {{" st_name", 0, 4},  {" st_info", 4, 5},   {" st_other", 5, 6},
                                   {" st_shndx", 6, 8}, {" st_value", 8, 16}, {" st_size", 16, 24}};
constexpr Field relocation_fields[] = {{" r_offset", 0, 8},
                                       {" r_info type", 8, 12},
                                       {" r_info symbol", 12, 16},
                                       {" r_addend", 16, 24}};

// Of a section's header (Elf64_Shdr), those that say how much there is and how it lies.
constexpr Field header_fields[] = {
    {" sh_flags", 8, 16}, {" sh_size", 32, 40}, {" sh_info", 44, 48}, {" sh_addralign", 48, 56}};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> stems) {
  return std::any_of(stems.begin(), stems.end(),
                     [&](std::string_view stem) { return text.starts_with(stem); });
}

// ".text.K" of ".text.k", ".text.*" of another kernel's.
std::string kind_of(const std::string& section, const std::string& entry) {
  constexpr std::string_view of_kernels[] = {".text.",      ".nv.info.",  ".nv.constant",
                                             ".nv.shared.", ".nv.local.", ".nv.capmerc.text."};
  if (section.ends_with("." + entry)) return section.substr(0, section.size() - entry.size()) + "K";
  for (const std::string_view stem : of_kernels)
    for (const std::string_view before : {"", ".rela", ".rel", ".nv.merc", ".nv.merc.rela"}) {
      const std::string prefix = std::string(before) + std::string(stem);
      const std::size_t dot = section.find('.', prefix.size() - 1);
      if (section.starts_with(prefix) && dot != std::string::npos)
        return section.substr(0, dot + 1) + "*";
    }
  return section;
}

bool is_of_no_class(std::string_view kind) {
  return starts_with_any(kind, {".text.*", ".nv.info.*", ".nv.constant0.", ".debug_", ".nv_debug_",
                                ".rel.debug_", ".rela.debug_", ".rel.nv_debug_", ".rela.nv_debug_",
                                ".nv.merc.", ".nv.capmerc.", ".note.", ".nv.compat"});
}

class Flips {
 public:
  Flips(std::string image, const std::string& entry, FlippedSections which)
      : image_(std::move(image)), entry_(entry), which_(which), before_(class_now()) {}

  bool finds_the_kernel() const { return !before_.empty(); }

  // `header` is where its header is in the file.
  void section(const cubin::ElfSection& section, std::size_t header) {
    const std::string kind = kind_of(section.name, entry_);
    if (kind == ".text.K" || kind == ".nv.shared.K" || kind.starts_with(".nv.global"))
      fields("header of " + kind, header, header_fields);
    // Some sections of the mercury form are other sections' bytes.
    if (which_ == FlippedSections::read && is_of_no_class(kind)) return;
    if (section.data.empty() || !seen_.insert(section.header.sh_offset).second) return;
    const std::size_t begin = section.header.sh_offset, end = begin + section.data.size();
    const std::size_t entry_bytes = std::max<std::size_t>(section.header.sh_entsize, 1);
    if (section.header.sh_type == SHT_SYMTAB)
      for (std::size_t at = begin; at < end; at += entry_bytes) fields(kind, at, symbol_fields);
    else if (starts_with_any(kind, {".rel.text", ".rela.text", ".rel.nv.", ".rela.nv."}))
      for (std::size_t at = begin; at < end; at += entry_bytes)
        fields(kind, at, relocation_fields, entry_bytes);
    else if (kind.starts_with(".nv.info"))
      for (const AttributePart& part : attribute_parts(section.data))
        range(kind + " " + part.name, begin + part.begin, begin + part.end);
    else
      range(kind, begin, end);
  }

  FlippedKinds take() {
    for (auto& [name, kind] : kinds_) kind.images = 1;
    return std::move(kinds_);
  }

 private:
  std::string class_now() const {
    const auto found = cubin::classes_of_code(image_, {entry_});
    return found.empty() ? std::string() : found.begin()->second.hash;
  }

  bool changes(std::size_t at, unsigned char bits) {
    const char before = image_[at];
    image_[at] = static_cast<char>(static_cast<unsigned char>(before) ^ bits);
    const bool changed = class_now() != before_;
    image_[at] = before;
    return changed;
  }

  void range(const std::string& kind, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    Flipped& of_kind = kinds_[kind];
    of_kind.bytes += end - begin;
    for (std::size_t at = begin; at < end; ++at)
      of_kind.without_effect += changes(at, 0xff) && changes(at, 1) ? 0U : 1U;
  }

  template <std::size_t N>
  void fields(const std::string& kind, std::size_t at, const Field (&fields)[N],
              std::size_t entry_bytes = SIZE_MAX) {
    for (const Field& field : fields)
      if (field.end <= entry_bytes)
        range(kind + std::string(field.name), at + field.begin, at + field.end);
  }

  std::string image_, entry_;
  FlippedSections which_;
  std::string before_;
  std::set<std::uint64_t> seen_;  // where sections begin that are done
  FlippedKinds kinds_;
};

}  // namespace

Result<FlippedKinds> flip_each(std::string image, const std::string& entry, FlippedSections which) {
  PHASEBIT_TRY_ASSIGN(file, cubin::ElfFile::open(image, "image"));
  Flips flips(std::move(image), entry, which);
  if (!flips.finds_the_kernel()) return fail(Step::disassemble, "no kernel {}", entry);
  for (std::size_t i = 1; i < file.sections().size(); ++i)
    flips.section(file.sections()[i], file.header().e_shoff + i * file.header().e_shentsize);
  return flips.take();
}

void add(FlippedKinds& all, const FlippedKinds& more) {
  for (const auto& [name, kind] : more) {
    Flipped& sum = all[name];
    sum.images += kind.images;
    sum.bytes += kind.bytes;
    sum.without_effect += kind.without_effect;
  }
}

std::string report(const FlippedKinds& kinds) {
  std::string text;
  for (const auto& [name, kind] : kinds) {
    text += fmt::format("{:52} {:2} images {:6} bytes", name, kind.images, kind.bytes);
    if (kind.without_effect != 0)
      text += fmt::format(" {:6} without effect: {}", kind.without_effect, reason_of(name));
    text += '\n';
  }
  return text;
}

std::vector<std::string> unexplained(const FlippedKinds& kinds) {
  std::vector<std::string> names;
  for (const auto& [name, kind] : kinds)
    if (kind.without_effect != 0 && reason_of(name).empty()) names.push_back(name);
  return names;
}

}  // namespace phasebit::test
