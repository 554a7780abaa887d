#include "pipeline/sass/page/page.h"

#include "analysis/cubin/source/names.h"
#include "analysis/foreign/kernel.h"
#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/figures.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/image/manifest.h"
#include "core/record/same_code.h"
#include "core/store/load.h"
#include "gen/space/compilers.h"
#include "pipeline/explain/explain.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_set>

namespace phasebit::pipeline::sass::page {

using foreign::ReadKernel;
using images::AnalysedImage;
using images::CodeColumn;
using images::Prepared;
using listing::Page;
using listing::PageCell;
using listing::PageView;
using record::PointRow;
using record::RunRow;

namespace {

// The first instruction of the timed role's loop; of another role's where it has none.
std::optional<std::size_t> timed_loop(const Prepared& prepared, const AnalysedImage& image) {
  const std::string timed = ptx::head::word_of(prepared.head.launch.timed_role);
  std::optional<std::size_t> found;
  for (const flow::RoleWindow& window : image.windows)
    if (window.loop_header >= 0 && (!found || window.role == timed))
      found = static_cast<std::size_t>(window.loop_header);
  return found;
}

// The codes of a page while its images come in, from several threads.
class Collector {
 public:
  Collector(Page& page, const std::vector<Prepared>& prepared) : page_(page), prepared_(prepared) {}

  // The number of that code among those of its variant.
  int add(std::size_t variant, int sm, AnalysedImage image) {
    const std::lock_guard guard(mutex_);
    const auto next = static_cast<int>(page_.codes.size());
    const auto [entry, is_new] =
        known_.emplace(std::tuple(variant, sm, image.kernel.code.hash), next);
    if (is_new) {
      const Prepared& one = prepared_[variant];
      listing::PageCode code;
      code.opens_at = timed_loop(one, image);
      const std::string word = image::sass_class_word(image.kernel.code.hash, one.head.launch);
      code.side = compare::DiffSide{one.key.id, sm, std::move(image.kernel), one.kernel.source,
                                    std::move(image.windows)};
      code.side.sass_class = word;
      code.statements = &one.kernel.statements;
      page_.codes.push_back(std::move(code));
    }
    return entry->second;
  }

 private:
  Page& page_;
  const std::vector<Prepared>& prepared_;
  std::mutex mutex_;
  std::map<std::tuple<std::size_t, int, std::string>, int> known_;
};

// A view before its cells, and where its columns begin among those of all views.
struct PlannedView {
  PageView view;
  std::size_t first = 0;
};

// The architectures, and with --toolchain the versions of ptxas on one of them.
Result<std::vector<PlannedView>> plan_views(const PageRequest& options, const images::Tools& tools,
                                            std::vector<CodeColumn>& columns) {
  PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, options.targets));
  PHASEBIT_TRY_ASSIGN(across, images::columns_of(tools, targets, {}));
  PHASEBIT_TRY_ASSIGN(reference, page_reference(options.reference, targets));
  std::vector<PlannedView> plans = {{{"architectures", targets, reference, {}}, 0}};
  columns = across;
  if (options.toolchains.empty()) return plans;
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, options.history));
  PHASEBIT_TRY_ASSIGN(history, images::columns_of(tools, {options.history}, options.toolchains));
  PageView view{"ptxas versions, " + options.history, {}, history.size() - 1, {}};
  const std::string pinned = tools.toolchain.version.text();
  for (const CodeColumn& column : history)
    view.columns.push_back("ptxas " + (column.ptxas.empty() ? pinned : column.ptxas));
  plans.push_back({std::move(view), columns.size()});
  columns.insert(columns.end(), history.begin(), history.end());
  return plans;
}

using Cells = std::vector<std::vector<PageCell>>;  // by variant, then by column of all views

Result<Cells> read_cells(Page& page, images::Tools& tools,
                         const disassembly::Disassembler& disassembler,
                         const std::vector<Prepared>& prepared,
                         const std::vector<CodeColumn>& columns) {
  std::vector<int> sms;
  for (const CodeColumn& column : columns) {
    PHASEBIT_TRY_ASSIGN(known, isa::parse_target(column.target));
    sms.push_back(known.sm);
  }
  Cells cells(prepared.size(), std::vector<PageCell>(columns.size()));
  Collector codes(page, prepared);
  PHASEBIT_TRY(images::analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t column, std::size_t variant, Result<AnalysedImage> image) {
        PageCell& cell = cells[variant][column];
        if (image)
          cell.code = codes.add(variant, sms[column], std::move(*image));
        else
          cell.problem = image.error().message;
      }));
  return cells;
}

Status add_figures(Cells& cells, const Page& page, const base::Home& home,
                   const catalogue::Catalogue& catalogue, const std::vector<Prepared>& prepared,
                   const std::vector<CodeColumn>& columns) {
  const auto id_in = [&](std::size_t variant, std::size_t column) {
    const image::VariantKey& key = prepared[variant].key;
    const std::string& ptxas = columns[column].ptxas;
    return ptxas.empty() ? key.id : space::by_ptxas(catalogue, key, ptxas).id;
  };
  std::set<std::string> ids;
  for (std::size_t variant = 0; variant < cells.size(); ++variant)
    for (std::size_t column = 0; column < columns.size(); ++column)
      ids.insert(id_in(variant, column));
  PHASEBIT_TRY_ASSIGN(figures, PublishedFigures::load(home, ids));
  for (std::size_t variant = 0; variant < cells.size(); ++variant)
    for (std::size_t column = 0; column < columns.size(); ++column) {
      PageCell& cell = cells[variant][column];
      if (cell.code >= 0)
        cell.figure = figures.find(id_in(variant, column), columns[column].target,
                                   page.codes[static_cast<std::size_t>(cell.code)].side);
    }
  return {};
}

void add_views(Page& page, std::vector<PlannedView> plans, const Cells& cells) {
  for (PlannedView& plan : plans) {
    for (const std::vector<PageCell>& row : cells) {
      const auto begin = row.begin() + static_cast<std::ptrdiff_t>(plan.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(plan.view.columns.size());
      plan.view.cells.emplace_back(begin, end);
    }
    page.views.push_back(std::move(plan.view));
  }
}

Result<std::string> write_page(const Page& page, const PageRequest& options) {
  PHASEBIT_TRY_ASSIGN(html, listing::page_as_html(page, options.tools.jobs));
  PHASEBIT_TRY(base::write_file(options.out, html));
  std::size_t columns = 0;
  for (const PageView& view : page.views) columns += view.columns.size();
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  return fmt::format("{}: {}, {}, {}, {:.1f} MB\n", options.out,
                     counted(page.variants.size(), page.of_files ? "kernel" : "variant"),
                     counted(columns, "column"), counted(page.codes.size(), "code"),
                     static_cast<double>(html.size()) / 1e6);
}

Result<std::string> page_of_variants(const PageRequest& options) {
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  std::vector<CodeColumn> columns;
  PHASEBIT_TRY_ASSIGN(plans, plan_views(options, tools, columns));
  PHASEBIT_TRY_ASSIGN(space, select::open_space(options.space, select::Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, options.tools.jobs));
  if (prepared.empty()) return fail(Step::usage, "no variant is left to show");
  Page page;
  page.made_with =
      fmt::format("ptxas {}, nvdisasm {}", tools.toolchain.version.text(), disassembler.version());
  for (const Prepared& one : prepared) page.variants.push_back(one.key.id);
  PHASEBIT_TRY_ASSIGN(cells, read_cells(page, tools, disassembler, prepared, columns));
  PHASEBIT_TRY(add_figures(cells, page, options.space.home, space.catalogue, prepared, columns));
  add_views(page, std::move(plans), cells);
  return write_page(page, options);
}

}  // namespace

Result<std::string> sass_page(const PageRequest& options) {
  if (options.files.empty() && options.space.files.empty() && !options.kernel.empty())
    return fail(Step::usage, "--kernel {}: it is for files, and there is none", options.kernel);
  PageRequest variants = options;
  PHASEBIT_TRY_ASSIGN(ptx, takes_ptx(variants.space, options.files, options.kernel));
  if ((ptx || options.files.empty()) && !options.source.empty())
    return fail(Step::usage, "--source is for code files, and there are none");
  if (ptx || options.files.empty()) return page_of_variants(variants);
  PHASEBIT_TRY_ASSIGN(page, page_of_files(options));
  if (!page.left_out_why.empty()) fmt::print(stderr, "note: {}\n", page.left_out_why);
  return write_page(page, options);
}

namespace {

// Rows of the variants asked for, and of those whose measurement stands for theirs.
void keep_points(record::Results& results, const std::set<std::string>& ids) {
  const std::unordered_set<Word> wanted =
      record::with_measured(results.points, {ids.begin(), ids.end()});
  std::erase_if(results.points, [&](const PointRow& point) {
    return point.kind != record::PointKind::point || !wanted.contains(point.variant_id);
  });
}

listing::PageFigure figure_of(const report::data::Aggregate& one, const std::string& device,
                              const std::string& started, const std::string& target) {
  const double width = one.half_width();
  std::string cycles = report::data::shown(one.cycles, width),
              whole = report::data::shown_with_interval(one.cycles, width);
  const std::size_t sign = whole.find("±");
  return {std::move(cycles),
          sign == std::string::npos ? "" : whole.substr(sign + std::string("±").size()),
          one.unit,
          device,
          started.substr(0, 10),
          target};
}

}  // namespace

// Keys of histories are those of their day, so they are no results of one store with the others.
Result<PublishedFigures> PublishedFigures::load(const base::Home& home,
                                                const std::set<std::string>& ids) {
  PublishedFigures figures;
  std::vector<fs::path> histories;
  for (const std::string& path : explain::published_histories(home)) histories.emplace_back(path);
  for (const std::vector<fs::path>& paths : {explain::published_results(home), histories}) {
    if (paths.empty()) continue;
    PHASEBIT_TRY_ASSIGN(results, store::load_results(paths, store::no_samples));
    keep_points(results, ids);
    figures.add(results, ids);
  }
  return figures;
}

void PublishedFigures::add(const record::Results& results, const std::set<std::string>& ids) {
  std::map<std::string, const RunRow*> runs;
  for (const RunRow& run : results.runs) runs[run.id] = &run;
  std::map<std::string, std::string> devices;
  for (const record::DeviceRow& device : results.devices) devices[device.uuid] = device.name;
  std::map<std::string, std::vector<PointRow>> by_target;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::string> started;
  for (const PointRow& point : results.points) {
    const RunRow& run = *runs.at(point.run_id);
    by_target[run.target].push_back(point);
    std::string& newest =
        started[{run.target, point.variant_id, point.device_uuid, point.text_hash}];
    newest = std::max(newest, run.started);
  }
  const report::data::VariantKeys keys(results);
  for (const auto& [target, points] : by_target)
    for (const report::data::Aggregate& one : report::data::aggregate(points, keys).points) {
      if (!one.reason.empty() || !ids.contains(one.id)) continue;
      const std::string& when = started[{target, one.id, one.device_uuid, one.text_hash}];
      by_id_and_target_[{one.id, target}].push_back(
          {when, one.text_hash, one.sass_class,
           figure_of(one, devices[one.device_uuid], when, target)});
    }
}

std::optional<listing::PageFigure> PublishedFigures::find(const std::string& id,
                                                          const std::string& target,
                                                          const compare::DiffSide& side) const {
  const auto all = by_id_and_target_.find({id, target});
  if (all == by_id_and_target_.end()) return std::nullopt;
  const Measured* newest = nullptr;
  for (const Measured& one : all->second)
    if (explain::is_code_of(one.text_hash, one.sass_class, side) &&
        (newest == nullptr || one.started > newest->started))
      newest = &one;
  return newest == nullptr ? std::nullopt : std::optional(newest->figure);
}

namespace {

constexpr std::size_t name_width = 60;

// A kernel in all columns.
struct KernelRow {
  std::string name, symbol;
  std::vector<std::pair<std::size_t, const PlacedKernel*>> cells;  // column and kernel
};

struct Grid {
  std::vector<std::string> columns;
  std::vector<KernelRow> rows;
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
std::size_t instructions_of(const KernelRow& row) {
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
  std::vector<KernelRow> kept;
  std::size_t sum = 0;
  for (KernelRow& row : grid.rows) {
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
    for (const KernelRow& row : grid.rows)
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
std::vector<listing::PageCell> fill_row(const KernelRow& row, std::size_t columns, bool one_file,
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
  for (const KernelRow& row : grid.rows) {
    page.variants.push_back(row.name);
    page.symbols.push_back(row.symbol);
    view.cells.push_back(
        fill_row(row, grid.columns.size(), placed.files.size() == 1, read, page.codes));
  }
  page.short_names = foreign::short_names(page.variants, name_width);
  page.views.push_back(std::move(view));
  return page;
}

Result<std::optional<std::size_t>> page_reference(const std::string& word,
                                                  const std::vector<std::string>& columns) {
  if (word.empty()) return std::optional<std::size_t>();
  const auto found = std::find(columns.begin(), columns.end(), word);
  if (found != columns.end())
    return std::optional(static_cast<std::size_t>(found - columns.begin()));
  return with_hint(fail(Step::usage, "--reference {}: no column of this page", word),
                   base::nearest_word_hint(word, columns));
}

}  // namespace phasebit::pipeline::sass::page
