#include "core/ptx/functions.h"

#include "core/ptx/headings.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace phasebit {
namespace {

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

// ".param .align 8 .b8 pb[96]" -> "pb": the last name in front of a bracket.
std::string name_of(std::string_view declaration) {
  const std::string_view front = declaration.substr(0, declaration.find('['));
  std::size_t end = front.size();
  while (end > 0 && !in_name(front[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && in_name(front[begin - 1])) --begin;
  return std::string(front.substr(begin, end - begin));
}

std::vector<PtxParameter> parameters_of(std::string_view list) {
  std::vector<PtxParameter> parameters;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    if (!one.empty()) parameters.push_back({name_of(one), std::string(one)});
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return parameters;
}

// `text` without comments: ".visible .func (.param .b32 r) name (.param .b32 a)".
PtxFunction read_signature(std::string_view text) {
  PtxFunction made;
  for (const std::string_view linkage : {".visible", ".extern", ".weak"})
    if (text.starts_with(linkage)) made.linkage = linkage;
  const std::size_t entry = text.find(".entry"), function = text.find(".func");
  made.entry = entry < function;
  std::string_view rest = text.substr(std::min(entry, function) + (made.entry ? 6 : 5));
  bool named = false;
  while (!rest.empty()) {
    if (rest.starts_with(".attribute")) {
      rest.remove_prefix(std::min(rest.find("))"), rest.size() - 2) + 2);
    } else if (rest.front() == '(') {
      const std::size_t close = rest.rfind(')'), first = named ? close : rest.find(')');
      (named ? made.parameters : made.returns) = parameters_of(rest.substr(1, first - 1));
      rest.remove_prefix(first + 1);
    } else if (in_name(rest.front())) {
      const auto end = std::find_if_not(rest.begin(), rest.end(), in_name);
      made.name = std::string(rest.begin(), end);
      rest.remove_prefix(made.name.size());
      named = true;
    } else {
      rest.remove_prefix(1);
    }
  }
  return made;
}

bool is_signature(const PtxStatement& statement) {
  return statement.part == PtxStatement::Part::directive &&
         (statement.name.find(".entry") != std::string::npos ||
          statement.name.find(".func") != std::string::npos);
}

bool is_entry(const PtxStatement& statement) {
  return statement.part == PtxStatement::Part::directive &&
         statement.name.find(".entry") != std::string::npos;
}

bool is_variable(const PtxStatement& statement) {
  if (statement.part != PtxStatement::Part::directive) return false;
  for (const std::string_view space : {".global", ".shared", ".const", ".local", ".tex", ".common"})
    if (statement.name.find(space) != std::string::npos) return true;
  return false;
}

class Finder {
 public:
  explicit Finder(PtxFile& file) : file_(file) {}

  Status take(std::size_t index) {
    const PlacedStatement& placed = file_.statements[index];
    const PtxStatement& statement = placed.parsed;
    if (statement.part == PtxStatement::Part::brace) return brace(index);
    if (depth_ > 0) return {};
    std::vector<PtxHeadLine> head_lines = head_lines_in(
        placed.before, placed.line - static_cast<int>(std::count(placed.before.begin(),
                                                                 placed.before.end(), '\n')));
    if (!head_lines.empty() && !is_entry(statement)) return misplaced(head_lines.front());
    if (is_signature(statement)) {
      PtxFunction made = read_signature(plain_text(placed.text));
      made.signature = index;
      made.head_lines = std::move(head_lines);
      file_.functions.push_back(std::move(made));
      open_ = true;
    } else if (statement.part == PtxStatement::Part::none) {
      open_ = false;
    } else if (open_ && statement.part == PtxStatement::Part::directive) {
      file_.functions.back().directives.push_back(index);
    } else if (statement.name == ".version" && !statement.operands.empty()) {
      file_.version = statement.operands.front();
    } else if (statement.name == ".target") {
      file_.target = fmt::format("{}", fmt::join(statement.operands, ", "));
    } else if (is_variable(statement)) {
      file_.globals.push_back(index);
    }
    return {};
  }

  Status finish() const {
    const int last = file_.statements.empty() ? 1 : file_.statements.back().line;
    const auto behind = head_lines_in(file_.after, last);
    if (depth_ == 0 && !behind.empty()) return misplaced(behind.front());
    if (depth_ == 0) return {};
    const PlacedStatement& open = file_.statements[file_.functions.back().open];
    return with_hint(fail(Step::assemble, "{}: the brace of '{}' without its other",
                          file_.place(open), file_.functions.back().name),
                     "write } where it ends");
  }

 private:
  tl::unexpected<Error> misplaced(const PtxHeadLine& line) const {
    return with_hint(
        fail(Step::assemble, "{}:{}: a head ('//@') above no .entry", file_.name, line.line),
        "write it directly above the .entry that it is of");
  }

  // A kernel is found by its name, so two of one name would be measured as one.
  Status check_name(const PtxFunction& made) const {
    for (const PtxFunction& other : file_.functions)
      if (&other != &made && other.has_body && other.name == made.name)
        return with_hint(fail(Step::assemble, "{}: '{}' has a body already, at line {}",
                              file_.place(file_.statements[made.signature]), made.name,
                              file_.statements[other.signature].line),
                         "give one of them another name");
    return {};
  }

  Status brace(std::size_t index) {
    const PlacedStatement& placed = file_.statements[index];
    if (placed.parsed.name == "{") {
      if (depth_ == 0 && !open_)
        return with_hint(
            fail(Step::assemble, "{}: a block outside of every function", file_.place(placed)),
            "write .entry or .func with a name in front of it");
      if (depth_++ > 0) return {};
      file_.functions.back().has_body = true;
      file_.functions.back().open = index;
      open_ = false;
      return check_name(file_.functions.back());
    }
    if (depth_ == 0)
      return with_hint(fail(Step::assemble, "{}: a brace that closes nothing", file_.place(placed)),
                       "remove it, or write { where its block begins");
    if (--depth_ == 0) file_.functions.back().close = index;
    return {};
  }

  PtxFile& file_;
  int depth_ = 0;
  bool open_ = false;  // behind a signature whose body may come
};

}  // namespace

Status find_functions(PtxFile& file) {
  file.functions.clear();
  file.globals.clear();
  Finder finder(file);
  for (std::size_t i = 0; i < file.statements.size(); ++i) PHASEBIT_TRY(finder.take(i));
  return finder.finish();
}

}  // namespace phasebit
