#include "join/protocol/check_variants.h"

#include "core/base/parallel.h"
#include "core/ptx/run/machine.h"
#include "join/images/executions.h"
#include "join/images/prepare.h"
#include "join/select/open_space.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::join::protocol {

using kernel::Rendered;
using phasebit::protocol::Checked;
using phasebit::protocol::ItemsLaunch;

namespace {

// The numbers of items of a kernel without a head; nothing says how many slots it has.
constexpr std::uint32_t items_of_external[] = {8, 9, 15, 3};
// Of the variants, each with a maker of its own.
constexpr std::size_t most_shares = 16;

class VariantChecker {
 public:
  VariantChecker(const CheckRequest& request, const select::Space& space)
      : request_(request), space_(space) {}

  Result<Checked> check(images::VariantMaker& maker, const launch::VariantKey& key) const {
    PHASEBIT_TRY_ASSIGN(rendered, maker.make(key, launch::Build::timed));
    PHASEBIT_TRY_ASSIGN(file, images::file_of(space_.catalogue, rendered));
    const ptx::PtxFunction* entry = file.find(rendered.kernel.entry);
    if (entry == nullptr) bug("a kernel that is not in its own file");
    const auto launches = launches_of(rendered, file, *entry);
    Checked checked;
    if (launches) {
      checked = phasebit::protocol::check(file, *entry, *launches, request_.options);
      if (request_.counts && is_headed(rendered))
        checked.counts = table_of(images::counted_of(file, *entry, rendered.head));
    } else if (launches.error().step == Step::launch) {
      checked.verdict = phasebit::protocol::Verdict::unsupported;
      checked.reason = launches.error().message;
      checked.launch = "not launched";
    } else {
      return tl::unexpected<Error>(launches.error());
    }
    checked.kernel = key.id;
    return checked;
  }

  Result<VariantRun> run(const launch::VariantKey& key) const {
    PHASEBIT_TRY_ASSIGN(rendered, images::render_one(space_, key, launch::Build::timed));
    if (!is_headed(rendered))
      return with_hint(fail(Step::usage, "{}: no head says what its launch leaves", key.id),
                       "`phasebit check` runs it");
    PHASEBIT_TRY_ASSIGN(file, images::file_of(space_.catalogue, rendered));
    const ptx::PtxFunction& entry = *file.find(rendered.kernel.entry);
    PHASEBIT_TRY_ASSIGN(launches, launches_of(rendered, file, entry));
    const auto& [items, launch, verify] = launches.front();
    PHASEBIT_TRY_ASSIGN(program, ptx::run::decode(file, entry));
    ptx::run::RunOptions options;
    options.most_steps = request_.options.most_steps;
    options.seed = request_.options.replay;
    const ptx::run::RunOutcome outcome = ptx::run::run_launch(program, launch, options);
    VariantRun made;
    made.launch = fmt::format("{}, {} items", phasebit::protocol::describe(launch), items);
    for (const ptx::run::Finding& one : outcome.findings)
      made.findings.push_back(fmt::format("{}: {}: {}",
                                          ptx::run::place_of(file, program.code[one.at.pc]),
                                          to_string(one.kind), one.what));
    made.instructions = outcome.instructions;
    made.ended = outcome.ended;
    made.shape = ptx::run::shape_of_run(rendered.head.launch);
    made.output = ptx::run::output_of(made.shape, items, outcome.memory);
    if (outcome.has_unfollowed)
      made.verified = fail(Step::verify, "it has values that are not computed");
    else
      made.verified = verify(outcome);
    return made;
  }

 private:
  static bool is_headed(const Rendered& rendered) {
    return rendered.has_head || rendered.path.empty();
  }

  // One at least. A variant says what a right launch leaves in memory: the code that verifies a GPU
  // asks.
  Result<std::vector<ItemsLaunch>> launches_of(const Rendered& rendered, const ptx::PtxFile& file,
                                               const ptx::PtxFunction& entry) const {
    const auto asked = static_cast<std::uint32_t>(request_.items);
    if (is_headed(rendered)) {
      const auto shape = ptx::run::shape_of_run(rendered.head.launch);
      return images::launches_of(
          rendered.head, entry,
          asked != 0 ? std::vector{launch::allowed_items(shape, asked)}
                     : ptx::run::usual_items(shape, images::stages_of(rendered.head)));
    }
    capture::ExternalFacts facts = request_.external;
    facts.no_figure = true;  // no parameter need be the items
    PHASEBIT_TRY_ASSIGN(external, capture::external_launch(file, entry, rendered.path, facts));
    std::vector<ItemsLaunch> launches;
    for (const std::uint32_t items : items_of_external) {
      PHASEBIT_TRY_ASSIGN(launch, ptx::run::launch_of(external, asked != 0 ? asked : items));
      const bool counts_items =
          launches.empty() || launch.parameters != launches.front().launch.parameters;
      if (!counts_items) break;  // no parameter is the items
      launches.push_back({asked != 0 ? asked : items, std::move(launch), {}});
    }
    return launches;
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

Result<VariantRun> run_variant(const CheckRequest& request) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request.space));
  if (space.expansion.variants.size() != 1)
    return fail(Step::usage, "{} variants: one can be run", space.expansion.variants.size());
  return VariantChecker(request, space).run(space.expansion.variants.front());
}

}  // namespace phasebit::join::protocol
