#include "pipeline/sass/page/files.h"

#include "analysis/cubin/source/names.h"
#include "analysis/foreign/short_names.h"
#include "pipeline/sass/files.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace phasebit::pipeline::sass::page {

using foreign::ReadKernel;
using listing::Page;

namespace {

constexpr std::size_t name_width = 60;

// A kernel in all columns.
struct Row {
  std::string name, symbol;
  std::vector<std::pair<std::size_t, const PlacedKernel*>> cells;  // column and kernel
};

struct Grid {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

// Two kernels of one name in one column (of unnamed namespaces) are rows of their own.
Grid grid_of(const PlacedKernels& placed) {
  Grid grid;
  std::map<std::pair<std::string, std::size_t>, std::size_t> rows;  // by name, and which of it
  std::map<std::pair<std::string, std::size_t>, std::size_t> seen;  // by name and column
  std::map<std::string, std::size_t> columns;
  for (const PlacedKernel& one : placed.kernels) {
    const auto [column, new_column] = columns.emplace(one.column, grid.columns.size());
    if (new_column) grid.columns.push_back(one.column);
    const std::size_t which = seen[{one.name, column->second}]++;
    const auto [row, new_row] = rows.emplace(std::pair(one.name, which), grid.rows.size());
    if (new_row)
      grid.rows.push_back({which == 0 ? one.name : fmt::format("{} #{}", one.name, which + 1),
                           one.kernel.kernel->entry,
                           {}});
    grid.rows[row->second].cells.emplace_back(column->second, &one);
  }
  return grid;
}

// Of one row; equal codes once.
std::size_t instructions_of(const Row& row) {
  std::set<std::tuple<int, std::string_view, std::string_view>> seen;
  std::size_t sum = 0;
  for (const auto& [column, one] : row.cells) {
    const cubin::CubinKernel& kernel = *one->kernel.kernel;
    if (seen.emplace(one->kernel.image->cubin.sm, kernel.text, kernel.code.hash).second)
      sum += kernel.size();
  }
  return sum;
}

// Takes rows that find no room out of the grid, and says which.
Status make_room(Grid& grid, Page& page) {
  std::vector<Row> kept;
  std::size_t sum = 0;
  for (Row& row : grid.rows) {
    const std::size_t more = instructions_of(row);
    if (sum + more > most_page_instructions) {
      page.left_out.push_back(row.name);
      continue;
    }
    sum += more;
    kept.push_back(std::move(row));
  }
  if (kept.empty())
    return with_hint(
        fail(Step::usage, "{}: a page has room for {} instructions, and it has more in {} columns",
             grid.rows.front().name, most_page_instructions, grid.columns.size()),
        "name fewer targets with -t, or look at it with `phasebit sass show`");
  if (!page.left_out.empty())
    page.left_out_why = fmt::format(
        "{} of {} kernels are left out, from {} on: a page has room for {} instructions; --kernel "
        "and -t say which are in it",
        page.left_out.size(), grid.rows.size(),
        cubin::source::shortened(page.left_out.front(), name_width), most_page_instructions);
  grid.rows = std::move(kept);
  return {};
}

using ReadGrid = std::map<const PlacedKernel*, Result<ReadKernel>>;

// Reads the kernels that are left, those of a file together. An error when none can be read.
Result<ReadGrid> read_grid(const disassembly::Disassembler& disassembler, const Grid& grid,
                           const std::deque<foreign::CodeFile>& files,
                           const cubin::source::SourceView& view) {
  ReadGrid read;
  for (std::size_t file = 0; file < files.size(); ++file) {
    std::vector<const PlacedKernel*> placed;
    std::vector<foreign::CodeKernel> kernels;
    for (const Row& row : grid.rows)
      for (const auto& [column, one] : row.cells)
        if (one->file == file) placed.push_back(one), kernels.push_back(one->kernel);
    auto those = read_or_note(disassembler, files[file].path, kernels, view);
    for (std::size_t i = 0; i < placed.size(); ++i) read.emplace(placed[i], std::move(those[i]));
  }
  for (const auto& [placed, one] : read)
    if (one) return read;
  return tl::unexpected<Error>(read.begin()->second.error());
}

std::string maker(const cubin::Cubin& cubin) {
  if (cubin.tool_version.empty()) return {};
  return (cubin.tool.empty() ? "CUDA" : cubin.tool) + " " + cubin.tool_version;
}

std::string made_with(const PlacedKernels& placed, const disassembly::Disassembler& disassembler) {
  std::set<std::string> tools;
  std::vector<std::string> files;
  for (const foreign::CodeFile& file : placed.files)
    files.push_back(fs::path(file.path).filename().string());
  for (const PlacedKernel& one : placed.kernels) tools.insert(maker(one.kernel.image->cubin));
  tools.erase("");
  return fmt::format("{}{}{}; nvdisasm {}", fmt::join(files, ", "), tools.empty() ? "" : " by ",
                     fmt::join(tools, ", "), disassembler.version());
}

// The codes of one row, each once, and its cells.
std::vector<listing::PageCell> fill_row(const Row& row, std::size_t columns, bool one_file,
                                        ReadGrid& read, std::vector<listing::PageCode>& codes) {
  std::vector<listing::PageCell> cells(columns, {"not in it", -1});
  std::map<std::tuple<int, std::string, std::string>, int> known;
  for (const auto& [column, one] : row.cells) {
    if (const auto& found = read.at(one); !found) {
      cells[column].problem = "cannot be read: " + found.error().message;
      continue;
    }
    ReadKernel& kernel = *read.at(one);
    const int sm = one->kernel.image->cubin.sm;
    const auto [code, is_new] =
        known.emplace(std::tuple(sm, kernel.kernel.text_hash, kernel.kernel.code.hash),
                      static_cast<int>(codes.size()));
    cells[column] = {"", code->second};
    if (!is_new) continue;
    listing::PageCode made;
    made.side = compare::DiffSide{
        kernel.name, sm, std::move(kernel.kernel), std::move(kernel.source), {}, one_file};
    made.loops = std::move(kernel.loops);
    codes.push_back(std::move(made));
  }
  return cells;
}

Status check_request(const PageRequest& options) {
  if (!options.toolchains.empty())
    return fail(Step::usage, "--toolchain is for variants, not for files");
  return refuse_variant_options(options.space, options.tools);
}

}  // namespace

Result<Page> page_of_files(const PageRequest& options) {
  PHASEBIT_TRY(check_request(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(placed, place_kernels(tools, options.files, options.kernel, options.targets));
  Grid grid = grid_of(placed);
  if (grid.rows.empty()) return fail(Step::usage, "no kernel is left to show");
  Page page;
  page.of_files = true;
  PHASEBIT_TRY(make_room(grid, page));
  PHASEBIT_TRY_ASSIGN(read, read_grid(disassembler, grid, placed.files,
                                      cubin::source::source_view(options.source)));
  page.made_with = made_with(placed, disassembler);
  listing::PageView view{
      placed.files.size() > 1 ? "files" : "targets", grid.columns, std::nullopt, {}};
  PHASEBIT_TRY_ASSIGN(reference, page_reference(options.reference, grid.columns));
  view.reference = reference;
  for (const Row& row : grid.rows) {
    page.variants.push_back(row.name);
    page.symbols.push_back(row.symbol);
    view.cells.push_back(
        fill_row(row, grid.columns.size(), placed.files.size() == 1, read, page.codes));
  }
  page.short_names = foreign::short_names(page.variants, name_width);
  page.views.push_back(std::move(view));
  return page;
}

}  // namespace phasebit::pipeline::sass::page
