// What the templates say of themselves: it travels in manifests and in the header of results, so
// that a report needs no templates.
#pragma once

#include "core/base/fields.h"

#include <array>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::launch {

// The axes that come first in a key, and without their names in an id.
inline constexpr std::array<const char*, 4> component_axes = {"probe", "protocol", "mover", "work"};

struct AxisFacts {
  std::string default_value;
  std::string label;  // a column's title; "" for the axis's name
  bool operator==(const AxisFacts&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const AxisFacts* /*type*/) {
  visit("default", &AxisFacts::default_value);
  visit("label", &AxisFacts::label, {.if_set = true});
}

struct ProtocolLabels {
  // What tables print as waited on: a pattern. {axis} is the axis's value, and a part in brackets
  // is there only where an axis in it is not at its default: "{wait}[, hint {hint_ns} ns]".
  std::string waits_on;
  std::vector<std::string> blank;  // axes whose column shows "-" in its rows
  bool operator==(const ProtocolLabels&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const ProtocolLabels* /*type*/) {
  visit("waits_on", &ProtocolLabels::waits_on);
  visit("blank", &ProtocolLabels::blank, {.if_set = true});
}

struct CatalogueFacts {
  // By the axis's name; "form.path" where the default is one of the component's own.
  std::map<std::string, AxisFacts> axes;
  std::map<std::string, ProtocolLabels> protocols;

  // The default that an axis has in any of the components, else its common one; null for an axis
  // that none declares.
  const std::string* default_of(const std::string& axis,
                                const std::vector<std::string>& components = {}) const;
  // Takes over what is not there yet.
  void add(const CatalogueFacts& others);
  bool empty() const { return axes.empty() && protocols.empty(); }
  bool operator==(const CatalogueFacts&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const CatalogueFacts* /*type*/) {
  visit("axes", &CatalogueFacts::axes);
  visit("protocols", &CatalogueFacts::protocols);
}

// {"axes":{AXIS:{"default":VALUE,"label":WORDS}},"protocols":{NAME:{"waits_on":PATTERN}}}
nlohmann::json json_of(const CatalogueFacts& facts);
// Throws nlohmann::json::exception for what is not of that form.
CatalogueFacts facts_of(const nlohmann::json& value);

// What was found in the timed window of a kernel, and the verdict on it. The rules:
// core/isa/rule.h.

enum class GateVerdict { passed, failed, ungated };
const std::vector<std::string>& words_of(GateVerdict verdict);

struct GateResult {
  GateVerdict verdict = GateVerdict::ungated;
  // Empty when passed. When failed: verb, expected and found, both lists.
  std::string reason;
};

// Opcodes of one verb of one role in the timed window. "Hot" is the path of an iteration, "cold"
// the retry sites of a wait and whatever is in loops inside the iteration, "beside" what the
// window holds before and after the timed loop.
struct VerbCensus {
  std::string verb, role;
  std::map<std::string, int> hot, cold, beside;
};

using Census = std::vector<VerbCensus>;

}  // namespace phasebit::launch
