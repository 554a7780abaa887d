#include "cli/commands.h"
#include "cli/prepare.h"
#include "cli/words.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::json;

std::string origin(const SourceLine& source) {
  return fmt::format("{}:{}", source.file, source.line);
}

json as_json(const VariantKey& variant, const Plan& plan, const Rendered& rendered) {
  json lines = json::array();
  for (const ListingLine& line : rendered.listing)
    lines.push_back({{"text", line.text},
                     {"file", line.source.file},
                     {"line", line.source.line},
                     {"verb", line.source.verb},
                     {"role", line.source.role}});
  return {{"id", variant.id},
          {"hash", variant.hash},
          {"axes", variant.axes},
          {"ptx_version", rendered.kernel.ptx_version},
          {"ptx_target", rendered.kernel.ptx_target},
          {"entry", rendered.kernel.entry},
          {"threads", plan.launch.threads},
          {"dynamic_shared_bytes", plan.launch.dynamic_shared_bytes},
          {"listing", lines}};
}

void print_text(const VariantKey& variant, const Plan& plan, const Rendered& rendered) {
  const Kernel& kernel = rendered.kernel;
  fmt::print("{}\nhash {}, entry {}, {} build\n", variant.id, variant.hash, kernel.entry,
             to_string(kernel.build));
  fmt::print("PTX {}, {} and later; {} threads, {} bytes of dynamic shared memory\n\n",
             kernel.ptx_version, kernel.ptx_target, plan.launch.threads,
             plan.launch.dynamic_shared_bytes);
  for (const auto& [axis, value] : variant.axes) fmt::print("  {:<16} {}\n", axis, value);
  fmt::print("\n");
  size_t depth = 0;
  for (const ListingLine& line : rendered.listing) {
    if (line.text.starts_with('}')) depth -= depth > 0 ? 1 : 0;
    const std::string text = std::string(2 * depth, ' ') + line.text;
    fmt::print("{:<76} {:<9} {:<11} {}\n", text, line.source.role, line.source.verb,
               origin(line.source));
    if (line.text == "{") ++depth;
  }
}

}  // namespace

Status run_show(const ShowOptions& options) {
  PHASEBIT_TRY_ASSIGN(build, parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(space, open_one(options.space, options.variant));
  const VariantKey& variant = space.expansion.variants.front();
  PHASEBIT_TRY_ASSIGN(plan, make_plan(space.catalogue, template_key(variant)));
  PHASEBIT_TRY_ASSIGN(rendered, render_one(space, variant, build));
  if (options.json)
    fmt::print("{}\n", as_json(variant, plan, rendered).dump(1));
  else
    print_text(variant, plan, rendered);
  return {};
}

}  // namespace phasebit
