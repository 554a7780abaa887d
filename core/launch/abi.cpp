#include "core/launch/abi.h"

#include <fmt/format.h>

namespace phasebit::launch {

const std::vector<std::string>& words_of(Role /*role*/) {
  static const std::vector<std::string> words = {"", "producer", "consumer", "both", "victim"};
  return words;
}

std::string describe(const StatusRecord& status) {
  if (status.code == static_cast<std::uint32_t>(StatusCode::none)) return "no fault";
  if (status.code == static_cast<std::uint32_t>(StatusCode::not_coresident))
    return fmt::format("cta {} waited in vain for the other CTAs of its SM", status.cta);
  return fmt::format("unknown status code {}", status.code);
}

}  // namespace phasebit::launch
