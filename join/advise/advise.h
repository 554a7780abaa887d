// From a problem to the variants that answer it: ranked by their period, measured or estimated
// (docs/advise.md).
#pragma once

#include "core/base/table.h"
#include "join/advise/estimate.h"
#include "join/advise/question.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::advise {

// Beyond this a difference matters, whatever its floor.
inline constexpr double least_percent = 1;

// A period on one GPU.
struct Period {
  double value = 0, low = 0, high = 0;
  bool measured = false;
  std::int64_t figure = 0;        // of one that was measured
  std::vector<std::string> from;  // of an estimate: the nearest rows
};

struct Choice {
  Variant variant;
  std::vector<Period> periods;  // of each GPU of the advice, the one that ranks first
  std::int64_t shared_bytes = 0;
  bool same = false;  // the difference to the fastest does not matter
};

// What one answered axis costs.
struct AxisAnswer {
  std::string axis, taken;
  std::string next;    // the best other value, all else equal
  double percent = 0;  // it takes so much longer than the first choice
  bool matters = false;
  bool estimated = false;   // one of both
  double half_percent = 0;  // of estimates: as far as their intervals reach
  bool unseen = false;      // no candidate varies it alone: `next` is estimated
};

struct StageCount {
  int stages = 0;
  Period period;
};

struct ClaimOfChoice {
  std::string name, says;  // its figures are left out: `phasebit claims NAME` has them
};

struct Neighbour {
  std::string id;
  double value = 0;
  std::string differs;  // "payload_bytes 16384 for 12288, tile_n 128 for 64"
};

struct Advice {
  std::vector<std::string> gpus;  // models; the first ranks
  std::string unit;
  launch::KeyAxes given;     // as asked
  launch::KeyAxes taken;     // since no row has the default
  launch::KeyAxes defaults;  // of the other axes of the problem
  std::int64_t shared_budget = 0;
  std::vector<Choice> ranked;              // those that fit, the fastest first
  std::size_t first = 0;                   // of `ranked`
  std::optional<std::size_t> runner_up;    // the fastest that is slower by more than the floor
  std::size_t measured = 0, left_out = 0;  // of `ranked`; over the budget
  double work_alone = 0, copy_alone = 0;   // 0: not measured
  std::vector<AxisAnswer> axes;
  std::vector<StageCount> stages;  // of the first choice, ascending
  std::vector<ClaimOfChoice> claims;
  std::vector<Neighbour> neighbours;  // of the first choice, if it is estimated
};

// Step::usage: a name or value that is none, a problem that no variant solves, a budget that
// nothing fits, with the nearest; a GPU that was not measured.
Result<Advice> advise(const AdviseRequest& request);

// Steps of it, which need no results.

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

// What to take: of those that do not matter the one of fewest stages, measured before estimated,
// then with the fewest axes off their defaults, then the fastest.
std::size_t first_choice(const std::vector<Choice>& ranked);

// How much slower the best variant is that differs in an axis of `choices` alone, where one is
// there; those that matter most first.
std::vector<AxisAnswer> axis_answers(const std::vector<Choice>& ranked, std::size_t first,
                                     const std::vector<std::string>& choices);

// The first choice by its number of stages.
std::vector<StageCount> by_stages(const std::vector<Choice>& ranked, std::size_t first);

// "wait test_wait for try_wait, num_stages 8 for 4": what `other` has and `variant` has not.
std::string differences(const Variant& other, const Variant& variant);

// The advice as text of about 40 lines, its ranking as a table, all of it as JSON.
std::string advice_text(const Advice& advice);
base::Table ranking(const Advice& advice, std::size_t most);
std::string advice_json(const Advice& advice);

}  // namespace phasebit::join::advise
