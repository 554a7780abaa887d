// From a problem to the variants that answer it: ranked by their period, measured or estimated
// (docs/advise.md).
#pragma once

#include "analysis/report/data/comparison.h"
#include "core/base/table.h"
#include "join/advise/model.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::advise {

// Beyond this a difference matters, whatever its floor.
inline constexpr double least_percent = 1;

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
  std::vector<std::string> files;          // of results, where they are not the published alone
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

// A candidate of a question: what is known of its period now.
struct Standing {
  std::string id;
  double value = 0;
  bool measured = false;
};

// A question with its candidates, which may learn figures that no results have.
class Advisor {
 public:
  // Step::usage: a name or value that is none, a problem that no variant solves, a budget that
  // nothing fits, with the nearest; a GPU that was not measured. `gpu` is a model by its whole name
  // in place of request.device: of one that no results have, or
  // with `anew`, the rows of another or its own count as estimates alone.
  static Result<Advisor> open(const AdviseRequest& request, const std::string& gpu = {},
                              bool anew = false);
  Advisor(Advisor&&) noexcept;
  ~Advisor();

  const std::string& gpu() const;  // the one that ranks
  std::string target() const;      // "sm_90a": its code; "" of one that no results have
  // All that fit, the fastest first.
  std::vector<Standing> standings();
  // A candidate's figure, measured on that GPU; in place of a row that it has.
  void learn(const report::data::Figure& figure);
  // What the results have of a candidate; null where they lack it.
  const report::data::Figure* published(const std::string& id);
  // By the floor of their pairs.
  bool is_slower(const std::string& best, const std::string& other);
  // The first choice is one of `among`; "" for all.
  Result<Advice> advice(const std::vector<std::string>& among = {});

 private:
  struct State;
  explicit Advisor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

Result<Advice> advise(const AdviseRequest& request);

// Steps of it, which need no results.

// What to take: of those that do not matter the one of fewest stages, measured before estimated,
// then with the fewest axes off their defaults, then the fastest.
// `fastest` is of `ranked`.
std::size_t first_choice(const std::vector<Choice>& ranked, std::size_t fastest = 0);

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
