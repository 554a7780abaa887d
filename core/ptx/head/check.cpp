#include "core/ptx/head/check.h"

#include "core/base/saturated.h"
#include "core/base/text.h"
#include "core/isa/targets.h"
#include "core/ptx/head/complaint.h"
#include "core/ptx/head/head.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace phasebit::ptx::head {

using launch::Role;
using launch::RoleSlice;

namespace {

class HeadCheck {
 public:
  explicit HeadCheck(const CheckedHead& checked)
      : checked_(checked), head_(checked.head), file_(checked.file), entry_(checked.entry) {
    for (const size_t at : entry_.directives) {
      const PtxStatement& directive = file_.statements[at].parsed;
      if (directive.name.starts_with('.'))
        text_bounds_[directive.name.substr(1)] = numbers_of(directive);
    }
  }

  Status check() const {
    PHASEBIT_TRY(check_head_parameters(checked_));
    PHASEBIT_TRY(check_bounds());
    PHASEBIT_TRY(check_head_launch(checked_));
    PHASEBIT_TRY(check_head_roles(checked_));
    PHASEBIT_TRY(check_clocks());
    PHASEBIT_TRY(check_head_memory(checked_));
    PHASEBIT_TRY(check_head_tensor_maps(checked_));
    PHASEBIT_TRY(check_registers());
    return check_head_text(checked_);
  }

 private:
  Status check_bounds() const {
    const int threads = head_.launch.threads;
    if (threads % 32 != 0)
      return checked_.complain("threads", "a CTA is made of whole warps",
                               "{} is not a multiple of 32", threads);
    for (const auto& [name, numbers] : head_.bounds) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end())
        return checked_.complain(name,
                                 fmt::format("write `.{} {}` after the parameters, or take it out "
                                             "of the head",
                                             name, fmt::join(numbers, ", ")),
                                 "the text has no .{}", name);
      if (text->second != numbers)
        return checked_.complain(
            name, fmt::format("write `{} = [{}]`", name, fmt::join(text->second, ", ")),
            "[{}], the text has .{} {}", fmt::join(numbers, ", "), name,
            fmt::join(text->second, ", "));
    }
    for (const char* name : {"reqntid", "maxntid"}) {
      const auto text = text_bounds_.find(name);
      if (text == text_bounds_.end()) continue;
      const std::int64_t most = base::saturated_product(text->second);
      if (name == std::string_view("reqntid") ? threads == most : threads <= most) continue;
      return checked_.complain("threads", fmt::format("write `threads = {}`", most),
                               "{}, the text has .{} {}", threads, name,
                               fmt::join(text->second, ", "));
    }
    const auto cluster = text_bounds_.find("reqnctapercluster");
    if (cluster == text_bounds_.end()) return {};
    const std::int64_t ctas = base::saturated_product(cluster->second);
    const int said = head_.launch.cluster_size;
    if (ctas == said) return {};
    return checked_.complain("cluster_size", fmt::format("write `cluster_size = {}`", ctas),
                             "{}, the text has .reqnctapercluster {}", said,
                             fmt::join(cluster->second, ", "));
  }

  // By the headings; without any in the entry the clock reads are counted.
  Status check_clocks() const {
    std::set<std::string> read;
    bool headed = false;
    int reads = 0;
    for (size_t at = entry_.open; at < entry_.close; ++at) {
      const PlacedStatement& statement = file_.statements[at];
      headed = headed || statement.heading >= 0;
      if (statement.text.find("%clock") == std::string::npos) continue;
      ++reads;
      if (statement.heading < 0) continue;
      const PtxHeading& heading = file_.headings[static_cast<size_t>(statement.heading)];
      read.insert(heading.role + " " + heading.verb);
    }
    const launch::Role timed = head_.launch.timed_role;
    if (std::find(head_.clocks.begin(), head_.clocks.end(), timed) == head_.clocks.end())
      return checked_.complain(fmt::format("role {}", word_of(timed)), "leave out `clock = false`",
                               "it is the timed role, whose clocks are the figure");
    for (const launch::Role role : head_.clocks) {
      const std::string word = word_of(role);
      for (const char* verb : {"clock_start", "clock_end"}) {
        if (headed ? read.contains(word + " " + verb) : reads >= 2) continue;
        return checked_.complain(
            "role " + word,
            fmt::format("read %clock64 below a heading `// [{} {}] ...`{}", word, verb,
                        role == timed ? "" : ", or write `clock = false`"),
            "the head declares its clock, the text reads none below [{} {}]", word, verb);
      }
    }
    return {};
  }

  std::set<std::string> declared_registers() const {
    std::set<std::string> names;
    for (size_t at = entry_.open; at < entry_.close; ++at) {
      const PtxStatement& statement = file_.statements[at].parsed;
      if (statement.part != PtxStatement::Part::directive || !statement.name.starts_with(".reg"))
        continue;
      for (const std::string& operand : statement.operands)
        for (const std::string& name : names_in(operand)) names.insert(name);
    }
    return names;
  }

  Status check_registers() const {
    if (head_.registers.empty()) return {};
    const std::set<std::string> names = declared_registers();
    for (const HeadRegisters& own : head_.registers)
      for (const std::string& name : {own.item, own.slot, own.cta})
        if (!name.empty() && !names.contains(name))
          return checked_.complain(fmt::format("registers {}", word_of(own.role)),
                                   base::nearest_word_hint(name, {names.begin(), names.end()}),
                                   "the text declares no register '{}'", name);
    return {};
  }

  const CheckedHead& checked_;
  const Head& head_;
  const PtxFile& file_;
  const PtxFunction& entry_;
  std::map<std::string, std::vector<int>> text_bounds_;
};

}  // namespace

Status check_head(const Head& head, const PtxFile& file, const PtxFunction& entry) {
  return HeadCheck({head, file, entry}).check();
}

// How often and in what clusters a head has its kernel launched.

namespace {

// With the opt-in that the bench makes; 8 need none (CUDA C++ programming guide, "Thread Block
// Clusters"). Before 9.0 there are none.
constexpr int first_sm_with_clusters = 90;

Status check_items(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  const int granule = launch.item_granule;
  const auto up = [&](std::int64_t items) { return (items + granule - 1) / granule * granule; };
  if (launch.min_items % granule != 0)
    return checked.complain("min_items",
                            fmt::format("write `min_items = {}`", up(launch.min_items)),
                            "{} is not a multiple of the granule {}", launch.min_items, granule);
  if (launch.max_items == 0) return {};
  if (launch.max_items < launch.min_items)
    return checked.complain(
        "max_items",
        fmt::format("write `max_items = {}` or more, or leave it out", launch.min_items),
        "{}, min_items is {}", launch.max_items, launch.min_items);
  if (launch.max_items % granule != 0)
    return checked.complain("max_items",
                            fmt::format("write `max_items = {}`", up(launch.max_items)),
                            "{} is not a multiple of the granule {}", launch.max_items, granule);
  return {};
}

Status check_cluster(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  const int size = launch.cluster_size;
  for (const auto& [name, rank] :
       {std::pair{"first_rank", launch.first_rank}, {"second_rank", launch.second_rank}})
    if (rank >= size)
      return checked.complain(name,
                              fmt::format("0 to {}, or write the cluster's size as "
                                          "`cluster_size`",
                                          size - 1),
                              "CTA {} of a cluster of {}", rank, size);
  if (size == 1) return {};
  if (launch.ctas_per_sm != 1)
    return checked.complain("cluster_size", "leave out `ctas_per_sm`", "a cluster has 1 CTA an SM");
  const std::string name = checked.file.target.substr(0, checked.file.target.find(','));
  PHASEBIT_TRY_ASSIGN(target, isa::parse_target(name));
  if (target.sm >= first_sm_with_clusters) return {};
  return checked.complain(
      "cluster_size", fmt::format("write `.target sm_{}`, or leave it out", first_sm_with_clusters),
      "{} CTAs, {} has no clusters", size, name);
}

}  // namespace

Status check_head_launch(const CheckedHead& checked) {
  PHASEBIT_TRY(check_items(checked));
  return check_cluster(checked);
}

// Which warps and lanes do what, and what they leave.

namespace {

std::string key_of(const RoleSlice& slice) {
  return fmt::format("role {}", slice.role == Role::none ? no_role : word_of(slice.role));
}

// One bit a lane.
std::uint32_t lanes_of(const RoleSlice& slice) {
  std::uint32_t lanes = 0;
  for (int lane = slice.first_lane; lane < 32; lane += slice.lane_stride) lanes |= 1U << lane;
  return lanes;
}

bool share_threads(const RoleSlice& a, const RoleSlice& b) {
  const bool meet =
      a.rank_in_cluster < 0 || b.rank_in_cluster < 0 || a.rank_in_cluster == b.rank_in_cluster;
  return meet && a.warp == b.warp && (lanes_of(a) & lanes_of(b)) != 0;
}

bool plays(const CheckedHead& checked, Role role) {
  const auto& slices = checked.head.launch.slices;
  return std::any_of(slices.begin(), slices.end(), [&](const RoleSlice& slice) {
    return slice.role == role || (slice.role == Role::both && role != Role::victim);
  });
}

Status check_slice(const CheckedHead& checked, const RoleSlice& slice) {
  const launch::LaunchShape& launch = checked.head.launch;
  if (slice.warp < 0 || slice.warp >= launch.warps()) {
    std::string hint = fmt::format("warps 0 to {}", launch.warps() - 1);
    if (slice.warp >= 0 && slice.warp < launch::most_threads_of_cta / 32)
      hint += fmt::format(", or write `threads = {}`", 32 * (slice.warp + 1));
    return checked.complain(key_of(slice), hint, "warp {} of {} threads", slice.warp,
                            launch.threads);
  }
  if (slice.rank_in_cluster >= launch.cluster_size)
    return checked.complain(key_of(slice), "write the cluster's size as `cluster_size` of [launch]",
                            "cta {} of a cluster of {}", slice.rank_in_cluster,
                            launch.cluster_size);
  return {};
}

Status check_threads(const CheckedHead& checked, const std::vector<RoleSlice>& slices) {
  for (auto b = slices.begin(); b != slices.end(); ++b)
    for (auto a = slices.begin(); a != b; ++a)
      if (share_threads(*a, *b))
        return checked.complain(key_of(*b),
                                "split the warp by `lanes = \"even\"` and \"odd\", or write one "
                                "role \"both\"",
                                "threads of warp {} are {} already", b->warp,
                                key_of(*a).substr(std::string("role ").size()));
  for (int warp = 0; warp < checked.head.launch.warps(); ++warp) {
    std::uint32_t lanes = 0;
    for (const RoleSlice& slice : slices)
      if (slice.warp == warp) lanes |= lanes_of(slice);
    if (lanes == ~0U) continue;
    std::string half;
    for (const LaneWord& word : lane_words)
      if (lanes == ~lanes_of({0, word.first_lane, word.lane_stride}))
        half = fmt::format(", lanes = \"{}\"", word.word);
    return checked.complain(
        "roles",
        fmt::format("write `{{ role = \"{}\", warps = [{}]{} }}` if they do nothing", no_role, warp,
                    lanes == 0 ? "" : half),
        "{} of warp {} have no role", lanes == 0 ? "the threads" : "half of the threads", warp);
  }
  return {};
}

Status check_reading(const CheckedHead& checked, const launch::Reading& reading) {
  const std::string key = "reading " + reading.name;
  if (!plays(checked, reading.role))
    return checked.complain(key, "name one of the roles", "no warp is {}", word_of(reading.role));
  if (const auto fault = fault_of_reading(reading.unit))
    return checked.complain(key, fault->hint, "unit '{}': {}", reading.unit, fault->what);
  return {};
}

Status check_readings(const CheckedHead& checked) {
  const std::vector<launch::Reading>& readings = checked.head.launch.readings;
  for (size_t b = 0; b < readings.size(); ++b) {
    PHASEBIT_TRY(check_reading(checked, readings[b]));
    for (size_t a = 0; a < b; ++a)
      if (readings[a].role == readings[b].role && readings[a].index == readings[b].index)
        return checked.complain("reading " + readings[b].name, "give each its own `index`",
                                "it is where '{}' is, index {} of {}", readings[a].name,
                                readings[b].index, word_of(readings[b].role));
  }
  return {};
}

}  // namespace

Status check_head_roles(const CheckedHead& checked) {
  const launch::LaunchShape& launch = checked.head.launch;
  std::vector<RoleSlice> slices = launch.slices;
  slices.insert(slices.end(), checked.head.idle.begin(), checked.head.idle.end());
  for (const RoleSlice& slice : slices) PHASEBIT_TRY(check_slice(checked, slice));
  if (!launch::has_timed_warp(launch))
    return checked.complain("timed_role", "name one of the roles", "no warp is {}",
                            word_of(launch.timed_role));
  if (const auto fault = fault_of_figure(launch.unit, launch.sms > 0))
    return checked.complain("unit", fault->hint, "'{}': {}", launch.unit, fault->what);
  PHASEBIT_TRY(check_threads(checked, slices));
  return check_readings(checked);
}

}  // namespace phasebit::ptx::head
