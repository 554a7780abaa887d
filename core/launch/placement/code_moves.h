// Where a module's kernels lie: the same module with NOPs before the first instruction of each. An
// image that is padded does what it did; only the place of its code differs, which must not matter
// and sometimes does.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::launch::placement {

inline constexpr int padding_step_bytes = 16;  // one SASS instruction
inline constexpr int largest_padding_bytes = 1024;

// Step::usage ("padding=24: not a multiple of 16 from 0 to 1024").
Status check_padding(int padding_bytes);

// Padding at the start of a kernel's code; 0 where there is none.
std::size_t padding_of(std::string_view text);
// The code without its padding, as ptxas made it.
std::string_view unpadded(std::string_view text);

// What has to change in the bytes of a module for padding of any size: found once by what knows the
// format (analysis/cubin/change/padding.h), applied by the loader.
struct CodeMoves {
  // Bytes that are put in. Everything after is moved by multiples of `alignment_bytes`, so that
  // all sections keep their alignment.
  struct Insertion {
    enum class Kind : std::uint8_t {
      padding,  // NOPs, before a kernel's code
      tail,     // NOPs after it: ptxas fills up code to the alignment too
      advance,  // of the address, in a table of lines: DW_LNS_advance_pc by the padding
      filler    // so many zeros, after such a table
    };
    std::uint64_t at = 0;  // in the file
    Kind kind = Kind::padding;
    std::uint64_t bytes = 0;  // of a filler
    bool operator==(const Insertion&) const = default;
  };
  // A number in the file, little endian, of 4 or 8 bytes: grows by `paddings` times the padding, by
  // `growths` times what padded code grows by, and by `bytes_added`.
  struct Field {
    std::uint64_t at = 0;
    std::uint32_t bytes = 8, paddings = 0, growths = 0;
    std::uint64_t bytes_added = 0;
    bool operator==(const Field&) const = default;
  };
  static constexpr std::uint64_t alignment_bytes = 128, advance_bytes = 3;
  std::vector<Insertion> insertions;  // ascending
  std::vector<Field> fields;          // ascending
  bool operator==(const CodeMoves&) const = default;
};

// The module with so much padding in it; 0 is the module itself. Step::usage as check_padding,
// Step::bundle where the moves are not of this module.
Result<std::string> move_code(std::string_view module, const CodeMoves& moves, int padding_bytes);

// As bytes of a bundle: about 1.3 % of the module.
std::string to_bytes(const CodeMoves& moves);
Result<CodeMoves> moves_from_bytes(std::string_view bytes, const std::string& name);

}  // namespace phasebit::launch::placement
