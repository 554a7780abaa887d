#include "analysis/report/sql/text.h"

#include "analysis/report/data/figures.h"
#include "core/base/hash.h"
#include "core/launch/facts.h"
#include "core/results/statistics.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>
#include <sqlite3.h>

namespace phasebit::report::sql {

using data::VariantAxes;

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

Words lines_of(const std::string& text) {
  std::istringstream stream(text);
  Words lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

bool has_word(const std::string& text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const size_t end = at + word.size();
    if (begins && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

std::string axis_of_line(const std::string& line) {
  return line.substr(0, line.find('='));
}

// The places of several axes, one after the other.
std::string places_of(const VariantAxes& axes, const std::vector<std::string>& names) {
  std::string places;
  for (const std::string& name : names)
    places += place_of(axes.first_value(name), axes.value(name)) + '\n';
  return places;
}

}  // namespace

VariantTexts variant_texts(const VariantAxes& axes) {
  VariantTexts texts;
  Words named, components;
  for (const char* component : launch::component_axes)
    if (axes.has(component)) components.push_back(axes.value(component));
  texts.spelled = fmt::format("{}", fmt::join(components, "/"));
  for (const auto& [axis, value] : axes.variant().named) {
    named.push_back(axis);
    texts.spelled += fmt::format("\n{}={}", axis, value);
  }
  texts.named = fmt::format("{}", fmt::join(named, " "));
  texts.blank = fmt::format("{}", fmt::join(axes.blank_axes(), " "));
  texts.waited_on = axes.waited_on();
  const std::vector<std::string> waited = axes.axes_of_column("waited_on");
  texts.waited_axes = fmt::format("{}", fmt::join(waited, " "));
  texts.waited_order = places_of(axes, waited);
  texts.warp_layout = axes.warp_layout();
  texts.warp_layout_order = places_of(axes, axes.axes_of_column("warp_layout"));
  return texts;
}

std::string place_of(const std::string& first, const std::string& value) {
  if (value == first) return "0";
  const bool digits = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  return digits ? fmt::format("1{:0>20}", value) : "2" + value;
}

namespace {

// The arguments of a call of a function.
class Call {
 public:
  Call(sqlite3_context* context, int count, sqlite3_value** values)
      : context_(context), count_(count), values_(values) {}
  int count() const { return count_; }
  bool is_null(int n) const { return sqlite3_value_type(values_[n]) == SQLITE_NULL; }
  std::string text(int n) const {
    const auto* bytes = sqlite3_value_text(values_[n]);
    return bytes == nullptr ? std::string() : reinterpret_cast<const char*>(bytes);
  }
  void give(const std::string& text) const {
    sqlite3_result_text(context_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void give(bool truth) const { sqlite3_result_int(context_, truth ? 1 : 0); }
  void give_argument(int n) const { sqlite3_result_value(context_, values_[n]); }
  const FirstValues& first() const {
    return *static_cast<const FirstValues*>(sqlite3_user_data(context_));
  }

 private:
  sqlite3_context* context_;
  int count_;
  sqlite3_value** values_;
};

void place(const Call& call) {
  const auto first = call.first().find(call.text(0));
  call.give(place_of(first == call.first().end() ? std::string() : first->second, call.text(1)));
}

void dash(const Call& call) {
  if (call.is_null(0) || has_word(call.text(2), call.text(1)))
    call.give(std::string("-"));
  else
    call.give_argument(0);
}

void only(const Call& call) {
  const std::string allowed = call.text(1);
  const Words named = words_of(call.text(0));
  call.give(std::all_of(named.begin(), named.end(),
                        [&](const std::string& axis) { return has_word(allowed, axis); }));
}

void names(const Call& call) {
  call.give(has_word(call.text(0), call.text(1)));
}

Words named_but(const Call& call) {
  Words lines = lines_of(call.text(0));
  if (!lines.empty()) lines.erase(lines.begin());
  const std::string left_out = call.text(1);
  std::erase_if(lines,
                [&](const std::string& line) { return has_word(left_out, axis_of_line(line)); });
  return lines;
}

void rest(const Call& call) {
  Words words = named_but(call);
  std::sort(words.begin(), words.end(), [](const std::string& a, const std::string& b) {
    return axis_of_line(a) < axis_of_line(b);
  });
  call.give(fmt::format("{}", fmt::join(words, ", ")));
}

void chosen(const Call& call) {
  call.give(fmt::format("{}", fmt::join(named_but(call), ", ")));
}

void without(const Call& call) {
  if (call.count() == 0) return;
  std::set<std::string> left_out;
  for (int n = 1; n < call.count(); ++n) left_out.insert(call.text(n));
  Words lines = lines_of(call.text(0)), kept;
  for (size_t n = 0; n < lines.size(); ++n)
    if (n == 0 || !left_out.contains(axis_of_line(lines[n]))) kept.push_back(std::move(lines[n]));
  if (left_out.contains("probe") && !kept.empty())
    kept[0].erase(0, std::min(kept[0].find('/'), kept[0].size()));
  call.give(fmt::format("{}", fmt::join(kept, "/")));
}

void joined(const Call& call) {
  Words words;
  for (int n = 0; n < call.count(); ++n)
    if (std::string word = call.text(n); !word.empty()) words.push_back(std::move(word));
  call.give(fmt::format("{}", fmt::join(words, ", ")));
}

// Of a form's PTX: each word begins at a dot or after a blank; the name is none.
Words words_of_form(const std::string& text) {
  Words words = {""};
  for (const char c : text) {
    if (c == '.' || c == ' ') words.emplace_back();
    if (c != ' ' && c != ',' && c != ';') words.back() += c;
  }
  words.erase(words.begin());  // the name
  std::erase(words, "");
  return words;
}

// The words that all forms of `level` have and not all forms of `others`, in their order.
Words common_words(const Words& level, const Words& others) {
  if (level.empty()) return {};
  const auto in_all = [](const Words& texts, const std::string& word) {
    return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
      const auto words = words_of_form(text);
      return std::find(words.begin(), words.end(), word) != words.end();
    });
  };
  Words common;
  for (const std::string& word : words_of_form(level.front()))
    if (in_all(level, word) && !in_all(others, word) &&
        std::find(common.begin(), common.end(), word) == common.end())
      common.push_back(word);
  return common;
}

// The words that no form of `level` has, of those that some of `others` has, in the order in which
// they first come.
Words absent_words(const Words& level, const Words& others) {
  std::set<std::string> known;
  for (const std::string& text : level)
    for (const std::string& word : words_of_form(text)) known.insert(word);
  Words absent;
  for (const std::string& text : others)
    for (const std::string& word : words_of_form(text))
      if (known.insert(word).second) absent.push_back(word);
  return absent;
}

// What a range of cycles is shown as.
void cost_text(const Call& call) {
  const auto number = [&](int n) { return std::atof(call.text(n).c_str()); };
  call.give(
      fmt::format("{} {}", data::shown(number(0), number(2)), data::shown(number(1), number(2))));
}

void all_say(const Call& call) {
  call.give(fmt::format(
      "{}", fmt::join(common_words(lines_of(call.text(0)), lines_of(call.text(1))), " ")));
}

void none_says(const Call& call) {
  call.give(fmt::format(
      "{}", fmt::join(absent_words(lines_of(call.text(0)), lines_of(call.text(1))), " ")));
}

// The lines from the first axis on that says that the text was made by hand.
void by_hand(const Call& call) {
  const Words lines = lines_of(call.text(0));
  const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.starts_with("tuned=") || line.starts_with("snippet.");
  });
  call.give(fmt::format("{}", fmt::join(first, lines.end(), "/")));
}

// A text whose order is that of versions.
void version_place(const Call& call) {
  std::string place;
  std::istringstream parts(call.text(0));
  for (std::string part; std::getline(parts, part, '.');) place += fmt::format("{:0>8}.", part);
  call.give(place);
}

void short_hash(const Call& call) {
  call.give(base::short_hash(call.text(0)));
}

void fits(const Call& call) {
  call.give(fnmatch(call.text(0).c_str(), call.text(1).c_str(), 0) == 0);
}

// The numbers of a group: SQLite gives a zeroed pointer.
using Numbers = std::vector<double>;

void take_number(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  auto** numbers = static_cast<Numbers**>(sqlite3_aggregate_context(context, sizeof(Numbers*)));
  if (*numbers == nullptr) *numbers = new Numbers;
  (*numbers)->push_back(sqlite3_value_double(values[0]));
}

// The quantile comes with every row of the group; the last one is kept before the numbers.
void take_quantile(sqlite3_context* context, int, sqlite3_value** values) {
  auto** numbers = static_cast<Numbers**>(sqlite3_aggregate_context(context, sizeof(Numbers*)));
  if (*numbers == nullptr) *numbers = new Numbers{0.0};
  (**numbers)[0] = sqlite3_value_double(values[1]);
  take_number(context, 1, values);
}

std::unique_ptr<Numbers> numbers_of(sqlite3_context* context) {
  auto** numbers = static_cast<Numbers**>(sqlite3_aggregate_context(context, 0));
  return std::unique_ptr<Numbers>(numbers == nullptr ? nullptr : *numbers);
}

void give_median(sqlite3_context* context) {
  const auto numbers = numbers_of(context);
  if (numbers == nullptr || numbers->empty()) return sqlite3_result_null(context);
  sqlite3_result_double(context, results::median(*numbers));
}

void give_quantile(sqlite3_context* context) {
  const auto numbers = numbers_of(context);
  if (numbers == nullptr || numbers->size() < 2) return sqlite3_result_null(context);
  sqlite3_result_double(
      context, results::quantile({numbers->begin() + 1, numbers->end()}, numbers->front()));
}

template <void (*body)(const Call&)>
void run(sqlite3_context* context, int count, sqlite3_value** values) {
  body(Call(context, count, values));
}

}  // namespace

void add_text_functions(sqlite3* sqlite, const FirstValues& first) {
  const auto add = [&](const char* name, int count, auto* body) {
    sqlite3_create_function_v2(sqlite, name, count, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                               const_cast<FirstValues*>(&first), body, nullptr, nullptr, nullptr);
  };
  add("place", 2, &run<place>);
  add("dash", 3, &run<dash>);
  add("only", 2, &run<only>);
  add("names", 2, &run<names>);
  add("rest", 2, &run<rest>);
  add("chosen", 2, &run<chosen>);
  add("without", -1, &run<without>);
  add("cost_text", 3, &run<cost_text>);
  add("all_say", 2, &run<all_say>);
  add("none_says", 2, &run<none_says>);
  add("joined", -1, &run<joined>);
  add("by_hand", 1, &run<by_hand>);
  add("version_place", 1, &run<version_place>);
  add("short_hash", 1, &run<short_hash>);
  add("fits", 2, &run<fits>);
  const auto aggregate = [&](const char* name, int count, auto* step, auto* finish) {
    sqlite3_create_function_v2(sqlite, name, count, SQLITE_UTF8, nullptr, nullptr, step, finish,
                               nullptr);
  };
  aggregate("median", 1, &take_number, &give_median);
  aggregate("quantile", 2, &take_quantile, &give_quantile);
}

}  // namespace phasebit::report::sql
