#include "core/ptx/file.h"

#include "core/ptx/opcodes.h"
#include "core/ptx/scanner.h"

#include <algorithm>

namespace phasebit::ptx {
namespace {

// Counts lines and columns along a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  void move_to(std::size_t at) {
    for (; at_ < at; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      start_ = at_ + 1;
    }
  }
  int line() const { return line_; }
  int column() const { return static_cast<int>(at_ - start_) + 1; }

 private:
  std::string_view text_;
  std::size_t at_ = 0, start_ = 0;
  int line_ = 1;
};

PtxStatement parse(std::string_view text) {
  if (text.starts_with("@@")) {
    PtxStatement made{PtxStatement::Part::directive, "", "@@DWARF", {}, false};
    return made;
  }
  if (text == ";") return {PtxStatement::Part::none, "", "", {}};
  return take_apart(plain_text(text));
}

}  // namespace

Result<PtxFile> read_ptx(std::string_view text, const std::string& name) {
  PtxFile file;
  file.name = name;
  text = text.substr(0, text.find('\0'));  // compilers hand on what ends a string of C
  const PtxScanner scanner(text, name);
  Cursor position(text);
  std::size_t at = 0;
  int heading = -1, depth = 0;
  while (true) {
    PHASEBIT_TRY_ASSIGN(begin, scanner.skip_blanks(at));
    PlacedStatement placed;
    placed.before = text.substr(at, begin - at);
    for (PtxHeading& found : headings_in(placed.before, position.line())) {
      heading = static_cast<int>(file.headings.size());
      file.headings.push_back(std::move(found));
    }
    position.move_to(begin);
    if (begin >= text.size()) {
      file.after = std::move(placed.before);
      break;
    }
    PHASEBIT_TRY_ASSIGN(span, scanner.statement(begin, placed.known));
    placed.text = text.substr(span.begin, span.end - span.begin);
    placed.line = position.line();
    placed.column = position.column();
    placed.parsed = parse(placed.text);
    placed.heading = heading;
    if (placed.parsed.part == PtxStatement::Part::instruction)
      placed.known = placed.known && is_ptx_opcode(placed.parsed.name);
    if (placed.parsed.part == PtxStatement::Part::brace) {
      depth += placed.parsed.name == "{" ? 1 : -1;
      if (depth == 0) heading = -1;
    }
    file.statements.push_back(std::move(placed));
    position.move_to(span.end);
    at = span.end;
  }
  PHASEBIT_TRY(find_outline(file));
  return file;
}

Status find_outline(PtxFile& file) {
  PHASEBIT_TRY_ASSIGN(outline, find_functions(file.name, file.statements, file.after));
  static_cast<PtxOutline&>(file) = std::move(outline);
  return {};
}

std::string write_ptx(const PtxFile& file) {
  std::string out;
  for (const PlacedStatement& statement : file.statements) out += statement.before + statement.text;
  return out + file.after;
}

const PtxFunction* PtxFile::find(std::string_view function) const {
  const PtxFunction* found = nullptr;
  for (const PtxFunction& one : functions)
    if (one.name == function && (found == nullptr || one.has_body)) found = &one;
  return found;
}

std::vector<const PtxFunction*> PtxFile::entries() const {
  std::vector<const PtxFunction*> found;
  for (const PtxFunction& one : functions)
    if (one.entry) found.push_back(&one);
  return found;
}

std::string PtxFile::place(const PlacedStatement& statement) const {
  return place_of(name, statement);
}

}  // namespace phasebit::ptx
