#include "analysis/protocol/check.h"
#include "core/base/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::protocol {

using nlohmann::json;
using ptx::run::Grade;

namespace {

const char* word_of_grade(Grade grade) {
  switch (grade) {
    case Grade::error: return "error";
    case Grade::unproved: return "not proved";
    case Grade::unsupported: return "not modelled";
    case Grade::note: return "model note";
  }
  bug("a grade without a name");
}

std::string lines_of(const Remark& remark, const std::string& words, const std::string& indent) {
  std::string text = fmt::format("{}{}: {}{}\n", indent, remark.place, words, remark.what);
  text += fmt::format("{}  {}\n", indent, remark.text);
  std::string who = remark.thread;
  if (!remark.source.empty()) who += (who.empty() ? "" : "; ") + remark.source;
  if (!who.empty()) text += fmt::format("{}  by {}\n", indent, who);
  return text;
}

json as_json(const Remark& remark) {
  return {{"place", remark.place},
          {"instruction", remark.text},
          {"source", remark.source},
          {"thread", remark.thread},
          {"what", remark.what}};
}

}  // namespace

std::string text_of(const Checked& checked) {
  std::string text =
      fmt::format("{}: {}, {}", checked.kernel, to_string(checked.verdict), checked.launch);
  if (checked.schedules > 0) text += fmt::format(", {} schedules drawn", checked.schedules);
  if (checked.schedule > 0) text += fmt::format(", wrong in that of --replay {}", checked.schedule);
  text += "\n";
  if (!checked.reason.empty()) text += fmt::format("  {}\n", checked.reason);
  for (const Checked::Found& one : checked.found) {
    const std::string words =
        fmt::format("{}: {}: ", word_of_grade(one.grade), to_string(one.kind));
    text += lines_of(one.at, words, "  ");
    for (const Remark& other : one.related) text += lines_of(other, "", "    ");
  }
  return text + checked.counts;
}

std::string json_of(const std::vector<Checked>& all) {
  json kernels = json::array();
  for (const Checked& checked : all) {
    json found = json::array();
    for (const Checked::Found& one : checked.found) {
      json made = as_json(one.at);
      made["kind"] = to_string(one.kind);
      made["grade"] = word_of_grade(one.grade);
      made["related"] = json::array();
      for (const Remark& other : one.related) made["related"].push_back(as_json(other));
      found.push_back(std::move(made));
    }
    kernels.push_back({{"kernel", checked.kernel},
                       {"launch", checked.launch},
                       {"verdict", to_string(checked.verdict)},
                       {"reason", checked.reason},
                       {"instructions", checked.instructions},
                       {"schedules", checked.schedules},
                       {"schedule", checked.schedule},
                       {"counts", checked.counts},
                       {"found", std::move(found)}});
  }
  return kernels.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace phasebit::protocol
