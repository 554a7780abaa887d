// The exact class of a kernel's code: what it does, from the bytes of its cubin.
#pragma once

#include "analysis/cubin/elf_file.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit::cubin {

// One thing that decides what the kernel does: "registers", "40"; "constant bank 2", "9a9999...".
struct CodeFact {
  std::string name, value;
  bool operator==(const CodeFact&) const = default;
};

struct CodeClass {
  std::string hash;  // of all facts; kernels of one hash are the same but for their names
  // Its `.text` first, then attributes, constants, relocations and callees.
  std::vector<CodeFact> facts;
};

// The class of every section `.text.<entry>`, by the section's index. docs/decisions/sass-class.md
// says what counts and what does not. The kernel's own name does not, nor the hash of the source
// file in names of its static symbols, nor what else lies in the image, nor padding before the
// kernel (core/launch/placement).
std::map<std::size_t, CodeClass> read_code_classes(const ElfFile& file);

// The classes of some code of a cubin, by entry; without those that it does not have.
std::map<std::string, CodeClass> classes_of_code(std::string_view cubin,
                                                 const std::set<std::string>& entries);

// code class by entry, of all code in a cubin. Step::disassemble when it is not an ELF file.
Result<std::map<std::string, std::string>> code_class_hashes(std::string_view cubin,
                                                             std::string_view name);

// What differs besides the instructions, a line each: "registers: 40 -> 32". Empty when nothing.
std::vector<std::string> differences_outside_text(const CodeClass& left, const CodeClass& right);

}  // namespace phasebit::cubin
