#include "analysis/cubin/kernel_info.h"

#include "core/launch/placement/code_moves.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace phasebit::cubin {

namespace {

constexpr std::uint8_t no_value_format = 1;  // EIFMT_NVAL
constexpr std::uint8_t sized_format = 4;     // EIFMT_SVAL
constexpr std::uint8_t byte_format = 2;      // EIFMT_BVAL
constexpr std::uint8_t regcount = 0x2f;      // EIATTR_REGCOUNT: symbol index, registers
constexpr std::uint8_t num_barriers = 0x4c;  // EIATTR_NUM_BARRIERS

// EIATTR_INDIRECT_BRANCH_TARGETS: place of the branch, 0, n, then n places; again and again.
constexpr std::uint8_t indirect_targets = 0x34;

struct NamedAttribute {
  std::uint8_t attribute;
  const char* name;
};
// As `cuobjdump -elf` names them: EIATTR_MAX_THREADS, REQNTID, CRS_STACK_SIZE,
// INDIRECT_BRANCH_TARGETS, NUM_MBARRIERS, CTA_PER_CLUSTER, EXPLICIT_CLUSTER, MAX_CLUSTER_RANK,
// RESERVED_SMEM_USED, RESERVED_SMEM_0_SIZE, VRC_CTA_INIT_COUNT, AT_ENTRY_FRAGMENTS (what the driver
// puts before the kernel), TCGEN05_1CTA_USED, TCGEN05_2CTA_USED, BLOCKS_ARE_CLUSTERS,
// CLUSTER_LAUNCH_CONTROL_USED.
constexpr NamedAttribute of_kernels[] = {{0x05, "maxntid"},
                                         {0x10, "reqntid"},
                                         {0x1e, "call stack"},
                                         {indirect_targets, "indirect branch targets"},
                                         {0x38, "mbarriers"},
                                         {0x3d, "cluster dimensions"},
                                         {0x3e, "explicit cluster"},
                                         {0x3f, "largest cluster"},
                                         {0x41, "reserved shared"},
                                         {0x42, "reserved shared bytes"},
                                         {0x4a, "virtual resources"},
                                         {0x4f, "entry fragments"},
                                         {0x51, "tcgen05 of one CTA"},
                                         {0x52, "tcgen05 of two CTAs"},
                                         {0x5b, "blocks are clusters"},
                                         {0x62, "launch control"}};
// Of the others these say nothing that `.text` does not: parameters (PARAM_CBANK, KPARAM_INFO,
// CBANK_PARAM_SIZE, KPARAM_INFO_V2), places in the code and what is there (CTAIDZ_USED,
// EXTERNS, EXIT, S2RCTAID, COOP_GROUP and INT_WARP_WIDE offsets, MBARRIER_INSTR_OFFSETS,
// INSTR_REG_MAP, SYSCALL_OFFSETS, INSTR_OFFSETS, PREEXIT_USED), figures for tools (STATISTICS,
// PER_REG_TARGET_PERF_STATS, UNUSED_LOAD_BYTE_OFFSET, PERF_STATISTICS, ANNOTATIONS), which compiler
// made it and for what (SW2861232_WAR, SW_WAR, CUDA_API_VERSION, SPARSE_MMA_MASK, the version of
// the mercury ISA, LANGUAGE, NVSAL_SW_WAR: the same in all kernels of one target and ptxas), and
// the limit of registers that was asked for (MAXREG_COUNT: nvlink refuses a callee above it; what
// the kernel has is REGCOUNT). NUM_BARRIERS is read apart.
constexpr std::uint8_t without_effect[] = {
    0x04, 0x0a, 0x0f, 0x17, 0x19, 0x1b, 0x1c, 0x1d, 0x28, 0x29, 0x31, 0x33, 0x35, 0x36, 0x37,
    0x39, 0x3c, 0x40, 0x44, 0x45, 0x46, 0x4c, 0x4e, 0x50, 0x55, 0x5f, 0x66, 0x6b, 0x6c, 0x6d};
// EIATTR_REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE, SAM_REGION_STACK_SIZE: {symbol
// index, value}.
constexpr NamedAttribute named_of_functions[] = {{regcount, "registers"},
                                                 {0x11, "frame"},
                                                 {0x12, "least stack"},
                                                 {0x23, "largest stack"},
                                                 {0x3b, "region stack"}};

// The same of textures and samplers: TEXTURE_NORMALIZED, SAMPLER_INIT, SAMPLER_FORCE_UNNORMALIZED.
constexpr NamedAttribute named_of_samplers[] = {
    {0x08, "texture coordinates"}, {0x09, "sampler state"}, {0x13, "sampler coordinates"}};

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Calls `visit(format, attribute, value)` for each entry; the value of those of format 4 is what
// follows them, of the others the 16 bits next to the attribute.
template <typename Visit>
void for_each_entry(std::string_view nv_info, const Visit& visit) {
  std::size_t at = 0;
  while (nv_info.size() - at >= 4) {
    const auto format = number_at<std::uint8_t>(nv_info, at);
    const auto attribute = number_at<std::uint8_t>(nv_info, at + 1);
    const auto size = format == sized_format ? number_at<std::uint16_t>(nv_info, at + 2) : 0U;
    at += 4;
    if (size > nv_info.size() - at) break;
    visit(format, attribute,
          format == sized_format ? nv_info.substr(at, size) : nv_info.substr(at - 2, 2));
    at += size;
  }
}

// Words of 4 bytes, in hexadecimal; "yes" for an attribute without a value.
std::string words_of(std::string_view value) {
  std::string text;
  std::size_t at = 0;
  for (; at + 4 <= value.size(); at += 4)
    text += fmt::format("{}{:#x}", at == 0 ? "" : " ", number_at<std::uint32_t>(value, at));
  for (; at < value.size(); ++at)
    text += fmt::format("{}{:#x}", at == 0 ? "" : " ", number_at<std::uint8_t>(value, at));
  return text.empty() ? "yes" : text;
}

bool is_zero(std::string_view value) {
  return value.find_first_not_of('\0') == std::string_view::npos;
}

// What is neither known nor reviewed counts, unless it is zero: too much may, too little not.
bool counts_unknown(int attribute, bool valued, std::string_view value) {
  return std::find(std::begin(without_effect), std::end(without_effect), attribute) ==
             std::end(without_effect) &&
         !(valued && is_zero(value));
}

}  // namespace

Attributes kernel_attributes(std::string_view nv_info_of_kernel) {
  Attributes found;
  for_each_entry(nv_info_of_kernel, [&](int format, int attribute, std::string_view value) {
    const bool valued = format != no_value_format;
    const std::string words = valued ? words_of(value) : "yes";
    constexpr std::uint8_t first_of_later = 0x41;  // of those before, a zero is told from none
    const auto* const known =
        std::find_if(std::begin(of_kernels), std::end(of_kernels),
                     [&](const NamedAttribute& one) { return one.attribute == attribute; });
    if (known != std::end(of_kernels)) {
      if (attribute < first_of_later || !valued || !is_zero(value))
        found.emplace_back(known->name, words);
    } else if (counts_unknown(attribute, valued, value)) {
      found.emplace_back(fmt::format("attribute {:#x}", attribute), words);
    }
  });
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

template <std::size_t n>
Attributes symbol_attributes(std::string_view nv_info, std::uint32_t symbol,
                             const NamedAttribute (&named)[n]) {
  Attributes found;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format != sized_format || value.size() < 8 || number_at<std::uint32_t>(value, 0) != symbol)
      return;
    for (const NamedAttribute& one : named)
      if (one.attribute == attribute)
        found.emplace_back(one.name, std::to_string(number_at<std::uint32_t>(value, 4)));
  });
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Attributes function_attributes(std::string_view nv_info, std::uint32_t symbol) {
  return symbol_attributes(nv_info, symbol, named_of_functions);
}

Attributes sampler_attributes(std::string_view nv_info, std::uint32_t symbol) {
  return symbol_attributes(nv_info, symbol, named_of_samplers);
}

std::map<std::uint32_t, int> register_counts(std::string_view nv_info) {
  std::map<std::uint32_t, int> counts;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format == sized_format && attribute == regcount && value.size() >= 8)
      counts[number_at<std::uint32_t>(value, 0)] =
          static_cast<int>(number_at<std::uint32_t>(value, 4));
  });
  return counts;
}

int barrier_count(std::string_view nv_info) {
  int count = 0;
  for_each_entry(nv_info, [&](int format, int attribute, std::string_view value) {
    if (format == byte_format && attribute == num_barriers)
      count = number_at<std::uint8_t>(value, 0);
  });
  return count;
}

std::vector<IndirectBranch> indirect_branches(std::string_view nv_info_of_kernel) {
  constexpr std::size_t word = 4, head = 3 * word;  // place, 0, number of targets
  std::vector<IndirectBranch> branches;
  for_each_entry(nv_info_of_kernel, [&](int format, int attribute, std::string_view value) {
    if (format != sized_format || attribute != indirect_targets) return;
    while (value.size() >= head) {
      const auto count = std::size_t{number_at<std::uint32_t>(value, 2 * word)};
      if (count > (value.size() - head) / word) return;
      IndirectBranch branch{number_at<std::uint32_t>(value, 0), {}};
      for (std::size_t i = 0; i < count; ++i)
        branch.targets.push_back(number_at<std::uint32_t>(value, head + i * word));
      branches.push_back(std::move(branch));
      value.remove_prefix(head + count * word);
    }
  });
  return branches;
}

int barrier_count_of_flags(std::uint64_t section_flags) {
  return static_cast<int>((section_flags >> 20U) & 0x7fU);
}

namespace {

// Where places are in the 32-bit words of an attribute's value. Each was seen in cubins of ptxas
// 11.8, 12.4, 13.0 or 13.5 and checked against what `cuobjdump -elf` prints of it.
enum class Form {
  none,           // no place
  list,           // every word
  first_of_3,     // records of 3 words: place, registers, mask
  first_of_4,     // records of 4 words: place, register, address, kind
  behind_kind,    // one word, then places
  second_of_2,    // records of 2 words: kind, place
  branch_targets  // records: place of the branch, 0, n, then n places
};

struct Attribute {
  std::uint8_t number;
  Form form;
};
constexpr Attribute known[] = {{0x0a, Form::none},  // PARAM_CBANK
                               {0x05, Form::none},  // MAX_THREADS
                               {0x0f, Form::none},  // EXTERNS: symbols
                               {0x10, Form::none},  // REQNTID
                               {0x17, Form::none},  // KPARAM_INFO
                               {0x19, Form::none},  // CBANK_PARAM_SIZE
                               {0x1b, Form::none},  // MAXREG_COUNT
                               {0x1c, Form::list},  // EXIT_INSTR_OFFSETS
                               {0x1d, Form::list},  // S2RCTAID_INSTR_OFFSETS
                               {0x1e, Form::none},  // CRS_STACK_SIZE
                               {0x25, Form::list},  // LD_CACHEMOD_INSTR_OFFSETS
                               {0x27, Form::list},  // ATOM_SYS_INSTR_OFFSETS
                               {0x28, Form::list},  // COOP_GROUP_INSTR_OFFSETS
                               {0x29, Form::none},  // COOP_GROUP_MASK_REGIDS: one for each of these
                               {0x31, Form::list},  // INT_WARP_WIDE_INSTR_OFFSETS
                               {0x34, Form::branch_targets},  // INDIRECT_BRANCH_TARGETS
                               {0x36, Form::none},            // SW_WAR: bits
                               {0x37, Form::none},            // CUDA_API_VERSION
                               {0x38, Form::none},            // NUM_MBARRIERS
                               {0x39, Form::first_of_4},      // MBARRIER_INSTR_OFFSETS
                               {0x3d, Form::none},            // CTA_PER_CLUSTER
                               {0x3f, Form::none},            // MAX_CLUSTER_RANK
                               {0x40, Form::first_of_3},      // INSTR_REG_MAP
                               {0x42, Form::none},            // RESERVED_SMEM_0_SIZE
                               {0x45, Form::none},            // KPARAM_INFO_V2
                               {0x46, Form::list},            // SYSCALL_OFFSETS
                               {0x50, Form::none},            // SPARSE_MMA_MASK
                               {0x55, Form::second_of_2},     // ANNOTATIONS
                               {0x5f, Form::none},            // version of the mercury ISA
                               {0x66, Form::none},            // LANGUAGE
                               {0x6b, Form::none},            // NVSAL_SW_WAR
                               {0x6c, Form::behind_kind}};    // INSTR_OFFSETS

// The kind of annotation that is followed by a place: SpillRefill.
constexpr std::uint32_t spill_refill = 1;

// In `.nv.info`: FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE, REGCOUNT, SAM_REGION_STACK_SIZE:
// symbol and size.
constexpr std::uint8_t of_functions[] = {0x11, 0x12, 0x23, 0x2f, 0x3b};

constexpr std::uint8_t no_value = 1, byte_value = 2, short_value = 3, sized_value = 4;
constexpr std::size_t word_bytes = 4;

struct Entry {
  std::uint8_t format = 0, attribute = 0;
  std::size_t begin = 0, end = 0;  // of what follows it, in the section
};

Result<std::vector<Entry>> entries_of(std::string_view section) {
  std::vector<Entry> entries;
  std::size_t at = 0;
  while (at < section.size()) {
    if (section.size() - at < 4) return fail(Step::disassemble, "cut short at byte {}", at);
    Entry entry;
    std::uint16_t size = 0;
    std::memcpy(&entry.format, &section[at], 1);
    std::memcpy(&entry.attribute, &section[at + 1], 1);
    std::memcpy(&size, &section[at + 2], sizeof size);
    at += 4;
    if (entry.format < no_value || entry.format > sized_value)
      return fail(Step::disassemble, "attribute {:#x} has the unknown format {}", entry.attribute,
                  entry.format);
    entry.begin = at;
    if (entry.format == sized_value) at += size;
    if (at > section.size())
      return fail(Step::disassemble, "attribute {:#x} is cut short", entry.attribute);
    entry.end = at;
    entries.push_back(entry);
  }
  return entries;
}

// Reads the value of one attribute word by word.
class Reader {
 public:
  Reader(std::string_view section, const Entry& entry) : section_(section), entry_(entry) {}

  // Offsets in the section of the words that hold places; nothing where the value has another form.
  bool read(Form form, std::vector<std::size_t>& places) const {
    const std::size_t words = (entry_.end - entry_.begin) / word_bytes;
    if (entry_.end - entry_.begin != words * word_bytes) return false;
    switch (form) {
      case Form::none: return true;
      case Form::list: return take(0, 1, words, places);
      case Form::first_of_3: return words % 3 == 0 && take(0, 3, words, places);
      case Form::first_of_4: return words % 4 == 0 && take(0, 4, words, places);
      case Form::behind_kind: return words > 0 && take(1, 1, words, places);
      case Form::second_of_2:
        for (std::size_t i = 0; i < words; i += 2)
          if (word(i) != spill_refill) return false;
        return words % 2 == 0 && take(1, 2, words, places);
      case Form::branch_targets: return take_branches(words, places);
    }
    bug("unknown form of an attribute");
  }

 private:
  std::uint32_t word(std::size_t index) const {
    std::uint32_t value = 0;
    std::memcpy(&value, section_.data() + entry_.begin + index * word_bytes, sizeof value);
    return value;
  }
  bool take(std::size_t first, std::size_t step, std::size_t end,
            std::vector<std::size_t>& places) const {
    for (std::size_t i = first; i < end; i += step) places.push_back(entry_.begin + i * word_bytes);
    return true;
  }
  bool take_branches(std::size_t words, std::vector<std::size_t>& places) const {
    constexpr std::size_t head = 3;
    for (std::size_t at = 0; at < words;) {
      if (words - at < head || word(at + 1) != 0 || word(at + 2) > words - at - head) return false;
      take(at, head, at + 1, places);
      const std::size_t targets = at + head;
      at = targets + word(at + 2);
      take(targets, 1, at, places);
    }
    return true;
  }

  std::string_view section_;
  Entry entry_;
};

// Attributes without a value or with one of a byte can hold no place.
Result<Form> form_of(const Entry& entry) {
  if (entry.format == no_value || entry.format == byte_value) return Form::none;
  for (const Attribute& one : known)
    if (one.number == entry.attribute) return one.form;
  return fail(Step::disassemble, "whether its places move is not known");
}

bool is_place(std::string_view section, std::size_t at, std::size_t code_bytes) {
  std::uint32_t place = 0;
  std::memcpy(&place, section.data() + at, sizeof place);
  return place % launch::placement::padding_step_bytes == 0 && place < code_bytes;
}

}  // namespace

Result<std::vector<std::size_t>> code_places(std::string_view nv_info_of_kernel,
                                             std::size_t code_bytes, std::string_view entry) {
  const auto entries = entries_of(nv_info_of_kernel);
  if (!entries) return fail(Step::disassemble, ".nv.info.{}: {}", entry, entries.error().message);
  std::vector<std::size_t> places;
  for (const Entry& one : *entries) {
    const auto refuse = [&](std::string_view why) {
      return fail(Step::disassemble, "attribute {:#x} of kernel {}: {}", one.attribute, entry, why);
    };
    const auto form = form_of(one);
    if (!form) return refuse(form.error().message);
    const std::size_t before = places.size();
    if (*form == Form::none) continue;
    if (!Reader(nv_info_of_kernel, one).read(*form, places))
      return refuse("its value is not of the form that is known");
    for (std::size_t i = before; i < places.size(); ++i)
      if (!is_place(nv_info_of_kernel, places[i], code_bytes))
        return refuse("its value names no place in the code");
  }
  return places;
}

Status check_function_attributes(std::string_view nv_info) {
  const auto entries = entries_of(nv_info);
  if (!entries) return fail(Step::disassemble, ".nv.info: {}", entries.error().message);
  for (const Entry& one : *entries)
    if (one.format > byte_value && std::find(std::begin(of_functions), std::end(of_functions),
                                             one.attribute) == std::end(of_functions))
      return fail(Step::disassemble,
                  "attribute {:#x} of .nv.info: whether its places move is not known",
                  one.attribute);
  return {};
}

}  // namespace phasebit::cubin
