#include "pipeline/sass/page.h"

#include "core/base/nearest.h"
#include "pipeline/images/sass_images.h"
#include "pipeline/select/open_space.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace phasebit {
namespace {

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
      page_.codes.push_back({DiffSide{one.key.id, sm, std::move(image.kernel), one.kernel.source,
                                      std::move(image.windows)},
                             &one.kernel.statements});
    }
    return entry->second;
  }

 private:
  Page& page_;
  const std::vector<Prepared>& prepared_;
  std::mutex mutex_;
  std::map<std::tuple<std::size_t, int, std::string>, int> known_;
};

Result<std::size_t> find_reference(const std::string& word,
                                   const std::vector<std::string>& columns) {
  if (word.empty()) return 0U;
  const auto found = std::find(columns.begin(), columns.end(), word);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  return with_hint(fail(Step::usage, "--reference {}: no column of this page", word),
                   nearest_word_hint(word, columns));
}

// A view before its cells, and where its columns begin among those of all views.
struct Plan {
  PageView view;
  std::size_t first = 0;
};

// The architectures, and with --toolchain the versions of ptxas on one of them.
Result<std::vector<Plan>> plan_views(const PageRequest& options, const Tools& tools,
                                     std::vector<CodeColumn>& columns) {
  PHASEBIT_TRY_ASSIGN(targets, chosen_targets(tools.toolchain, options.targets));
  PHASEBIT_TRY_ASSIGN(across, columns_of(tools, targets, {}));
  PHASEBIT_TRY_ASSIGN(reference, find_reference(options.reference, targets));
  std::vector<Plan> plans = {{{"architectures", targets, reference, {}}, 0}};
  columns = across;
  if (options.toolchains.empty()) return plans;
  PHASEBIT_TRY(check_target(tools.toolchain, options.history));
  PHASEBIT_TRY_ASSIGN(history, columns_of(tools, {options.history}, options.toolchains));
  PageView view{"ptxas versions, " + options.history, {}, history.size() - 1, {}};
  const std::string pinned = tools.toolchain.version.text();
  for (const CodeColumn& column : history)
    view.columns.push_back("ptxas " + (column.ptxas.empty() ? pinned : column.ptxas));
  plans.push_back({std::move(view), columns.size()});
  columns.insert(columns.end(), history.begin(), history.end());
  return plans;
}

Status fill_views(Page& page, std::vector<Plan> plans, Tools& tools,
                  const Disassembler& disassembler, const std::vector<Prepared>& prepared,
                  const std::vector<CodeColumn>& columns) {
  std::vector<int> sms;
  for (const CodeColumn& column : columns) {
    PHASEBIT_TRY_ASSIGN(known, parse_target(column.target));
    sms.push_back(known.sm);
  }
  std::vector<std::vector<PageCell>> cells(prepared.size(), std::vector<PageCell>(columns.size()));
  Collector codes(page, prepared);
  PHASEBIT_TRY(
      analyse_images(tools, disassembler, prepared, columns,
                     [&](std::size_t column, std::size_t variant, Result<AnalysedImage> image) {
                       PageCell& cell = cells[variant][column];
                       if (image)
                         cell.code = codes.add(variant, sms[column], std::move(*image));
                       else
                         cell.problem = image.error().message;
                     }));
  for (Plan& plan : plans) {
    for (const std::vector<PageCell>& row : cells) {
      const auto begin = row.begin() + static_cast<std::ptrdiff_t>(plan.first);
      const auto end = begin + static_cast<std::ptrdiff_t>(plan.view.columns.size());
      plan.view.cells.emplace_back(begin, end);
    }
    page.views.push_back(std::move(plan.view));
  }
  return {};
}

}  // namespace

Result<std::string> sass_page(const PageRequest& options) {
  PHASEBIT_TRY_ASSIGN(tools, open_tools(options.tools));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  std::vector<CodeColumn> columns;
  PHASEBIT_TRY_ASSIGN(plans, plan_views(options, tools, columns));
  PHASEBIT_TRY_ASSIGN(space, open_space(options.space, Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, options.tools.jobs));
  if (prepared.empty()) return fail(Step::usage, "no variant is left to show");
  Page page;
  page.made_with =
      fmt::format("ptxas {}, nvdisasm {}", tools.toolchain.version.text(), disassembler.version());
  for (const Prepared& one : prepared) page.variants.push_back(one.key.id);
  PHASEBIT_TRY(fill_views(page, std::move(plans), tools, disassembler, prepared, columns));
  PHASEBIT_TRY_ASSIGN(html, page_as_html(page, options.tools.jobs));
  PHASEBIT_TRY(write_file(options.out, html));
  return fmt::format("{}: {} variants, {} columns, {} codes, {:.1f} MB\n", options.out,
                     page.variants.size(), columns.size(), page.codes.size(),
                     static_cast<double>(html.size()) / 1e6);
}

}  // namespace phasebit
