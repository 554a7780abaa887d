#include "tests/mutants/checked.h"

#include "analysis/protocol/check.h"
#include "core/base/toml_table.h"
#include "tests/protocol/listing.h"

#include <algorithm>
#include <regex>
#include <sstream>

namespace phasebit::test {
namespace {

using protocol::Checked;
using ptx::head::HeadBarrier;

constexpr std::uint64_t most_steps = 1'000'000;
// So many that one of them runs a waiter between two arrivals that come one after the other: a turn
// of a warp is 1 to 64 instructions long.
constexpr std::uint32_t drawn_schedules = 400;

// Where a barrier of the dynamic shared memory is, as the guard's report names it.
std::string name_at(const std::vector<HeadBarrier>& barriers, int offset) {
  for (const HeadBarrier& one : barriers)
    if (one.stride > 0 && offset >= one.base && offset < one.base + one.stride * one.count &&
        ptx::head::barrier_bytes(one.kind) > 0)
      return fmt::format("{}_{}[{}]", one.name, one.kind == "flag" ? "flag" : "barrier",
                         (offset - one.base) / one.stride);
  return "address";
}

// What the guard says of a wait; "" of those of which it cannot say anything.
std::string waits_on(const protocol::Remark& remark, const std::vector<HeadBarrier>& barriers) {
  static const std::regex mbarrier(
      R"(waits for phase \d+ \(parity ([01])\) of barrier [^+]*\+(\d+).*)");
  static const std::regex named(R"(waits at barrier (\d+): .*)");
  std::smatch found;
  if (std::regex_match(remark.what, found, mbarrier)) {
    const std::string on = "waits on " + name_at(barriers, std::stoi(found[2]));
    return remark.text.find(".parity") == std::string::npos ? on + " state"
                                                            : on + " parity " + found[1].str();
  }
  if (std::regex_match(remark.what, found, named))
    return "waits at barrier " + found[1].str() + " with";
  if (remark.what.starts_with("waits for the cluster's barrier"))
    return "waits at the cluster barrier with";
  if (remark.what.starts_with("polls")) return "waits for ";
  return "";
}

std::vector<CheckedWait> waits_of(const Checked& checked, const ptx::head::Head& head) {
  static const std::regex thread(R"(CTA (\d+), warp (\d+), lane \d+)");
  std::vector<CheckedWait> waits;
  for (const Checked::Found& found : checked.found) {
    if (found.kind != ptx::run::FindingKind::deadlock) continue;
    for (const protocol::Remark& remark : found.related) {
      std::smatch at;
      const std::string on = waits_on(remark, head.barriers);
      if (on.empty() || !std::regex_match(remark.thread, at, thread)) continue;
      const bool is_alone = head.launch.cluster_size <= 1;
      const std::size_t comma = remark.source.find(',');
      waits.push_back({is_alone ? -1 : std::stoi(at[1]), std::stoi(at[2]),
                       comma == std::string::npos ? "" : remark.source.substr(0, comma), on});
    }
  }
  std::sort(waits.begin(), waits.end());
  waits.erase(std::unique(waits.begin(), waits.end()), waits.end());
  return waits;
}

struct Run {
  Listing listing;
  ptx::head::Head head;
};

Result<Run> open_run(const std::string& text, const std::string& name) {
  PHASEBIT_TRY_ASSIGN(listing, open_listing(text, name));
  PHASEBIT_TRY_ASSIGN(head, ptx::head::read_head(listing.entry().head_lines, name));
  return Run{std::move(listing), std::move(head)};
}

// Of the schedule of that number; 0: the one that proves.
Result<Checked> check(Run& run, std::uint32_t items, std::uint32_t schedule = 0) {
  Listing& listing = run.listing;
  PHASEBIT_TRY_ASSIGN(launch, launch_of_items(listing.shape, listing.entry(), items));
  listing.launches = {std::move(launch)};
  protocol::CheckOptions options;
  options.schedules = 0;
  options.replay = schedule;
  options.most_steps = most_steps;
  return protocol::check(listing.file, listing.entry(), listing.launches, options);
}

// Nothing is wrong but that it hangs.
bool is_deadlock(const Checked& checked) {
  return checked.verdict == protocol::Verdict::error &&
         std::all_of(checked.found.begin(), checked.found.end(), [](const Checked::Found& one) {
           return one.grade == ptx::run::Grade::note || one.kind == ptx::run::FindingKind::deadlock;
         });
}

// In other schedules, too: with the same warps at the same barriers.
bool hangs_always(Run& run, const CheckedMutant& mutant) {
  for (std::uint32_t schedule = 1; schedule <= drawn_schedules; ++schedule) {
    const auto checked = check(run, mutant.items, schedule);
    if (!checked || !is_deadlock(*checked) || waits_of(*checked, run.head) != mutant.waits)
      return false;
  }
  return true;
}

}  // namespace

MistakeVerdict verdict_of(const Mistake& mistake) {
  MistakeVerdict verdict;
  verdict.mutant.mistake = mistake.what;
  auto run = open_run(mistake.text, mistake.listing.filename());
  if (!run) return verdict;
  const std::uint32_t usual = run->listing.launches.front().items;
  std::vector<std::uint32_t> counts = launch::guard_counts(run->listing.shape);
  counts.push_back(usual);
  for (const std::uint32_t items : counts) {
    const auto checked = check(*run, items);
    if (!checked) return verdict;
    if (checked->verdict == protocol::Verdict::proved) continue;
    if (!is_deadlock(*checked)) return verdict;
    verdict.mutant.items = items;
    verdict.mutant.waits = waits_of(*checked, run->head);
    verdict.is_known =
        !verdict.mutant.waits.empty() && items != usual && hangs_always(*run, verdict.mutant);
    return verdict;
  }
  const auto original = open_listing(mistake.listing);
  verdict.is_known = original && graph_of(*original) == graph_of(run->listing);
  return verdict;
}

std::string text_of(const std::vector<CheckedMutant>& mutants) {
  toml::array all;
  for (const CheckedMutant& one : mutants) {
    toml::array waits;
    for (const CheckedWait& wait : one.waits)
      waits.push_back(toml::table{
          {"cta", wait.cta}, {"warp", wait.warp}, {"place", wait.place}, {"waits", wait.waits}});
    all.push_back(toml::table{
        {"id", one.id}, {"mistake", one.mistake}, {"items", one.items}, {"waits", waits}});
  }
  std::ostringstream text;
  text << toml::table{{"mutant", all}} << "\n";
  return text.str();
}

Result<std::vector<CheckedMutant>> read_checked(const fs::path& file) {
  toml::table read;
  try {
    read = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    return fail(Step::usage, "{}: {}", file.string(), error.description());
  }
  std::vector<CheckedMutant> mutants;
  const toml::array* list = read["mutant"].as_array();
  if (list == nullptr) return fail(Step::usage, "{}: no mutant", file.string());
  for (const toml::node& entry : *list) {
    const toml::table& table = *entry.as_table();
    const auto word = [](const toml::table& of, const char* key) {
      return of[key].value_or(std::string());
    };
    CheckedMutant one{word(table, "id"),
                      word(table, "mistake"),
                      static_cast<std::uint32_t>(table["items"].value_or(0)),
                      {}};
    for (const toml::node& node : *table["waits"].as_array()) {
      const toml::table& wait = *node.as_table();
      one.waits.push_back({wait["cta"].value_or(-1), wait["warp"].value_or(0), word(wait, "place"),
                           word(wait, "waits")});
    }
    mutants.push_back(std::move(one));
  }
  return mutants;
}

std::string why_not_as_checked(const CheckedMutant& mutant, const std::string& error) {
  if (!mutant.hangs()) return error.empty() ? "" : "is proved, and was reported as: " + error;
  if (error.empty()) return "hangs by check, and was measured";
  const std::string begin = fmt::format("guard: guarded build, {} items: deadlock: ", mutant.items);
  const std::string first = error.substr(0, error.find("; "));
  if (!first.starts_with(begin)) return "does not give up where check does: " + error;
  const bool is_named =
      std::any_of(mutant.waits.begin(), mutant.waits.end(), [&](const CheckedWait& wait) {
        const auto has = [&](const std::string& words) {
          return first.find(words) != std::string::npos;
        };
        return has(fmt::format("deadlock: warp {} lane ", wait.warp)) && has(" " + wait.waits) &&
               has(wait.place) && (wait.cta < 0 || has(fmt::format("cta {})", wait.cta)));
      });
  return is_named ? "" : "another warp or barrier: " + error;
}

std::string checked_columns() {
  return "mutant,mistake,check,items,waits,gpu,agrees\n";
}

std::string checked_row(const CheckedMutant& mutant, const std::string& error,
                        const std::string& why_not) {
  const auto field = [](std::string text) {
    std::replace(text.begin(), text.end(), '"', '\'');
    return "\"" + text + "\"";
  };
  std::string waits;
  for (const CheckedWait& wait : mutant.waits)
    waits += fmt::format("{}warp {} {} {}", waits.empty() ? "" : "; ", wait.warp, wait.place,
                         wait.waits);
  return fmt::format("{},{},{},{},{},{},{}\n", mutant.id, field(mutant.mistake),
                     mutant.hangs() ? "deadlock" : "proved", mutant.items, field(waits),
                     field(error.empty() ? "verified" : error), why_not.empty() ? "yes" : "no");
}

}  // namespace phasebit::test
