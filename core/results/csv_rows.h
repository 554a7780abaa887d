// Rows of a CSV file (RFC 4180, LF or CRLF) that comes in pieces. A field that is the same text as
// in the row before is found by one comparison, and its reader need not look at it again.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::results {

class CsvRows {
 public:
  void add(std::string_view piece);
  // No more pieces: the last row may lack its line break.
  void end() { ended_ = true; }
  // Whether a whole row is there: then fields are those of that row. False too for a mistake.
  bool next();
  const std::string& mistake() const { return mistake_; }  // "" for none

  std::size_t row() const { return row_; }  // 0 is the header
  std::size_t size() const { return fields_.size(); }
  bool changed(std::size_t field) const { return fields_[field].changed; }
  // An empty field without quotes.
  bool null(std::size_t field) const { return fields_[field].bytes == 0; }
  // As it is in the file, quotes and all; equal texts are equal bytes there.
  std::string_view raw(std::size_t field) const {
    return std::string_view(text_).substr(fields_[field].at, fields_[field].bytes);
  }
  // Without its quotes.
  std::string text(std::size_t field) const;

 private:
  struct Field {
    std::uint32_t at = 0, bytes = 0;  // in text_
    bool changed = true;
  };
  bool is_same(std::string_view rest, std::size_t field) const;
  std::size_t length_of_field(std::string_view rest);
  bool read_row(std::string_view rest);
  bool complain(const char* what) {
    mistake_ = what;
    return false;
  }

  std::string waiting_;  // pieces; what is before at_ was read
  std::size_t at_ = 0;
  bool ended_ = false;
  std::size_t row_ = 0;
  bool any_row_ = false;
  std::string text_;  // of the row
  std::vector<Field> fields_, next_;
  std::size_t length_ = 0;  // of the next row without its line break
  std::size_t used_ = 0;    // with it
  std::string mistake_;
};

// The rows of a file, the header first; of one that is packed with zstd too. Ends with the first
// error of `take`, to whose message the file and the row are added; as unzstd() for damaged data.
using TakeRow = std::function<Status(const CsvRows& row)>;
Status each_row(const std::string& name, std::string_view content, const TakeRow& take);

// A field as a file has it: in quotes where it must be, and where it is empty but not NULL.
std::string csv_text(std::string_view text);

}  // namespace phasebit::results
