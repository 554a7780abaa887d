#include "cli/commands.h"
#include "cli/prepare.h"
#include "cli/words.h"

#include <cstdio>

#include <nlohmann/json.hpp>

namespace phasebit {
namespace {

using nlohmann::json;

// Statements alone of a file's kernel: its comments are in the file.
std::vector<ListingLine> lines_of(const Rendered& rendered) {
  if (!rendered.listing.empty()) return rendered.listing;
  std::vector<ListingLine> lines;
  for (size_t i = 0; i < rendered.kernel.statements.size(); ++i)
    lines.push_back({rendered.kernel.statements[i], rendered.kernel.source[i]});
  return lines;
}

json as_json(const Rendered& rendered) {
  json lines = json::array();
  for (const ListingLine& line : lines_of(rendered))
    lines.push_back({{"text", line.text},
                     {"file", line.source.file},
                     {"line", line.source.line},
                     {"verb", line.source.verb},
                     {"role", line.source.role}});
  const VariantKey& key = rendered.head.key;
  return {{"id", key.id},
          {"hash", key.hash},
          {"axes", key.axes},
          {"ptx_version", rendered.kernel.ptx_version},
          {"ptx_target", rendered.kernel.ptx_target},
          {"entry", rendered.kernel.entry},
          {"threads", rendered.head.launch.threads},
          {"dynamic_shared_bytes", rendered.head.launch.dynamic_shared_bytes},
          {"head", write_head(rendered.head)},
          {"listing", lines}};
}

// A kernel that was read is shown as its file has it.
Result<std::string> as_text(const Rendered& rendered) {
  return rendered.path.empty() ? kernel_file(rendered) : read_file(rendered.path);
}

}  // namespace

Status run_show(const ShowOptions& options) {
  PHASEBIT_TRY_ASSIGN(build, parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(space, open_one(options.space, options.variant));
  PHASEBIT_TRY_ASSIGN(rendered, render_one(space, space.expansion.variants.front(), build));
  if (options.json) {
    fmt::print("{}\n", as_json(rendered).dump(1));
    return {};
  }
  PHASEBIT_TRY_ASSIGN(text, as_text(rendered));
  fmt::print("{}", text);
  return {};
}

}  // namespace phasebit
