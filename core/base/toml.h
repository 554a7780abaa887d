// TOML through our own small tree: keys keep the order of the file (the first axis of a sweep
// varies slowest) and every value knows its line. toml++ stays in toml_table.h.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace phasebit::base {

struct TomlValue {
  enum class Kind { truth, number, text, array, table, other };
  Kind kind = Kind::table;
  int line = 0;
  std::int64_t number = 0;  // of a number; 0 or 1 of a truth
  std::string text;
  std::vector<std::string> keys;  // of a table, one for each item
  std::vector<TomlValue> items;   // of a table or an array
  const TomlValue* find(std::string_view key) const;
};

// Without the lines: for readers that take JSON.
nlohmann::ordered_json to_json(const TomlValue& value);

// Step::spec for a syntax error (toml_table.h).
Result<TomlValue> parse_toml(std::string_view text, const std::string& file);
Result<TomlValue> read_toml(const fs::path& path);

// Reads one table. All readers of a file share `status`, which keeps the first error; what is read
// after it is empty. So a table is read in as many lines as it has keys, and the error is asked for
// once.
class TomlReader {
 public:
  // Refuses keys that are not in `known`, with the nearest one. `table` must outlive the reader.
  TomlReader(std::string file, const TomlValue& table, std::string name,
             std::vector<std::string> known, Status& status);

  bool has(std::string_view key) const { return table_.find(key) != nullptr; }
  const TomlValue* find(std::string_view key) const { return table_.find(key); }
  std::string text(std::string_view key);  // must be there
  std::string text_or(std::string_view key, std::string_view fallback);
  std::int64_t number_or(std::string_view key, std::int64_t fallback);
  bool truth_or(std::string_view key, bool fallback);
  // An array of texts and numbers, as texts; empty when the key is missing.
  std::vector<std::string> words(std::string_view key);
  // The tables of [[key]].
  std::vector<const TomlValue*> tables(std::string_view key);
  const TomlValue* table(std::string_view key);  // null when missing

  // "file:line" of a key, or of the table when the key is missing.
  std::string where(std::string_view key) const;
  std::string where() const { return where({}); }
  void refuse(std::string_view key, std::string message, std::string hint = {});
  // The same for an error of another step of the reading.
  void refuse(std::string_view key, const Error& error) { refuse(key, error.message, error.hint); }
  const std::string& file() const { return file_; }
  Status& status() { return status_; }

 private:
  const TomlValue* get(std::string_view key, TomlValue::Kind kind, std::string_view what);
  std::string file_;
  const TomlValue& table_;
  std::string name_;
  Status& status_;
};

}  // namespace phasebit::base
