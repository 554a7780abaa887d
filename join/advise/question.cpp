#include "join/advise/question.h"

#include "analysis/report/sql/views.h"
#include "core/base/text.h"

#include <algorithm>

namespace phasebit::join::advise {

using launch::KeyAxes;
using space::AxisValues;
using space::Catalogue;

namespace {

constexpr const char* default_probe = "ring";
constexpr const char* default_work = "none";

Status add(const Catalogue& catalogue, AxisValues one, Question& question) {
  if (question.gives(one.axis) || question.allowed(one.axis) != nullptr)
    return fail(Step::usage, "-a {} twice", one.axis);
  if (base::contains(catalogue.choices(), one.axis)) {
    question.among.push_back(std::move(one));
    return {};
  }
  if (one.values.size() != 1)
    return with_hint(fail(Step::usage, "-a {}: an axis of the problem has one value", one.axis),
                     fmt::format("ask once for each; among several values it answers {}",
                                 fmt::join(catalogue.choices(), ", ")));
  question.given.emplace_back(one.axis, one.values.front());
  return {};
}

}  // namespace

bool Question::gives(const std::string& axis) const {
  return launch::find_axis(given, axis) != nullptr;
}

const std::vector<std::string>* Question::allowed(const std::string& axis) const {
  for (const AxisValues& one : among)
    if (one.axis == axis) return &one.values;
  return nullptr;
}

Result<Question> read_question(const Catalogue& catalogue, const std::vector<std::string>& asked) {
  Question question;
  for (const std::string& text : asked) {
    PHASEBIT_TRY_ASSIGN(one, space::parse_override(catalogue, text));
    // "read=all": `all` is a value of this axis, not every value of it.
    const std::string value = text.substr(text.find('=') + 1);
    if (catalogue.check_value(one.axis, value)) one.values = {value};
    PHASEBIT_TRY(add(catalogue, std::move(one), question));
  }
  if (!question.gives("mover"))
    return with_hint(fail(Step::usage, "advise needs to know how the bytes move: -a mover=..."),
                     "`phasebit list movers` explains each; bulk_tensor is TMA, none hands over "
                     "slots without bytes");
  if (!question.gives("probe")) question.given.emplace_back("probe", default_probe);
  if (!question.gives("work")) question.given.emplace_back("work", default_work);
  return question;
}

Result<std::int64_t> read_bytes(const std::string& text) {
  constexpr double kilo = 1024;
  std::string_view digits = text;
  double unit = 1;
  if (!digits.empty() && (digits.back() == 'K' || digits.back() == 'k')) {
    digits.remove_suffix(1);
    unit = kilo;
  }
  const auto number = base::number_in(digits);
  if (!number || *number < 1 || *number * unit > 1e9)
    return fail(Step::usage, "--shared {}: bytes, or 160K", text);
  return static_cast<std::int64_t>(*number * unit);
}

std::optional<Variant> variant_of(const Catalogue& catalogue, const KeyAxes& values,
                                  std::string& pruned) {
  const auto settled = space::settle_values(catalogue, values);
  if (!settled || !settled->pruned.empty()) {
    pruned = settled ? space::fill_in(catalogue, settled->asked, settled->pruned)
                     : settled.error().message;
    return std::nullopt;
  }
  Variant variant{space::key_of(catalogue, settled->point), {}};
  size_t n = 0;
  for (; n < space::component_kinds.size(); ++n) variant.named.push_back(variant.key.axes[n]);
  for (const space::Component* part : catalogue.parts(settled->point))
    for (const space::Axis& axis : part->axes) {
      const auto& own = variant.key.axes[n++];
      if (own.second != axis.default_value) variant.named.push_back(own);
    }
  return variant;
}

namespace {

// "ring/mbarrier/st_shared/none\nwait=test_wait"
KeyAxes axes_of(const std::string& spelled) {
  KeyAxes axes;
  const auto lines = base::split(spelled, '\n');
  const auto components = base::split(lines.front(), '/');
  for (size_t n = 0; n < std::min(components.size(), space::component_kinds.size()); ++n)
    axes.emplace_back(to_string(space::component_kinds[n]), components[n]);
  for (size_t n = 1; n < lines.size(); ++n) {
    const size_t equals = lines[n].find('=');
    if (equals != std::string_view::npos)
      axes.emplace_back(lines[n].substr(0, equals), lines[n].substr(equals + 1));
  }
  return axes;
}

constexpr const char* rows_query =
    "SELECT id, spelled, f, cycles, low, high, sass_class, unit FROM figure WHERE kind = 'point' "
    "AND quantity = 'cycles' AND newest AND declared AND cycles > 0 AND probe = ? AND work = ? "
    "ORDER BY id";

}  // namespace

Result<Evidence> read_evidence(report::sql::ReportDatabase& database, const Catalogue& catalogue,
                               const Question& question, const std::string& gpu,
                               const std::set<std::string>& without) {
  PHASEBIT_TRY_ASSIGN(g, database.gpus(gpu));
  Evidence evidence{gpu, g, {}, {}};
  try {
    report::sql::make_views(database.sqlite(), g, {});
    SQLite::Statement rows(database.sqlite(), rows_query);
    rows.bind(1, *launch::find_axis(question.given, "probe"));
    rows.bind(2, *launch::find_axis(question.given, "work"));
    std::string ignored;
    while (rows.executeStep()) {
      if (without.contains(rows.getColumn(0).getString())) continue;
      auto variant = variant_of(catalogue, axes_of(rows.getColumn(1).getString()), ignored);
      if (!variant) continue;  // of templates of another day
      evidence.unit = rows.getColumn(7).getString();
      evidence.rows.push_back({std::move(*variant), rows.getColumn(2).getInt64(),
                               rows.getColumn(3).getDouble(), rows.getColumn(4).getDouble(),
                               rows.getColumn(5).getDouble(), rows.getColumn(6).getString()});
    }
  } catch (const SQLite::Exception& exception) {
    return fail(Step::store, "cannot read the figures: {}", exception.what());
  }
  return evidence;
}

double copy_alone(report::sql::ReportDatabase& database, const Variant& variant, std::int64_t g) {
  const auto payload = base::number_in(variant.key.value("payload_bytes"));
  if (!payload) return 0;
  try {
    report::sql::make_views(database.sqlite(), g,
                            {"payload_bytes", "resident", "row_bytes", "swizzle"});
    SQLite::Statement least(
        database.sqlite(),
        "SELECT min(cycles) FROM figure WHERE kind = 'point' AND quantity = 'cycles' AND newest "
        "AND "
        "declared AND probe = 'issue' AND mover = ? AND payload_bytes = ? AND coalesce(row_bytes, "
        "'') || '' = ? AND coalesce(swizzle, '') = ? AND coalesce(resident, 'l2') = 'l2'");
    least.bind(1, variant.key.value("mover"));
    least.bind(2, static_cast<std::int64_t>(*payload));
    least.bind(3, variant.key.value("row_bytes"));
    least.bind(4, variant.key.value("swizzle"));
    return least.executeStep() ? least.getColumn(0).getDouble() : 0;
  } catch (const SQLite::Exception&) {
    return 0;
  }
}

}  // namespace phasebit::join::advise
