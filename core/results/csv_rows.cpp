#include "core/results/csv_rows.h"

#include "core/base/file.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace phasebit::results {
namespace {

constexpr auto none = std::string_view::npos;
constexpr std::size_t longest_row = std::numeric_limits<std::uint32_t>::max();

// Of a field in quotes: where its closing quote is.
std::size_t closing_quote(std::string_view text) {
  for (std::size_t at = 1; (at = text.find('"', at)) != none; at += 2)
    if (at + 1 >= text.size() || text[at + 1] != '"') return at;
  return none;
}

}  // namespace

void CsvRows::add(std::string_view piece) {
  waiting_.erase(0, at_);
  at_ = 0;
  waiting_.append(piece);
}

bool CsvRows::is_same(std::string_view rest, std::size_t field) const {
  if (row_ < 2 || field >= fields_.size()) return false;  // row 0 has names
  const Field& before = fields_[field];
  return before.bytes < rest.size() &&
         std::memcmp(rest.data(), text_.data() + before.at, before.bytes) == 0 &&
         (rest[before.bytes] == ',' || rest[before.bytes] == '\n');
}

// `none` where the field, or what ends it, is not there yet.
std::size_t CsvRows::length_of_field(std::string_view rest) {
  std::size_t length = 0;
  if (rest.starts_with('"')) {
    const std::size_t closing = closing_quote(rest);
    // A quote at the end may be the first of two.
    if (closing == none || (closing + 1 == rest.size() && !ended_)) {
      if (ended_) complain("a quoted field has no end");
      return none;
    }
    length = closing + 1;
    if (length < rest.size() && rest[length] != ',' && rest[length] != '\n' &&
        rest.substr(length, 2) != "\r\n" && (rest.substr(length) != "\r" || ended_)) {
      complain("text after the closing quote of a field");
      return none;
    }
  } else {
    length = std::min(rest.find_first_of(",\n\""), rest.size());
    if (length < rest.size() && rest[length] == '"') {
      complain("a quote inside a field without quotes");
      return none;
    }
    if (length < rest.size() && rest[length] == '\n' && length > 0 && rest[length - 1] == '\r')
      --length;
  }
  return length == rest.size() && !ended_ ? none : length;
}

bool CsvRows::read_row(std::string_view rest) {
  next_.clear();
  for (std::size_t at = 0;; ++at) {
    Field& field = next_.emplace_back();
    field.at = static_cast<std::uint32_t>(at);
    if (is_same(rest.substr(at), next_.size() - 1)) {
      field.bytes = fields_[next_.size() - 1].bytes;
      field.changed = false;
    } else {
      const std::size_t length = length_of_field(rest.substr(at));
      if (length == none) return false;
      field.bytes = static_cast<std::uint32_t>(length);
    }
    at += field.bytes;
    if (at >= longest_row) return complain("a row above 4 GiB");
    if (at < rest.size() && rest[at] == ',') continue;
    length_ = at;
    used_ = at;
    if (rest.substr(at).starts_with('\r')) ++used_;
    if (used_ == rest.size() && !ended_) return false;
    if (rest.substr(used_).starts_with('\n')) ++used_;
    return true;
  }
}

bool CsvRows::next() {
  // Some programs begin a text with the mark of UTF-8.
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (!any_row_ && waiting_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  const std::string_view rest = std::string_view(waiting_).substr(at_);
  if (rest.empty() || !mistake_.empty()) return false;
  row_ += any_row_ ? 1 : 0;
  if (!read_row(rest)) {
    row_ -= any_row_ && mistake_.empty() ? 1 : 0;
    return false;
  }
  any_row_ = true;
  text_.assign(rest.substr(0, length_));
  fields_.swap(next_);
  at_ += used_;
  return true;
}

std::string CsvRows::text(std::size_t field) const {
  std::string_view raw_text = raw(field);
  if (!raw_text.starts_with('"')) return std::string(raw_text);
  raw_text = raw_text.substr(1, raw_text.size() - 2);
  std::string text;
  text.reserve(raw_text.size());
  for (std::size_t n = 0; n < raw_text.size(); ++n) {
    text += raw_text[n];
    if (raw_text[n] == '"') ++n;
  }
  return text;
}

Status each_row(const std::string& name, std::string_view content, const TakeRow& take) {
  CsvRows rows;
  const auto located = [&](const Error& error) {
    const std::string row = rows.row() == 0 ? "header" : fmt::format("row {}", rows.row());
    return tl::unexpected<Error>(
        Error{error.step, fmt::format("{}: {}: {}", name, row, error.message), error.hint});
  };
  const auto take_rows = [&]() -> Status {
    while (rows.next())
      if (const Status taken = take(rows); !taken) return located(taken.error());
    if (!rows.mistake().empty()) return located({Step::store, rows.mistake(), {}});
    return {};
  };
  const auto take_piece = [&](std::string_view piece) {
    rows.add(piece);
    return take_rows();
  };
  if (base::is_zstd(content) || name.ends_with(".zst"))
    PHASEBIT_TRY(base::unzstd(content, name, take_piece));
  else
    PHASEBIT_TRY(take_piece(content));
  rows.end();
  return take_rows();
}

std::string csv_text(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == none) return std::string(text);
  std::string quoted = "\"";
  for (const char letter : text) quoted.append(letter == '"' ? 2 : 1, letter);
  return quoted + "\"";
}

}  // namespace phasebit::results
