#include "core/store/json/scanner.h"

#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::store::json {

void JsonScanner::fail(std::string_view what) {
  if (mistake_.empty()) mistake_ = fmt::format("column {}: {}", at_ - begin_ + 1, what);
  at_ = end_;
  fresh_ = false;
}

bool JsonScanner::take(char c) {
  skip_blanks();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

bool JsonScanner::take_word(std::string_view word) {
  skip_blanks();
  if (std::string_view(at_, static_cast<size_t>(end_ - at_)).substr(0, word.size()) != word)
    return false;
  at_ += word.size();
  return true;
}

void JsonScanner::begin(char bracket) {
  if (!take(bracket)) return fail(bracket == '[' ? "not a list" : "not an object");
  fresh_ = true;
}

bool JsonScanner::next() {
  const bool first = fresh_;
  fresh_ = false;
  if (!good()) return false;
  if (take(']') || take('}')) return false;
  if (first || take(',')) return true;
  fail(at_ == end_ ? "cut short" : "neither a comma nor an end");
  return false;
}

void JsonScanner::expect_next() {
  if (!next()) fail("too few values");
}

void JsonScanner::expect_end() {
  if (next()) fail("too many values");
}

std::string JsonScanner::string() {
  if (!take('"')) return fail("not a string"), std::string();
  const char* from = at_;
  bool escaped = false;
  for (; at_ != end_ && *at_ != '"'; ++at_) {
    if (*at_ != '\\') continue;
    escaped = true;
    if (++at_ == end_) break;
  }
  if (at_ == end_) return fail("a string without its end"), std::string();
  const char* to = at_++;
  if (!escaped) return {from, to};
  const auto value = nlohmann::json::parse(from - 1, to + 1, nullptr, false);
  if (!value.is_string()) return fail("a string with a wrong escape"), std::string();
  return value.get<std::string>();
}

std::string JsonScanner::key() {
  std::string name = string();
  if (!take(':')) fail("a key without its colon");
  return name;
}

bool JsonScanner::boolean() {
  if (take_word("true")) return true;
  if (!take_word("false")) fail("neither true nor false");
  return false;
}

bool JsonScanner::null() {
  return take_word("null");
}

void JsonScanner::finish() {
  skip_blanks();
  if (at_ != end_) fail("something behind the end");
}

}  // namespace phasebit::store::json
