#include "gen/guard/helpers.h"

#include "core/ptx/file.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

namespace phasebit::guard {

using launch::GuardCta;
using launch::GuardHeader;
using launch::GuardReport;
using launch::WaitSite;
using ptx::PlacedStatement;

namespace {

using kainjow::mustache::data;

// CTAs whose barriers are counted in a program that sets no block: 1.1 MB of zeros in its module.
constexpr std::size_t own_areas = 4096;

struct HelperText {
  const char* name;
  const char* text;
};
constexpr HelperText helper_texts[] = {
    {
        "gen/guard/report.ptx",
#include "gen/guard/report.ptx.inc"
    },
    {
        "gen/guard/barriers.ptx",
#include "gen/guard/barriers.ptx.inc"
    },
    {
        "gen/guard/cluster.ptx",
#include "gen/guard/cluster.ptx.inc"
    },
};

void set(data& names, const char* name, std::size_t offset) {
  names.set(name, std::to_string(offset));
}

void set_offsets(data& names) {
  const std::size_t header = sizeof(GuardHeader);
  set(names, "progress_ns", offsetof(GuardHeader, progress_ns));
  set(names, "status", offsetof(GuardHeader, status));
  set(names, "traps", offsetof(GuardHeader, traps));
  set(names, "limit_ns", offsetof(GuardHeader, limit_ns));
  set(names, "report", offsetof(GuardHeader, report));
  set(names, "crumbs", offsetof(GuardHeader, crumbs));
  set(names, "crumb_warps", offsetof(GuardHeader, crumb_warps));
  set(names, "ctas", offsetof(GuardHeader, ctas));
  set(names, "owner", offsetof(GuardHeader, owner));
  set(names, "left", offsetof(GuardHeader, left));
  set(names, "header_bytes", header);
  set(names, "cta_bytes", sizeof(GuardCta));
  set(names, "exited_at", offsetof(GuardCta, exited));
  set(names, "pool_at", offsetof(GuardCta, pool));
  set(names, "registers_at", offsetof(GuardCta, registers));
  set(names, "exited_from_cluster",
      offsetof(GuardCta, exited_in_cluster) - offsetof(GuardCta, cluster_barrier));
  set(names, "cluster_at", offsetof(GuardCta, cluster_barrier));
  set(names, "own_areas", own_areas);
  set(names, "own_bytes", own_areas * sizeof(GuardCta));
  set(names, "r_site", offsetof(GuardReport, site));
  set(names, "r_cta", offsetof(GuardReport, cta));
  set(names, "r_warp", offsetof(GuardReport, warp));
  set(names, "r_lane", offsetof(GuardReport, lane));
  set(names, "r_sm", offsetof(GuardReport, sm));
  set(names, "r_operand", offsetof(GuardReport, operand));
  set(names, "r_value", offsetof(GuardReport, value));
  set(names, "r_address", offsetof(GuardReport, address));
  set(names, "r_word", offsetof(GuardReport, word));
  set(names, "r_waited", offsetof(GuardReport, waited_ns));
  set(names, "r_shared", offsetof(GuardReport, shared_base));
  set(names, "r_rank", offsetof(GuardReport, cluster_rank));
  set(names, "r_item", offsetof(GuardReport, item));
}

std::string bytes_of(const std::string& name, const std::string& text) {
  std::string bytes;
  for (const char c : text) bytes += fmt::format("{}, ", static_cast<unsigned char>(c));
  return fmt::format(".global .align 1 .b8 {}[{}] = {{{}0}};\n", name, text.size() + 1, bytes);
}

std::string printed_texts(const std::vector<WaitSite>& sites) {
  std::string out =
      ".extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);\n";
  // The item is the last argument, so that a text without it leaves it out.
  const bool items = std::any_of(sites.begin(), sites.end(),
                                 [](const WaitSite& site) { return !site.item.empty(); });
  out += bytes_of("pb_guard_format",
                  fmt::format("phasebit: guard: no progress at %s: cta %u warp %u lane %u, operand "
                              "0x%llx, polled 0x%llx, address 0x%llx, word 0x%llx{}\n",
                              items ? ", item %lld" : ""));
  std::string table = "0";
  for (const WaitSite& site : sites) {
    const std::string name = fmt::format("pb_guard_text_{}", site.number);
    out += bytes_of(
        name, fmt::format("{}{}{}{}{}{}{} ({})", site.place(), site.heading.empty() ? "" : " ",
                          site.heading, site.verb.empty() ? "" : " ", site.verb,
                          site.callers.empty() ? "" : " called at ", site.callers, site.opcode));
    table += fmt::format(", generic({})", name);
  }
  return out + fmt::format(".global .align 8 .u64 pb_guard_texts[{}] = {{{}}};\n", sites.size() + 1,
                           table);
}

data names_of(const GuardHelpers& helpers, const std::vector<WaitSite>& sites) {
  data names;
  set_offsets(names);
  names.set("mbarrier", helpers.mbarrier);
  names.set("cluster", helpers.cluster);
  names.set("print", helpers.print);
  set(names, "own_limit_ns", helpers.limit_ns);
  names.set("texts", helpers.print ? printed_texts(sites) : std::string());
  return names;
}

}  // namespace

Result<std::vector<PlacedStatement>> helper_statements(const GuardHelpers& helpers,
                                                       const std::vector<WaitSite>& sites) {
  static_assert(offsetof(GuardHeader, traps) == 12 && offsetof(GuardHeader, limit_ns) == 16,
                "report.ptx gives the module's own block both by their place");
  const data names = names_of(helpers, sites);
  std::vector<PlacedStatement> made;
  for (const auto& [name, text] : helper_texts) {
    kainjow::mustache::mustache parsed(text);
    parsed.set_custom_escape([](const std::string& escaped) { return escaped; });
    PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(parsed.render(names), name));
    for (PlacedStatement& statement : file.statements) made.push_back(std::move(statement));
  }
  return made;
}

}  // namespace phasebit::guard
