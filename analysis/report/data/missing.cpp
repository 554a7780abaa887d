#include "analysis/report/data/missing.h"

namespace phasebit::report::data {

Reason reason_of(record::Verdict verdict, const record::PointError& error) {
  return {verdict == record::Verdict::ungated ? Missing::ungated : Missing::failed,
          fmt::format("{}: {}", base::to_string(error.step), error.message), error.step};
}

Reason not_measured() {
  return {Missing::not_measured, "not measured"};
}

Reason unusable(std::string text) {
  return {Missing::unusable, std::move(text)};
}

}  // namespace phasebit::report::data
