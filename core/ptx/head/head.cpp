#include "core/ptx/head/head.h"

#include "core/base/text.h"

#include <algorithm>

namespace phasebit::ptx::head {

using base::contains;
using rule::GateSpec;

namespace {

void add(GateSpec& spec, const rule::VerbRule& rule) {
  if (rule.verb == rule::any_verb && !rule.forbid.empty()) {
    for (const std::string& pattern : rule.forbid)
      if (!contains(spec.forbid_everywhere, pattern)) spec.forbid_everywhere.push_back(pattern);
    return;
  }
  rule::VerbRule& known = rule::rule_of(spec.verbs, rule.verb, rule.role);
  if (rule.passes != rule::Passes::loop) known.passes = rule.passes;
  for (const std::string& pattern : rule.forbid) rule::add_forbidden(known, pattern);
  for (const rule::OpcodeRule& opcode : rule.require) rule::add_count(known, opcode);
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

}  // namespace phasebit::ptx::head
