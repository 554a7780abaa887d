#include "analysis/report/sql/flags_text.h"

#include <nlohmann/json.hpp>

namespace phasebit::report::sql {

using nlohmann::json;
using record::Flag;

std::string flags_text(const std::vector<Flag>& flags) {
  if (flags.empty()) return {};
  json list = json::array();
  for (const Flag& flag : flags)
    list.push_back(
        {static_cast<int>(flag.kind), flag.of, flag.slopes, flag.bent, flag.repetitions});
  return list.dump();
}

std::vector<Flag> read_flags(const std::string& text) {
  std::vector<Flag> flags;
  if (text.empty()) return flags;
  for (const json& one : json::parse(text)) {
    Flag& flag = flags.emplace_back();
    flag.kind = static_cast<Flag::Kind>(one.at(0).get<int>());
    one.at(1).get_to(flag.of);
    one.at(2).get_to(flag.slopes);
    one.at(3).get_to(flag.bent);
    one.at(4).get_to(flag.repetitions);
  }
  return flags;
}

}  // namespace phasebit::report::sql
