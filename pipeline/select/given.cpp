#include "pipeline/select/given.h"

#include <algorithm>

namespace phasebit::pipeline::select {

std::vector<std::string> given_options(const SpaceRequest& request) {
  const std::pair<const char*, bool> options[] = {
      {"--spec", !request.spec.empty()},         {"--sweep", !request.sweep.empty()},
      {"--variants", !request.variants.empty()}, {"--id", !request.ids.empty()},
      {"-a", !request.overrides.empty()},        {"--toolchain", !request.toolchains.empty()},
      {"--snippet", !request.snippets.empty()},  {"--filter", !request.filter.empty()},
      {"--limit", request.limit != 0},           {"--tuned", request.tuned_only},
      {"--kernel", !request.kernel.empty()},
  };
  std::vector<std::string> given;
  for (const auto& [name, is_given] : options)
    if (is_given) given.emplace_back(name);
  return given;
}

Status take_only(const SpaceRequest& request, const std::vector<std::string_view>& allowed,
                 std::string_view what, std::string_view hint) {
  std::vector<std::string> refused = given_options(request);
  std::erase_if(refused, [&](const std::string& name) {
    return std::find(allowed.begin(), allowed.end(), name) != allowed.end();
  });
  if (refused.empty()) return {};
  return with_hint(fail(Step::usage, "{}: no {} with it", what, fmt::join(refused, ", ")),
                   std::string(hint));
}

}  // namespace phasebit::pipeline::select
