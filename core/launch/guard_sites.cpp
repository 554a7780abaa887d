#include "core/launch/guard_sites.h"

#include "core/base/error.h"
#include "core/base/fields.h"
#include "core/isa/barrier_word.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::launch {

namespace {

// "full_barrier[2]", else the address.
std::string name_of(const GuardReport& report, const GuardTable& table) {
  for (const NamedBarriers& named : table.barriers) {
    const auto base = static_cast<std::int64_t>(report.shared_base) + named.base;
    const std::int64_t offset = static_cast<std::int64_t>(report.address) - base;
    if (named.stride > 0 && offset >= 0 && offset < std::int64_t{named.stride} * named.count)
      return fmt::format("{}[{}]", named.name, offset / named.stride);
  }
  return fmt::format("address 0x{:x}", report.address);
}

std::string waits_on(const GuardReport& report, const WaitSite& site, const GuardTable& table) {
  switch (site.kind) {
    case WaitKind::parity:
      return fmt::format("waits on {} parity {}", name_of(report, table), report.operand);
    case WaitKind::state:
      return fmt::format("waits on {} state 0x{:x}", name_of(report, table), report.operand);
    case WaitKind::flag:
    case WaitKind::atomic:
      return fmt::format("waits for {} = {}, found {},", name_of(report, table), report.operand,
                         report.value);
    case WaitKind::call: return fmt::format("waits for a function's {}", report.value);
    case WaitKind::barrier:
      return fmt::format("waits at barrier {} with {} of {} arrivals", report.operand, report.value,
                         report.address);
    case WaitKind::cluster_barrier:
      return fmt::format("waits at the cluster barrier with {} of {} arrivals", report.value,
                         report.address);
    case WaitKind::registers:
      return fmt::format(
          "waits for {} registers a thread, {} for its warp, with {} given to the CTA's pool",
          report.operand, report.address, report.value);
    case WaitKind::unknown: return fmt::format("waits in {}", site.opcode);
  }
  bug("unknown kind of wait");
}

// The guard could not read the register there.
constexpr std::uint64_t no_item = ~std::uint64_t{0};

// What names the place in addition to file and line, without those that it does not have.
std::vector<std::string> words_of(const WaitSite& site) {
  std::vector<std::string> words = {
      site.heading, site.role + (site.role.empty() || site.verb.empty() ? "" : " ") + site.verb,
      (site.callers.empty() ? "" : "called at ") + site.callers};
  std::erase(words, "");
  return words;
}

}  // namespace

const std::vector<std::string>& words_of(WaitKind /*kind*/) {
  static const std::vector<std::string> words = {"parity",          "state",     "flag",
                                                 "atomic",          "call",      "barrier",
                                                 "cluster_barrier", "registers", "unknown"};
  return words;
}

std::string to_string(WaitKind kind) {
  return base::word_of(kind);
}

const WaitSite* GuardTable::find(std::uint32_t number) const {
  const auto found = std::find_if(sites.begin(), sites.end(),
                                  [&](const WaitSite& site) { return site.number == number; });
  return found == sites.end() ? nullptr : &*found;
}

std::string describe(const GuardReport& report, const GuardTable& table, int sm) {
  if (report.code == 0) return "no fault";
  const std::string who = fmt::format("deadlock: warp {} lane {}", report.warp, report.lane);
  const WaitSite* site = table.find(report.site);
  if (site == nullptr)
    return fmt::format("{} waits at site {}, which is not in the table (cta {})", who, report.site,
                       report.cta);
  std::vector<std::string> words = words_of(*site);
  if (!site->item.empty() && report.item != no_item)
    words.push_back(fmt::format("item {}", report.item));
  words.push_back(fmt::format("cta {}", report.cta));
  std::string text = fmt::format("{} {} at {} ({})", who, waits_on(report, *site, table),
                                 site->place(), fmt::join(words, ", "));
  if (report.word != 0) text += "; " + isa::describe_barrier_word(report.word, sm);
  return text;
}

std::string describe_crumbs(const std::vector<std::uint32_t>& crumbs, const GuardTable& table,
                            std::size_t most) {
  std::string text;
  std::size_t count = 0;
  for (std::size_t n = 0; n < crumbs.size(); ++n) {
    if (crumbs[n] == 0 || count++ >= most) continue;
    const WaitSite* site = table.find(crumbs[n]);
    text += fmt::format("{}cta {} warp {} at {}", text.empty() ? "" : "; ", n / 32, n % 32,
                        site == nullptr ? fmt::format("site {}", crumbs[n]) : site->place());
    if (site == nullptr) continue;
    std::vector<std::string> words = words_of(*site);
    words.insert(words.begin(), site->opcode);
    text += fmt::format(" ({})", fmt::join(words, ", "));
  }
  return count > most ? fmt::format("{}; and {} more", text, count - most) : text;
}

}  // namespace phasebit::launch
