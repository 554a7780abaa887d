#include "join/bundle/pack.h"

#include "app/commands.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::app {
namespace {

constexpr std::size_t most_said = 5;

// "ID: why", of each variant that the gate refuses.
std::vector<std::string> refused_by_gate(const join::bundle::Packing& packing) {
  std::vector<std::string> refused;
  for (const launch::BundleVariant& variant : packing.manifest.variants)
    if (const launch::GateResult& gate = variant.images.front().gate;
        gate.verdict == launch::GateVerdict::failed)
      refused.push_back(fmt::format("{}: {}", variant.key.id, gate.reason));
  return refused;
}

void print_summary(const join::bundle::Packing& packing, const PackOptions& options,
                   const std::vector<std::string>& by_gate) {
  size_t bytes = 0;
  std::set<std::string> classes;
  for (const auto& [hash, code] : packing.modules) bytes += code.size();
  for (const launch::BundleVariant& variant : packing.manifest.variants)
    classes.insert(variant.images.front().sass_class);
  if (options.json) {
    std::vector<std::string> refused;
    for (const join::images::Refusal& one : packing.refused)
      refused.push_back(fmt::format("{}: {}", one.image, one.error.text()));
    fmt::print("{}\n", nlohmann::json({{"variants", packing.manifest.variants.size()},
                                       {"classes", classes.size()},
                                       {"gate_failed", by_gate.size()},
                                       {"gate_refused", by_gate},
                                       {"modules", packing.modules.size()},
                                       {"module_bytes", bytes},
                                       {"not_counted", packing.notes.not_counted},
                                       {"found", packing.notes.found},
                                       {"refused", refused}})
                           .dump(1));
    return;
  }
  fmt::print("{}: {} variants for {}, {} SASS classes, {} refused, {} modules, {:.1f} MB\n",
             options.out, packing.manifest.variants.size(), options.target, classes.size(),
             by_gate.size(), packing.modules.size(), static_cast<double>(bytes) / 1e6);
  say_notes(packing.notes);
  fmt::print(stderr, "{}",
             join::images::refusal_text(packing.refused, most_said, "--json has them all"));
  for (std::size_t n = 0; n < std::min(most_said, by_gate.size()); ++n)
    fmt::print(stderr, "gate: {}\n", by_gate[n]);
  if (by_gate.size() > most_said)
    fmt::print(stderr, "... and {} others; --json has them all\n", by_gate.size() - most_said);
}

// Whether the bundle has anything that gets a figure.
bool refuses_all(const join::bundle::Packing& packing, std::size_t refused) {
  const auto& variants = packing.manifest.variants;
  const auto asked = std::count_if(variants.begin(), variants.end(),
                                   [](const auto& one) { return !launch::is_anchor(one.key); });
  return refused > 0 && refused == static_cast<std::size_t>(asked);
}

}  // namespace

Status run_pack(const PackOptions& options) {
  PHASEBIT_TRY_ASSIGN(packing, join::bundle::pack(options));
  PHASEBIT_TRY(join::bundle::write_packing(options.out, packing));
  const std::vector<std::string> refused = refused_by_gate(packing);
  print_summary(packing, options, refused);
  if ((!options.rules.empty() && !refused.empty()) || refuses_all(packing, refused.size()))
    return fail(Step::gate, "{}", refused.front());
  return {};
}

}  // namespace phasebit::app
