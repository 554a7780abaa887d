#include "core/ptx/file.h"

#include "core/isa/opcodes.h"
#include "core/ptx/statement.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

#include <cxxabi.h>

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
      placed.known = placed.known && isa::ptx_opcode(placed.parsed.name).known;
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

namespace {

using SourcePlace = std::array<int, 3>;  // file, line, column

struct Location {
  SourcePlace at{};
  std::string function;                   // "" where it was not inlined
  std::optional<SourcePlace> inlined_at;  // where it was called
};

SourcePlace position_of(std::string_view text) {
  SourcePlace position{};
  std::istringstream words{std::string(text)};
  for (int& number : position) words >> number;
  return position;
}

// The strings of `.section .debug_str { $L__info_string0: .b8 95, 90, 0 ... }`, by label.
std::map<std::string, std::string> debug_strings(const PtxFile& file) {
  std::map<std::string, std::string> strings;
  for (const PlacedStatement& placed : file.statements) {
    if (placed.parsed.name.find(".section") != 0 ||
        placed.text.find(".debug_str") == std::string::npos)
      continue;
    std::istringstream words(plain_text(placed.text));
    std::string word, label;
    while (words >> word) {
      if (word.ends_with(':')) label = word.substr(0, word.size() - 1);
      if (label.empty() || word.starts_with('.')) continue;
      for (std::size_t at = 0; at < word.size();
           at = word.find(',', at) == std::string::npos ? word.size() : word.find(',', at) + 1) {
        int byte = 0;
        std::from_chars(word.data() + at, word.data() + word.size(), byte);
        if (byte > 0) strings[label] += static_cast<char>(byte);
      }
    }
  }
  return strings;
}

Location location_of(const PtxStatement& statement,
                     const std::map<std::string, std::string>& names) {
  Location made;
  if (statement.operands.empty()) return made;
  made.at = position_of(statement.operands.front());
  for (const std::string& operand : statement.operands) {
    constexpr std::string_view function = "function_name ", inlined = "inlined_at ";
    if (operand.starts_with(inlined)) made.inlined_at = position_of(operand.substr(inlined.size()));
    if (!operand.starts_with(function)) continue;
    const std::string label = operand.substr(function.size());
    const auto found = names.find(label.substr(0, label.find_first_of(" +")));
    if (found != names.end()) made.function = found->second;
  }
  return made;
}

class Chains {
 public:
  explicit Chains(const PtxFile& file) : names_(debug_strings(file)) {
    for (const PlacedStatement& placed : file.statements) {
      const PtxStatement& statement = placed.parsed;
      if (statement.name != ".file" || statement.operands.empty()) continue;
      const std::string& operand = statement.operands.front();
      const std::size_t open = operand.find('"'), close = operand.rfind('"');
      if (open == std::string::npos || close == open) continue;
      files_[std::atoi(operand.c_str())] = operand.substr(open + 1, close - open - 1);
    }
  }

  PtxSource take(const PtxStatement& loc, const std::string& function) {
    const Location location = location_of(loc, names_);
    seen_[location.at] = location;
    PtxSource source{files_[location.at[0]], location.at[1], {}};
    const Location* here = &location;
    for (int depth = 0; depth < 64 && here->inlined_at; ++depth) {
      source.functions.push_back(plain_function_name(here->function));
      const auto next = seen_.find(*here->inlined_at);
      if (next == seen_.end()) break;
      here = &next->second;
    }
    source.functions.push_back(plain_function_name(function));
    return source;
  }

 private:
  std::map<std::string, std::string> names_;
  std::map<int, std::string> files_;
  std::map<SourcePlace, Location> seen_;
};

}  // namespace

std::string plain_function_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  std::string name = status == 0 ? demangled.get() : symbol;
  constexpr std::string_view nameless = "(anonymous namespace)::";
  for (std::size_t at = name.find(nameless); at != std::string::npos; at = name.find(nameless))
    name.erase(at, nameless.size());
  // Without templates and parameters, from the last blank or "::" on.
  std::string plain;
  int depth = 0;
  for (const char c : name) {
    if (c == '(' && depth == 0) break;
    if (c == '<') ++depth;
    if (depth == 0) plain += c;
    if (c == '>') --depth;
  }
  const std::size_t start = plain.find_last_of(" :");
  return start == std::string::npos ? plain : plain.substr(start + 1);
}

std::vector<std::optional<PtxSource>> sources_of(const PtxFile& file) {
  std::vector<std::optional<PtxSource>> sources(file.statements.size());
  Chains chains(file);
  for (const PtxFunction& function : file.functions) {
    if (!function.has_body) continue;
    std::optional<PtxSource> now;
    for (std::size_t i = function.open; i <= function.close; ++i) {
      const PtxStatement& statement = file.statements[i].parsed;
      if (statement.name == ".loc") now = chains.take(statement, function.name);
      sources[i] = now;
    }
  }
  return sources;
}

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Directives that end without a semicolon, after their operands.
constexpr auto open_ended = std::to_array<std::string_view>(
    {".version", ".target", ".address_size", ".file", ".loc", ".maxntid", ".reqntid", ".maxnreg",
     ".minnctapersm", ".maxnctapersm", ".noreturn", ".explicitcluster", ".reqnctapercluster",
     ".maxclusterrank", ".blocksareclusters", ".abi_preserve", ".abi_preserve_control"});

constexpr auto linkages =
    std::to_array<std::string_view>({".visible", ".extern", ".weak", ".common"});

// Directives that end with a semicolon.
constexpr auto with_semicolon = std::to_array<std::string_view>(
    {".reg", ".sreg", ".shared", ".global", ".const", ".local", ".param", ".tex", ".pragma",
     ".alias", ".align", ".callprototype", ".calltargets", ".branchtargets", ".managed"});

}  // namespace

tl::unexpected<Error> PtxScanner::complain(std::size_t at, std::string_view what,
                                           std::string_view write) const {
  at = std::min(at, text_.size());
  const std::string_view above = text_.substr(0, at);
  const auto line = 1 + std::count(above.begin(), above.end(), '\n');
  const std::size_t start = above.rfind('\n');
  const std::size_t column = at - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return with_hint(fail(Step::assemble, "{}:{}:{}: {}", name_, line, column, what),
                   std::string(write));
}

Result<std::size_t> PtxScanner::skip_blanks(std::size_t at) const {
  while (at < text_.size()) {
    if (is_blank(text_[at])) {
      ++at;
    } else if (text_.substr(at, 2) == "//") {
      at = skip_line(at);
    } else if (text_.substr(at, 2) == "/*") {
      const std::size_t end = text_.find("*/", at + 2);
      if (end == std::string_view::npos)
        return complain(at, "a comment without its end", "write */ after it");
      at = end + 2;
    } else {
      break;
    }
  }
  return at;
}

std::size_t PtxScanner::skip_line(std::size_t at) const {
  return std::min(text_.find('\n', at), text_.size() - 1) + 1;
}

Result<std::size_t> PtxScanner::skip_word(std::size_t at) const {
  if (peek(at) == '"') {
    const std::size_t end = text_.find_first_of("\"\n", at + 1);
    if (end == std::string_view::npos || text_[end] == '\n')
      return complain(at, "a string without its end", "write \" after it, on the same line");
    return end + 1;
  }
  if (!in_name(peek(at))) return std::min(at + 1, text_.size());
  while (in_name(peek(at))) ++at;
  return at;
}

Result<std::size_t> PtxScanner::skip_group(std::size_t at) const {
  const std::size_t begin = at;
  std::string open;
  do {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (next >= text_.size())
      return complain(begin, fmt::format("a '{}' without its other", text_[begin]),
                      "close it where it ends");
    if (c == '(' || c == '[' || c == '{') open += c;
    if (c == ')' || c == ']' || c == '}') {
      const char other = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open.back() != other)
        return complain(begin, fmt::format("a '{}' without its other", open.back()),
                        "close it where it ends");
      open.pop_back();
    }
    PHASEBIT_TRY_ASSIGN(end, skip_word(next));
    at = end;
  } while (!open.empty());
  return at;
}

Result<std::size_t> PtxScanner::skip_to_semicolon(std::size_t at) const {
  const std::size_t begin = at;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (c == ';') return next + 1;
    if (next >= text_.size() || c == '}' || c == ')' || c == ']')
      return complain(begin, "a statement without its end", "write ; after it");
    const bool group = c == '(' || c == '[' || c == '{';
    PHASEBIT_TRY_ASSIGN(end, group ? skip_group(next) : skip_word(next));
    at = end;
  }
}

Result<PtxSpan> PtxScanner::statement(std::size_t begin, bool& known) const {
  known = true;
  const char c = peek(begin);
  if (c == '{' || c == '}' || c == ';') return PtxSpan{begin, begin + 1};
  if (text_.substr(begin, 2) == "@@") return PtxSpan{begin, skip_line(begin)};
  if (c == '.') return directive(begin, known);
  if (in_name(c)) {
    PHASEBIT_TRY_ASSIGN(word, skip_word(begin));
    PHASEBIT_TRY_ASSIGN(behind, skip_blanks(word));
    if (peek(behind) == ':' && peek(behind + 1) != ':') return PtxSpan{begin, behind + 1};
  } else if (c != '@') {
    known = false;
  }
  PHASEBIT_TRY_ASSIGN(end, skip_to_semicolon(begin));
  return PtxSpan{begin, end};
}

// The operands of an open-ended directive: words with commas between them, or numbers and strings
// side by side (".loc 1 20 3, function_name $L0, inlined_at 1 8 2").
Result<std::size_t> PtxScanner::operand_list(std::size_t at) const {
  bool expected = true;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '"' || c == '+';
    if (c != ',' && !number && !(expected && in_name(c))) return at;
    PHASEBIT_TRY_ASSIGN(end, skip_word(next));
    const std::string_view word = text_.substr(next, end - next);
    at = end;
    if (number && peek(at) == '.') {  // ".version 8.0"
      PHASEBIT_TRY_ASSIGN(fraction, skip_word(at + 1));
      at = fraction;
    }
    expected = c == ',' || word == "function_name" || word == "inlined_at";
  }
}

// After ".func (.reg .b32 sum) name (.param .b32 a)".
Result<std::size_t> PtxScanner::signature(std::size_t at) const {
  bool named = false;
  while (true) {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    const char c = peek(next);
    if (c == '(') {
      PHASEBIT_TRY_ASSIGN(end, skip_group(next));
      at = end;
      if (named) return at;
    } else if (in_name(c) && !named) {
      PHASEBIT_TRY_ASSIGN(end, skip_word(next));
      at = end;
      named = true;
    } else if (!named && text_.substr(next).starts_with(".attribute")) {
      PHASEBIT_TRY_ASSIGN(end, skip_word(next + 1));
      at = end;
    } else if (named) {
      return at;
    } else {
      return complain(next, "a function without a name", "write its name here");
    }
  }
}

Result<std::size_t> PtxScanner::section(std::size_t at) const {
  while (at < text_.size() && text_[at] != '{') ++at;
  if (at >= text_.size()) return complain(at, "a .section without its braces", "write { ... }");
  return skip_group(at);
}

Result<PtxSpan> PtxScanner::directive(std::size_t begin, bool& known) const {
  std::size_t at = begin;
  std::string_view word;
  do {
    PHASEBIT_TRY_ASSIGN(next, skip_blanks(at));
    if (peek(next) != '.') break;
    PHASEBIT_TRY_ASSIGN(end, skip_word(next + 1));
    word = text_.substr(next, end - next);
    at = end;
  } while (is_one_of(word, linkages));
  if (word == ".entry" || word == ".func") {
    PHASEBIT_TRY_ASSIGN(end, signature(at));
    return PtxSpan{begin, end};
  }
  if (word == ".section") {
    PHASEBIT_TRY_ASSIGN(end, section(at));
    return PtxSpan{begin, end};
  }
  if (is_one_of(word, open_ended)) {
    PHASEBIT_TRY_ASSIGN(end, operand_list(at));
    return PtxSpan{begin, end};
  }
  known = is_one_of(word, with_semicolon);
  // What is not known ends with its line, or with a semicolon on it.
  const std::size_t line = text_.find('\n', begin);
  if (!known && text_.substr(begin, line - begin).find_first_of(";{(") == std::string_view::npos)
    return PtxSpan{begin, std::min(line, text_.size())};
  PHASEBIT_TRY_ASSIGN(end, skip_to_semicolon(begin));
  return PtxSpan{begin, end};
}

}  // namespace phasebit::ptx
