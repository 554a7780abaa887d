#include "analysis/decide/axes.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace phasebit {

namespace {

// Those of the templates' .toml files. An id leaves them out, so they stand here for the reader of
// a table; tests/decide compares. "probe.axis" where another probe has another default, or only
// this one has the axis.
constexpr std::pair<const char*, const char*> axis_defaults[] = {
    {"num_stages", "4"},
    {"addressing", "runtime"},
    {"roles", "specialized"},
    {"unit", "warp"},
    {"producers", "1"},
    {"consumers", "1"},
    {"sharing", "share"},
    {"ctas_per_sm", "1"},
    {"placement", "contiguous"},
    {"wait", "try_wait"},
    {"arrival", "warp"},
    {"operand", "parity"},
    {"hint_ns", "none"},
    {"backoff_ns", "none"},
    {"semantics", "implicit"},
    {"scope", "cta"},
    {"early_token", "off"},
    {"ahead", "0"},
    {"layout", "v0"},
    {"payload_bytes", "512"},
    {"work_role", "consumer"},
    {"work_amount", "4"},
    {"cluster_size", "2"},
    {"first_rank", "0"},
    {"second_rank", "1"},
    {"fenced", "off"},
    {"fence", "acq_rel"},
    {"poller", "every"},
    {"release_to", "one"},
    {"aligned", "on"},
    {"expect", "consumer"},
    {"arrive_semantics", "release_cluster"},
    {"wait_semantics", "acquire_cluster"},
    {"bystanders", "1"},
    {"counting", "on"},
    {"delay_cycles", "0"},
    {"expected_arrivals", "8"},
    {"form", "none"},
    {"form.chain", "issue"},
    {"form.lanes", "one"},
    {"form.path", "plain"},
    {"form.unroll", "4"},
    {"groups", "1"},
    {"load", "none"},
    {"neighbour_work", "fma"},
    {"operation", "arrive"},
    {"path", "ready"},
    {"placing", "same"},
    {"reads", "issue"},
    {"reconverge", "on"},
    {"verb", "wait"},
    {"waiters", "1"},
    {"waits", "1"},
    {"word_layout", "v0"},
    {"work_kind", "dependent"},
    {"read_by", "inval_ld"},
    {"early_exit", "none"},
    {"announce", "fused"},
    {"completion", "leader"},
    {"noinc", "on"},
    {"wait_prior", "0"},
    {"barriers", "one"},
    {"publish", "cta"},
    {"copy_bytes", "16"},
    {"cache", "cg"},
};

const std::map<std::string, std::string>& defaults() {
  static const std::map<std::string, std::string> table(std::begin(axis_defaults),
                                                        std::end(axis_defaults));
  return table;
}

bool all_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string unit_name(const VariantAxes& axes) {
  const std::string unit = axes.value("unit");
  return unit == "parity" ? "half warps" : unit + "s";
}

}  // namespace

VariantAxes axes_of_id(const std::string& id) {
  static constexpr const char* leading[] = {"probe", "protocol", "mover", "work"};
  VariantAxes axes;
  size_t part = 0;
  for (size_t at = 0; at <= id.size(); ++part) {
    const size_t end = std::min(id.find('/', at), id.size());
    const std::string word = id.substr(at, end - at);
    at = end + 1;
    const size_t equals = word.find('=');
    if (equals != std::string::npos)
      axes.named[word.substr(0, equals)] = word.substr(equals + 1);
    else if (part < 4)
      axes.named[leading[part]] = word;
  }
  return axes;
}

SplitId split_axis(const std::string& id, const std::string& axis) {
  const std::string mark = "/" + axis + "=";
  const size_t at = id.find(mark);
  if (at == std::string::npos) return {id, {}};
  const size_t begin = at + mark.size(), end = std::min(id.find('/', begin), id.size());
  return {id.substr(0, at) + id.substr(end), id.substr(begin, end - begin)};
}

std::string default_of(const std::string& axis, const std::string& probe) {
  auto at = defaults().find(probe + "." + axis);
  if (at == defaults().end()) at = defaults().find(axis);
  return at == defaults().end() ? "" : at->second;
}

std::string VariantAxes::value(const std::string& axis) const {
  const auto at = named.find(axis);
  if (at != named.end()) return at->second;
  const auto probe = named.find("probe");
  return default_of(axis, probe == named.end() ? "" : probe->second);
}

std::string VariantAxes::warp_layout() const {
  if (value("roles") == "unified")
    return fmt::format("{} unified {}", value("producers"), unit_name(*this));
  std::string text =
      fmt::format("{} x {} {}", value("producers"), value("consumers"), unit_name(*this));
  if (value("placement") != default_of("placement")) text += ", " + value("placement");
  if (value("sharing") != default_of("sharing")) text += ", " + value("sharing");
  return text;
}

std::string VariantAxes::waited_on() const {
  static const std::set<std::string> hardware = {"cta_barrier", "named_barrier", "warp_barrier",
                                                 "cluster_barrier", "cp_async_group"};
  const std::string protocol = value("protocol");
  if (hardware.count(protocol) != 0) return "barrier";
  std::string text = value("wait");
  if (protocol.starts_with("flag_"))
    text = value("poller") == "one" ? "flag, one lane looks" : "flag, every lane looks";
  if (value("operand") != default_of("operand")) text += " by " + value("operand");
  for (const char* axis : {"hint_ns", "backoff_ns"})
    if (value(axis) != default_of(axis))
      text += fmt::format(", {} {} ns", axis == std::string("hint_ns") ? "hint" : "back-off",
                          value(axis));
  return text;
}

std::string column_value(const VariantAxes& axes, const std::string& column) {
  if (column == "warp_layout") return axes.warp_layout();
  if (column == "waited_on") return axes.waited_on();
  // The axes of mbarrier mean nothing elsewhere.
  if ((column == "wait" || column == "arrival") && axes.value("protocol") != "mbarrier") return "-";
  return axes.value(column);
}

std::vector<std::string> axes_of_column(const std::string& column) {
  if (column == "warp_layout")
    return {"roles", "unit", "producers", "consumers", "placement", "sharing"};
  if (column == "waited_on") return {"wait", "operand", "hint_ns", "backoff_ns"};
  return {column};
}

bool value_before(const std::string& axis, const std::string& a, const std::string& b) {
  const std::string first = default_of(axis);
  if ((a == first) != (b == first)) return a == first;
  if (all_digits(a) && all_digits(b)) return std::stoll(a) < std::stoll(b);
  return a < b;
}

}  // namespace phasebit
