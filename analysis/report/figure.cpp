#include "analysis/report/data/figures.h"
#include "analysis/report/tables.h"
#include "analysis/report/tables/counts.h"
#include "core/base/nearest.h"

#include <algorithm>

namespace phasebit::report {

using base::nearest_word_hint;
using data::Aggregate;
using data::shown;

namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

Named figures_of(const Aggregate& one) {
  const double width = one.half_width();
  Named named = {{"cycles", shown(one.cycles, width)},
                 {"interval", data::shown_with_interval(one.cycles, width)},
                 {"half_width", shown(width, width)},
                 {"low", shown(one.interval.low, width)},
                 {"high", shown(one.interval.high, width)},
                 {"intercept", shown(one.intercept_cycles, 1)},
                 {"megahertz", one.megahertz > 0 ? shown(one.megahertz, 1) : "-"},
                 {"rounds", std::to_string(one.rounds)},
                 {"repetitions", std::to_string(one.repetitions)},
                 {"sass_class", one.sass_class.substr(0, 8)}};
  for (const data::ReadingFigure& reading : one.readings)
    named.emplace_back(reading.name,
                       data::shown_with_interval(reading.value, reading.half_width()));
  return named;
}

Result<std::string> pick(const Named& named, const std::string& field) {
  std::vector<std::string> names;
  for (const auto& [name, text] : named) {
    if (name == field) return text;
    names.push_back(name);
  }
  return with_hint(fail(Step::usage, "no field '{}'", field), nearest_word_hint(field, names));
}

Result<const Aggregate*> variant_of(const data::ReportData& data, const std::string& id) {
  std::vector<std::string> ids;
  for (const auto* list : {&data.aggregation.points, &data.aggregation.anchors}) {
    if (const Aggregate* found = data::find_variant(*list, id)) return found;
    for (const Aggregate& one : *list) ids.push_back(one.id);
  }
  // A list of the first dozen of a thousand ids would help nobody.
  const std::string hint = nearest_word_hint(id, ids);
  return with_hint(fail(Step::usage, "the results have no variant '{}'", id),
                   hint.rfind("did you", 0) == 0 ? hint : "");
}

}  // namespace

Result<std::string> make_figure(const data::ReportData& data,
                                const data::TableArguments& arguments) {
  std::string variant, field;
  for (const auto& [name, value] : arguments) {
    if (name != "variant" && name != "field")
      return with_hint(fail(Step::usage, "a figure has no argument '{}'", name),
                       nearest_word_hint(name, {"variant", "field"}));
    (name == "variant" ? variant : field) = value;
  }
  if (field.empty()) return with_hint(fail(Step::usage, "a figure without field="), "field=cycles");
  if (variant.empty()) return pick(tables::counts_of(data), field);
  PHASEBIT_TRY_ASSIGN(found, variant_of(data, variant));
  PHASEBIT_TRY_ASSIGN(text, pick(figures_of(*found), field));
  if (!found->reason.empty())
    return fail(Step::store, "{} has no figure: {}", variant, found->reason.text);
  return text;
}

}  // namespace phasebit::report
