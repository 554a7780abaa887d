#include "gen/forms/operands.h"

#include "core/base/text.h"
#include "core/base/toml.h"

#include <algorithm>

#include <fnmatch.h>

namespace phasebit::forms {

using base::TomlReader;
using base::TomlValue;
using isa::Form;

namespace {

constexpr std::string_view operands_toml =
#include "gen/forms/operands.toml.inc"
    ;

bool any_fits(const std::vector<std::string>& patterns, const std::string& text) {
  if (patterns.empty()) return true;
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

bool has_word(const std::vector<std::string>& words, std::string_view word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

FormPattern read_pattern(TomlReader& reader) {
  return {reader.words("families"), reader.words("forms")};
}

Operand read_operand(TomlReader reader) {
  Operand operand;
  operand.word = reader.text("word");
  operand.where = read_pattern(reader);
  operand.registers = reader.words("registers");
  operand.setup = reader.words("setup");
  operand.text = reader.text("text");
  operand.result = reader.words("result");
  operand.tie = reader.words("tie");
  operand.needs = reader.text_or("needs", {});
  operand.bytes = static_cast<int>(reader.number_or("bytes", 0));
  operand.crowds = reader.truth_or("crowds", false);
  return operand;
}

// Words of a list that can only be these.
void check_words(TomlReader& reader, std::string_view key, const std::vector<std::string>& words,
                 const std::vector<std::string>& valid) {
  for (const std::string& word : words)
    if (!has_word(valid, word))
      reader.refuse(key, fmt::format("no '{}'", word), base::nearest_word_hint(word, valid));
}

FormFamily read_family(TomlReader reader) {
  FormFamily family;
  family.where = read_pattern(reader);
  if (reader.has("paths")) family.paths = reader.words("paths");
  if (reader.has("lanes")) family.lanes = reader.words("lanes");
  check_words(reader, "paths", family.paths,
              {"plain", "pending", "completing", "ready", "blocked"});
  check_words(reader, "lanes", family.lanes, {"one", "warp"});
  family.barrier = reader.truth_or("barrier", false);
  family.completes = reader.truth_or("completes", false);
  family.pure = reader.truth_or("pure", false);
  family.spread = reader.truth_or("spread", false);
  family.before = reader.words("before");
  family.after = reader.words("after");
  family.finish = reader.words("finish");
  family.arrivals = static_cast<int>(reader.number_or("arrivals", 0));
  family.tx_bytes = static_cast<int>(reader.number_or("tx_bytes", 0));
  family.max_items = static_cast<int>(reader.number_or("max_items", 0));
  family.assembled_only = reader.text_or("assembled_only", {});
  family.ptx = reader.text_or("ptx", {});
  return family;
}

// 2, or "1..2".
FormSass::Counts read_opcodes(TomlReader& reader, std::string_view key) {
  FormSass::Counts counts;
  const TomlValue* table = reader.has(key) ? reader.table(key) : nullptr;
  for (size_t i = 0; table != nullptr && i < table->keys.size(); ++i) {
    const TomlValue& item = table->items[i];
    const bool number = item.kind == TomlValue::Kind::number;
    if (const auto range = isa::parse_count(number ? std::to_string(item.number) : item.text))
      counts.emplace_back(table->keys[i], *range);
    else
      reader.refuse(key, fmt::format("'{}' must be a number, or \"1..2\"", table->keys[i]));
  }
  return counts;
}

FormSass read_sass(TomlReader reader) {
  FormSass sass;
  sass.where = read_pattern(reader);
  sass.families = reader.words("sass");
  sass.paths = reader.words("paths");
  sass.ptxas = reader.text_or("ptxas", {});
  if (const auto known = isa::version_in_range(isa::Version{{0}}, sass.ptxas); !known)
    reader.refuse("ptxas", known.error());
  if (!reader.has("opcodes")) reader.refuse("opcodes", "is missing");
  sass.opcodes = read_opcodes(reader, "opcodes");
  sass.once = read_opcodes(reader, "once");
  sass.other_half = read_opcodes(reader, "other_half");
  return sass;
}

}  // namespace

bool FormPattern::fits(const Form& form) const {
  return any_fits(families, form.family) && any_fits(forms, form.text);
}

Result<OperandTable> OperandTable::load() {
  return read(operands_toml, "gen/forms/operands.toml");
}

Result<OperandTable> OperandTable::read(std::string_view text, const std::string& file) {
  PHASEBIT_TRY_ASSIGN(root, base::parse_toml(text, file));
  Status status;
  TomlReader reader(file, root, "the file", {"operand", "family", "sass"}, status);
  OperandTable table;
  table.file_ = file;
  for (const TomlValue* entry : reader.tables("operand"))
    table.operands_.push_back(
        read_operand(TomlReader(file, *entry, "[[operand]]",
                                {"word", "families", "forms", "registers", "setup", "text",
                                 "result", "tie", "needs", "bytes", "crowds"},
                                status)));
  for (const TomlValue* entry : reader.tables("family"))
    table.families_.push_back(read_family(TomlReader(
        file, *entry, "[[family]]",
        {"families", "forms", "paths", "lanes", "barrier", "completes", "pure", "spread", "before",
         "after", "finish", "arrivals", "tx_bytes", "max_items", "assembled_only", "ptx"},
        status)));
  for (const TomlValue* entry : reader.tables("sass"))
    table.sass_.push_back(read_sass(TomlReader(
        file, *entry, "[[sass]]",
        {"families", "forms", "sass", "paths", "ptxas", "opcodes", "once", "other_half"}, status)));
  if (!status) return tl::unexpected<Error>(status.error());
  return table;
}

Result<const Operand*> OperandTable::find(std::string_view word, const Form& form) const {
  for (const Operand& operand : operands_)
    if (operand.word == word && operand.where.fits(form)) return &operand;
  std::vector<std::string> words;
  for (const Operand& operand : operands_) words.push_back(operand.word);
  return with_hint(
      fail(Step::spec, "{}: no operand '{}' for {} '{}'", file_, word, form.id, form.text),
      base::nearest_word_hint(word, words));
}

Result<const FormFamily*> OperandTable::family(const Form& form) const {
  for (const FormFamily& family : families_)
    if (family.where.fits(form)) return &family;
  return fail(Step::spec, "{}: no [[family]] fits {} '{}'", file_, form.id, form.text);
}

std::vector<const FormSass*> OperandTable::sass(const Form& form, std::string_view sass_family,
                                                std::string_view path) const {
  std::vector<const FormSass*> found;
  for (const FormSass& sass : sass_)
    if (sass.where.fits(form) && has_word(sass.families, sass_family) && has_word(sass.paths, path))
      found.push_back(&sass);
  return found;
}

}  // namespace phasebit::forms
