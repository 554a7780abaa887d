#include "tests/report/keys.h"

#include "core/launch/facts.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <unordered_set>

namespace phasebit::test {
namespace {

using launch::component_axes;
using launch::KeyAxes;

struct Component {
  const char *kind, *name;
  const char* axes;  // "axis=default ..." in the order of the key
};
// Of an axis that several declare the first one's default is the axis's.
const std::vector<Component> components = {
    {"common", "",
     "num_stages=4 addressing=runtime roles=specialized granularity=warp producers=1 consumers=1 "
     "placement=contiguous sharing=share ctas_per_sm=1"},
    {"protocol", "cluster_barrier", "semantics=implicit aligned=on"},
    {"protocol", "cluster_launch_control",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0"},
    {"protocol", "cp_async_group", "wait_prior=0 barriers=one publish=cta"},
    {"protocol", "cp_async_mbarrier",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0 noinc=on"},
    {"protocol", "cta_barrier", ""},
    {"protocol", "flag_acquire_release", "poller=every backoff_ns=none arrival=warp scope=cta"},
    {"protocol", "flag_volatile",
     "poller=every backoff_ns=none arrival=warp scope=cta fence=acq_rel"},
    {"protocol", "mbarrier",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0"},
    {"protocol", "mbarrier_cluster",
     "wait=try_wait hint_ns=none backoff_ns=none arrival=warp arrive_semantics=release_cluster "
     "wait_semantics=acquire_cluster fenced=off release_to=one"},
    {"protocol", "mbarrier_multicast",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0"},
    {"protocol", "mbarrier_tx",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0 announce=fused completion=leader"},
    {"protocol", "named_barrier", ""},
    {"protocol", "none", ""},
    {"protocol", "st_async",
     "wait=try_wait hint_ns=none backoff_ns=none arrival=warp arrive_semantics=release_cluster "
     "wait_semantics=acquire_cluster fenced=off release_to=one expect=consumer"},
    {"protocol", "tcgen05_commit",
     "wait=try_wait hint_ns=none backoff_ns=none operand=parity arrival=warp semantics=implicit "
     "scope=cta early_token=off ahead=0 layout=v0"},
    {"protocol", "warp_barrier", ""},
    {"mover", "cp_async", "payload_bytes=512 copy_bytes=16 cache=cg"},
    {"mover", "none", ""},
    {"mover", "st_async", "payload_bytes=512"},
    {"mover", "st_cluster", "payload_bytes=512"},
    {"mover", "st_shared", "payload_bytes=512"},
    {"work", "fma", "work_amount=4 work_role=consumer"},
    {"work", "none", ""},
    {"probe", "verb", "verb=wait path=ready reads=issue load=none"},
    {"probe", "cluster", "cluster_size=2 first_rank=0 second_rank=1"},
    {"probe", "entangle", "groups=1 reconverge=on"},
    {"probe", "fanin", ""},
    {"probe", "form", "form=none unroll=4 path=plain measure=throughput lanes=one load=none"},
    {"probe", "handoff", ""},
    {"probe", "interference",
     "victim_work=fma work_kind=dependent victims=1 waiters=1 waits=1 placing=same"},
    {"probe", "response", "delay_cycles=0 counting=on"},
    {"probe", "ring", "early_exit=none"},
    {"probe", "barrier_word",
     "operation=arrive expected_arrivals=8 word_layout=v0 read_by=inval_ld"},
};

KeyAxes axes_in(const std::string& text) {
  KeyAxes axes;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equals = std::min(word.find('='), word.size());
    axes.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return axes;
}

KeyAxes keys_axes_of(const std::string& kind, const std::string& name) {
  for (const Component& one : components)
    if (one.kind == kind && one.name == name) return axes_in(one.axes);
  return {};
}

// Protocols that wait on an mbarrier say how.
launch::ProtocolLabels labels_of(const std::string& protocol) {
  if (protocol.starts_with("flag_"))
    return {"flag, {poller} lane looks[, back-off {backoff_ns} ns]", {"wait", "arrival"}};
  const KeyAxes axes = keys_axes_of("protocol", protocol);
  const bool waits =
      protocol == "none" ||
      std::any_of(axes.begin(), axes.end(), [](const auto& one) { return one.first == "wait"; });
  if (!waits) return {"barrier", {"wait", "arrival"}};
  const char* how = "{wait}[ by {operand}][, hint {hint_ns} ns][, back-off {backoff_ns} ns]";
  if (protocol == "mbarrier") return {how, {}};
  return {how, {"wait", "arrival"}};
}

launch::CatalogueFacts some_catalogue() {
  launch::CatalogueFacts facts;
  for (const Component& one : components) {
    if (one.kind == std::string("protocol")) facts.protocols[one.name] = labels_of(one.name);
    for (const auto& [axis, value] : axes_in(one.axes)) {
      const auto known = facts.axes.try_emplace(axis, launch::AxisFacts{value, ""}).first;
      if (known->second.default_value != value)
        facts.axes[fmt::format("{}.{}", one.name, axis)] = {value, ""};
    }
  }
  return facts;
}

}  // namespace

results::VariantRow row_of_id(const std::string& id, const std::string& hash) {
  std::map<std::string, std::string> named_components;
  KeyAxes defaults, named;
  std::vector<std::string> parts;
  std::istringstream words(id);
  for (std::string part; std::getline(words, part, '/');) parts.push_back(part);
  for (size_t n = 0; n < parts.size(); ++n) {
    const size_t equals = parts[n].find('=');
    if (equals != std::string::npos)
      named.emplace_back(parts[n].substr(0, equals), parts[n].substr(equals + 1));
    else if (parts[0] == "anchor" && n == 1)
      named.emplace_back("anchor", parts[n]);
    else if (n < component_axes.size())
      named_components[component_axes[n]] = parts[n];
    else
      named.emplace_back(parts[n], "");
  }
  for (const char* kind : component_axes)
    if (const auto at = named_components.find(kind); at != named_components.end())
      defaults.emplace_back(kind, at->second);
  if (named_components.size() == component_axes.size()) {
    const auto add = [&](const KeyAxes& axes) {
      defaults.insert(defaults.end(), axes.begin(), axes.end());
    };
    add(keys_axes_of("common", ""));
    for (const char* kind : {"protocol", "mover", "work", "probe"})
      add(keys_axes_of(kind, named_components[kind]));
  }
  return {id, hash, std::make_shared<const KeyAxes>(std::move(defaults)), std::move(named)};
}

results::Results with_keys(results::Results results) {
  static const launch::CatalogueFacts catalogue = some_catalogue();
  std::unordered_set<std::string> known;
  for (const results::VariantRow& variant : results.variants) known.insert(variant.id);
  for (const results::PointRow& point : results.points)
    if (known.insert(point.variant_id).second)
      results.variants.push_back(row_of_id(point.variant_id, point.variant_hash));
  results.catalogue.add(catalogue);
  return results;
}

}  // namespace phasebit::test
