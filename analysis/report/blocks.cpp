#include "analysis/report/blocks.h"

#include "analysis/report/page_table.h"
#include "analysis/report/tables.h"

#include <algorithm>
#include <charconv>

namespace phasebit::report {

using claims::ClaimSentences;

namespace {

constexpr std::string_view opening = "<!-- phasebit:", closing = "<!-- /phasebit -->",
                           comment_end = "-->";

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.empty()) return words;
    const size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// In lines of the docs' width, each after so many spaces.
std::string wrapped(std::string_view text, size_t indent = 0) {
  constexpr size_t width = 120;
  const std::string begin(indent, ' ');
  std::string out;
  size_t column = 0;
  for (const std::string_view word : words_of(text)) {
    const bool fits = column > 0 && column + 1 + word.size() <= width;
    if (!fits && column > 0) out += '\n';
    out += fits ? " " : begin;
    column = (fits ? column + 1 : indent) + word.size();
    out += word;
  }
  return out;
}

// Takes the argument out of the list: "" when it is not there.
std::string take(data::TableArguments& arguments, std::string_view name) {
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [&](const auto& argument) { return argument.first == name; });
  if (found == arguments.end()) return {};
  std::string value = std::move(found->second);
  arguments.erase(found);
  return value;
}

// Goes over a document once, copying it with its blocks made anew.
class Rewriter {
 public:
  Rewriter(std::string_view text, std::string name, const TableSource& source,
           const ClaimSentences& claims, const MoreTables& more)
      : rest_(text), name_(std::move(name)), source_(source), claims_(claims), more_(more) {}

  Status run() {
    while (!rest_.empty()) PHASEBIT_TRY(next_line());
    return {};
  }

  std::string out;
  std::vector<BlockDifference> differences;

 private:
  Status next_line() {
    ++line_;
    const size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end == std::string_view::npos ? end : end + 1);
    const size_t text = line.find_first_not_of(" ");
    const bool fence = text != std::string_view::npos &&
                       (line.substr(text, 3) == "```" || line.substr(text, 3) == "~~~");
    if (fence) fenced_ = !fenced_;
    if (fenced_ || fence) {
      copy(line.size());
      return {};
    }
    for (size_t mark; (mark = line.find(opening)) != std::string_view::npos;) {
      if (line.find(closing) < mark) return complain("a block is closed that is not open");
      const bool begins_line = line.find_first_not_of(' ') == mark;
      copy(mark);
      line.remove_prefix(mark);
      indent_ = begins_line ? mark : 0;
      PHASEBIT_TRY_ASSIGN(taken, block(line));
      if (taken == Taken::lines) return {};
      const size_t left = rest_.find('\n');
      line = rest_.substr(0, left == std::string_view::npos ? left : left + 1);
    }
    if (line.find(closing) != std::string_view::npos)
      return complain("a block is closed that is not open");
    copy(line.size());
    return {};
  }

  enum class Taken { part_of_line, lines };

  // At an opening marker; `line` is the rest of its line.
  Result<Taken> block(std::string_view line) {
    const size_t end = line.find(comment_end);
    if (end == std::string_view::npos) return complain("a marker does not end on its line");
    const std::string_view call = line.substr(opening.size(), end - opening.size());
    const auto words = words_of(call);
    if (words.empty()) return complain("a block without a name");
    const size_t content_at = end + comment_end.size();
    const size_t close = rest_.find(closing, content_at);
    const size_t other = rest_.find(opening, content_at);
    if (close == std::string_view::npos || other < close)
      return complain(fmt::format("block '{}' is not closed", words.front()));
    const bool is_inline = close < line.size();
    const std::string_view found = rest_.substr(content_at, close - content_at);
    PHASEBIT_TRY_ASSIGN(made, content_or(found, words, is_inline));
    if (found != made) note_difference(words, made, found);
    const auto lines =
        std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(close), '\n');
    copy(content_at);
    out += made;
    rest_.remove_prefix(found.size());
    copy(closing.size());
    line_ += static_cast<int>(lines);
    if (is_inline) return Taken::part_of_line;
    copy(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
    return Taken::lines;
  }

  // What is there, where what it is made by is not installed.
  Result<std::string> content_or(std::string_view found, const std::vector<std::string_view>& words,
                                 bool is_inline) {
    auto made = content(words, is_inline);
    if (made || made.error().step != Step::toolchain) return made;
    if (more_.note) more_.note(made.error().message);
    return std::string(found);
  }

  Result<std::string> content(const std::vector<std::string_view>& words, bool is_inline) {
    const std::string block(words.front());
    if (block == "claim") return claim(words, is_inline);
    data::TableArguments arguments;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      if (equals == std::string_view::npos)
        return complain(fmt::format("'{}' is not an argument (NAME=VALUE)", words[i]));
      arguments.emplace_back(words[i].substr(0, equals), words[i].substr(equals + 1));
    }
    if (block == "figure") {
      if (!is_inline) return complain("write a figure within a line");
      return located(block, make_figure(source_, arguments));
    }
    if (is_inline)
      return complain(
          fmt::format("block '{}' ends on its own line: write its end below it", block));
    if (block == "range") {
      const std::string of = take(arguments, "of");
      PHASEBIT_TRY_ASSIGN(table, located(block, make_table(source_, of, arguments)));
      PHASEBIT_TRY_ASSIGN(sentence, located(block, range_sentence(table)));
      return "\n\n" + sentence + "\n\n";
    }
    const std::string legend = take(arguments, "legend");
    if (!legend.empty() && legend != "off")
      return complain(fmt::format("legend={}: legend=off leaves it out", legend));
    PHASEBIT_TRY_ASSIGN(shape, page_shape(block, arguments));
    PHASEBIT_TRY_ASSIGN(table, located(block, table_of(block, arguments)));
    if (!legend.empty() && !table.notes.empty()) table.notes.erase(table.notes.begin());
    PHASEBIT_TRY_ASSIGN(shown, located(block, page_table(std::move(table), shape)));
    for (std::string& note : shown.notes) note = wrapped(note);
    return "\n\n" + base::render(shown, base::TableFormat::markdown) + "\n";
  }

  // Takes `first` and `hide` out of the arguments; what is left is the table's own.
  Result<PageShape> page_shape(const std::string& block, data::TableArguments& arguments) const {
    PageShape shape;
    const std::string first = take(arguments, "first");
    const char* end = first.data() + first.size();
    if (!first.empty() &&
        (std::from_chars(first.data(), end, shape.first).ptr != end || shape.first == 0))
      return complain(fmt::format("first={}: a number of rows", first));
    const std::string hidden = take(arguments, "hide");
    for (std::string_view hide = hidden; !hide.empty();) {
      const size_t comma = std::min(hide.find(','), hide.size());
      shape.hide.emplace_back(hide.substr(0, comma));
      hide.remove_prefix(std::min(comma + 1, hide.size()));
    }
    shape.command = "phasebit report --table " + block;
    for (const auto& [name, value] : arguments)
      shape.command += name == "results" ? "" : fmt::format(" --argument {}={}", name, value);
    return shape;
  }

  // Of results of its own, `results=FILE` next to the document, or of those that the document has.
  Result<base::Table> table_of(const std::string& block, data::TableArguments& arguments) const {
    if (const auto more = more_.by_block.find(block); more != more_.by_block.end())
      return more->second(source_, arguments);
    const std::string file = take(arguments, "results");
    if (file.empty()) return make_table(source_, block, arguments);
    PHASEBIT_TRY_ASSIGN(
        own, sql::ReportDatabase::open({fs::path(name_).parent_path() / file}, source_.cache));
    return make_table({own, source_.folder, {}, false, source_.cache, source_.axes}, block,
                      arguments);
  }

  Result<std::string> claim(const std::vector<std::string_view>& words, bool is_inline) {
    if (words.size() < 2) return complain("a block 'claim' names no claim");
    if (!claims_) return complain("there are no claims at hand");
    std::string text;
    std::vector<std::string> names;
    for (size_t i = 1; i < words.size(); ++i) {
      PHASEBIT_TRY_ASSIGN(sentence, located("claim", claims_(std::string(words[i]))));
      text += sentence + ' ';
      names.push_back(fmt::format("`{}`", words[i]));
    }
    text += fmt::format("(claim{} {})", names.size() == 1 ? "" : "s", fmt::join(names, ", "));
    return is_inline ? text : "\n" + wrapped(text, indent_) + "\n" + std::string(indent_, ' ');
  }

  template <typename T>
  Result<T> located(const std::string& block, Result<T> result) const {
    if (result) return result;
    Error error = result.error();
    error.message = fmt::format("{}:{}: block '{}': {}", name_, line_, block, error.message);
    if (error.step != Step::toolchain) error.step = Step::spec;
    return tl::unexpected<Error>(std::move(error));
  }

  void note_difference(const std::vector<std::string_view>& words, std::string_view made,
                       std::string_view found) {
    const auto a = lines_of(made), b = lines_of(found);
    size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
    const auto line = [&](const auto& lines) {
      return std::string(i < lines.size() ? lines[i] : "");
    };
    differences.push_back({line_, fmt::format("{}", fmt::join(words, " ")), line(a), line(b)});
  }

  void copy(size_t bytes) {
    out += rest_.substr(0, bytes);
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  tl::unexpected<Error> complain(const std::string& what) const {
    return fail(Step::spec, "{}:{}: {}", name_, line_, what);
  }

  std::string_view rest_;
  std::string name_;
  const TableSource& source_;
  const ClaimSentences& claims_;
  const MoreTables& more_;
  int line_ = 0;
  bool fenced_ = false;
  size_t indent_ = 0;  // of the block, which may be in an item of a list
};

}  // namespace

Result<std::string> update_blocks(std::string_view text, const std::string& name,
                                  const TableSource& source, const ClaimSentences& claims,
                                  const MoreTables& more) {
  Rewriter rewriter(text, name, source, claims, more);
  PHASEBIT_TRY(rewriter.run());
  return std::move(rewriter.out);
}

Result<std::vector<BlockDifference>> differing_blocks(std::string_view text,
                                                      const std::string& name,
                                                      const TableSource& source,
                                                      const ClaimSentences& claims,
                                                      const MoreTables& more) {
  Rewriter rewriter(text, name, source, claims, more);
  PHASEBIT_TRY(rewriter.run());
  return std::move(rewriter.differences);
}

bool names_claims(std::string_view text) {
  return text.find("<!-- phasebit:claim ") != std::string_view::npos;
}

}  // namespace phasebit::report
