// Reads a file of results, kind after kind.
#pragma once

#include "core/base/json_fields.h"
#include "core/store/json/arranged.h"
#include "core/store/json/lines.h"
#include "core/store/json/sample_lines.h"
#include "core/store/json/scanner.h"

#include <map>

namespace phasebit::store::json {

class JsonReader {
 public:
  JsonReader(std::string_view text, std::string name, const SampleWish& wanted)
      : rest_(text), name_(std::move(name)), wanted_(wanted) {}

  Result<record::Results> read(const fs::path& folder);

 private:
  struct Code {
    Word text_hash, sass_class;
  };
  struct Image {
    size_t code = 0, module = 0;
    Word ptx_hash;
  };
  struct Variant {
    Word id, hash;
  };

  tl::unexpected<Error> complain(const std::string& what) const {
    return fail(Step::store, "{}:{}: {}", name_, line_, what);
  }

  // The next line; false at the end.
  bool take_line(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  Status no_line(const char* kind, size_t found) const {
    return with_hint(
        complain(fmt::format("the file ends with {} {} of {}", found, kind, counts_.at(kind))),
        "export it again");
  }

  template <typename Read>
  Status objects(const char* kind, const Read& read) {
    for (size_t n = 0; n < counts_[kind]; ++n) {
      std::string_view line;
      if (!take_line(line)) return no_line(kind, n);
      const nlohmann::ordered_json value = nlohmann::ordered_json::parse(line, nullptr, false);
      if (!value.is_object()) return complain("no JSON object");
      base::JsonFields fields(value);
      read(fields);
      fields.finish();
      if (fields.mistake()) return complain(*fields.mistake());
    }
    return {};
  }

  template <typename Read>
  Status lines(const char* kind, const Read& read) {
    for (size_t n = 0; n < counts_[kind]; ++n) {
      std::string_view line;
      if (!take_line(line)) return no_line(kind, n);
      JsonScanner scanner(line);
      read(scanner);
      scanner.finish();
      if (!scanner.good())
        return with_hint(complain(scanner.mistake()), "is the file cut short, or merged by hand?");
    }
    return {};
  }

  Status read_header();
  Status read_catalogue();
  Status read_keys();
  Status read_images();
  void read_variant(JsonScanner& line);
  void read_series(JsonScanner& line);
  void read_point(JsonScanner& line);
  void read_same_code(JsonScanner& line);
  Status read_samples(const fs::path& folder);
  Status read_sample_text(std::string_view text, const std::string& name, int line, size_t& found);
  void set_variant(record::PointRow& row, size_t number) const;
  void set_image(record::PointRow& row, size_t number) const;

  // A number of a line of an earlier kind.
  template <typename List>
  static size_t reference(JsonScanner& line, const List& list, const char* kind) {
    const auto number = line.number<size_t>();
    if (number < list.size()) return number;
    line.fail(fmt::format("{} {} of {}", kind, number, list.size()));
    return list.size();
  }

  std::string_view rest_;
  std::string name_;
  const SampleWish& wanted_;
  int line_ = 0;
  std::map<std::string, size_t> counts_;
  std::vector<std::string> sample_files_;
  Arranged made_;
  std::vector<std::shared_ptr<const image::KeyAxes>> defaults_;
  std::vector<Code> codes_;
  std::vector<Variant> variants_;  // of made_.results.variants
  std::vector<Word> modules_;
  std::vector<Image> images_;
  // Rows with what the points of a series have in common.
  std::vector<record::PointRow> series_;
};

}  // namespace phasebit::store::json
