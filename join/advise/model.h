// One GPU's rows, by id and as samples of an estimator.
#pragma once

#include "join/advise/estimate.h"
#include "join/advise/question.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::advise {

// A period on one GPU.
struct Period {
  double value = 0, low = 0, high = 0;
  bool measured = false;
  std::int64_t figure = 0;        // of one that was measured
  std::vector<std::string> from;  // of an estimate: the nearest rows
};

// Rows as samples of an estimator, and variants as places among them.
class Space {
 public:
  Space(const space::Catalogue& catalogue, const std::vector<Row>& rows);
  Place place_of(const Variant& variant);
  const Estimator& estimator() const { return *estimator_; }

 private:
  double number_of(std::size_t axis, const Variant& variant) const;
  double word_of(std::size_t axis, const Variant& variant);

  std::vector<std::string> axes_;
  std::vector<bool> is_number_;
  std::vector<std::vector<std::string>> words_;
  std::optional<Estimator> estimator_;
};

class Model {
 public:
  // `other`: the rows are of another model than the GPU that learned figures are of. Then none is a
  // measurement, and a learned figure sets the scale.
  Model(const space::Catalogue& catalogue, Evidence evidence, bool other);

  const Evidence& evidence() const { return evidence_; }
  bool of_other_gpu() const { return other_; }
  // Null where it was not measured.
  const Row* find(const std::string& id) const;
  // One that an estimate is made from.
  const Row& sample(const std::string& id) const;
  // With `whole`, the interval too, which takes time.
  Period period(const Variant& variant, bool whole);
  void learn(Row row);

 private:
  Space& space();

  const space::Catalogue& catalogue_;
  Evidence evidence_;
  bool other_;
  std::map<std::string, std::size_t> by_id_;  // of the evidence
  std::map<std::string, Row> learned_;
  std::vector<std::string> samples_;  // their ids
  std::optional<Space> space_;        // made when something is estimated
  double scale_ = 1;
};

}  // namespace phasebit::join::advise
