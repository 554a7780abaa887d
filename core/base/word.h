// A text that is kept once: equal words share one string, which lives as long as the program. For
// the columns of hundreds of thousands of rows, which have few different values.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace phasebit::base {

class Word {
 public:
  Word() : text_(&nothing()) {}
  // Not explicit: a word is used like the string that it is.
  Word(std::string_view text) : text_(text.empty() ? &nothing() : &shared(text)) {}
  Word(const std::string& text) : Word(std::string_view(text)) {}
  Word(const char* text) : Word(std::string_view(text)) {}

  const std::string& text() const { return *text_; }
  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }
  const std::string* operator->() const { return text_; }
  bool empty() const { return text_->empty(); }

  friend bool operator==(const Word& a, const Word& b) { return a.text_ == b.text_; }
  friend bool operator==(const Word& a, std::string_view b) { return *a.text_ == b; }
  friend bool operator==(const Word& a, const std::string& b) { return *a.text_ == b; }
  friend bool operator==(const Word& a, const char* b) { return *a.text_ == b; }
  friend auto operator<=>(const Word& a, const Word& b) { return *a.text_ <=> *b.text_; }

 private:
  friend struct std::hash<Word>;
  static const std::string& nothing();
  static const std::string& shared(std::string_view text);  // from any thread

  const std::string* text_;
};

}  // namespace phasebit::base

namespace phasebit {
using base::Word;
}  // namespace phasebit

template <>
struct std::hash<phasebit::base::Word> {
  std::size_t operator()(const phasebit::base::Word& word) const {
    return std::hash<const void*>()(word.text_);
  }
};

template <>
struct fmt::formatter<phasebit::base::Word> : fmt::formatter<std::string_view> {
  template <typename Context>
  auto format(const phasebit::base::Word& word, Context& context) const {
    return fmt::formatter<std::string_view>::format(word.text(), context);
  }
};
