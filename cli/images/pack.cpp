#include "pipeline/bundle/pack.h"

#include "cli/commands.h"

#include <cstdio>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::cli {
namespace {

void print_summary(const pipeline::bundle::Packing& packing, const PackOptions& options) {
  size_t bytes = 0, failed = 0;
  std::set<std::string> classes;
  for (const auto& [hash, code] : packing.modules) bytes += code.size();
  for (const image::BundleVariant& variant : packing.manifest.variants) {
    const image::Image& timed = variant.images.front();
    failed += timed.gate.verdict == image::GateVerdict::failed ? 1 : 0;
    classes.insert(timed.sass_class);
  }
  if (options.json) {
    std::vector<std::string> refused, by_gate;
    for (const image::BundleVariant& variant : packing.manifest.variants)
      if (const image::GateResult& gate = variant.images.front().gate;
          gate.verdict == image::GateVerdict::failed)
        by_gate.push_back(fmt::format("{}: {}", variant.key.id, gate.reason));
    for (const pipeline::images::Refusal& one : packing.refused)
      refused.push_back(fmt::format("{}: {}", one.image, one.error.text()));
    fmt::print("{}\n", nlohmann::json({{"variants", packing.manifest.variants.size()},
                                       {"classes", classes.size()},
                                       {"gate_failed", failed},
                                       {"gate_refused", by_gate},
                                       {"modules", packing.modules.size()},
                                       {"module_bytes", bytes},
                                       {"refused", refused}})
                           .dump(1));
    return;
  }
  fmt::print("{}: {} variants for {}, {} SASS classes, {} refused, {} modules, {:.1f} MB\n",
             options.out, packing.manifest.variants.size(), options.target, classes.size(), failed,
             packing.modules.size(), static_cast<double>(bytes) / 1e6);
  fmt::print(stderr, "{}",
             pipeline::images::refusal_text(packing.refused, 5, "--json has them all"));
}

}  // namespace

Status run_pack(const PackOptions& options) {
  PHASEBIT_TRY_ASSIGN(packing, pipeline::bundle::pack(options));
  PHASEBIT_TRY(pipeline::bundle::write_packing(options.out, packing));
  print_summary(packing, options);
  if (options.rules.empty()) return {};
  for (const image::BundleVariant& variant : packing.manifest.variants)
    if (const image::GateResult& gate = variant.images.front().gate;
        gate.verdict == image::GateVerdict::failed)
      return fail(Step::gate, "{}: {}", variant.key.id, gate.reason);
  return {};
}

}  // namespace phasebit::cli
