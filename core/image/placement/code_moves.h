// Where a module's kernels lie: the same module with NOPs before the first instruction of each. An
// image that is padded does what it did; only the place of its code differs, which must not matter
// and sometimes does.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

inline constexpr int padding_step_bytes = 16;  // one SASS instruction
inline constexpr int largest_padding_bytes = 1024;

// Step::usage ("padding=24: not a multiple of 16 from 0 to 1024").
Status check_padding(int padding_bytes);

// Padding at the start of a kernel's code; 0 where there is none.
std::size_t padding_of(std::string_view text);
// The code without its padding, as ptxas made it.
std::string_view unpadded(std::string_view text);

// What has to change in the bytes of a module for padding of any size: found once by who knows the
// format (analysis/cubin/change/padding.h), applied by who loads it.
struct CodeMoves {
  // The code of one kernel, in the file. The padding goes before it, and NOPs behind it until the
  // code has grown by a multiple of `alignment_bytes`: ptxas fills up code in the same way, and all
  // that follows in the file keeps its alignment.
  struct Code {
    std::uint64_t begin = 0, end = 0;
    bool operator==(const Code&) const = default;
  };
  // A number in the file, little endian, of 4 or 8 bytes: grows by `paddings` times the padding and
  // by `shifts` times what code grows by.
  struct Field {
    std::uint64_t at = 0;
    std::uint32_t bytes = 8, paddings = 0, shifts = 0;
    bool operator==(const Field&) const = default;
  };
  static constexpr std::uint64_t alignment_bytes = 128;
  std::vector<Code> code;     // ascending
  std::vector<Field> fields;  // ascending
  bool operator==(const CodeMoves&) const = default;
};

// The module with so much padding in it; 0 is the module itself. Step::usage as check_padding,
// Step::bundle where the moves are not of this module.
Result<std::string> move_code(std::string_view module, const CodeMoves& moves, int padding_bytes);

// As bytes of a bundle: about 3 % of the module.
std::string to_bytes(const CodeMoves& moves);
Result<CodeMoves> moves_from_bytes(std::string_view bytes, const std::string& name);

}  // namespace phasebit
