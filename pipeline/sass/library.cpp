#include "pipeline/sass/library.h"

#include "analysis/foreign/kernel.h"
#include "pipeline/sass/files.h"

namespace phasebit::pipeline::sass {

using table::Table;

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

namespace {

void add_rows(const std::string& file, const std::vector<foreign::CodeKernel>& kernels,
              const SassListRequest& request, Table& table) {
  std::vector<std::string> names = foreign::list_names(kernels);
  if (!request.full_names) names = foreign::short_names(names);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto& [image, kernel] = kernels[i];
    std::vector<table::Cell> row;
    if (request.files.size() > 1) row.emplace_back(file);
    if (request.with_images) row.emplace_back(image->name);
    row.emplace_back(i + 1);
    row.emplace_back(names[i]);
    if (request.with_symbols) row.emplace_back(kernel->entry);
    row.emplace_back(image->cubin.target);
    row.emplace_back(kernel->text.size());
    row.emplace_back(kernel->registers);
    row.emplace_back(kernel->static_shared_bytes);
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

Result<Table> sass_list(const SassListRequest& request) {
  PHASEBIT_TRY_ASSIGN(known, isa::TargetTable::load());
  const fs::path cuobjdump = ptxas::find_cuobjdump(request.home);
  Table table;
  if (request.files.size() > 1) table.columns.push_back({"file"});
  if (request.with_images) table.columns.push_back({"image"});
  table.columns.push_back({"number", true});
  table.columns.push_back({"kernel"});
  if (request.with_symbols) table.columns.push_back({"symbol"});
  table.columns.push_back({"target"});
  for (const char* title : {"code bytes", "registers", "shared bytes"})
    table.columns.push_back({title, true});
  for (const std::string& path : request.files) {
    PHASEBIT_TRY_ASSIGN(file, open_code_file(cuobjdump, known, path, request.targets));
    for (const std::string& target :
         request.targets.empty() ? std::vector<std::string>{""} : request.targets) {
      PHASEBIT_TRY_ASSIGN(kernels, foreign::find_kernels(file, {"", target}));
      add_rows(path, kernels, request, table);
    }
  }
  return table;
}

}  // namespace phasebit::pipeline::sass
