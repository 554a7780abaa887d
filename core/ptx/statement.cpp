#include "core/ptx/statement.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace phasebit::ptx {

using base::trimmed;

namespace {

constexpr std::string_view blanks = " \t";

// Takes the first `size` characters off the front, and the blanks behind them.
std::string_view take(std::string_view& text, std::size_t size) {
  const std::string_view word = text.substr(0, size);
  text = trimmed(text.substr(word.size()));
  return word;
}

// An opcode with its modifiers ends where nothing of a name stands.
std::string_view take_opcode(std::string_view& text) {
  const auto end = std::find_if(text.begin(), text.end(),
                                [](char c) { return !in_name(c) && c != '.' && c != ':'; });
  return take(text, static_cast<std::size_t>(end - text.begin()));
}

// ".reg" of ".reg.b32 a" and of ".reg .b32 a".
std::string_view take_directive(std::string_view& text) {
  const auto end =
      std::find_if(text.begin() + 1, text.end(), [](char c) { return !in_name(c) && c != ':'; });
  return take(text, static_cast<std::size_t>(end - text.begin()));
}

// "@!done" of "@!done bra" and of "@ !done bra".
std::string take_guard(std::string_view& text) {
  std::string guard(take(text, 1));
  if (text.starts_with('!')) guard += take(text, 1);
  const auto end = std::find_if_not(text.begin(), text.end(), in_name);
  return guard + std::string(take(text, static_cast<std::size_t>(end - text.begin())));
}

// At commas outside brackets.
std::vector<std::string> split_operands(std::string_view text) {
  std::vector<std::string> operands;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    operands.emplace_back(trimmed(text.substr(begin, i - begin), blanks));
    begin = i + 1;
  }
  if (operands.size() == 1 && operands.front().empty()) operands.clear();
  return operands;
}

// The label's name, or "". Blanks may stand in front of the colon.
std::string_view label_of(std::string_view line) {
  const auto end = std::find_if_not(line.begin(), line.end(), in_name);
  const auto size = static_cast<std::size_t>(end - line.begin());
  const std::string_view rest = trimmed(line.substr(size), blanks);
  const bool label = size > 0 && rest.starts_with(':') && !rest.starts_with("::");
  return label ? line.substr(0, size) : std::string_view();
}

PtxStatement directive(std::string_view line, bool semicolon) {
  PtxStatement made{PtxStatement::Part::directive, "", "", {}, semicolon};
  while (!line.empty() && line.front() == '.')
    made.name += (made.name.empty() ? "" : " ") + std::string(take_directive(line));
  made.operands = split_operands(line);
  return made;
}

bool has_destination(const PtxStatement& statement) {
  if (statement.operands.empty() || statement.operands.front().starts_with('[')) return false;
  const std::string_view opcode = statement.name;
  constexpr std::array<std::string_view, 16> without = {
      "bar.",   "barrier.",   "bra",     "brx.",     "call", "cp.",         "exit",         "fence",
      "membar", "nanosleep.", "pmevent", "prefetch", "ret",  "setmaxnreg.", "stackrestore", "trap"};
  const bool none = std::any_of(without.begin(), without.end(),
                                [&](std::string_view stem) { return opcode.starts_with(stem); });
  return !none || opcode.find(".red.") != std::string_view::npos;
}

}  // namespace

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

PtxStatement take_apart(std::string_view line) {
  line = trimmed(line, blanks);
  if (line == "{" || line == "}") return {PtxStatement::Part::brace, "", std::string(line), {}};
  const bool semicolon = line.ends_with(';');
  if (semicolon) line = trimmed(line.substr(0, line.size() - 1), blanks);
  if (const std::string_view label = label_of(line); !label.empty()) {
    PtxStatement made{PtxStatement::Part::label, "", std::string(label), {}};
    const std::string_view rest = trimmed(line.substr(line.find(':', label.size()) + 1));
    if (!rest.empty()) made.operands.emplace_back(rest);
    return made;
  }
  if (line.starts_with('.')) return directive(line, semicolon);
  PtxStatement made;
  if (line.starts_with('@')) made.guard = take_guard(line);
  made.name = take_opcode(line);
  made.operands = split_operands(line);
  return made;
}

std::vector<PtxStatement> take_all_apart(const std::vector<std::string>& statements) {
  std::vector<PtxStatement> all;
  all.reserve(statements.size());
  for (const std::string& statement : statements) all.push_back(take_apart(plain_text(statement)));
  return all;
}

std::string put_together(const PtxStatement& statement) {
  const std::string operands = fmt::format("{}", fmt::join(statement.operands, ", "));
  const std::string rest = operands.empty() ? "" : " " + operands;
  switch (statement.part) {
    case PtxStatement::Part::none: return ";";
    case PtxStatement::Part::brace: return statement.name;
    case PtxStatement::Part::label: return statement.name + ":" + (rest.empty() ? "" : rest + ";");
    case PtxStatement::Part::directive:
      return statement.name + rest + (statement.semicolon ? ";" : "");
    case PtxStatement::Part::instruction: break;
  }
  const std::string guard = statement.guard.empty() ? "" : statement.guard + " ";
  return guard + statement.name + rest + ";";
}

std::string replace_names(std::string_view text,
                          const std::function<std::string(std::string_view)>& replace) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') in_string = !in_string;
    if (in_string || !in_name(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool name =
        std::isdigit(static_cast<unsigned char>(text[i])) == 0 && (i == 0 || text[i - 1] != '.');
    out += name ? replace(word) : std::string(word);
    i = end;
  }
  return out;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  replace_names(text, [&](std::string_view name) {
    names.emplace_back(name);
    return std::string();
  });
  return names;
}

std::vector<std::string> written_names(const PtxStatement& statement) {
  const bool writes =
      statement.part == PtxStatement::Part::instruction && has_destination(statement);
  return writes ? names_in(statement.operands.front()) : std::vector<std::string>();
}

std::vector<std::string> read_names(const PtxStatement& statement) {
  if (statement.part != PtxStatement::Part::instruction) return {};
  std::vector<std::string> names = names_in(statement.guard);
  for (std::size_t i = has_destination(statement) ? 1 : 0; i < statement.operands.size(); ++i)
    for (std::string& name : names_in(statement.operands[i])) names.push_back(std::move(name));
  return names;
}

std::string place_of(const std::string& file, const PlacedStatement& statement) {
  return fmt::format("{}:{}:{}", file, statement.line, statement.column);
}

std::string plain_text(std::string_view statement) {
  std::string out;
  bool blank = false, in_string = false;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    if (!in_string && statement.substr(i, 2) == "//") {
      i = std::min(statement.find('\n', i), statement.size() - 1);
      blank = true;
    } else if (!in_string && statement.substr(i, 2) == "/*") {
      i = std::min(statement.find("*/", i), statement.size() - 2) + 1;
      blank = true;
    } else if (!in_string &&
               std::string_view(" \t\r\n\f\v").find(statement[i]) != std::string_view::npos) {
      blank = true;
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      if (statement[i] == '"') in_string = !in_string;
      out += statement[i];
    }
  }
  return out;
}

PtxCall call_of(const PtxStatement& statement) {
  PtxCall call;
  if (statement.part != PtxStatement::Part::instruction ||
      (statement.name != "call" && !statement.name.starts_with("call.")))
    return call;
  for (const std::string& operand : statement.operands) {
    if (!operand.starts_with('(')) {
      if (call.callee.empty()) call.callee = operand;  // behind the arguments: a prototype
    } else if (call.callee.empty()) {
      call.results = names_in(operand);
    } else {
      for (std::string& name : names_in(operand)) call.arguments.push_back(std::move(name));
    }
  }
  return call;
}

std::string_view stem_of(const PtxStatement& statement) {
  return std::string_view(statement.name).substr(0, statement.name.find('.'));
}

std::vector<int> numbers_of(const PtxStatement& directive) {
  std::vector<int> numbers;
  for (const std::string& operand : directive.operands) {
    int number = 0;
    std::from_chars(operand.data(), operand.data() + operand.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

bool is_ptx_opcode(std::string_view opcode) {
  // Section 9.7 of the PTX manual, 9.0 to 9.5, in alphabetical order, a blank around each.
  static constexpr std::string_view stems =
      " "
      "abs activemask add addc alloca and applypriority atom bar barrier bfe bfi bfind bmsk "
      "bra brev brkpt brx call clusterlaunchcontrol clz cnot copysign cos cp createpolicy "
      "cvt cvta discard div dp2a dp4a elect ex2 exit fabric fence fma fns getctarank "
      "griddepcontrol isspacep istypep ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match "
      "max mbarrier membar min mma mov movmatrix mul mul24 multimem nanosleep neg not or "
      "pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp set "
      "setmaxnreg setp shf shfl shl shr sin slct sqrt st stackrestore stacksave stmatrix sub "
      "subc suld suq sured sust szext tanh tcgen05 tensormap testp tex tld4 trap txq "
      "vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 "
      "vmin vmin2 vmin4 vote vset vset2 vset4 vshl vshr vsub vsub2 vsub4 wgmma wmma xor ";
  return base::is_listed(stems, opcode.substr(0, opcode.find('.')));
}

}  // namespace phasebit::ptx
