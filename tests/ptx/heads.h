// Heads that tests of core/ptx begin with.
#pragma once

#include "core/ptx/file.h"

#include <string>
#include <vector>

namespace phasebit::test {

// As core/ptx hands them over: without the mark and the blank after it.
inline std::vector<ptx::PtxHeadLine> lines_of(const std::string& text, int line = 1) {
  std::vector<ptx::PtxHeadLine> lines;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = text.find('\n', begin);
    std::string one = text.substr(begin + 3, end - begin - 3);
    lines.push_back({one.starts_with(' ') ? one.substr(1) : one, line});
    begin = end + 1;
  }
  return lines;
}

// The least that a head must say.
inline const std::string small_head =
    "//@ format = 1\n"
    "//@ id = \"a/b/c/d\"\n"
    "//@ roles = [{ role = \"consumer\", warps = [0] }]\n"
    "//@ [key]\n"
    "//@ probe = \"a\"\n"
    "//@ [launch]\n"
    "//@ threads = 32\n"
    "//@ timed_role = \"consumer\"\n";

// A head or file with one place changed, and what is said of it.
struct Broken {
  std::string from, to, message;
};

}  // namespace phasebit::test
