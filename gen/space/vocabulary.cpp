#include "gen/space/vocabulary.h"

#include "core/base/text.h"

#include <algorithm>

namespace phasebit::space {

std::string_view to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::number: return "a number";
    case ValueKind::word: return "a word";
    case ValueKind::truth: return "a condition";
  }
  bug("unknown kind of value");
}

int Vocabulary::add_name(std::string_view name, ValueKind kind) {
  const int slot = static_cast<int>(names_.size());
  if (!slots_.emplace(name, slot).second) bug(fmt::format("name '{}' twice", name));
  names_.push_back({std::string(name), kind, {}});
  return slot;
}

std::int64_t Vocabulary::add_word(int slot, std::string_view word) {
  std::vector<std::string>& words = names_[static_cast<size_t>(slot)].words;
  if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
  return intern(word);
}

std::int64_t Vocabulary::intern(std::string_view word) {
  const auto [entry, added] = word_ids_.emplace(word, static_cast<std::int64_t>(words_.size()));
  if (added) words_.emplace_back(word);
  return entry->second;
}

void Vocabulary::add_set(std::string_view name, Set set) {
  if (!sets_.emplace(name, std::move(set)).second) bug(fmt::format("set '{}' twice", name));
}

const Vocabulary::Set* Vocabulary::set(std::string_view name) const {
  const auto entry = sets_.find(name);
  return entry == sets_.end() ? nullptr : &entry->second;
}

void Vocabulary::explain(std::string_view word, Error what) {
  explained_.emplace(word, std::move(what));
}

const Error* Vocabulary::explained(std::string_view word) const {
  const auto entry = explained_.find(word);
  return entry == explained_.end() ? nullptr : &entry->second;
}

Error Vocabulary::no_axis(std::string_view word, const std::vector<std::string>& names) const {
  if (const Error* known = explained(word)) return *known;
  return {Step::spec, fmt::format("no axis '{}'", word), base::nearest_word_hint(word, names)};
}

int Vocabulary::slot(std::string_view name) const {
  const auto entry = slots_.find(name);
  return entry == slots_.end() ? -1 : entry->second;
}

std::int64_t Vocabulary::word_id(std::string_view word) const {
  const auto entry = word_ids_.find(word);
  return entry == word_ids_.end() ? -1 : entry->second;
}

std::vector<std::string> Vocabulary::names() const {
  std::vector<std::string> all;
  for (const Name& name : names_) all.push_back(name.text);
  for (const auto& [name, set] : sets_) all.push_back(name);
  return all;
}

}  // namespace phasebit::space
