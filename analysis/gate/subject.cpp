#include "analysis/gate/subject.h"

namespace phasebit::gate {

std::string name_of(const GateSubject& subject) {
  std::string name =
      (subject.shown.empty() ? subject.name : subject.shown) + " for " + subject.target;
  if (subject.ptxas) name += " by ptxas " + subject.ptxas->text();
  return subject.file.empty() ? name : subject.file + ": " + name;
}

}  // namespace phasebit::gate
