#include "gen/guard/function_guard.h"

#include <fmt/format.h>

namespace phasebit::guard {

std::uint32_t GuardJob::add_site(image::WaitSite site, std::size_t statement) {
  const ptx::PlacedStatement& placed = file.statements[statement];
  site.number = static_cast<std::uint32_t>(sites.size()) + 1;
  site.opcode = placed.parsed.name;
  site.file = file.name;
  site.line = placed.line;
  if (const auto& source = sources[statement]) {
    site.file = source->file;
    site.line = source->line;
    // The function that the kernel itself calls is the one that a person named after a verb.
    const auto& functions = source->functions;
    if (functions.size() > 1) site.verb = functions[functions.size() - 2];
  }
  if (placed.heading >= 0) {
    const ptx::PtxHeading& heading = file.headings[static_cast<std::size_t>(placed.heading)];
    site.role = heading.role;
    site.verb = heading.verb;
    if (heading.line > 0) site.heading = fmt::format("{}:{}", heading.file, heading.line);
  }
  sites.push_back(std::move(site));
  site_statements.push_back(statement);
  return sites.back().number;
}

std::string GuardJob::item_register(const std::string& function, std::size_t statement) const {
  const auto known = registers.find(function);
  const int heading = file.statements[statement].heading;
  if (known == registers.end() || heading < 0) return {};
  const std::string& role = file.headings[static_cast<std::size_t>(heading)].role;
  for (const ptx::head::HeadRegisters& own : known->second)
    if (role == ptx::head::word_of(own.role)) return own.item;
  return {};
}

}  // namespace phasebit::guard
