#include "analysis/cubin/image_graph.h"

#include "analysis/cubin/elf_file.h"
#include "core/base/hash.h"
#include "core/launch/placement/code_moves.h"

#include <algorithm>
#include <cstring>

namespace phasebit::cubin {
namespace {

constexpr unsigned char cuda_object = 13;              // type of data symbols in relocatable images
constexpr unsigned char in_shared = 0x40;              // of st_other: shared memory
constexpr GElf_Word shared_section = SHT_LOPROC + 10;  // its type in relocatable images
constexpr std::size_t deepest = 256;

// Short data as it is, long data by its hash.
std::string in_words(std::string_view bytes) {
  constexpr std::size_t shown = 32;
  if (bytes.size() > shown) return base::content_hash(bytes);
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Without what names of static things hold of their module: the file's hash and name and that of
// something declared in it, each with a length: "28_INTERNAL_932afbed_4_k_cu_k" in mangled names,
// "__nv_static_19__932afbed_4_k_cu_k_tab".
std::string without_module(std::string name) {
  for (const std::string_view mark : {"_INTERNAL_", "_GLOBAL__N_", "__nv_static_"}) {
    const bool length_behind = mark == "__nv_static_";
    for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1)) {
      std::size_t digits = length_behind ? at + mark.size() : at;
      while (!length_behind && digits > 0 && is_digit(name[digits - 1])) --digits;
      std::size_t end = digits, length = 0;
      while (end < name.size() && is_digit(name[end]) && length < name.size())
        length = length * 10 + static_cast<std::size_t>(name[end++] - '0');
      if (end == digits || length > name.size() - end) continue;
      const std::size_t begin = length_behind ? at : digits;
      name.replace(begin, end + length + (length_behind ? 1 : 0) - begin, "?");
      at = begin;
    }
  }
  return name;
}

// "_ZZ1kPiE" of "_Z1kPi" and of the C name "k" (then "_ZZ1kE"): how what is declared in a function
// begins.
std::string scope_of(const std::string& entry) {
  return entry.starts_with("_Z") ? "_ZZ" + entry.substr(2) + "E"
                                 : fmt::format("_ZZ{}{}E", entry.size(), entry);
}

// Without the kernel's own name where it stands for the kernel: alone, as the scope of a variable,
// after a section's name.
std::string without_entry(std::string name, const std::string& entry) {
  if (entry.empty()) return name;
  const std::string scope = scope_of(entry);
  if (name == entry) return "?";
  if (name.starts_with(scope)) return "_ZZ?E" + name.substr(scope.size());
  if (name.starts_with(".nv.") && name.ends_with("." + entry))
    return name.substr(0, name.size() - entry.size()) + "?";
  return name;
}

std::string neutral(const std::string& name, const std::string& entry) {
  return without_entry(without_module(name), without_module(entry));
}

bool is_shared(const ElfSection& section) {
  return section.name.starts_with(".nv.shared") || section.header.sh_type == shared_section;
}

// Whether a name says what is meant. Not of shared memory, which nothing outside the kernel can ask
// for, nor of what ptxas makes; nor of data whose content is in the image, unless another image may
// replace it.
bool goes_by_name(const ElfFile::Symbol& symbol, const ElfSection& section) {
  if (GELF_ST_TYPE(symbol.entry.st_info) == STT_SECTION) return true;
  if (is_shared(section) || symbol.name.starts_with('$')) return false;
  return section.data.empty() || GELF_ST_BIND(symbol.entry.st_info) == STB_WEAK;
}

bool is_device_memory(const std::string& section) {
  return section.starts_with(".nv.global");
}

bool is_data(const GElf_Sym& symbol) {
  const auto type = GELF_ST_TYPE(symbol.st_info);
  return type == STT_OBJECT || type == cuda_object;
}

}  // namespace

ImageGraph::ImageGraph(const ElfFile& file, HashOfCode hash_of_code)
    : file_(file),
      hash_of_code_(std::move(hash_of_code)),
      symbols_(file.read_symbols()),
      relocations_(read_relocations(file)) {
  for (std::size_t i = 1; i < file.sections().size(); ++i) {
    if (!file.sections()[i].name.starts_with(text_prefix)) continue;
    code_.push_back(i);
    if (const std::size_t padding = launch::placement::padding_of(file.sections()[i].data);
        padding != 0)
      take_out(i, padding);
  }
}

void ImageGraph::take_out(std::size_t section, std::size_t padding) {
  const auto begins = [&](std::size_t index) {  // a symbol that did not move with the code
    return index < symbols_.size() && symbols_[index].entry.st_shndx == section &&
           symbols_[index].entry.st_value == 0;
  };
  for (auto& [target, list] : relocations_)
    for (Relocation& one : list) {
      if (target == section && one.offset >= padding) one.offset -= padding;
      if (const auto bytes = static_cast<std::int64_t>(padding);
          begins(one.symbol) && one.addend >= bytes)
        one.addend -= bytes;
    }
  for (ElfFile::Symbol& symbol : symbols_)
    if (symbol.entry.st_shndx == section && symbol.entry.st_value >= padding)
      symbol.entry.st_value -= padding;
}

std::string ImageGraph::entry_of(std::size_t section) const {
  return file_.sections()[section].name.substr(text_prefix.size());
}

std::uint32_t ImageGraph::symbol_of(std::size_t section) const {
  const std::string entry = entry_of(section);
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    if (symbols_[i].entry.st_shndx == section && symbols_[i].name == entry &&
        GELF_ST_TYPE(symbols_[i].entry.st_info) == STT_FUNC)
      return static_cast<std::uint32_t>(i);
  return 0;
}

const std::vector<Relocation>& ImageGraph::relocations(std::size_t section) const {
  static const std::vector<Relocation> none;
  const auto found = relocations_.find(section);
  return found == relocations_.end() ? none : found->second;
}

// Describes a place once. One that leads back to itself says how far back.
std::string ImageGraph::follow(const Node& node, const std::function<std::string()>& make) {
  if (const auto known = known_.find(node); known != known_.end()) return known->second;
  const auto above = std::find(path_.begin(), path_.end(), node);
  if (above != path_.end()) {
    const auto place = static_cast<std::size_t>(above - path_.begin());
    lowest_ = std::min(lowest_, place);
    return fmt::format("what is {} above", path_.size() - place);
  }
  if (path_.size() >= deepest) return "too deep to follow";
  const std::size_t before = std::exchange(lowest_, SIZE_MAX), place = path_.size();
  path_.push_back(node);
  std::string made = make();
  path_.pop_back();
  const bool closed = lowest_ >= place;
  if (closed) known_.emplace(node, made);
  lowest_ = std::min(before, closed ? SIZE_MAX : lowest_);
  return made;
}

void ImageGraph::begin() {
  if (locals_.empty()) return;  // nothing that is known depends on where one began
  locals_.clear();
  known_.clear();
}

std::string ImageGraph::describe_code(std::size_t section) {
  return follow({section, 0, 0}, [&] { return "code " + hash_of_code_(section); });
}

const ElfFile::Symbol* ImageGraph::object_at(std::size_t section, std::uint64_t place) const {
  for (const ElfFile::Symbol& symbol : symbols_)
    if (symbol.entry.st_shndx == section && is_data(symbol.entry) &&
        place >= symbol.entry.st_value && place - symbol.entry.st_value < symbol.entry.st_size)
      return &symbol;
  return nullptr;
}

// Names of one module may be those of another, so what is local has a number too, and so has what
// goes by no name.
std::string ImageGraph::name_of(const ElfFile::Symbol& symbol, const std::string& entry) {
  const std::size_t index = symbol.entry.st_shndx;
  const ElfSection& section = file_.sections()[index];
  const bool named = goes_by_name(symbol, section);
  const bool local = GELF_ST_BIND(symbol.entry.st_info) == STB_LOCAL &&
                     GELF_ST_TYPE(symbol.entry.st_info) != STT_SECTION;
  std::string name = named ? neutral(symbol.name, entry) : "";
  if (named && !local) return name;
  // Shared variables of a relocatable image have no place yet: their value is their alignment.
  const std::uint64_t place = section.header.sh_type == shared_section
                                  ? static_cast<std::uint64_t>(&symbol - symbols_.data())
                                  : symbol.entry.st_value;
  const auto number = locals_.emplace(std::pair(index, place), locals_.size() + 1);
  return fmt::format("local {} of {}{}{}", number.first->second, without_entry(section.name, entry),
                     name.empty() ? "" : ", ", name);
}

std::string ImageGraph::describe_symbol(std::size_t index, std::int64_t addend,
                                        const std::string& entry, std::size_t from) {
  if (index >= symbols_.size()) return fmt::format("symbol {} of {}", index, symbols_.size());
  const GElf_Sym& symbol = symbols_[index].entry;
  const std::size_t section = symbol.st_shndx;
  if (section == 0 && GELF_ST_TYPE(symbol.st_info) == cuda_object && symbol.st_other == in_shared)
    return fmt::format("dynamic shared memory aligned to {}, {:+}", symbol.st_value, addend);
  if (section == 0 || section >= file_.sections().size())
    return fmt::format("{} {:+}", neutral(symbols_[index].name, entry), addend);  // another image's
  const std::uint64_t place = symbol.st_value + static_cast<std::uint64_t>(addend);
  const ElfSection& in = file_.sections()[section];
  if (in.name.starts_with(text_prefix))
    return section == from ? fmt::format("this section at {:#x}", place)
                           : fmt::format("{} at {:#x}", describe_code(section), place);
  // A section's own symbol stands for what lies at the place.
  const ElfFile::Symbol* object = is_data(symbol) ? &symbols_[index] : object_at(section, place);
  const std::uint64_t begin = object == nullptr ? 0 : object->entry.st_value;
  const std::uint64_t size = object == nullptr ? in.header.sh_size : object->entry.st_size;
  std::string what = name_of(object == nullptr ? symbols_[index] : *object, entry);
  // The least that its place in the section and the section's own alignment leave.
  constexpr std::uint64_t usual_alignment = 16;
  const std::uint64_t bits = begin | in.header.sh_addralign;
  if (const std::uint64_t alignment = bits & (~bits + 1);
      alignment > usual_alignment && is_device_memory(in.name))
    what += fmt::format(" (aligned to {})", alignment);
  // Such as managed memory.
  if (object != nullptr && object->entry.st_other != 0)
    what += fmt::format(" (other {:#x})", object->entry.st_other);
  if (in.header.sh_type == SHT_NOBITS || in.data.empty())
    return fmt::format("{} of {} bytes at {:#x}, +{:#x}", what, size, is_shared(in) ? begin : 0,
                       place - begin);
  return fmt::format("{}: {}, +{:#x}", what, describe_bytes(section, begin, begin + size),
                     place - begin);
}

std::string ImageGraph::describe(const Relocation& relocation, std::size_t from) {
  const bool code = file_.sections()[from].name.starts_with(text_prefix);
  return fmt::format("type {}: {}", relocation.type,
                     describe_symbol(relocation.symbol, relocation.addend,
                                     code ? entry_of(from) : reading_, from));
}

std::string ImageGraph::describe_bytes(std::size_t section, std::size_t begin, std::size_t end) {
  const std::string_view data = file_.sections()[section].data;
  begin = std::min(begin, data.size()), end = std::clamp(end, begin, data.size());
  return follow({section, begin, end}, [&] {
    std::string made =
        fmt::format("{} bytes {}", end - begin, in_words(data.substr(begin, end - begin)));
    for (const Relocation& one : relocations(section))
      if (one.offset >= begin && one.offset < end)
        made += fmt::format(", at {:#x} {}", one.offset - begin, describe(one, section));
    return made;
  });
}

std::vector<ImageGraph::Piece> ImageGraph::pieces_at(std::size_t section,
                                                     const ConstantOperand& operand) const {
  std::vector<Piece> pieces;
  const std::size_t end = operand.offset + operand.bytes;
  for (std::size_t at = operand.offset; at < end; at = std::max(at + 1, pieces.back().second))
    pieces.push_back(piece_at(section, at, operand.indexed));
  return pieces;
}

ImageGraph::Piece ImageGraph::piece_at(std::size_t section, std::size_t offset,
                                       bool indexed) const {
  const std::size_t size = file_.sections()[section].data.size();
  const ElfFile::Symbol* symbol = object_at(section, offset);
  if (symbol == nullptr) {
    constexpr std::size_t pointer_bytes = 8;
    if (indexed) return {0, size};
    const std::size_t begin = std::min(offset - offset % pointer_bytes, size);
    return {begin, std::min(begin + pointer_bytes, size)};
  }
  const std::uint64_t begin = symbol->entry.st_value;
  // "table[i - 1]" may name a place before its table.
  if (indexed && begin != offset) return {std::min<std::size_t>(begin, size), size};
  return {begin, begin + symbol->entry.st_size};
}

std::set<std::string> ImageGraph::callees(std::size_t section) {
  std::set<std::string> found;
  const ElfSection* graph = file_.find(".nv.callgraph");
  if (graph == nullptr) return found;
  // {0, -1}, {0, -2}, ... begin its parts: caller and callee; whose address is taken, by prototype;
  // caller through a pointer, by prototype; what such a call may mean. Numbers of prototypes are
  // not symbols.
  constexpr std::uint32_t calls = -1U, meant = -4U;
  std::uint32_t part = calls;
  for (std::size_t at = 0; at + 8 <= graph->data.size(); at += 8) {
    std::uint32_t pair[2];
    std::memcpy(pair, graph->data.data() + at, sizeof pair);
    if (pair[0] == 0 && pair[1] >= meant) part = pair[1];
    if (part != calls && part != meant) continue;
    if (pair[0] >= symbols_.size() || pair[1] >= symbols_.size() || pair[1] == 0) continue;
    const GElf_Sym &caller = symbols_[pair[0]].entry, &callee = symbols_[pair[1]].entry;
    if (caller.st_shndx != section || callee.st_shndx == section || pair[0] == 0) continue;
    found.insert(describe_symbol(pair[1], 0, entry_of(section), section));
  }
  return found;
}

}  // namespace phasebit::cubin
