#include "core/rule/synchronisation.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/toml_table.h"
#include "core/rule/rule.h"

#include <algorithm>

namespace phasebit::rule {
namespace {

constexpr std::string_view synchronisation_toml =
#include "core/rule/synchronisation.toml.inc"
    ;

const std::vector<std::string> keys = {"what", "patterns", "families", "verbs", "per_block"};

bool fits(const std::vector<std::string>& words, const std::string& word) {
  return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
}

Result<std::vector<std::string>> words_of(const toml::table& row, const char* key,
                                          const std::string& place) {
  std::vector<std::string> words;
  const toml::node* node = row.get(key);
  if (node == nullptr) return words;
  const toml::array* list = node->as_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if (const auto word = list->get(i)->value<std::string>()) words.push_back(*word);
  if (list == nullptr || words.empty() || words.size() != list->size())
    return fail(Step::spec, "{}: {} is a list of words", place, key);
  return words;
}

Status read_row(const toml::table& row, const std::string& file,
                std::vector<SynchronisationOpcode>& into) {
  const std::string place = fmt::format("{}:{}", file, row.source().begin.line);
  for (const auto& [key, value] : row)
    if (!fits(keys, std::string(key.str())))
      return with_hint(
          fail(Step::spec, "{}:{}: no key '{}'", file, value.source().begin.line, key.str()),
          base::nearest_word_hint(key.str(), keys));
  SynchronisationOpcode one;
  one.what = row["what"].value_or("");
  one.per_block = row["per_block"].value_or(0);
  if (one.what.empty()) return fail(Step::spec, "{}: 'what' is missing", place);
  PHASEBIT_TRY_ASSIGN(families, words_of(row, "families", place));
  PHASEBIT_TRY_ASSIGN(verbs, words_of(row, "verbs", place));
  PHASEBIT_TRY_ASSIGN(patterns, words_of(row, "patterns", place));
  if (patterns.empty()) return fail(Step::spec, "{}: 'patterns' is missing", place);
  one.families = std::move(families);
  one.verbs = std::move(verbs);
  for (const std::string& pattern : patterns) {
    one.pattern = pattern;
    into.push_back(one);
  }
  return {};
}

}  // namespace

Result<const SynchronisationTable*> SynchronisationTable::get() {
  static const auto table = []() -> Result<SynchronisationTable> {
    return read(synchronisation_toml, "core/rule/synchronisation.toml");
  }();
  if (!table) return tl::unexpected<Error>(table.error());
  return &*table;
}

Result<SynchronisationTable> SynchronisationTable::read(std::string_view text,
                                                        const std::string& file) {
  SynchronisationTable table;
  PHASEBIT_TRY_ASSIGN(parsed, base::parse_toml_table(text, file));
  const toml::array* rows = parsed["opcodes"].as_array();
  if (rows == nullptr || parsed.size() != 1)
    return fail(Step::spec, "{}: holds [[opcodes]] and nothing else", file);
  for (const toml::node& node : *rows) {
    if (!node.is_table())
      return fail(Step::spec, "{}:{}: write [[opcodes]]", file, node.source().begin.line);
    PHASEBIT_TRY(read_row(*node.as_table(), file, table.opcodes_));
  }
  return table;
}

const SynchronisationOpcode* SynchronisationTable::find(const std::string& opcode,
                                                        const std::string& family,
                                                        const std::string& verb) const {
  const auto found = std::find_if(opcodes_.begin(), opcodes_.end(), [&](const auto& one) {
    return fits(one.families, family) && fits(one.verbs, verb) &&
           opcode_matches(one.pattern, opcode);
  });
  return found == opcodes_.end() ? nullptr : &*found;
}

}  // namespace phasebit::rule
