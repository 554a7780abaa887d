// The names that an expression may use and the words that they may be. Words are interned: a point
// of the space is a row of integers, one slot a name, so that a rule costs a few comparisons.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::space {

enum class ValueKind { number, word, truth };
std::string_view to_string(ValueKind kind);

// One value for each name of a vocabulary, at the name's slot: a number or the id of a word.
using Values = std::vector<std::int64_t>;

class Vocabulary {
 public:
  struct Name {
    std::string text;
    ValueKind kind = ValueKind::number;
    std::vector<std::string> words;  // that a word name may be
  };

  // The id of '' is 0: what a name that means nothing for a point has, word or number.
  Vocabulary() { intern({}); }

  // The slot of a new name. A name twice is a bug.
  int add_name(std::string_view name, ValueKind kind);
  // Adds a word that the name may be; the word's id.
  std::int64_t add_word(int slot, std::string_view word);

  // A name that holds where the word at `slot` is one of these: "protocol_can_split".
  struct Set {
    int slot = 0;
    std::vector<std::int64_t> words;
  };
  void add_set(std::string_view name, Set set);
  const Set* set(std::string_view name) const;  // null: no such set

  // What a word is that files have for something else: "is a key of [numbers], set at FILE:LINE".
  void explain(std::string_view word, Error what);
  // nullptr: no more is known of it.
  const Error* explained(std::string_view word) const;
  // Step::spec for what is not a name: what it is instead, or the nearest of these.
  Error no_axis(std::string_view word, const std::vector<std::string>& names) const;

  int slot(std::string_view name) const;              // -1: no such name
  std::int64_t word_id(std::string_view word) const;  // -1: a word of no name
  const Name& name(int slot) const { return names_[static_cast<size_t>(slot)]; }
  const std::string& word(std::int64_t id) const { return words_[static_cast<size_t>(id)]; }
  size_t size() const { return names_.size(); }
  std::vector<std::string> names() const;  // of slots, then of sets

 private:
  std::int64_t intern(std::string_view word);
  std::vector<Name> names_;
  std::vector<std::string> words_;
  std::map<std::string, int, std::less<>> slots_;
  std::map<std::string, std::int64_t, std::less<>> word_ids_;
  std::map<std::string, Set, std::less<>> sets_;
  std::map<std::string, Error, std::less<>> explained_;
};

}  // namespace phasebit::space
