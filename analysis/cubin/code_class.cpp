#include "analysis/cubin/code_class.h"

#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/image_graph.h"
#include "analysis/cubin/kernel_info.h"
#include "analysis/cubin/sass_word.h"
#include "core/base/hash.h"
#include "core/launch/placement/code_moves.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace phasebit::cubin {
namespace {

constexpr std::string_view text_name = "text";
constexpr std::size_t code_word_bytes = 16;

std::string hash_of(const std::vector<CodeFact>& facts) {
  std::string all;
  for (const CodeFact& fact : facts) all += fact.name + '\t' + fact.value + '\n';
  return base::content_hash(all);
}

// Whether code reads where the generic addresses of that bank begin: a pointer may then be to any
// variable in it. Bank 0 has the place at an offset of the SM's, before the parameters.
bool names_window(const ConstantOperand& operand, int sm) {
  const std::uint32_t place = sm >= 100 ? 0x120 : sm >= 90 ? 0xd0 : 0x50;
  return operand.bank == 0 && operand.offset <= place && place < operand.offset + operand.bytes;
}

// `.nv.info.<entry>` of code that is padded, with its places as they are without.
std::string info_without_padding(std::string_view info, std::string_view text,
                                 std::string_view entry) {
  std::string made(info);
  const auto padding = static_cast<std::uint32_t>(launch::placement::padding_of(text));
  if (padding == 0) return made;
  for (const std::size_t at :
       code_places(info, text.size(), entry).value_or(std::vector<std::size_t>())) {
    std::uint32_t place = 0;
    std::memcpy(&place, made.data() + at, sizeof place);
    place -= std::min(place, padding);
    std::memcpy(made.data() + at, &place, sizeof place);
  }
  return made;
}

// Reads one function after the other; those that it calls are read on the way.
class ClassReader {
 public:
  explicit ClassReader(const ElfFile& file)
      : file_(file), graph_(file, [this](std::size_t section) {
          return (made_[section] = read(section)).hash;
        }) {}

  // What leads back to the function is described from where it is asked of, so a function in a
  // circle is read again.
  CodeClass of(std::size_t section) {
    graph_.begin();
    graph_.describe_code(section);
    return made_.at(section);
  }
  std::string entry_of(std::size_t section) const { return graph_.entry_of(section); }
  std::vector<std::size_t> sections() const { return graph_.code_sections(); }

 private:
  CodeClass read(std::size_t section) {
    CodeClass made;
    const std::string before = graph_.read_for(graph_.entry_of(section));
    made.facts.push_back({std::string(text_name), base::content_hash(text_of(section))});
    add_attributes(section, made.facts);
    add_constants(section, made.facts);
    add_relocations("relocation at", section, section, made.facts);
    for (const std::string& callee : graph_.callees(section))
      made.facts.push_back({"callee", callee});
    made.hash = hash_of(made.facts);
    graph_.read_for(before);
    return made;
  }

  std::string_view text_of(std::size_t section) const {
    return launch::placement::unpadded(file_.sections()[section].data);
  }

  void add_attributes(std::size_t section, std::vector<CodeFact>& facts) {
    const std::string entry = graph_.entry_of(section);
    const std::string info = info_without_padding(data_of(file_, ".nv.info." + entry),
                                                  file_.sections()[section].data, entry);
    int barriers = barrier_count(info);
    if (barriers == 0) barriers = barrier_count_of_flags(file_.sections()[section].header.sh_flags);
    facts.push_back({"barriers", std::to_string(barriers)});
    const ElfSection* shared = file_.find(".nv.shared." + entry);
    facts.push_back(
        {"static shared bytes", std::to_string(shared == nullptr ? 0 : shared->header.sh_size)});
    for (const auto& [name, value] :
         function_attributes(data_of(file_, ".nv.info"), graph_.symbol_of(section)))
      facts.push_back({name, value});
    for (const auto& [name, value] : kernel_attributes(info)) facts.push_back({name, value});
  }

  // Banks of the kernel's own as a whole; of those that it shares what its code names. Bank 0 holds
  // what each launch hands over, and after it what is filled in when the image is loaded: handles
  // of the textures and surfaces that the code names.
  void add_constants(std::size_t section, std::vector<CodeFact>& facts) {
    const std::string own = "." + graph_.entry_of(section);
    std::set<std::tuple<int, std::size_t, std::size_t>> pieces;  // bank, from, to
    std::map<int, std::size_t> shared;
    for (std::size_t i = 1; i < file_.sections().size(); ++i) {
      const int bank = bank_of(file_.sections()[i].name, own);
      const int common = bank_of(file_.sections()[i].name, "");
      if (bank > 0)
        facts.push_back({fmt::format("constant bank {}", bank),
                         graph_.describe_bytes(i, 0, file_.sections()[i].data.size())});
      else if (bank == 0)
        add_relocations("constant bank 0 at", i, section, facts);
      else if (common > 0)
        shared[common] = i;
    }
    for (const ConstantOperand& operand : operands_of(section)) {
      if (const auto all = shared.find(variables_bank);
          names_window(operand, file_.sm()) && all != shared.end())
        pieces.emplace(variables_bank, 0, file_.sections()[all->second].data.size());
      const auto bank = shared.find(operand.bank);
      // Of an image that is still to be linked relocations say where its constants are.
      if (bank == shared.end() || file_.header().e_type == ET_REL) continue;
      for (const auto& [from, to] : graph_.pieces_at(bank->second, operand))
        pieces.emplace(operand.bank, from, to);
    }
    for (const auto& [bank, from, to] : pieces)
      facts.push_back({fmt::format("constant bank {} at {:#x}", bank, from),
                       graph_.describe_bytes(shared.at(bank), from, to)});
  }

  // Of the code, or of what is filled in for it: with the state of samplers.
  void add_relocations(const char* where, std::size_t of, std::size_t section,
                       std::vector<CodeFact>& facts) {
    for (const Relocation& one : graph_.relocations(of)) {
      const std::string name = fmt::format("{} {:#x}", where, one.offset);
      facts.push_back({name, graph_.describe(one, section)});
      for (const auto& [what, value] :
           sampler_attributes(data_of(file_, ".nv.info"), static_cast<std::uint32_t>(one.symbol)))
        facts.push_back({fmt::format("{}, {}", name, what), value});
    }
  }

  // 3 of ".nv.constant3" with `behind` "", of ".nv.constant3.k" with ".k"; else -1.
  static int bank_of(const std::string& section, const std::string& behind) {
    const int bank = constant_bank(section);
    return section == fmt::format(".nv.constant{}{}", bank, behind) ? bank : -1;
  }

  // Those of the code. Where a relocation fills the place in, that says what is meant.
  std::vector<ConstantOperand> operands_of(std::size_t section) {
    const std::string_view text = text_of(section);
    std::set<std::uint64_t> relocated;
    for (const Relocation& one : graph_.relocations(section))
      relocated.insert(one.offset / code_word_bytes);
    std::vector<ConstantOperand> operands;
    for (std::size_t i = 0; (i + 1) * code_word_bytes <= text.size(); ++i) {
      SassWord word;
      std::memcpy(&word.low, text.data() + i * code_word_bytes, sizeof word.low);
      std::memcpy(&word.high, text.data() + i * code_word_bytes + sizeof word.low,
                  sizeof word.high);
      const auto operand = constant_operand(word);
      if (operand && !relocated.contains(i)) operands.push_back(*operand);
    }
    return operands;
  }

  const ElfFile& file_;
  ImageGraph graph_;
  std::map<std::size_t, CodeClass> made_;  // as last asked for
};

std::string value_of(const CodeClass& code, const std::string& name) {
  std::string values;
  for (const CodeFact& fact : code.facts)
    if (fact.name == name) values += (values.empty() ? "" : ", ") + fact.value;
  return values.empty() ? "none" : values;
}

}  // namespace

std::map<std::size_t, CodeClass> read_code_classes(const ElfFile& file) {
  ClassReader reader(file);
  std::map<std::size_t, CodeClass> classes;
  for (const std::size_t section : reader.sections()) classes.emplace(section, reader.of(section));
  return classes;
}

std::map<std::string, CodeClass> classes_of_code(std::string_view cubin,
                                                 const std::set<std::string>& entries) {
  std::map<std::string, CodeClass> classes;
  const auto file = ElfFile::view(cubin, "cubin");
  if (!file) return classes;
  ClassReader reader(*file);
  for (const std::size_t section : reader.sections())
    if (const std::string entry = reader.entry_of(section); entries.contains(entry))
      classes.emplace(entry, reader.of(section));
  return classes;
}

Result<std::map<std::string, std::string>> code_class_hashes(std::string_view cubin,
                                                             std::string_view name) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, name));
  ClassReader reader(file);
  std::map<std::string, std::string> hashes;
  for (const std::size_t section : reader.sections())
    hashes.emplace(reader.entry_of(section), reader.of(section).hash);
  return hashes;
}

std::vector<std::string> differences_outside_text(const CodeClass& left, const CodeClass& right) {
  std::vector<std::string> lines, done;
  for (const CodeClass* side : {&left, &right})
    for (const CodeFact& fact : side->facts) {
      if (fact.name == text_name || std::find(done.begin(), done.end(), fact.name) != done.end())
        continue;
      done.push_back(fact.name);
      const std::string a = value_of(left, fact.name), b = value_of(right, fact.name);
      if (a != b) lines.push_back(fmt::format("{}: {} -> {}", fact.name, a, b));
    }
  return lines;
}

}  // namespace phasebit::cubin
