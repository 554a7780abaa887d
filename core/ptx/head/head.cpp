#include "core/ptx/head/head.h"

#include "core/base/fields_toml.h"
#include "core/base/text.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace phasebit::ptx::head {

using base::contains;
using base::in_quotes;
using base::InlineTable;
using base::toml_of;
using isa::GateSpec;

namespace {

void add(GateSpec& spec, const isa::VerbRule& rule) {
  if (rule.verb == isa::any_verb && !rule.forbid.empty()) {
    for (const std::string& pattern : rule.forbid)
      if (!contains(spec.forbid_everywhere, pattern)) spec.forbid_everywhere.push_back(pattern);
    return;
  }
  isa::VerbRule& known = isa::rule_of(spec.verbs, rule.verb, rule.role);
  if (rule.passes != isa::Passes::loop) known.passes = rule.passes;
  for (const std::string& pattern : rule.forbid) isa::add_forbidden(known, pattern);
  for (const isa::OpcodeRule& opcode : rule.require) isa::add_count(known, opcode);
  known.ptx.insert(known.ptx.end(), rule.ptx.begin(), rule.ptx.end());
}

}  // namespace

const std::vector<std::string>& barrier_kinds() {
  static const std::vector<std::string> kinds = {"mbarrier", "flag", "named", "cluster"};
  return kinds;
}

int barrier_bytes(const std::string& kind) {
  constexpr int word_bytes = 8;
  return kind == "mbarrier" || kind == "flag" ? word_bytes : 0;
}

HeadBarrier usual(const HeadBarrier& barrier) {
  HeadBarrier out;
  if (barrier_bytes(barrier.kind) == 0) out.stride = 1;
  return out;
}

Result<GateSpec> gate_of(const Head& head, const std::string& family, const isa::Version& ptxas) {
  GateSpec spec;
  spec.items_per_iteration = head.items_per_iteration;
  spec.items_beside = head.items_beside;
  if (family.empty()) {
    spec.why_unknown = "the SASS family of the target is unknown";
    return spec;
  }
  if (head.rules.empty()) {
    spec.why_unknown = "its head has no rules";
    return spec;
  }
  for (const HeadCover& cover : head.covers) {
    if (!contains(cover.families, family)) {
      spec.why_unknown = fmt::format("{} declares no SASS for {}", cover.part, family);
      return spec;
    }
    PHASEBIT_TRY_ASSIGN(in_range, isa::version_in_range(ptxas, cover.ptxas));
    if (in_range) continue;
    spec.why_unknown = fmt::format("{} declares no SASS for ptxas {}", cover.part, ptxas.text());
    return spec;
  }
  spec.known = true;
  if (head.exhaustive) spec.exhaustive_for = family;
  for (const HeadRule& rule : head.rules) {
    if (!rule.families.empty() && !contains(rule.families, family)) continue;
    PHASEBIT_TRY_ASSIGN(in_range, isa::version_in_range(ptxas, rule.ptxas));
    if (in_range) add(spec, rule.rule);
  }
  return spec;
}

namespace {

std::string key_of(const std::string& name) {
  constexpr const char* bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool plain = !name.empty() && name.find_first_not_of(bare) == std::string::npos;
  return plain ? name : in_quotes(name);
}

class HeadWriter {
 public:
  HeadWriter(const Head& head, const std::vector<std::string>& default_axes)
      : head_(head), default_axes_(default_axes) {}

  std::string write() {
    line("format = {}", head_format);
    if (!head_.key.id.empty()) line("id = {}", in_quotes(head_.key.id));
    if (head_.own_components()) line("origin = {}", in_quotes(head_.origin));
    put_fields(head_, "");
    begin("key");
    for (const auto& [axis, value] : head_.key.axes)
      if (!base::contains(default_axes_, axis)) line("{} = {}", key_of(axis), in_quotes(value));
    if (!head_.parent.text.empty()) {
      begin("parent");
      put_fields(head_.parent, "");
    }
    begin("launch");
    put_fields(head_.launch, "launch");
    for (const auto& [name, numbers] : head_.bounds) line("{} = {}", name, toml_of(numbers));
    for (const char* table : {"expects", "resources"}) {
      const size_t before = out_.size();
      begin(table);
      const size_t empty = out_.size();
      put_fields(head_.launch, table);
      if (out_.size() == empty) out_.resize(before);
    }
    write_rules();
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += "//@ " + fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  void begin(const char* table) { out_ += fmt::format("//@\n//@ [{}]\n", table); }
  void array(const char* key, const std::vector<std::string>& tables) {
    if (tables.empty()) return;
    line("{} = [", key);
    for (const std::string& one : tables) line("  {},", one);
    line("]");
  }

  template <typename T>
  void put_fields(const T& value, const char* table) {
    base::write_fields(value, table, [this](const char* key, const auto& one) { put(key, one); });
  }
  template <typename T>
  void put(const char* key, const T& value) {
    line("{} = {}", key, toml_of(value));
  }
  template <base::HasFields T>
  void put(const char* key, const std::vector<T>& list) {
    std::vector<std::string> tables;
    for (const T& one : list) tables.push_back(toml_of(one));
    array(key, tables);
  }
  // Roles: of idle threads and of all others.
  void put(const char* key, const std::vector<launch::RoleSlice>& idle) {
    std::vector<std::string> all;
    add_roles(head_.launch.slices, all);
    add_roles(idle, all);
    array(key, all);
  }
  void put(const char* key, const launch::DataShape& data) {
    if (!data.empty()) line("{} = {}", key, toml_of(data_of(head_.launch)));
  }
  void put(const char* key, const std::vector<launch::Buffer>& buffers) {
    std::vector<std::string> all;
    if (const std::int64_t bytes = head_.launch.payload.images_bytes(); bytes > 0)
      all.push_back(fmt::format("{{ name = {}, bytes = {}, parameter = {} }}",
                                in_quotes(payload_in_name), bytes, payload_in_at));
    for (const launch::Buffer& buffer : buffers) all.push_back(toml_of(buffer));
    array(key, all);
  }

  // Warps of one role, lanes and unit in a row whose ranks go on from one to the next are one.
  void add_roles(const std::vector<launch::RoleSlice>& slices,
                 std::vector<std::string>& all) const {
    for (size_t first = 0; first < slices.size();) {
      launch::RoleSlice slice = slices[first];
      std::vector<int> warps;
      size_t next = first;
      for (; next < slices.size(); ++next) {
        slice.warp = slices[next].warp;
        if (slices[next] != slice) break;
        warps.push_back(slice.warp);
        slice.rank += slice.lanes();
      }
      all.push_back(role_line(slices[first], warps));
      first = next;
    }
  }
  std::string role_line(const launch::RoleSlice& slice, const std::vector<int>& warps) const {
    const bool idle = slice.role == launch::Role::none;
    InlineTable one;
    one.add("role", in_quotes(idle ? no_role : word_of(slice.role)));
    one.add("warps", toml_of(warps));
    for (const LaneWord& lanes : lane_words)
      if (lanes.lane_stride == slice.lane_stride && lanes.first_lane == slice.first_lane &&
          slice.lane_stride != 1)
        one.add("lanes", in_quotes(lanes.word));
    if (idle) return one.text();
    base::add_fields(one, slice);
    const auto& clocks = head_.clocks;
    if (std::find(clocks.begin(), clocks.end(), slice.role) == clocks.end())
      one.add("clock", "false");
    return one.text();
  }

  void write_rules() {
    if (head_.rules.empty() && head_.covers.empty() && head_.items_per_iteration.empty()) return;
    begin("rules");
    if (!head_.exhaustive) line("exhaustive = false");
    put_counts("items_per_iteration", head_.items_per_iteration);
    put_counts("items_beside", head_.items_beside);
    put("covers", head_.covers);
    std::vector<std::string> verbs;
    for (const HeadRule& rule : head_.rules) verbs.push_back(rule_line(rule));
    array("verbs", verbs);
  }
  void put_counts(const char* key, const std::map<std::string, int>& by_role) {
    InlineTable items;
    for (const auto& [role, count] : by_role) items.add(role, std::to_string(count));
    if (!items.empty()) line("{} = {}", key, items.text());
  }
  static std::string count_of(const isa::CountRange& count) {
    if (count.low == count.high) return std::to_string(count.low);
    if (count.high == INT_MAX) return fmt::format("\"{}..\"", count.low);
    return fmt::format("\"{}..{}\"", count.low, count.high);
  }
  static std::string rule_line(const HeadRule& rule) {
    InlineTable one;
    one.add("verb", in_quotes(rule.rule.verb));
    if (!rule.rule.role.empty()) one.add("role", in_quotes(rule.rule.role));
    if (!rule.families.empty()) one.add("families", toml_of(rule.families));
    if (!rule.ptxas.empty()) one.add("ptxas", in_quotes(rule.ptxas));
    if (rule.rule.passes != isa::Passes::loop)
      one.add("passes", rule.rule.passes == isa::Passes::both ? "\"both\"" : "\"beside\"");
    for (const isa::Path path : isa::all_paths) {
      InlineTable counts;
      for (const isa::OpcodeRule& opcode : rule.rule.require)
        if (opcode.path == path) counts.add(in_quotes(opcode.pattern), count_of(opcode.count));
      if (!counts.empty()) one.add(std::string(isa::to_string(path)), counts.text());
    }
    if (!rule.rule.forbid.empty()) one.add("forbid", toml_of(rule.rule.forbid));
    InlineTable forms;
    for (const isa::StatementRule& statement : rule.rule.ptx)
      forms.add(in_quotes(statement.opcode), in_quotes(statement.form));
    if (!forms.empty()) one.add("ptx", forms.text());
    return one.text();
  }

  const Head& head_;
  const std::vector<std::string>& default_axes_;
  std::string out_;
};

}  // namespace

std::string write_head(const Head& head, const std::vector<std::string>& default_axes) {
  return HeadWriter(head, default_axes).write();
}

namespace {

// What a reading's unit begins with: what it counts.
constexpr const char* reading_units[] = {"cycles", "ns",        "polls",   "items",
                                         "bytes",  "high half", "low half"};
// What an item of a probe is, after "per"; several of them with their number: "16 operations".
constexpr const char* item_words[] = {"item",    "operation",  "block", "phase",
                                      "barrier", "round trip", "launch"};

constexpr std::string_view per = "per ";

// After "per": "item", "16 operations". Nothing is wrong with these.
std::optional<UnitFault> fault_of_item(std::string item) {
  const std::size_t digits = std::min(item.find_first_not_of("0123456789"), item.size());
  if (digits > 0 && item.substr(digits).starts_with(' ') && item.ends_with('s'))
    item = item.substr(digits + 1, item.size() - digits - 2);
  const std::vector<std::string> known(std::begin(item_words), std::end(item_words));
  if (std::find(known.begin(), known.end(), item) != known.end()) return std::nullopt;
  return UnitFault{fmt::format("no probe has a '{}' for an item", item),
                   base::nearest_word_hint(item, known)};
}

// Which of them they are: "from commit to wake-up", "that failed", "of the barrier's word".
bool says_which(std::string_view words) {
  if (words.starts_with("from ")) return words.find(" to ") != std::string_view::npos;
  return words.starts_with("that ") || words.starts_with("of ");
}

}  // namespace

std::optional<UnitFault> fault_of_figure(const std::string& unit, bool on_several_sms) {
  const std::string begin = on_several_sms ? "ns per " : "cycles per ";
  if (unit.starts_with(begin)) return fault_of_item(unit.substr(begin.size()));
  return UnitFault{on_several_sms ? "the figure of several SMs is of %globaltimer"
                                  : "the figure is of the timed role's clocks",
                   fmt::format("write `unit = \"{}item\"`", begin)};
}

std::optional<UnitFault> fault_of_reading(const std::string& unit) {
  const auto* const count = std::find_if(
      std::begin(reading_units), std::end(reading_units),
      [&](const std::string& one) { return unit == one || unit.starts_with(one + " "); });
  if (count == std::end(reading_units)) {
    const std::vector<std::string> known(std::begin(reading_units), std::end(reading_units));
    return UnitFault{"it does not begin with what it counts",
                     base::nearest_word_hint(unit.substr(0, unit.find(' ')), known)};
  }
  std::string rest = unit.substr(std::string_view(*count).size());
  if (rest.empty()) return std::nullopt;
  rest.erase(0, 1);
  if (rest.starts_with(per)) return fault_of_item(rest.substr(per.size()));
  const std::size_t last = rest.rfind(", per ");
  if (says_which(rest))
    return last == std::string::npos ? std::nullopt
                                     : fault_of_item(rest.substr(last + 2 + per.size()));
  return UnitFault{
      fmt::format("'{}' says neither which {} are counted nor by what", rest, *count),
      fmt::format("write `{} per item`, `{} that ..., per item` or `{} from ... to ...`", *count,
                  *count, *count)};
}

}  // namespace phasebit::ptx::head
