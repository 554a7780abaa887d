#include "analysis/cubin/change/padding.h"

#include "analysis/cubin/change/move_finder.h"

namespace phasebit::cubin::change {

Result<image::placement::CodeMoves> find_code_moves(std::string_view cubin,
                                                    const std::string& entry) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, "cubin"));
  return MoveFinder(file, cubin).find(entry);
}

Result<std::string> pad_cubin(std::string_view cubin, int padding_bytes, const std::string& entry) {
  PHASEBIT_TRY(image::placement::check_padding(padding_bytes));
  PHASEBIT_TRY_ASSIGN(moves, find_code_moves(cubin, entry));
  return image::placement::move_code(cubin, moves, padding_bytes);
}

}  // namespace phasebit::cubin::change
