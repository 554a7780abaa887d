#include "join/variants/generate.h"

#include "app/commands.h"
#include "join/images/progress.h"
#include "join/select/open_space.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit::app {
namespace {

using nlohmann::json;

void print_list(const space::Expansion& expansion, bool as_json) {
  if (!as_json) {
    for (const launch::VariantKey& variant : expansion.variants)
      fmt::print("{} {}\n", variant.hash, variant.id);
    return;
  }
  json list = json::array();
  for (const launch::VariantKey& variant : expansion.variants)
    list.push_back({{"hash", variant.hash}, {"id", variant.id}, {"axes", variant.axes}});
  fmt::print("{}\n", list.dump(1));
}

json number(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

void print_dry_run(const base::Home& home, const space::Expansion& expansion, bool as_json) {
  const join::images::Estimate cost =
      join::images::estimate(home, static_cast<double>(expansion.variants.size()));
  if (as_json) {
    json pruned = json::array();
    for (const auto& [reason, points] : expansion.pruned)
      pruned.push_back({{"reason", reason}, {"points", points}});
    fmt::print("{}\n",
               json({{"variants", expansion.variants.size()},
                     {"pruned", pruned},
                     {"assemble_core_seconds_per_target", number(cost.assemble_core_seconds)},
                     {"measure_seconds_per_repetition", number(cost.measure_seconds)}})
                   .dump(1));
    return;
  }
  fmt::print("{}{}\n", space::describe(expansion), join::images::describe(cost));
}

void print_generated(const join::variants::Generated& made, const GenerateOptions& options) {
  const std::string what = options.curated ? "curated listings" : "variants";
  if (options.check)
    fmt::print("{} {} are what the templates give\n", made.files, what);
  else
    fmt::print("{} {} written to {}\n", made.files, what, made.folder.string());
  if (!options.curated)
    for (const auto& [reason, points] : made.pruned)
      fmt::print(stderr, "pruned {}: {}\n", points, reason);
  for (const std::string& line : made.refused) fmt::print(stderr, "refused: {}\n", line);
  for (const std::string& line : made.drifted)
    fmt::print(stderr, "note: {}: `phasebit fork --merge`\n", line);
}

}  // namespace

Status run_generate(const GenerateOptions& options) {
  if (!options.list && !options.dry_run) {
    PHASEBIT_TRY_ASSIGN(made, join::variants::generate(options));
    print_generated(made, options);
    return {};
  }
  PHASEBIT_TRY_ASSIGN(space, join::select::open_space(options.space));
  if (options.list)
    print_list(space.expansion, options.json);
  else
    print_dry_run(options.space.home, space.expansion, options.json);
  return {};
}

}  // namespace phasebit::app
