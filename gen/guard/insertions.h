// Statements put in front of and behind others, and others taken out.
#pragma once

#include "core/ptx/file.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace phasebit::guard {

class Insertions {
 public:
  void before(std::size_t statement, std::vector<std::string> lines) {
    add(before_[statement], std::move(lines));
  }
  void after(std::size_t statement, std::vector<std::string> lines) {
    add(after_[statement], std::move(lines));
  }
  void remove(std::size_t statement) { removed_.insert(statement); }

  // The file with them. `origins` gets, for each statement of it, the one of `file` that it is or
  // stands beside.
  ptx::PtxFile applied(const ptx::PtxFile& file, std::vector<int>& origins) const;

 private:
  static void add(std::vector<std::string>& to, std::vector<std::string> lines) {
    for (std::string& line : lines) to.push_back(std::move(line));
  }

  std::map<std::size_t, std::vector<std::string>> before_, after_;
  std::set<std::size_t> removed_;
};

}  // namespace phasebit::guard
