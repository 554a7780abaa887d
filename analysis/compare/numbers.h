// Two sides of a difference with numbers in the place of texts.
#pragma once

#include "analysis/reading/subject.h"

#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::compare {

// What an opcode does, without how it is spelled on one architecture: its stem, with the first
// modifier where that says which operation it is (SYNCS.ARRIVE). All moves are MOV, all short adds
// are IADD, and a uniform register is a register. Only alignment goes by it.
std::string normalised_opcode(const std::string& opcode);

// By instruction; a number stands for the same on both sides.
struct SideNumbers {
  std::vector<int> verbs;            // as shown
  std::vector<int> shared_verbs;     // as both sides go by; all the same where they go by none
  std::vector<int> opcodes;          // in full
  std::vector<int> keys;             // shared verb and normalised opcode
  std::vector<std::uint64_t> whole;  // a hash of opcode, guard and operands
};

struct NumberedSides {
  SideNumbers left, right;
  std::vector<std::string> verbs;  // by number
  std::size_t opcodes = 0;         // so many
};

// Of the first instructions of each side.
NumberedSides number_sides(const reading::CodeSubject& left, std::size_t left_size,
                           const reading::CodeSubject& right, std::size_t right_size);

}  // namespace phasebit::compare
