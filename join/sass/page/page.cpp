#include "join/sass/page/page.h"

#include "analysis/cubin/source/names.h"
#include "analysis/foreign/kernel.h"
#include "analysis/report/data/aggregate.h"
#include "analysis/report/data/figures.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/launch/manifest.h"
#include "core/results/load.h"
#include "core/results/same_code.h"
#include "gen/space/compilers.h"
#include "join/explain/explain.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_set>

namespace phasebit::join::sass::page {

using images::CodeColumn;
using images::Prepared;
using images::SubjectPlace;
using listing::Page;
using listing::PageCell;
using listing::PageView;
using reading::CodeSubject;
using results::PointRow;
using results::RunRow;

namespace {

constexpr std::size_t name_width = 60;

// The first instruction of the timed role's loop; of another role's where it has no loop.
std::optional<std::size_t> timed_loop(const Prepared& prepared, const CodeSubject& subject) {
  const std::string timed = ptx::head::word_of(prepared.head.launch.timed_role);
  std::optional<std::size_t> found;
  for (const flow::RoleWindow& window : subject.windows)
    if (window.loop_header >= 0 && (!found || window.role == timed))
      found = static_cast<std::size_t>(window.loop_header);
  return found;
}

// Of one row; equal codes once.
std::size_t instructions_of(const SubjectGrid& grid, std::size_t row) {
  std::set<std::tuple<int, std::string_view, std::string_view>> seen;
  std::size_t sum = 0;
  for (const SubjectPlace& place : grid.places) {
    if (place.row != row) continue;
    const auto& [image, kernel, statements] = *place.code;
    if (seen.emplace(image->cubin.sm, kernel->text, kernel->code.hash).second)
      sum += kernel->size();
  }
  return sum;
}

// Takes rows that find no room out of the grid, and says which.
Status make_room(SubjectGrid& grid, Page& page) {
  std::vector<GridRow> kept;
  std::map<std::size_t, std::size_t> places;  // of rows that are kept
  std::size_t sum = 0;
  for (std::size_t row = 0; row < grid.rows.size(); ++row) {
    const std::size_t more = instructions_of(grid, row);
    if (sum + more > most_page_instructions) {
      page.left_out.push_back(grid.rows[row].shown);
      continue;
    }
    sum += more;
    places[row] = kept.size();
    kept.push_back(grid.rows[row]);
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
  std::erase_if(grid.places,
                [&](const SubjectPlace& place) { return !places.contains(place.row); });
  for (SubjectPlace& place : grid.places) place.row = places.at(place.row);
  grid.rows = std::move(kept);
  return {};
}

using Cells = std::vector<std::vector<PageCell>>;  // by row, then by column of all views

// The codes of a page while its kernels are read, from several threads.
class Collector {
 public:
  Collector(Page& page, const SubjectGrid& grid) : page_(page), grid_(grid) {
    cells.assign(grid.rows.size(),
                 std::vector<PageCell>(grid.columns.size(), {"not in it", -1, std::nullopt}));
  }

  void add(std::size_t at, Result<CodeSubject> subject) {
    const SubjectPlace& place = grid_.places[at];
    PageCell& cell = cells[place.row][place.column];
    const std::lock_guard guard(mutex_);
    if (!subject) {
      cell.problem = (grid_.of_files ? "cannot be read: " : "") + subject.error().message;
      return;
    }
    cell.problem.clear();
    const auto [code, is_new] = known_.emplace(
        std::tuple(place.row, subject->sm, subject->kernel.text_hash, subject->kernel.code.hash),
        static_cast<int>(codes_.size()));
    cell.code = code->second;
    if (is_new) codes_.push_back(code_of(place, std::move(*subject)));
  }

  // In the order of the cells, whichever was read first.
  void take_codes() {
    std::map<int, int> numbers;
    for (std::vector<PageCell>& row : cells)
      for (PageCell& cell : row) {
        if (cell.code < 0) continue;
        const auto [number, fresh] =
            numbers.emplace(cell.code, static_cast<int>(page_.codes.size()));
        if (fresh) page_.codes.push_back(std::move(codes_[static_cast<std::size_t>(cell.code)]));
        cell.code = number->second;
      }
  }
  Cells cells;

 private:
  listing::PageCode code_of(const SubjectPlace& place, CodeSubject subject) const {
    listing::PageCode code;
    if (place.variant != nullptr) {
      code.opens_at = timed_loop(*place.variant, subject);
      code.statements = &place.variant->kernel.statements;
    }
    if (grid_.of_files) subject.shares_verbs = grid_.files.size() == 1;
    code.side = std::move(subject);
    return code;
  }

  Page& page_;
  const SubjectGrid& grid_;
  std::mutex mutex_;
  std::vector<listing::PageCode> codes_;
  std::map<std::tuple<std::size_t, int, std::string, std::string>, int> known_;
};

// The columns of a page of variants: architectures, and with --toolchain the versions of ptxas on
// one of them, which are a view of their own.
struct PageColumns {
  std::vector<CodeColumn> all;
  std::size_t across = 0;  // of them the architectures
};

Result<PageColumns> variant_columns(const PageRequest& options, const Meant& meant,
                                    const images::Tools& tools) {
  PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, meant.targets));
  PHASEBIT_TRY_ASSIGN(columns, images::columns_of(tools, targets, {}));
  PageColumns made{std::move(columns), targets.size()};
  if (options.toolchains.empty()) return made;
  PHASEBIT_TRY(ptxas::check_target(tools.toolchain, options.history));
  PHASEBIT_TRY_ASSIGN(history, images::columns_of(tools, {options.history}, options.toolchains));
  made.all.insert(made.all.end(), history.begin(), history.end());
  return made;
}

// A view before its cells, and where its columns begin among those of the grid.
struct PlannedView {
  PageView view;
  std::size_t first = 0;
};

Result<std::vector<PlannedView>> plan_views(const PageRequest& options, const SubjectGrid& grid,
                                            std::size_t count) {
  PageView view;
  view.name = !grid.of_files ? "architectures" : grid.files.size() > 1 ? "files" : "targets";
  for (std::size_t i = 0; i < count; ++i)
    view.columns.push_back(grid.of_files ? grid.columns[i].name : grid.columns[i].target);
  PHASEBIT_TRY_ASSIGN(reference, page_reference(options.reference, view.columns));
  view.reference = reference;
  std::vector<PlannedView> plans = {{std::move(view), 0}};
  if (count == grid.columns.size()) return plans;
  PageView history{"ptxas versions, " + options.history, {}, grid.columns.size() - count - 1, {}};
  for (std::size_t i = count; i < grid.columns.size(); ++i)
    history.columns.push_back("ptxas " + grid.columns[i].ptxas);
  plans.push_back({std::move(history), count});
  return plans;
}

Status add_figures(Cells& cells, const Page& page, const base::Home& home,
                   const space::Catalogue& catalogue, const std::vector<Prepared>& prepared,
                   const std::vector<CodeColumn>& columns) {
  const auto id_in = [&](std::size_t variant, std::size_t column) {
    const launch::VariantKey& key = prepared[variant].key;
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

std::string made_with(const SubjectGrid& grid, const images::Tools& tools,
                      const disassembly::Disassembler& disassembler) {
  if (!grid.of_files)
    return fmt::format("ptxas {}, nvdisasm {}", tools.toolchain.version.text(),
                       disassembler.version());
  std::set<std::string> makers;
  std::vector<std::string> files;
  for (const auto& file : grid.files) files.push_back(fs::path(file->label).filename().string());
  for (const SubjectPlace& place : grid.places) makers.insert(maker_of(place.code->image->cubin));
  makers.erase("");
  return fmt::format("{}{}{}; nvdisasm {}", fmt::join(files, ", "), makers.empty() ? "" : " by ",
                     fmt::join(makers, ", "), disassembler.version());
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

}  // namespace

Result<Page> make_page(const PageRequest& options, images::Tools& tools, SubjectGrid& grid) {
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(meant, meant_by(options));
  PageColumns columns;
  if (meant.variants) {
    PHASEBIT_TRY_ASSIGN(chosen, variant_columns(options, meant, tools));
    columns = std::move(chosen);
    PHASEBIT_TRY_ASSIGN(opened,
                        open_variant_grid(tools, meant.space, columns.all, options.tools.jobs));
    grid = std::move(opened);
  } else {
    PHASEBIT_TRY_ASSIGN(opened, open_grid(tools, options));
    grid = std::move(opened);
    columns.across = grid.columns.size();
  }
  if (grid.rows.empty())
    return fail(Step::usage, "no {} is left to show", grid.of_files ? "kernel" : "variant");
  Page page;
  page.of_files = grid.of_files;
  if (grid.of_files) PHASEBIT_TRY(make_room(grid, page));
  PHASEBIT_TRY_ASSIGN(plans, plan_views(options, grid, columns.across));
  page.made_with = made_with(grid, tools, disassembler);
  for (const GridRow& row : grid.rows) {
    page.variants.push_back(row.shown);
    if (grid.of_files) page.symbols.push_back(row.symbol);
  }
  if (grid.of_files) page.short_names = foreign::short_names(page.variants, name_width);
  Collector codes(page, grid);
  PHASEBIT_TRY(read_grid(tools, disassembler, grid,
                         {cubin::source::source_view(options.source), grid.of_files},
                         [&](std::size_t place, Result<CodeSubject> subject) {
                           codes.add(place, std::move(subject));
                         }));
  codes.take_codes();
  if (!grid.of_files)
    PHASEBIT_TRY(add_figures(codes.cells, page, options.space.home, grid.catalogue, grid.prepared,
                             columns.all));
  add_views(page, std::move(plans), codes.cells);
  return page;
}

Result<std::string> sass_page(const PageRequest& options) {
  PHASEBIT_TRY(meant_by(options));
  PHASEBIT_TRY_ASSIGN(tools, images::open_tools(options.tools));
  SubjectGrid grid;
  PHASEBIT_TRY_ASSIGN(page, make_page(options, tools, grid));
  if (!page.left_out_why.empty()) fmt::print(stderr, "note: {}\n", page.left_out_why);
  return write_page(page, options);
}

namespace {

// Rows of the variants asked for, and of those whose measurement stands for theirs.
void keep_points(results::Results& results, const std::set<std::string>& ids) {
  const std::unordered_set<Word> wanted =
      results::with_measured(results.points, {ids.begin(), ids.end()});
  std::erase_if(results.points, [&](const PointRow& point) {
    return point.kind != results::PointKind::point || !wanted.contains(point.variant_id);
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

// Keys of histories are those of their day, so they are not results of one store with the others.
Result<PublishedFigures> PublishedFigures::load(const base::Home& home,
                                                const std::set<std::string>& ids) {
  PublishedFigures figures;
  std::vector<fs::path> histories;
  for (const std::string& path : explain::published_histories(home)) histories.emplace_back(path);
  for (const std::vector<fs::path>& paths : {explain::published_results(home), histories}) {
    if (paths.empty()) continue;
    PHASEBIT_TRY_ASSIGN(results, results::load_results(paths, results::no_samples));
    keep_points(results, ids);
    figures.add(results, ids);
  }
  return figures;
}

void PublishedFigures::add(const results::Results& results, const std::set<std::string>& ids) {
  std::map<std::string, const RunRow*> runs;
  for (const RunRow& run : results.runs) runs[run.id] = &run;
  std::map<std::string, std::string> devices;
  for (const results::DeviceRow& device : results.devices) devices[device.uuid] = device.name;
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
                                                          const reading::CodeSubject& side) const {
  const auto all = by_id_and_target_.find({id, target});
  if (all == by_id_and_target_.end()) return std::nullopt;
  const Measured* newest = nullptr;
  for (const Measured& one : all->second)
    if (explain::is_code_of(one.text_hash, one.sass_class, side) &&
        (newest == nullptr || one.started > newest->started))
      newest = &one;
  return newest == nullptr ? std::nullopt : std::optional(newest->figure);
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

}  // namespace phasebit::join::sass::page
