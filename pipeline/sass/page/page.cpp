#include "pipeline/sass/page/page.h"

#include "core/base/file.h"
#include "core/image/sass_class.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/sass/files.h"
#include "pipeline/sass/page/figures.h"
#include "pipeline/sass/page/files.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>

namespace phasebit::pipeline::sass::page {

using images::AnalysedImage;
using images::CodeColumn;
using images::Prepared;
using listing::Page;
using listing::PageCell;
using listing::PageView;

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
struct Plan {
  PageView view;
  std::size_t first = 0;
};

// The architectures, and with --toolchain the versions of ptxas on one of them.
Result<std::vector<Plan>> plan_views(const PageRequest& options, const images::Tools& tools,
                                     std::vector<CodeColumn>& columns) {
  PHASEBIT_TRY_ASSIGN(targets, images::chosen_targets(tools.toolchain, options.targets));
  PHASEBIT_TRY_ASSIGN(across, images::columns_of(tools, targets, {}));
  PHASEBIT_TRY_ASSIGN(reference, page_reference(options.reference, targets));
  std::vector<Plan> plans = {{{"architectures", targets, reference, {}}, 0}};
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
                   const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns) {
  const auto id_in = [&](std::size_t variant, std::size_t column) {
    const Prepared& one = prepared[variant];
    return ptxas::with_assembler(one.key, images::choice_of(one, columns[column])).id;
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

void add_views(Page& page, std::vector<Plan> plans, const Cells& cells) {
  for (Plan& plan : plans) {
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
  PHASEBIT_TRY(add_figures(cells, page, options.space.home, prepared, columns));
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

}  // namespace phasebit::pipeline::sass::page
