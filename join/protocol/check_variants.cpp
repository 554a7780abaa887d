#include "join/protocol/check_variants.h"

#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/ptx/run/instruction.h"
#include "gen/kernel/kernel_file.h"
#include "join/images/prepare.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace phasebit::join::protocol {

using kernel::Rendered;
using phasebit::protocol::Checked;
using ptx::run::RunLaunch;

namespace {

constexpr int items_of_external = 8;
// Of the variants, each with a maker of its own.
constexpr std::size_t most_shares = 16;

int stages_of(const ptx::head::Head& head) {
  const std::string named = head.key.value("num_stages");
  int stages = 1;
  std::from_chars(named.data(), named.data() + named.size(), stages);
  for (const ptx::head::HeadBarrier& barrier : head.barriers)
    stages = std::max(stages, barrier.count);
  return stages;
}

class VariantChecker {
 public:
  VariantChecker(const CheckRequest& request, const select::Space& space)
      : request_(request), space_(space) {}

  Result<Checked> check(images::VariantMaker& maker, const launch::VariantKey& key) const {
    PHASEBIT_TRY_ASSIGN(rendered, maker.make(key, launch::Build::timed));
    const std::string name = rendered.path.empty() ? key.id + ".ptx" : rendered.path.string();
    PHASEBIT_TRY_ASSIGN(text, text_of(rendered));
    PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, name));
    const ptx::PtxFunction* entry = file.find(rendered.kernel.entry);
    if (entry == nullptr) bug("a kernel that is not in its own file");
    std::uint32_t items = 0;
    const auto launch = launch_of(rendered, file, *entry, items);
    Checked checked;
    if (launch) {
      checked = phasebit::protocol::check(file, *entry, *launch, options_of(rendered, items));
      checked.launch += fmt::format(", {} items", items);
    } else if (launch.error().step == Step::launch) {
      checked.verdict = phasebit::protocol::Verdict::unsupported;
      checked.reason = launch.error().message;
      checked.launch = "not launched";
    } else {
      return tl::unexpected<Error>(launch.error());
    }
    checked.kernel = key.id;
    return checked;
  }

 private:
  Result<std::string> text_of(const Rendered& rendered) const {
    if (rendered.path.empty()) return kernel::kernel_file(space_.catalogue, rendered);
    return base::read_file(rendered.path);
  }

  // A variant says what a right launch leaves in memory: the code that verifies a GPU asks.
  phasebit::protocol::CheckOptions options_of(const Rendered& rendered, std::uint32_t items) const {
    phasebit::protocol::CheckOptions options = request_.options;
    if (!rendered.has_head && !rendered.path.empty()) return options;
    options.verify = [&rendered, items](const ptx::run::RunOutcome& outcome) {
      const auto shape = ptx::run::shape_of_run(rendered.head.launch);
      launch::ExpectedChecksums expected(shape, ptx::run::seed_of_run);
      return launch::verify_launch(shape, 0, ptx::run::output_of(shape, items, outcome.memory),
                                   expected);
    };
    return options;
  }

  Result<RunLaunch> launch_of(const Rendered& rendered, const ptx::PtxFile& file,
                              const ptx::PtxFunction& entry, std::uint32_t& items) const {
    items = static_cast<std::uint32_t>(request_.items);
    if (rendered.has_head || rendered.path.empty()) {
      const auto shape = ptx::run::shape_of_run(rendered.head.launch);
      if (items == 0) items = ptx::run::usual_items(shape, stages_of(rendered.head));
      items = launch::allowed_items(shape, items);
      return ptx::run::launch_of(shape, items, ptx::run::parameter_places(entry));
    }
    if (items == 0) items = items_of_external;
    capture::ExternalFacts facts = request_.external;
    facts.no_figure = true;  // no parameter need be the items
    PHASEBIT_TRY_ASSIGN(external, capture::external_launch(file, entry, rendered.path, facts));
    return ptx::run::launch_of(external, items);
  }

  const CheckRequest& request_;
  const select::Space& space_;
};

}  // namespace

Result<std::vector<Checked>> check_variants(const CheckRequest& request) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request.space));
  const VariantChecker checker(request, space);
  const std::vector<launch::VariantKey>& variants = space.expansion.variants;
  std::vector<Result<Checked>> results(variants.size(), Checked());
  // A maker keeps what it has parsed.
  const std::size_t shares = std::min<std::size_t>(variants.size(), most_shares);
  base::parallel_for(shares, request.jobs, [&](std::size_t share) {
    images::VariantMaker maker(space);
    for (std::size_t n = share; n < variants.size(); n += shares)
      results[n] = checker.check(maker, variants[n]);
  });
  std::vector<Checked> all;
  for (Result<Checked>& one : results) {
    if (!one) return tl::unexpected<Error>(std::move(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace phasebit::join::protocol
