#include "gen/catalogue/verbs.h"

#include <algorithm>

namespace phasebit::catalogue {

const std::vector<std::string>& component_verbs(ComponentKind kind) {
  static const std::vector<std::string> none;
  static const std::vector<std::string> protocol = {"init",   "prime", "acquire",  "try_acquire",
                                                    "commit", "wait",  "try_wait", "release",
                                                    "quit",   "tail",  "leave"};
  static const std::vector<std::string> mover = {"fill_setup", "fill", "drain_setup", "drain",
                                                 "until_read"};
  static const std::vector<std::string> work = {"work_setup", "work", "work_done", "work_end",
                                                "work_result"};
  switch (kind) {
    case ComponentKind::probe: return none;
    case ComponentKind::protocol: return protocol;
    case ComponentKind::mover: return mover;
    case ComponentKind::work: return work;
  }
  bug("unknown kind of component");
}

bool is_component_verb(const std::string& name) {
  return std::any_of(component_kinds.begin(), component_kinds.end(), [&](ComponentKind kind) {
    const std::vector<std::string>& verbs = component_verbs(kind);
    return std::find(verbs.begin(), verbs.end(), name) != verbs.end();
  });
}

std::optional<ComponentKind> kind_of_verb(std::string_view verb) {
  for (const ComponentKind kind : component_kinds) {
    const std::vector<std::string>& verbs = component_verbs(kind);
    if (std::find(verbs.begin(), verbs.end(), verb) != verbs.end()) return kind;
  }
  return {};
}

}  // namespace phasebit::catalogue
