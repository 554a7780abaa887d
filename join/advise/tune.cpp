#include "join/advise/tune.h"

#include "core/base/process.h"
#include "core/base/text.h"
#include "core/results/load.h"
#include "core/results/statistics.h"
#include "join/bundle/pack.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace phasebit::join::advise {

using report::data::Figure;

namespace {

// The figure that its first conditions make.
Figure under_first(Figure figure, int conditions) {
  if (figure.at.empty() || !figure.reason.empty()) return figure;
  figure.at.resize(std::min(figure.at.size(), static_cast<std::size_t>(conditions)));
  std::vector<double> values;
  results::Interval reach = figure.at.front().interval;
  for (const auto& one : figure.at) {
    values.push_back(one.value);
    reach = {std::min(reach.low, one.interval.low), std::max(reach.high, one.interval.high)};
  }
  figure.value = results::median(values);
  figure.half_width = std::max(reach.high - figure.value, figure.value - reach.low);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  figure.spread = *most - *least;
  figure.repetitions = static_cast<int>(values.size());
  return figure;
}

// What a store has of a GPU.
class StoreFigures {
 public:
  static Result<StoreFigures> read(const fs::path& store) {
    StoreFigures made;
    std::error_code ignored;
    if (!fs::exists(store, ignored)) return made;
    PHASEBIT_TRY_ASSIGN(rows, results::load_results({store}));
    if (rows.devices.empty()) return made;
    if (rows.devices.size() > 1)
      return with_hint(fail(Step::store, "{} has rows of several GPUs", store.string()),
                       "a search compares candidates on one: give each a folder");
    made.gpu_ = rows.devices.front().name;
    PHASEBIT_TRY_ASSIGN(data, report::data::report_data(std::move(rows)));
    made.data_ = std::move(data);
    for (const results::PointRow* row : made.data_.rows)
      if (row->kind == results::PointKind::point && !row->aa_control)
        made.repetitions_[std::string(row->variant_id.text())].insert(row->repetition);
    return made;
  }

  const std::string& gpu() const { return gpu_; }
  // The next `conditions` of it that are not there.
  int missing(const std::string& id, int conditions) const {
    const auto known = repetitions_.find(id);
    int there = 0;
    if (known != repetitions_.end())
      for (const int repetition : known->second) there += repetition < conditions ? 1 : 0;
    return conditions - there;
  }
  Figure figure(const std::string& id) const {
    return report::data::figure_of(report::data::find_variant(data_.aggregation.points, id), id);
  }

 private:
  std::string gpu_;
  report::data::ReportData data_;
  std::map<std::string, std::set<int>> repetitions_;
};

class Tuner {
 public:
  Tuner(const TuneRequest& request, Advisor& advisor) : request_(request), advisor_(advisor) {}

  Result<Tuning> run() {
    Tuning made;
    made.most_points = request_.points > 0 ? static_cast<std::size_t>(request_.points)
                                           : default_points(advisor_.standings().size());
    const SearchWorld world{[&] { return advisor_.standings(); },
                            [&](const std::vector<std::string>& ids, int conditions) {
                              return request_.replay ? replay(ids, conditions)
                                                     : measure(ids, conditions);
                            },
                            [&](const std::string& best, const std::string& other) {
                              return advisor_.is_slower(best, other);
                            }};
    const Status done = run_search(world, made.most_points, made.search);
    if (!done && !waiting_) return tl::unexpected<Error>(done.error());
    made.waiting = std::move(waiting_);
    PHASEBIT_TRY_ASSIGN(advice, advisor_.advice(made.search.left));
    made.advice = std::move(advice);
    if (learned_.contains(made.advice.ranked[made.advice.first].variant.key.id))
      made.advice.files = {store().string()};
    return made;
  }

  // Whether the GPU is of another model than the one that ranked; its rows are in the store.
  bool other_gpu() const { return other_gpu_; }

 private:
  fs::path store() const { return fs::path(request_.folder) / "tuned.sqlite"; }
  fs::path bundle() const { return fs::path(request_.folder) / "bundle"; }

  Result<std::vector<std::string>> replay(const std::vector<std::string>& ids, int conditions) {
    std::vector<std::string> lost;
    for (const std::string& id : ids) {
      const Figure* figure = advisor_.published(id);
      if (figure == nullptr || !figure->reason.empty())
        lost.push_back(id);
      else
        advisor_.learn(under_first(*figure, conditions));
    }
    return lost;
  }

  Result<std::vector<std::string>> measure(const std::vector<std::string>& ids, int conditions) {
    PHASEBIT_TRY_ASSIGN(known, StoreFigures::read(store()));
    std::vector<std::string> missing;
    for (const std::string& id : ids)
      if (known.missing(id, conditions) > 0) missing.push_back(id);
    if (!missing.empty()) {
      PHASEBIT_TRY(pack(missing));
      PHASEBIT_TRY(bench(missing, conditions));
      PHASEBIT_TRY_ASSIGN(now, StoreFigures::read(store()));
      known = std::move(now);
      if (known.gpu() != advisor_.gpu()) {
        other_gpu_ = true;
        return fail(Step::device, "{} is another GPU than {}", known.gpu(), advisor_.gpu());
      }
    }
    std::vector<std::string> lost;
    for (const std::string& id : ids) {
      const Figure figure = known.figure(id);
      if (!figure.reason.empty()) {
        lost.push_back(id);
        continue;
      }
      advisor_.learn(figure);
      learned_.insert(id);
    }
    return lost;
  }

  Status pack(const std::vector<std::string>& ids) {
    bundle::PackRequest request;
    request.space.home = request_.home;
    request.space.ids = ids;
    request.tools = request_.tools;
    const std::string target = request_.target.empty() ? advisor_.target() : request_.target;
    if (!target.empty()) request.target = target;
    PHASEBIT_TRY_ASSIGN(packing, bundle::pack(request));
    return bundle::write_packing(bundle(), packing);
  }

  std::vector<std::string> command(const std::string& program, int conditions) const {
    return {program,
            "--bundle",
            bundle().string(),
            "--store",
            store().string(),
            "--no-aa",
            fmt::format("--benchmark_repetitions={}", conditions)};
  }

  // As a child. Step::device where there is no GPU: what waits for one is noted. Any other error of
  // the device (an anchor that is off) is an error here, too.
  Status bench(const std::vector<std::string>& ids, int conditions) {
    const auto beside = base::find_beside_program({"phasebit-bench", "bench/phasebit-bench"});
    const std::string program = !request_.bench.empty() ? request_.bench
                                : beside                ? beside->string()
                                                        : "phasebit-bench";
    base::ProcessOptions options;
    options.timeout = base::no_timeout;
    PHASEBIT_TRY_ASSIGN(output, base::run_process(command(program, conditions), options));
    if (output.ok()) return {};
    std::string said(base::trimmed(output.err, "\n"));
    said = said.substr(said.rfind('\n') + 1);
    if (output.signal == 0 && output.exit_status == base::exit_code(Step::device)) {
      if (!without_gpu(output.err))
        return fail(Step::device, "{}", base::trimmed(output.err, "\n"));
      waiting_ =
          Waiting{said, ids.size(), ids.size() * all_conditions, bundle().string(),
                  fmt::format("{}", fmt::join(command("phasebit-bench", all_conditions), " "))};
      return fail(Step::device, "{}", said);
    }
    return fail(Step::launch, "{} {}: {}", program, output.how_it_ended(), output.err);
  }

  // What phasebit-bench says where there is no GPU, in words: its exit code is that of any device
  // error.
  static bool without_gpu(const std::string& said) {
    for (const char* words :
         {"there is no CUDA driver here", "finds no usable GPU", "there is no device "})
      if (said.find(words) != std::string::npos) return true;
    return false;
  }

  const TuneRequest& request_;
  Advisor& advisor_;
  std::set<std::string> learned_;
  std::optional<Waiting> waiting_;
  bool other_gpu_ = false;
};

}  // namespace

Result<Tuning> tune(const TuneRequest& request) {
  std::string gpu;
  for (int tries = 0;; ++tries) {
    if (!request.replay) {
      std::error_code failed;
      fs::create_directories(request.folder, failed);
      if (failed) return fail(Step::io, "{}: {}", request.folder, failed.message());
      PHASEBIT_TRY_ASSIGN(known, StoreFigures::read(fs::path(request.folder) / "tuned.sqlite"));
      gpu = known.gpu();
    }
    PHASEBIT_TRY_ASSIGN(advisor, Advisor::open(request, gpu, request.anew));
    Tuner tuner(request, advisor);
    auto made = tuner.run();
    if (made || !tuner.other_gpu() || tries > 0) return made;
  }
}

namespace {

// "num_stages 6 for 4": in what a candidate differs from the choice.
std::string against_choice(const Advice& advice, const std::string& id) {
  const Variant& choice = advice.ranked[advice.first].variant;
  if (choice.key.id == id) return "the choice";
  for (const Choice& one : advice.ranked)
    if (one.variant.key.id == id) return differences(one.variant, choice);
  return id;
}

std::string waiting_text(const Waiting& waiting) {
  return fmt::format(
      "waits    {}\n"
      "         would measure {} candidates, {} points; they are packed in {}\n"
      "         on the GPU machine: {}\n"
      "         then this command again, with that store in its place\n",
      waiting.why, waiting.candidates, waiting.points, waiting.bundle, waiting.command);
}

}  // namespace

std::string tuning_text(const Tuning& tuning) {
  const Search& search = tuning.search;
  const auto named = [&](const std::string& id) { return against_choice(tuning.advice, id); };
  std::string text;
  if (!search.rounds.empty())
    text += base::render(rounds_table(search, tuning.advice.unit, named), base::TableFormat::text) +
            "\n";
  text += fmt::format(
      "points   {} of {} measured ({:.1f} %), at most {}; {} candidates known "
      "before, {} without a figure\n",
      search.points, search.all_points,
      search.all_points == 0
          ? 0.0
          : 100 * static_cast<double>(search.points) / static_cast<double>(search.all_points),
      tuning.most_points, search.known, search.lost);
  if (!search.ended.empty()) text += fmt::format("ended    {}\n", search.ended);
  if (tuning.waiting) text += waiting_text(*tuning.waiting);
  return text + "\n" + advice_text(tuning.advice);
}

std::string tuning_json(const Tuning& tuning) {
  nlohmann::ordered_json all, rounds = nlohmann::ordered_json::array();
  for (const Round& round : tuning.search.rounds)
    rounds.push_back({{"left", round.left},
                      {"measured", round.measured},
                      {"conditions", round.conditions},
                      {"points", round.points},
                      {"out", round.out},
                      {"percent", round.percent},
                      {"best", round.best},
                      {"value", round.value}});
  all["rounds"] = rounds;
  all["left"] = tuning.search.left;
  all["points"] = tuning.search.points;
  all["all_points"] = tuning.search.all_points;
  all["known"] = tuning.search.known;
  all["ended"] = tuning.search.ended;
  if (tuning.waiting)
    all["waiting"] = {{"why", tuning.waiting->why},
                      {"candidates", tuning.waiting->candidates},
                      {"points", tuning.waiting->points},
                      {"bundle", tuning.waiting->bundle},
                      {"command", tuning.waiting->command}};
  all["advice"] = nlohmann::ordered_json::parse(advice_json(tuning.advice));
  return all.dump(2) + "\n";
}

}  // namespace phasebit::join::advise
