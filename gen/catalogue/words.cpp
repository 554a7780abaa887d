// [words], [flags] and [numbers]: what the verbs of a component may say beside the plan's names.
#include "core/base/nearest.h"
#include "gen/catalogue/reader.h"

#include <algorithm>

namespace phasebit::catalogue {

using base::TomlReader;
using base::TomlValue;

namespace {

// In Mustache a section for each value, and one inside the negations of all of them for the rest.
class Sections {
 public:
  void add(const std::string& name, const std::string& text) {
    out_ += fmt::format("{{{{#{0}}}}}{1}{{{{/{0}}}}}", name, text);
    names_.push_back(name);
  }
  void add_rest(const std::string& text) {
    std::string rest = text;
    for (const std::string& name : names_)
      rest = fmt::format("{{{{^{0}}}}}{1}{{{{/{0}}}}}", name, rest);
    out_ += rest;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::vector<std::string> names_;
};

}  // namespace

void CatalogueReader::read_words(const Source& source) {
  TomlReader reader = top(source);
  const TomlValue* table = reader.table("words");
  if (table == nullptr) return;
  for (size_t i = 0; i < table->keys.size() && status_; ++i) {
    Word word{table->keys[i], {}, fmt::format("{}:{}", source.file, table->items[i].line)};
    const TomlValue& value = table->items[i];
    TomlReader words(source.file, *table, "[words]", table->keys, status_);
    if (value.kind == TomlValue::Kind::text)
      word.text = value.text;
    else if (value.kind == TomlValue::Kind::table && value.keys.size() == 1 &&
             value.items.front().kind == TomlValue::Kind::table)
      word.text = spelled_by(words, word.name, value.keys.front(), value.items.front());
    else
      words.refuse(word.name, "must be a text, or { AXIS = { VALUE = \"text\" } }");
    component_of(source).words.push_back(std::move(word));
  }
}

// `choice`: an axis, or a name that is true or false (`yes`, `no`).
std::string CatalogueReader::spelled_by(TomlReader& reader, const std::string& word,
                                        const std::string& choice, const TomlValue& values) {
  const std::vector<const Axis*> axes = catalogue_.axes_named(choice);
  std::vector<std::string> valid = {"yes", "no"};
  if (!axes.empty()) valid = catalogue_.values_of(choice);
  Sections sections;
  std::vector<std::string> missing = valid;
  for (size_t i = 0; i < values.keys.size(); ++i) {
    const std::string& value = values.keys[i];
    if (values.items[i].kind != TomlValue::Kind::text)
      reader.refuse(word, fmt::format("'{}' must be spelled by a text", value));
    if (value == "else") continue;
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      reader.refuse(word, fmt::format("{} is never '{}'", choice, value),
                    base::nearest_word_hint(value, valid));
    std::erase(missing, value);
    if (axes.empty() && value == "no") continue;
    sections.add(axes.empty() ? choice : fmt::format("is.{}.{}", choice, value),
                 values.items[i].text);
  }
  const TomlValue* rest = values.find("else");
  if (axes.empty() && rest == nullptr) rest = values.find("no");
  if (rest != nullptr) sections.add_rest(rest->text);
  // Of an axis that several components declare, its own need no more values than they have.
  if (rest == nullptr && !axes.empty() && axes.size() == 1 && !missing.empty())
    reader.refuse(word, fmt::format("says nothing for {} = '{}'", choice, missing.front()),
                  "spell it, or add else = \"text\"");
  return sections.take();
}

void CatalogueReader::read_names(const Source& source) {
  for (const bool is_flag : {true, false}) {
    TomlReader reader = top(source);
    const TomlValue* table = reader.table(is_flag ? "flags" : "numbers");
    if (table == nullptr) continue;
    TomlReader names(source.file, *table, is_flag ? "[flags]" : "[numbers]", table->keys, status_);
    for (const std::string& name : table->keys) {
      const auto kind = is_flag ? ValueKind::truth : ValueKind::number;
      if (auto compiled = expression(names, name, kind, true))
        component_of(source).names.push_back(
            {name, std::move(*compiled), is_flag, names.where(name)});
    }
  }
}

}  // namespace phasebit::catalogue
