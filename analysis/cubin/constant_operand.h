// Constant memory that an instruction names: c[bank][offset].
#pragma once

#include "analysis/cubin/control.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace phasebit::cubin {

inline constexpr int variables_bank = 3;  // `__constant__` variables

// 3 of the sections ".nv.constant3" and ".nv.constant3.k"; -1 of any other.
int constant_bank(std::string_view section);

struct ConstantOperand {
  int bank = 0;
  std::uint32_t offset = 0;  // bytes
  bool indexed = false;      // a register is added to the offset
  std::uint32_t bytes = 4;   // how many are read; where that is not known, as many as may be
};

// What the word of an instruction names, sm_75 to sm_121. The fields are those of what ptxas makes;
// the tests hold them against nvdisasm's operands. A word that has the form of one and names no
// constant may be taken for one, never the other way round.
std::optional<ConstantOperand> constant_operand(const SassWord& word);

}  // namespace phasebit::cubin
