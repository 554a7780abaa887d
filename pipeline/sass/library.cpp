#include "pipeline/sass/library.h"

#include "pipeline/sass/files.h"

namespace phasebit::pipeline::sass {
namespace {

Result<std::vector<foreign::CodeCell>> cells_of(const images::Tools& tools,
                                                const disassembly::Disassembler& disassembler,
                                                const LibrarySide& side) {
  std::vector<std::string> targets;
  if (!side.target.empty()) targets.push_back(side.target);
  return read_code_files(tools, disassembler, {{side.file->path}, {}, targets, {}});
}

}  // namespace

Result<bool> has_several_kernels(const LibrarySide& side) {
  PHASEBIT_TRY_ASSIGN(kernels, foreign::find_kernels(*side.file, {{}, side.target}));
  return kernels.size() > 1;
}

Result<foreign::LibraryDiff> library_diff(const images::Tools& tools,
                                          const disassembly::Disassembler& disassembler,
                                          const LibrarySide& left, const LibrarySide& right) {
  PHASEBIT_TRY_ASSIGN(left_cells, cells_of(tools, disassembler, left));
  PHASEBIT_TRY_ASSIGN(right_cells, cells_of(tools, disassembler, right));
  const auto name = [](const LibrarySide& side) {
    return side.file->path + (side.target.empty() ? "" : " for " + side.target);
  };
  return foreign::diff_libraries(name(left), left_cells, name(right), right_cells);
}

}  // namespace phasebit::pipeline::sass
