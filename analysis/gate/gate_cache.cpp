#include "analysis/gate/gate_cache.h"

#include "core/base/hash.h"

#include <nlohmann/json.hpp>

namespace phasebit::gate {
namespace {

using nlohmann::json;

// Lengths in front keep neighbours apart.
void put(std::string& all, std::string_view part) {
  fmt::format_to(std::back_inserter(all), "{}:", part.size());
  all += part;
}

// The bindings name every member: one more does not compile until it is put in here.
void put(std::string& all, const rule::VerbRule& rule) {
  // The forms of statements are held against the text, not the code.
  const auto& [verb, role, require, forbid, passes, ptx] = rule;
  put(all, verb), put(all, role);
  for (const auto& [pattern, count, path] : require) {
    put(all, pattern), put(all, rule::to_string(path));
    put(all, std::to_string(count.low)), put(all, std::to_string(count.high));
  }
  fmt::format_to(std::back_inserter(all), "/{}", static_cast<int>(passes));
  for (const std::string& pattern : forbid) put(all, pattern);
  all += ';';
}

std::string as_text(const rule::GateSpec& spec) {
  const auto& [known, why_unknown, items, beside, verbs, everywhere, exhaustive_for] = spec;
  std::string all = known ? "known" : "unknown";
  put(all, why_unknown), put(all, exhaustive_for);
  for (const auto& counts : {items, beside}) {
    for (const auto& [role, count] : counts) put(all, role), put(all, std::to_string(count));
    all += ';';
  }
  for (const rule::VerbRule& rule : verbs) put(all, rule);
  for (const std::string& pattern : everywhere) put(all, pattern);
  return all;
}

}  // namespace

std::string hash_of(const image::SourceMap& source) {
  std::string all;
  for (const image::SourceLine& one : source) {
    const auto& [file, line, verb, role, of_templates] = one;
    put(all, file), put(all, verb), put(all, role);
    fmt::format_to(std::back_inserter(all), "{}{}", line, of_templates ? '\n' : '!');
  }
  return base::content_hash(all);
}

std::string gate_key(const std::string& source_hash, const rule::GateSpec& spec,
                     const std::string& nvdisasm_version) {
  std::string all = "gate ";
  put(all, source_hash), put(all, nvdisasm_version);
  return "gate " + base::content_hash(all + as_text(spec));
}

std::string outcome_as_text(const GateOutput& output) {
  const auto& [result, census, text_hash] = output;
  json verbs = json::array();
  for (const auto& [verb, role, hot, cold, beside] : census)
    verbs.push_back({verb, role, hot, cold, beside});
  const json all = {static_cast<int>(result.verdict), result.reason, verbs, text_hash};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<GateOutput> outcome_from_text(std::string_view text) {
  try {
    const json all = json::parse(text);
    const int verdict = all.at(0).get<int>();
    if (verdict < 0 || verdict > static_cast<int>(image::GateVerdict::ungated)) return std::nullopt;
    GateOutput output{{static_cast<image::GateVerdict>(verdict), all.at(1).get<std::string>()},
                      {},
                      all.at(3).get<std::string>()};
    using Counts = std::map<std::string, int>;
    for (const json& one : all.at(2))
      output.census.push_back({one.at(0).get<std::string>(), one.at(1).get<std::string>(),
                               one.at(2).get<Counts>(), one.at(3).get<Counts>(),
                               one.at(4).get<Counts>()});
    return output;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace phasebit::gate
