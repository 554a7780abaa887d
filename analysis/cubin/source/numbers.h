// Fills a SourceTable: each file, function and frame once.
#pragma once

#include "analysis/cubin/source/frames.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace phasebit::cubin::source {

class SourceNumbers {
 public:
  // `table` is empty, and is written by nobody else meanwhile.
  explicit SourceNumbers(SourceTable& table) : table_(table) {}

  // -1 of null and of an empty name. A pointer stands for one text as long as this lives.
  int file(const char* name) { return files_.of(name, table_.files); }
  int function(const char* name) { return functions_.of(name, table_.functions); }
  int frame(const SourceFrame& frame);

 private:
  // Units name most files again and again, and libdw keeps one text a file of a unit.
  struct Names {
    std::unordered_map<const char*, int> by_pointer;
    std::unordered_map<std::string, int> by_name;
    int of(const char* name, std::vector<std::string>& all);
  };
  struct FrameHash {
    std::size_t operator()(const SourceFrame& frame) const;
  };

  SourceTable& table_;
  Names files_, functions_;
  std::unordered_map<SourceFrame, int, FrameHash> frames_;
};

}  // namespace phasebit::cubin::source
