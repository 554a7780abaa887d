#include "core/ptx/functions.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace phasebit::ptx {
namespace {

// ".param .align 8 .b8 pb[96]" -> "pb": the last name before a bracket.
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
      // A list that is not closed goes to the end.
      const std::size_t first = std::min(named ? rest.rfind(')') : rest.find(')'), rest.size() - 1);
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
  Finder(const std::string& name, const std::vector<PlacedStatement>& statements)
      : name_(name), statements_(statements) {}

  Status take(std::size_t index) {
    const PlacedStatement& placed = statements_[index];
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
      outline_.functions.push_back(std::move(made));
      open_ = true;
    } else if (statement.part == PtxStatement::Part::none) {
      open_ = false;
    } else if (open_ && statement.part == PtxStatement::Part::directive) {
      outline_.functions.back().directives.push_back(index);
    } else if (statement.name == ".version" && !statement.operands.empty()) {
      outline_.version = statement.operands.front();
    } else if (statement.name == ".target") {
      outline_.target = fmt::format("{}", fmt::join(statement.operands, ", "));
    } else if (is_variable(statement)) {
      outline_.globals.push_back(index);
    }
    return {};
  }

  Result<PtxOutline> finish(const std::string& after) {
    const int last = statements_.empty() ? 1 : statements_.back().line;
    const auto behind = head_lines_in(after, last);
    if (depth_ == 0 && !behind.empty()) return misplaced(behind.front());
    if (depth_ == 0) return std::move(outline_);
    const PlacedStatement& open = statements_[outline_.functions.back().open];
    return with_hint(fail(Step::assemble, "{}: the brace of '{}' without its other", place(open),
                          outline_.functions.back().name),
                     "write } where it ends");
  }

 private:
  std::string place(const PlacedStatement& statement) const { return place_of(name_, statement); }

  tl::unexpected<Error> misplaced(const PtxHeadLine& line) const {
    return with_hint(
        fail(Step::assemble, "{}:{}: a head ('//@') above no .entry", name_, line.line),
        "write it directly above the .entry that it is of");
  }

  // A kernel is found by its name, so two of one name would be measured as one.
  Status check_name(const PtxFunction& made) const {
    for (const PtxFunction& other : outline_.functions)
      if (&other != &made && other.has_body && other.name == made.name)
        return with_hint(
            fail(Step::assemble, "{}: '{}' has a body already, at line {}",
                 place(statements_[made.signature]), made.name, statements_[other.signature].line),
            "give one of them another name");
    return {};
  }

  Status brace(std::size_t index) {
    const PlacedStatement& placed = statements_[index];
    if (placed.parsed.name == "{") {
      if (depth_ == 0 && !open_)
        return with_hint(
            fail(Step::assemble, "{}: a block outside of every function", place(placed)),
            "write .entry or .func with a name before it");
      if (depth_++ > 0) return {};
      outline_.functions.back().has_body = true;
      outline_.functions.back().open = index;
      open_ = false;
      return check_name(outline_.functions.back());
    }
    if (depth_ == 0)
      return with_hint(fail(Step::assemble, "{}: a brace that closes nothing", place(placed)),
                       "remove it, or write { where its block begins");
    if (--depth_ == 0) outline_.functions.back().close = index;
    return {};
  }

  const std::string& name_;
  const std::vector<PlacedStatement>& statements_;
  PtxOutline outline_;
  int depth_ = 0;
  bool open_ = false;  // after a signature whose body may come
};

}  // namespace

Result<PtxOutline> find_functions(const std::string& name,
                                  const std::vector<PlacedStatement>& statements,
                                  const std::string& after) {
  Finder finder(name, statements);
  for (std::size_t i = 0; i < statements.size(); ++i) PHASEBIT_TRY(finder.take(i));
  return finder.finish(after);
}

}  // namespace phasebit::ptx
