#include "gen/guard/function_guard.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::guard {

void GuardJob::find_callers() {
  constexpr std::size_t most = 3;
  std::map<std::string, std::vector<std::string>> places;
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const std::string callee = ptx::call_of(file.statements[i].parsed).callee;
    if (callee.empty()) continue;
    const auto& source = sources[i];
    const std::string place = source ? fmt::format("{}:{}", source->file, source->line)
                                     : fmt::format("{}:{}", file.name, file.statements[i].line);
    std::vector<std::string>& known = places[callee];
    if (std::find(known.begin(), known.end(), place) == known.end()) known.push_back(place);
  }
  for (auto& [callee, all] : places) {
    const std::size_t more = all.size() > most ? all.size() - most : 0;
    all.resize(all.size() - more);
    callers[callee] = fmt::format("{}{}", fmt::join(all, ", "),
                                  more > 0 ? fmt::format(" and {} more", more) : std::string());
  }
}

std::uint32_t GuardJob::add_site(image::WaitSite site, std::size_t statement) {
  const ptx::PlacedStatement& placed = file.statements[statement];
  site.number = static_cast<std::uint32_t>(sites.size()) + 1;
  site.opcode = placed.parsed.name;
  site.file = file.name;
  site.line = placed.line;
  if (const auto calls = callers.find(site.entry); calls != callers.end())
    site.callers = calls->second;
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
