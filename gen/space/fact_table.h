// Reads one table of facts: a key of the component's own file, else that of the component it uses.
#pragma once

#include "core/base/toml.h"
#include "gen/space/catalogue.h"

#include <deque>
#include <string>
#include <vector>

namespace phasebit::space {

class FactTable {
 public:
  struct File {
    std::string name;
    const base::TomlValue* table;
  };
  // `files`: the component's, then that of the one it uses. A missing key is refused at the first.
  FactTable(const Catalogue& catalogue, const std::vector<File>& files, const std::string& name,
            const std::vector<std::string>& keys, Status& status);

  bool has(std::string_view key) { return reader(key) != nullptr; }
  // Each must be there; `what` says what to write when it is not.
  std::int64_t number(std::string_view key, std::string_view what);
  bool truth(std::string_view key, std::string_view what);
  std::string word(std::string_view key, const std::vector<std::string>& valid);
  std::optional<Expression> expression(std::string_view key, ValueKind kind, std::string_view what);
  // Nothing when the key is missing.
  std::optional<Expression> expression_if(std::string_view key, ValueKind kind);
  // The numbers of a list; empty when the key is missing.
  std::vector<Expression> numbers_if(std::string_view key);
  // A word of the list, or "{axis}"; the first word when the key is missing.
  AxisWord axis_word(std::string_view key, const std::vector<std::string>& valid);
  void refuse(std::string_view key, std::string message, std::string hint = {});

 private:
  base::TomlReader* reader(std::string_view key);  // of the first file that has the key
  base::TomlReader* need(std::string_view key, std::string_view what);

  const Catalogue& catalogue_;
  std::string name_;
  base::TomlValue empty_;  // in the place of a table that a file lacks
  std::deque<base::TomlReader> readers_;
};

}  // namespace phasebit::space
