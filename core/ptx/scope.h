// What a name stands for within a function: PTX scopes registers, variables and labels to blocks.
#pragma once

#include "core/ptx/file.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx {

struct PtxScope {
  int parent = -1;
  std::size_t open = 0, close = 0;  // its braces, as statements of the file
  // Of registers and variables: "done" -> ".pred". A variable has ".local" or "".
  std::map<std::string, std::string> types;
  struct Range {
    std::string stem, type;  // ".reg .b32 %r<19>" declares %r0 to %r18
    int count = 0;
  };
  std::vector<Range> ranges;
  std::map<std::string, std::size_t> labels;  // -> the statement
};

// The blocks of one function, the body first.
struct PtxScopes {
  std::vector<PtxScope> scopes;
  std::size_t first = 0;      // the function's opening brace
  std::vector<int> of_lines;  // the scope of each statement from `first` on

  int of(std::size_t statement) const;
  // The innermost scope, from `scope` outwards, that declares the name; -1: none does.
  int declaring(int scope, std::string_view name) const;
  std::string type_of(int scope, std::string_view name) const;  // "" where nothing declares it
  std::optional<std::size_t> label(int scope, const std::string& name) const;
};

// Of a function with a body. Parameters of a `.func` are variables of its body.
PtxScopes scopes_of(const PtxFile& file, const PtxFunction& function);

}  // namespace phasebit::ptx
