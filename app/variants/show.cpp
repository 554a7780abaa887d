#include "app/commands.h"
#include "core/ptx/file.h"
#include "gen/space/variants.h"
#include "join/images/prepare.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"

#include <cstdio>
#include <sstream>

#include <nlohmann/json.hpp>

namespace phasebit::app {

using kernel::ListingLine;
using kernel::Rendered;

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

json as_json(const space::Catalogue& catalogue, const Rendered& rendered) {
  json lines = json::array();
  for (const ListingLine& line : lines_of(rendered))
    lines.push_back({{"text", line.text},
                     {"file", line.source.file},
                     {"line", line.source.line},
                     {"verb", line.source.verb},
                     {"role", line.source.role}});
  const launch::VariantKey& key = rendered.head.key;
  return {{"id", key.id},
          {"hash", key.hash},
          {"axes", key.axes},
          {"ptx_version", rendered.kernel.ptx_version},
          {"ptx_target", rendered.kernel.ptx_target},
          {"entry", rendered.kernel.entry},
          {"threads", rendered.head.launch.threads},
          {"dynamic_shared_bytes", rendered.head.launch.dynamic_shared_bytes},
          {"head", ptx::head::write_head(rendered.head, space::default_axes(catalogue, key))},
          {"listing", lines}};
}

// The lines of one entry, its head among them.
Result<std::string> entry_text(const std::string& text, const Rendered& rendered) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, rendered.path.string()));
  const ptx::PtxFunction& entry = *file.find(rendered.kernel.entry);
  const int first = entry.head_lines.empty() ? file.statements[entry.signature].line
                                             : entry.head_lines.front().line;
  std::istringstream lines(text);
  std::string out, line;
  for (int n = 1; std::getline(lines, line) && n <= file.statements[entry.close].line; ++n)
    if (n >= first) out += line + "\n";
  return out;
}

// A kernel that was read is shown as its file has it: all of the file, or one of its entries.
Result<std::string> as_text(const space::Catalogue& catalogue, const Rendered& rendered,
                            bool entry_alone) {
  if (rendered.path.empty()) return kernel::kernel_file(catalogue, rendered);
  PHASEBIT_TRY_ASSIGN(text, base::read_file(rendered.path));
  return entry_alone ? entry_text(text, rendered) : std::move(text);
}

}  // namespace

Status run_show(const ShowOptions& options) {
  PHASEBIT_TRY_ASSIGN(build, join::select::parse_build(options.build));
  PHASEBIT_TRY_ASSIGN(space, join::select::open_one(options.space, options.variant));
  PHASEBIT_TRY_ASSIGN(rendered,
                      join::images::render_one(space, space.expansion.variants.front(), build));
  if (options.json) {
    fmt::print("{}\n", as_json(space.catalogue, rendered).dump(1));
    return {};
  }
  PHASEBIT_TRY_ASSIGN(text, as_text(space.catalogue, rendered, !options.space.kernel.empty()));
  fmt::print("{}", text);
  return {};
}

}  // namespace phasebit::app
