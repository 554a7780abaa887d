// Reads the lines of results one value after the other, without building a tree of them: a file has
// half a million numbers, and every table waits for them.
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace phasebit::store::json {

// After the first mistake every call gives a default, and mistake() says what was wrong.
//   scanner.begin('[');
//   while (scanner.next()) values.push_back(scanner.number<double>());
//   scanner.finish();
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text)
      : begin_(text.data()), at_(begin_), end_(at_ + text.size()) {}

  // '[' or '{'
  void begin(char bracket);
  // Whether the list or object goes on; its end is taken too.
  bool next();
  // The next element of a list that must have one.
  void expect_next();
  // The end of a list that must have no more.
  void expect_end();

  template <typename T>
  T number() {
    T value{};
    skip_blanks();
    // from_chars knows "inf" and "nan" too; JSON does not.
    const bool digits = at_ != end_ && (*at_ == '-' || (*at_ >= '0' && *at_ <= '9'));
    const auto [rest, error] = std::from_chars(at_, end_, value);
    if (!digits || error != std::errc()) return fail(wanted<T>()), T{};
    at_ = rest;
    return value;
  }
  std::string string();
  std::string key();  // with its colon
  bool boolean();
  bool null();  // takes it when it is there

  // Nothing may follow.
  void finish();
  bool good() const { return mistake_.empty(); }
  // "column 12: not a number"; "" for none.
  const std::string& mistake() const { return mistake_; }
  void fail(std::string_view what);

 private:
  template <typename T>
  static constexpr std::string_view wanted() {
    if constexpr (std::is_floating_point_v<T>)
      return "not a number";
    else
      return "not a whole number in range";
  }
  void skip_blanks() {
    while (at_ != end_ && *at_ == ' ') ++at_;
  }
  bool take(char c);
  bool take_word(std::string_view word);

  const char *begin_, *at_, *end_;
  bool fresh_ = false;  // right behind an opening bracket
  std::string mistake_;
};

}  // namespace phasebit::store::json
