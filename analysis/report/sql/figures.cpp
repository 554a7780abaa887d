#include "analysis/report/sql/figures.h"

#include "analysis/report/data/comparison.h"
#include "analysis/report/data/figures.h"
#include "analysis/report/data/row_flags.h"
#include "analysis/report/data/without_loop.h"
#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <type_traits>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>

namespace phasebit::report::sql {

using data::Figure;
using nlohmann::json;
using results::Flag;

namespace {

constexpr const char* figure_query =
    "SELECT coalesce(nullif(label, ''), id), missing, reason, step, cycles, half, interval_ok, "
    "repetitions, spread, factor, flag_list, probe || '/' || protocol, device.uuid, conditions, "
    "conditions_of_runs "
    "FROM figure_row JOIN variant USING (v) JOIN device USING (d) WHERE f = ?";

QueryFigures& figures_of(sqlite3_context* context) {
  return *static_cast<QueryFigures*>(sqlite3_user_data(context));
}

void give(sqlite3_context* context, const std::string& text) {
  sqlite3_result_text(context, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

// Figures as arguments: of nothing there is nothing.
template <void (*body)(sqlite3_context*, QueryFigures&, sqlite3_value**)>
void unless_null(sqlite3_context* context, int count, sqlite3_value** values) {
  for (int n = 0; n < count; ++n)
    if (sqlite3_value_type(values[n]) == SQLITE_NULL) return sqlite3_result_null(context);
  body(context, figures_of(context), values);
}

std::int64_t number(sqlite3_value* value) {
  return sqlite3_value_int64(value);
}

template <bool per_operation>
void difference(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const double divisor = per_operation ? sqlite3_value_double(values[2]) : 1;
  if (divisor == 0) return sqlite3_result_error(context, "difference() over 0 operations", -1);
  const auto &a = figures.at(number(values[0])), &b = figures.at(number(values[1]));
  Figure made = data::difference(a.figure, b.figure, divisor);
  sqlite3_result_int64(context, figures.keep(std::move(made), a.stratum));
}

void plus(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const auto &a = figures.at(number(values[0])), &b = figures.at(number(values[1]));
  sqlite3_result_int64(
      context, figures.keep(data::difference(a.figure, data::scaled(b.figure, -1)), a.stratum));
}

void times(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const auto& a = figures.at(number(values[1]));
  sqlite3_result_int64(
      context, figures.keep(data::scaled(a.figure, sqlite3_value_double(values[0])), a.stratum));
}

void share(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const double parts = sqlite3_value_double(values[1]);
  if (parts <= 0) return sqlite3_result_error(context, "share() in no parts", -1);
  const auto& a = figures.at(number(values[0]));
  sqlite3_result_int64(context, figures.keep(data::scaled(a.figure, 1 / parts), a.stratum));
}

void percent(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const auto &a = figures.at(number(values[0])), &b = figures.at(number(values[1]));
  sqlite3_result_int64(context, figures.keep(data::change_percent(a.figure, b.figure), a.stratum));
}

// Of a figure that is not there it is not known which is larger.
void larger(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const Figure& a = figures.at(number(values[0])).figure;
  const Figure& b = figures.at(number(values[1])).figure;
  const bool second = a.reason.empty() && (!b.reason.empty() || a.value < b.value);
  sqlite3_result_value(context, values[second ? 1 : 0]);
}

std::string text_of(sqlite3_value* value) {
  const auto* text = sqlite3_value_text(value);
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

void missing(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  sqlite3_result_int64(context, figures.keep(data::figure_of(nullptr, text_of(values[0]))));
}

void refuse(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const auto& a = figures.at(number(values[0]));
  Figure made = a.figure;
  made.reason = data::unusable(text_of(values[1]));
  sqlite3_result_int64(context, figures.keep(std::move(made), a.stratum));
}

template <double Figure::* part>
void part_of(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const Figure& figure = figures.at(number(values[0])).figure;
  if (figure.reason.empty())
    sqlite3_result_double(context, figure.*part);
  else
    sqlite3_result_null(context);
}

void reason(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  give(context, figures.at(number(values[0])).figure.reason.text);
}

void is_measured(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  sqlite3_result_int(context, figures.at(number(values[0])).figure.reason.is_measured() ? 1 : 0);
}

// What the cell of a figure says.
void cell(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  std::vector<std::string> notes;
  give(context, data::figure_cell(figures.at(number(values[0])).figure, notes).text);
}

// Of forms with their figures by how many forms each flag is said, and what moved one most.
struct FlagTally {
  std::map<std::string, std::set<std::string>> forms;
  double most = 0;
  std::string factor;

  void take(const std::string& form, const Figure& figure) {
    if (!figure.reason.empty()) return;
    for (const std::string& flag : results::words_of(figure.flags)) forms[flag].insert(form);
    if (!data::is_moved(figure) || figure.spread <= most) return;
    most = figure.spread;
    factor = figure.factor;
  }
  std::string text() const {
    std::vector<std::string> words;
    for (const auto& [flag, ids] : forms) words.push_back(fmt::format("{}: {}", flag, ids.size()));
    if (most > 0) words.push_back(fmt::format("moved by {} ({:.2f})", factor, most));
    return fmt::format("{}", fmt::join(words, "; "));
  }
};

void tally_flags(sqlite3_context* context, int, sqlite3_value** values) {
  auto** tally = static_cast<FlagTally**>(sqlite3_aggregate_context(context, sizeof(FlagTally*)));
  if (*tally == nullptr) *tally = new FlagTally;
  for (int n = 1; n < 3; ++n)
    if (sqlite3_value_type(values[n]) != SQLITE_NULL)
      (*tally)->take(text_of(values[0]), figures_of(context).at(number(values[n])).figure);
}

void give_tally(sqlite3_context* context) {
  auto** tally = static_cast<FlagTally**>(sqlite3_aggregate_context(context, 0));
  const std::unique_ptr<FlagTally> known(tally == nullptr ? nullptr : *tally);
  if (known == nullptr || known->text().empty()) return sqlite3_result_null(context);
  give(context, known->text());
}

// "commit 47.00"
void said(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  const Figure& figure = figures.at(number(values[1])).figure;
  if (!figure.reason.empty()) return sqlite3_result_null(context);
  give(context,
       fmt::format("{} {}", text_of(values[0]), data::shown(figure.value, figure.half_width)));
}

void floor_between(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  sqlite3_result_double(context, figures.compare(number(values[0]), number(values[1])).floor);
}

void verdict(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  give(context, figures.compare(number(values[0]), number(values[1])).verdict);
}

void pairs(sqlite3_context* context, QueryFigures& figures, sqlite3_value** values) {
  give(context, data::pairs_text(figures.compare(number(values[0]), number(values[1]))));
}

// The sizes of a loop: per_operation(f, n, longest).
struct LoopSizes {
  std::vector<data::LoopOfSize> sizes;
  std::string stratum;
  double longest = 0;
};

void take_size(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto** kept = static_cast<LoopSizes**>(sqlite3_aggregate_context(context, sizeof(LoopSizes*)));
  if (*kept == nullptr) *kept = new LoopSizes;
  QueryFigures& figures = figures_of(context);
  const auto& known = figures.at(number(values[0]));
  const double count = sqlite3_value_double(values[1]);
  for (const data::LoopOfSize& other : (*kept)->sizes)
    if (other.count == count && !figures.complaint) {
      figures.complaint = two_in_one_cell(other.cycles.id, known.figure.id);
      sqlite3_result_error(context, figures.complaint->message.c_str(), -1);
    }
  (*kept)->sizes.push_back({count, known.figure});
  (*kept)->stratum = known.stratum;
  (*kept)->longest = sqlite3_value_double(values[2]);
}

void give_operation(sqlite3_context* context) {
  auto** kept = static_cast<LoopSizes**>(sqlite3_aggregate_context(context, 0));
  const std::unique_ptr<LoopSizes> loops(kept == nullptr ? nullptr : *kept);
  if (loops == nullptr) return sqlite3_result_null(context);
  Figure made = data::per_operation(std::move(loops->sizes), loops->longest);
  sqlite3_result_int64(context, figures_of(context).keep(std::move(made), loops->stratum));
}

// What an aggregate keeps of its group: SQLite gives zeroed memory.
struct KeptValue {
  bool any = false;
  sqlite3_value* kept = nullptr;
};

KeptValue* group_of(sqlite3_context* context) {
  return static_cast<KeptValue*>(sqlite3_aggregate_context(context, sizeof(KeptValue)));
}

void keep(KeptValue& group, sqlite3_value* value) {
  sqlite3_value_free(group.kept);
  group.kept = sqlite3_value_dup(value);
  group.any = true;
}

void finish(sqlite3_context* context) {
  auto* group = static_cast<KeptValue*>(sqlite3_aggregate_context(context, 0));
  if (group == nullptr || !group->any) return sqlite3_result_null(context);
  sqlite3_result_value(context, group->kept);
  sqlite3_value_free(group->kept);
}

bool equal(sqlite3_value* a, sqlite3_value* b) {
  return sqlite3_value_type(a) == sqlite3_value_type(b) && text_of(a) == text_of(b);
}

// What a value of a cell is called in a complaint: a figure by what it is of.
std::string called(QueryFigures& figures, sqlite3_value* value) {
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return text_of(value);
  const std::string id = figures.at(number(value)).figure.id;
  return id.empty() ? text_of(value) : id;
}

// The one value of a group; two that differ are not a table.
void one(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  KeptValue* group = group_of(context);
  if (!group->any) return keep(*group, values[0]);
  if (equal(group->kept, values[0])) return;
  QueryFigures& figures = figures_of(context);
  figures.complaint = two_in_one_cell(called(figures, group->kept), called(figures, values[0]));
  sqlite3_result_error(context, figures.complaint->message.c_str(), -1);
}

// Of figures the one for which `rank` is lowest; of equal ones the first.
template <double (*rank)(const Figure&)>
void lowest(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  QueryFigures& figures = figures_of(context);
  const Figure& next = figures.at(number(values[0])).figure;
  if (!next.reason.empty()) return;
  KeptValue* group = group_of(context);
  if (!group->any || rank(next) < rank(figures.at(number(group->kept)).figure))
    keep(*group, values[0]);
}

double by_value(const Figure& figure) {
  return figure.value;
}

double by_negative(const Figure& figure) {
  return -figure.value;
}

double by_upper_end(const Figure& figure) {
  return figure.value + figure.half_width;
}

// The axes that an id names: "num_stages=8" by "num_stages".
std::map<std::string, std::string> named_axes(const std::string& id) {
  std::map<std::string, std::string> axes;
  for (const std::string_view part : base::split(id, '/'))
    if (const size_t equals = part.find('='); equals != std::string_view::npos)
      axes[std::string(part.substr(0, equals))] = part.substr(equals + 1);
  return axes;
}

}  // namespace

Error two_in_one_cell(const std::string& one, const std::string& other) {
  auto axes = named_axes(one);
  std::set<std::string> apart;
  for (const auto& [axis, value] : named_axes(other)) {
    const auto same = axes.find(axis);
    if (same == axes.end() || same->second != value) apart.insert(axis);
    if (same != axes.end()) axes.erase(same);
  }
  for (const auto& [axis, value] : axes) apart.insert(axis);
  return {Step::usage, fmt::format("{} and {} would be in one cell", one, other),
          apart.empty() ? "hold the axis in which they differ at a value"
                        : fmt::format("they differ in {}: hold {} at a value",
                                      fmt::join(apart, ", "), apart.size() == 1 ? "it" : "them")};
}

QueryFigures::QueryFigures(SQLite::Database& sqlite, std::int64_t g) : row_(sqlite, figure_query) {
  SQLite::Statement floors(sqlite, "SELECT stratum, cycles FROM floor_row WHERE g = ?");
  floors.bind(1, g);
  while (floors.executeStep())
    floors_[floors.getColumn(0).getString()] = floors.getColumn(1).getDouble();
  const auto add = [&](const char* name, int count, auto* body) {
    sqlite3_create_function_v2(sqlite.getHandle(), name, count, SQLITE_UTF8, this, body, nullptr,
                               nullptr, nullptr);
  };
  add("difference", 2, &unless_null<difference<false>>);
  add("difference", 3, &unless_null<difference<true>>);
  add("plus", 2, &unless_null<plus>);
  add("times", 2, &unless_null<times>);
  add("share", 2, &unless_null<share>);
  add("percent", 2, &unless_null<percent>);
  add("larger", 2, &unless_null<larger>);
  add("missing", 1, &unless_null<missing>);
  add("refuse", 2, &unless_null<refuse>);
  add("value", 1, &unless_null<part_of<&Figure::value>>);
  add("half", 1, &unless_null<part_of<&Figure::half_width>>);
  add("reason", 1, &unless_null<reason>);
  add("cell", 1, &unless_null<cell>);
  add("is_measured", 1, &unless_null<is_measured>);
  sqlite3_create_function_v2(sqlite.getHandle(), "tally", 3, SQLITE_UTF8, this, nullptr,
                             &tally_flags, &give_tally, nullptr);
  add("said", 2, &unless_null<said>);
  add("floor", 2, &unless_null<floor_between>);
  add("verdict", 2, &unless_null<sql::verdict>);
  add("pairs", 2, &unless_null<sql::pairs>);
  sqlite3_create_function_v2(sqlite.getHandle(), "per_operation", 3, SQLITE_UTF8, this, nullptr,
                             &take_size, &give_operation, nullptr);
  const auto aggregate = [&](const char* name, auto* step) {
    sqlite3_create_function_v2(sqlite.getHandle(), name, 1, SQLITE_UTF8, this, nullptr, step,
                               &finish, nullptr);
  };
  aggregate("one", &one);
  aggregate("fastest", &lowest<by_value>);
  aggregate("slowest", &lowest<by_negative>);
  aggregate("surest", &lowest<by_upper_end>);
}

QueryFigures::Known QueryFigures::read(std::int64_t number) {
  row_.reset();
  row_.bind(1, number);
  if (!row_.executeStep())
    return {data::figure_of(nullptr, fmt::format("figure {}", number)), {}, false};
  Figure figure;
  figure.id = row_.getColumn(0).getString();
  figure.reason = {static_cast<data::Missing>(row_.getColumn(1).getInt()),
                   row_.getColumn(2).getString(), static_cast<Step>(row_.getColumn(3).getInt())};
  figure.value = row_.getColumn(4).getDouble();
  figure.half_width = row_.getColumn(5).getDouble();
  figure.interval_reached = row_.getColumn(6).getInt() != 0;
  figure.repetitions = row_.getColumn(7).getInt();
  figure.spread = row_.getColumn(8).getDouble();
  figure.factor = row_.getColumn(9).getString();
  figure.flags = read_flags(row_.getColumn(10).getString());
  figure.gpu = row_.getColumn(12).getString();
  figure.at = read_conditions(row_.getColumn(13));
  figure.at_of_runs = read_conditions(row_.getColumn(14));
  return {std::move(figure), row_.getColumn(11).getString()};
}

const QueryFigures::Known& QueryFigures::at(std::int64_t number) {
  const auto known = known_.find(number);
  return known != known_.end() ? known->second : known_.emplace(number, read(number)).first->second;
}

std::int64_t QueryFigures::keep(Figure figure, std::string stratum) {
  known_.emplace(--last_made_, Known{std::move(figure), std::move(stratum)});
  return last_made_;
}

data::Comparison QueryFigures::compare(std::int64_t before, std::int64_t after) {
  const Known &a = at(before), &b = at(after);
  auto own = floors_.find(a.stratum.empty() ? b.stratum : a.stratum);
  if (own == floors_.end()) own = floors_.find("");
  return data::compare(a.figure, b.figure,
                       own == floors_.end() ? std::nullopt : std::optional(own->second));
}

std::string flags_text(const std::vector<Flag>& flags) {
  if (flags.empty()) return {};
  json list = json::array();
  for (const Flag& flag : flags)
    list.push_back(
        {static_cast<int>(flag.kind), flag.of, flag.slopes, flag.bent, flag.repetitions});
  return list.dump();
}

std::string_view conditions_bytes(const data::AtConditions& all) {
  static_assert(std::is_trivially_copyable_v<data::AtCondition>);
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(data::AtCondition)};
}

data::AtConditions read_conditions(const SQLite::Column& column) {
  data::AtConditions all(static_cast<std::size_t>(column.getBytes()) / sizeof(data::AtCondition));
  if (!all.empty()) std::memcpy(all.data(), column.getBlob(), all.size() * sizeof(all.front()));
  return all;
}

std::vector<Flag> read_flags(const std::string& text) {
  std::vector<Flag> flags;
  if (text.empty()) return flags;
  for (const json& one : json::parse(text)) {
    Flag& flag = flags.emplace_back();
    flag.kind = static_cast<Flag::Kind>(one.at(0).get<int>());
    one.at(1).get_to(flag.of);
    one.at(2).get_to(flag.slopes);
    one.at(3).get_to(flag.bent);
    one.at(4).get_to(flag.repetitions);
  }
  return flags;
}

}  // namespace phasebit::report::sql
