// What code and data of a cubin lead to: relocations, their symbols, and what a function
// calls, each described by its content.
#pragma once

#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/sass_word.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace phasebit::cubin {

class ImageGraph {
 public:
  // `hash_of_code` gives the class of another section of code.
  using HashOfCode = std::function<std::string(std::size_t section)>;
  ImageGraph(const ElfFile& file, HashOfCode hash_of_code);

  std::vector<std::size_t> code_sections() const { return code_; }  // `.text.<entry>`
  std::string entry_of(std::size_t section) const;
  // Of the function called as its section is; 0 where there is none.
  std::uint32_t symbol_of(std::size_t section) const;
  const std::vector<Relocation>& relocations(std::size_t section) const;

  // Forgets what was described for another function: local symbols are numbered as the one asked
  // for comes to them.
  void begin();
  // "code HASH": asks hash_of_code, unless it is known or is being asked.
  std::string describe_code(std::size_t section);
  // Where a relocation of that section leads: "type 56: data table of 16 bytes 0102..., +4".
  std::string describe(const Relocation& relocation, std::size_t from);
  // Whose class is being read: data that its code reaches may name it. Returns which it was before.
  std::string read_for(std::string entry) { return std::exchange(reading_, std::move(entry)); }
  // The bytes [begin, end) of a section, and where relocations among them lead.
  std::string describe_bytes(std::size_t section, std::size_t begin, std::size_t end);
  // What a constant operand names of a bank: each symbol among its bytes, or 8 bytes where there is
  // none. With a register added it may be any, unless a symbol starts there.
  using Piece = std::pair<std::size_t, std::size_t>;  // from, to
  std::vector<Piece> pieces_at(std::size_t section, const ConstantOperand& operand) const;
  // Functions outside the section that `.nv.callgraph` says it calls.
  std::set<std::string> callees(std::size_t section);

 private:
  // Places in code that is padded, as they are without its padding.
  void take_out(std::size_t section, std::size_t padding);
  using Node = std::array<std::size_t, 3>;  // section, first byte, end
  std::string follow(const Node& node, const std::function<std::string()>& make);
  std::string describe_symbol(std::size_t index, std::int64_t addend, const std::string& entry,
                              std::size_t from);
  std::string name_of(const ElfFile::Symbol& symbol, const std::string& entry);
  Piece piece_at(std::size_t section, std::size_t offset, bool indexed) const;
  // The symbol of data that covers the place.
  const ElfFile::Symbol* object_at(std::size_t section, std::uint64_t place) const;

  const ElfFile& file_;
  HashOfCode hash_of_code_;
  std::vector<ElfFile::Symbol> symbols_;
  std::vector<std::size_t> code_;
  std::map<std::size_t, std::vector<Relocation>> relocations_;  // by section, ascending
  // By section and place: what is local is told apart by a number, in the order in which it is come
  // to. Names of shared memory and of what ptxas makes hold counters, and no rule asks for them.
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> locals_;
  // Descriptions of what does not lead back to what is being described.
  std::string reading_;  // see read_for
  std::map<Node, std::string> known_;
  std::vector<Node> path_;         // those being described
  std::size_t lowest_ = SIZE_MAX;  // place in path_ that was led back to
};

}  // namespace phasebit::cubin
