#include "analysis/reading/subject.h"

namespace phasebit::reading {

flow::Features features_of(const CodeSubject& subject, const std::optional<isa::Target>& target) {
  flow::Features features = flow::take_features(subject.kernel, subject.source, subject.windows);
  if (subject.spill && target)
    flow::add_resources(features, subject.kernel, *target, *subject.spill, subject.shape);
  return features;
}

}  // namespace phasebit::reading
