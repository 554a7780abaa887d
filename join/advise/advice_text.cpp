#include "core/base/text.h"
#include "join/advise/advise.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace phasebit::join::advise {

using base::Cell;
using base::Table;

namespace {

constexpr std::size_t line_width = 100;
constexpr double sure_percent = 10;
constexpr std::size_t most_rows = 6, most_axes = 8;

// Four digits that count, and all of a whole number.
std::string shown(double value) {
  constexpr double large = 1000;
  return value >= large ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string percent(double value) {
  return fmt::format("{:+.1f} %", std::abs(value) < 0.05 ? 0.0 : value);
}

double percent_over(double value, double base) {
  return 100 * (value - base) / base;
}

std::string interval(const Period& period) {
  return fmt::format("{} to {}", shown(period.low), shown(period.high));
}

// Half of the interval, in percent of the value: what the reader may be wrong by.
double half_percent(const Period& period) {
  return period.value == 0
             ? 0
             : 100 * std::max(period.high - period.value, period.value - period.low) / period.value;
}

std::string axes_text(const launch::KeyAxes& axes) {
  std::vector<std::string> words;
  for (const auto& [axis, value] : axes) words.push_back(fmt::format("{}={}", axis, value));
  return fmt::format("{}", fmt::join(words, " "));
}

constexpr std::string_view indent = "         ";  // of all after the word that a line begins with

// Broken at blanks: a word that says what it is, "" for more of the one before, and the text.
std::string wrapped(std::string_view head, const std::string& text) {
  std::string lines, line = fmt::format("{:<{}}", head, indent.size());
  for (const std::string_view word : base::split(text, ' ')) {
    if (line.size() > indent.size() && line.size() + word.size() + 1 > line_width) {
      lines += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + std::string(word);
  }
  return lines + line + "\n";
}

std::string problem_text(const Advice& advice) {
  std::string text = wrapped("problem", axes_text(advice.given));
  if (!advice.taken.empty())
    text += wrapped("", "taken, since no row has the default: " + axes_text(advice.taken));
  if (!advice.defaults.empty()) text += wrapped("", "by default: " + axes_text(advice.defaults));
  return text;
}

std::string period_line(const Advice& advice, const Period& period, const std::string& gpu) {
  const std::string how =
      period.measured ? "measured"
                      : fmt::format("estimated, to {:.0f} %", std::ceil(half_percent(period)));
  return fmt::format("{}{} {} on {}, {}: {}\n", indent, shown(period.value), advice.unit, gpu, how,
                     interval(period));
}

// What the ring, and reading its slots, add to the longer of the work and the copies.
std::string exposed_text(const Advice& advice) {
  const double longer = std::max(advice.work_alone, advice.copy_alone);
  if (longer <= 0) return {};
  std::vector<std::string> parts;
  if (advice.work_alone > 0)
    parts.push_back(fmt::format("the work alone takes {}", shown(advice.work_alone)));
  if (advice.copy_alone > 0)
    parts.push_back(fmt::format("the copies alone take {}", shown(advice.copy_alone)));
  const double period = advice.ranked[advice.first].periods.front().value;
  return fmt::format("{}{}: the period is {:+.4g} ({}) over the longer\n", indent,
                     fmt::join(parts, ", "), period - longer,
                     percent(percent_over(period, longer)));
}

std::string stages_text(const Advice& advice) {
  if (advice.stages.empty()) return {};
  std::vector<std::string> counts;
  for (const StageCount& count : advice.stages)
    counts.push_back(fmt::format("{}: {}{}", count.stages, shown(count.period.value),
                                 count.period.measured ? "" : " (estimated)"));
  const std::string own = advice.ranked[advice.first].variant.key.value("num_stages");
  return wrapped("", fmt::format("{} {}; by stages {}", own,
                                 own == "1" ? "stage is enough" : "stages are enough",
                                 fmt::join(counts, ", ")));
}

std::string first_text(const Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  std::string text = fmt::format("take     {}\n", first.variant.key.id);
  for (std::size_t n = 0; n < advice.gpus.size() && n < first.periods.size(); ++n)
    text += period_line(advice, first.periods[n], advice.gpus[n]);
  text += exposed_text(advice) + stages_text(advice);
  text += advice.shared_budget > 0
              ? fmt::format("{}{} of {} bytes of shared memory; {} variants need more\n", indent,
                            first.shared_bytes, advice.shared_budget, advice.left_out)
              : fmt::format("{}{} bytes of shared memory\n", indent, first.shared_bytes);
  return text;
}

std::string runner_up_text(const Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  const auto alike = static_cast<std::size_t>(std::count_if(
      advice.ranked.begin(), advice.ranked.end(), [](const Choice& one) { return one.same; }));
  std::string text;
  if (alike > 1)
    text += fmt::format("or       {} as fast: within the floor, or {} %\n",
                        alike == 2 ? "1 other is" : fmt::format("{} others are", alike - 1),
                        least_percent);
  if (!advice.runner_up) return text;
  const Choice& next = advice.ranked[*advice.runner_up];
  const double over = percent_over(next.periods.front().value, first.periods.front().value);
  return text + wrapped("next", fmt::format("{}{}: {}", percent(over),
                                            next.periods.front().measured ? "" : " (estimated)",
                                            differences(next.variant, first.variant)));
}

// An estimate that is within its own interval of no difference says nothing.
std::string matters_text(const AxisAnswer& answer) {
  const bool known = answer.matters || answer.half_percent <= least_percent;
  std::string word = !known ? "unknown" : answer.matters ? "yes" : "no";
  if (!answer.estimated) return word;
  if (!std::isfinite(answer.half_percent)) return word + " (estimated)";
  return fmt::format("{} ({}estimated to {:.0f} %)", word,
                     answer.unseen ? "not varied alone; " : "", std::ceil(answer.half_percent));
}

Table axes_table(const Advice& advice) {
  Table table;
  table.columns = {{"axis"}, {"take"}, {"next best"}, {"costs", true}, {"matters"}};
  for (const AxisAnswer& answer : advice.axes)
    if (table.rows.size() < most_axes)
      table.rows.push_back({answer.axis, answer.taken, answer.next,
                            Cell{percent(answer.percent), answer.percent, std::nullopt},
                            matters_text(answer)});
  if (advice.axes.size() > most_axes)
    table.notes.push_back(
        fmt::format("{} more axes: --json has them.", advice.axes.size() - most_axes));
  return table;
}

// The axes in which the rows differ.
std::vector<std::string> differing(const std::vector<const Choice*>& rows) {
  std::vector<std::string> axes;
  for (const Choice* row : rows)
    for (const auto& [axis, value] : row->variant.key.axes) {
      if (base::contains(axes, axis)) continue;
      const bool differs = std::any_of(rows.begin(), rows.end(), [&](const Choice* other) {
        const std::string own = other->variant.key.value(axis);
        return !own.empty() && own != value;
      });
      if (differs) axes.push_back(axis);
    }
  return axes;
}

std::string claims_text(const Advice& advice) {
  if (advice.claims.empty()) return {};
  std::vector<std::string> names;
  std::string text;
  for (const ClaimOfChoice& claim : advice.claims) {
    names.push_back(claim.name);
    std::string says;
    bool inside = false;
    for (const char c : claim.says) {
      if (c == '{') says += "...";
      inside = c == '{' || (inside && c != '}');
      if (!inside && c != '}') says += c;
    }
    text += wrapped(text.empty() ? "claims" : "", fmt::format("{}: {}", claim.name, says));
  }
  return text + fmt::format("{}phasebit claims {}\n", indent, fmt::join(names, " "));
}

// " --results a.sqlite --results b.sqlite"
std::string words_of(const std::vector<std::string>& files, std::string_view option) {
  std::string text;
  for (const std::string& file : files) text += fmt::format("{} {}", option, file);
  return text;
}

std::string evidence_text(const Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  std::string text =
      advice.measured == advice.ranked.size()
          ? fmt::format("evidence all {} variants that fit were measured\n", advice.measured)
          : fmt::format(
                "evidence {} of the {} variants that fit were measured, the others are "
                "estimated\n",
                advice.measured, advice.ranked.size());
  if (first.periods.front().measured) {
    text += fmt::format("{}phasebit export{} --id {}\n", indent, words_of(advice.files, ""),
                        first.variant.key.id);
    if (advice.runner_up && advice.ranked[*advice.runner_up].periods.front().measured)
      text += fmt::format("{}phasebit explain {} {}{}\n", indent, first.variant.key.id,
                          advice.ranked[*advice.runner_up].variant.key.id,
                          words_of(advice.files, " --results"));
    return text;
  }
  text += wrapped("missing", half_percent(first.periods.front()) > sure_percent
                                 ? "the first choice was not measured, and its interval is too "
                                   "wide to choose by: measure it; the nearest rows:"
                                 : "the first choice was not measured; the nearest rows:");
  for (const Neighbour& near : advice.neighbours)
    text += wrapped("", fmt::format("{} {}: {}", shown(near.value), near.id, near.differs));
  return text + fmt::format("{}phasebit pack --id {}\n", indent, first.variant.key.id);
}

// Which figure of the user's own kernel would change the answer.
std::string decides_text(const Advice& advice) {
  const Choice& first = advice.ranked[advice.first];
  if (!advice.runner_up)
    return "decides  nothing: of the variants that fit none is known to take longer\n";
  const double next = advice.ranked[*advice.runner_up].periods.front().value;
  return wrapped("decides",
                 fmt::format("the {} of your own loop without its waits: from {} on the runner-up "
                             "is as fast; below {} the ring is what takes the time",
                             advice.unit, shown(next), shown(first.periods.front().value)));
}

nlohmann::ordered_json period_json(const std::string& gpu, const Period& period) {
  return {{"gpu", gpu},          {"value", period.value},       {"low", period.low},
          {"high", period.high}, {"measured", period.measured}, {"from", period.from}};
}

nlohmann::ordered_json choice_json(const Advice& advice, const Choice& choice) {
  nlohmann::ordered_json axes, periods = nlohmann::ordered_json::array();
  for (const auto& [axis, value] : choice.variant.key.axes) axes[axis] = value;
  for (std::size_t n = 0; n < choice.periods.size(); ++n)
    periods.push_back(period_json(advice.gpus[n], choice.periods[n]));
  return {{"id", choice.variant.key.id},
          {"same", choice.same},
          {"shared_bytes", choice.shared_bytes},
          {"periods", periods},
          {"axes", axes}};
}

nlohmann::ordered_json axes_json(const launch::KeyAxes& axes) {
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  for (const auto& [axis, value] : axes) all[axis] = value;
  return all;
}

}  // namespace

Table ranking(const Advice& advice, std::size_t most) {
  std::vector<const Choice*> rows = {&advice.ranked[advice.first]};
  for (std::size_t n = 0; n < advice.ranked.size() && rows.size() < most; ++n)
    if (n != advice.first) rows.push_back(&advice.ranked[n]);
  const std::vector<std::string> axes = differing(rows);
  Table table;
  for (const std::string& axis : axes) table.columns.push_back({axis});
  table.columns.push_back({advice.unit, true});
  table.columns.push_back({"over the first", true});
  table.columns.push_back({"from"});
  const double first = rows.front()->periods.front().value;
  for (const Choice* row : rows) {
    std::vector<Cell> cells;
    for (const std::string& axis : axes) {
      const std::string value = row->variant.key.value(axis);
      cells.emplace_back(value.empty() ? "-" : value);
    }
    const Period& period = row->periods.front();
    cells.push_back({shown(period.value), period.value, std::nullopt});
    const double over = percent_over(period.value, first);
    cells.push_back({percent(over), over, std::nullopt});
    cells.emplace_back(period.measured ? "measured" : "estimated");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string advice_text(const Advice& advice) {
  std::string text = problem_text(advice) + first_text(advice) + runner_up_text(advice);
  if (!advice.axes.empty())
    text += "\n" + base::render(axes_table(advice), base::TableFormat::text) + "\n";
  text += base::render(ranking(advice, most_rows), base::TableFormat::text) + "\n";
  return text + claims_text(advice) + evidence_text(advice) + decides_text(advice);
}

std::string advice_json(const Advice& advice) {
  nlohmann::ordered_json all, axes = nlohmann::ordered_json::array(), ranked = axes, stages = axes,
                              claims = axes, neighbours = axes;
  for (const Choice& choice : advice.ranked) ranked.push_back(choice_json(advice, choice));
  for (const AxisAnswer& one : advice.axes)
    axes.push_back({{"axis", one.axis},
                    {"take", one.taken},
                    {"next", one.next},
                    {"percent", one.percent},
                    {"matters", one.matters},
                    {"estimated", one.estimated}});
  for (const StageCount& one : advice.stages)
    stages.push_back({{"stages", one.stages}, {"value", one.period.value}});
  for (const ClaimOfChoice& one : advice.claims) claims.push_back(one.name);
  for (const Neighbour& one : advice.neighbours)
    neighbours.push_back({{"id", one.id}, {"value", one.value}, {"differs", one.differs}});
  all["given"] = axes_json(advice.given);
  all["taken"] = axes_json(advice.taken);
  all["defaults"] = axes_json(advice.defaults);
  all["unit"] = advice.unit;
  all["first"] = choice_json(advice, advice.ranked[advice.first]);
  if (advice.runner_up) all["runner_up"] = choice_json(advice, advice.ranked[*advice.runner_up]);
  all["work_alone"] = advice.work_alone;
  all["copy_alone"] = advice.copy_alone;
  all["axes"] = axes;
  all["stages"] = stages;
  all["claims"] = claims;
  all["neighbours"] = neighbours;
  all["ranked"] = ranked;
  return all.dump(2) + "\n";
}

}  // namespace phasebit::join::advise
