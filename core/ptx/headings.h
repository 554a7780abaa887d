// Comments that mean something: headings, and the head above an entry.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptx {

// A comment "// [producer acquire] protocols/mbarrier/wait.ptx:12": whose the statements after it
// are, up to the next heading or the end of the function.
struct PtxHeading {
  std::string role;  // "producer", or ""
  std::string verb;  // "acquire", or ""
  std::string file;  // as written, without the line
  int line = 0;      // the line in `file`; 0 where the heading has no line
  int at_line = 0;   // where the heading is
};

// A line "//@ ..." above an entry, without the mark and the blank after it.
struct PtxHeadLine {
  std::string text;
  int line = 0;
};

// "// [producer acquire] FILE.ptx:LINE". The words in brackets are role and verb; one word alone is
// a role where it is the name of one, else a verb; "-" is neither. Nothing for other lines.
std::optional<PtxHeading> heading_of_line(std::string_view line);

// The headings among the comments in `blanks`, which begin at line `line`.
std::vector<PtxHeading> headings_in(std::string_view blanks, int line);

// The lines "//@ ..." among them.
std::vector<PtxHeadLine> head_lines_in(std::string_view blanks, int line);

}  // namespace phasebit::ptx
