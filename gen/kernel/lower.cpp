#include "gen/kernel/lower.h"

#include "core/base/text.h"
#include "core/ptx/file.h"
#include "gen/space/catalogue.h"

#include <charconv>
#include <map>
#include <set>

namespace phasebit::kernel {

using base::trimmed;
using launch::SourceLine;

namespace {

// Statement of the IR that ".loc 1 12 2" names, counted from 1; 0 for none.
size_t line_of(std::string_view directive) {
  size_t number = 0;
  const size_t file = directive.find(' '), line = directive.find(' ', file + 1);
  if (line != std::string_view::npos)
    std::from_chars(directive.data() + line + 1, directive.data() + directive.size(), number);
  return number;
}

bool is_of_debugger(const ptx::PtxStatement& statement) {
  return statement.part == ptx::PtxStatement::Part::label &&
         (statement.name.starts_with("$L__tmp") || statement.name.starts_with("$L__func"));
}

// Of an entry, statement by statement, with the source that the last `.loc` named.
class Lines {
 public:
  Lines(const Rendered& ir, const ptx::PtxFile& file) : ir_(ir), file_(file) {
    nowhere_ = ir.kernel.source.empty() ? SourceLine() : ir.kernel.source.front();
    nowhere_.verb.clear();
    nowhere_.role.clear();
    at_ = nowhere_;
  }

  std::vector<ListingLine> of(const ptx::PtxFunction& entry) {
    for (size_t at = entry.signature; at <= entry.close; ++at) {
      const ptx::PlacedStatement& statement = file_.statements[at];
      const std::string text = ptx::plain_text(statement.text);
      if (statement.parsed.name == ".loc")
        go_to(line_of(text));
      else if (!is_of_debugger(statement.parsed))
        add(text, statement.parsed);
    }
    for (const Lost& lost : lost_) find_place(lost);
    return std::move(lines_);
  }

 private:
  void go_to(size_t line) {
    const size_t all = ir_.kernel.source.size();
    has_place_ = line > 0 && line <= all;
    at_ = has_place_ ? ir_.kernel.source[location_of(line, all) - 1] : nowhere_;
  }

  struct Lost {
    size_t line;
    std::vector<std::string> reads, writes;
  };

  void add(const std::string& text, const ptx::PtxStatement& statement) {
    std::vector<std::string> writes = ptx::written_names(statement);
    if (!has_place_ && !writes.empty())
      lost_.push_back({lines_.size(), ptx::read_names(statement), writes});
    for (const std::string& name : writes)
      if (!at_.verb.empty()) made_by_.try_emplace(name, at_);
    lines_.push_back({text, at_});
  }

  // LLVM drops the place of a computation that it moves to the end of a block: it belongs to the
  // verb whose result it goes on with. What synchronises is never moved.
  void find_place(const Lost& lost) {
    for (const std::string& name : lost.reads) {
      const auto verb = made_by_.find(name);
      if (verb == made_by_.end()) continue;
      lines_[lost.line].source = verb->second;
      for (const std::string& made : lost.writes) made_by_.try_emplace(made, verb->second);
      return;
    }
  }

  const Rendered& ir_;
  const ptx::PtxFile& file_;
  SourceLine at_, nowhere_;
  bool has_place_ = false;
  std::vector<Lost> lost_;
  std::map<std::string, SourceLine> made_by_;  // registers, by the first verb that writes them
  std::vector<ListingLine> lines_;
};

Result<Rendered> kernel_of(const Rendered& ir, const std::string& ptx) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(ptx, ir.kernel.entry + ".ptx"));
  const std::vector<const ptx::PtxFunction*> entries = file.entries();
  if (entries.size() != 1)
    return fail(Step::render, "{}: LLVM made {} kernels of one", ir.kernel.entry, entries.size());
  Rendered out;
  out.kernel.entry = ir.kernel.entry;
  out.kernel.build = ir.kernel.build;
  out.kernel.ptx_version = file.version;
  out.kernel.ptx_target = file.target.substr(0, file.target.find_first_of(", \t"));
  for (const size_t at : file.globals) {
    const std::string text = ptx::plain_text(file.statements[at].text);
    if (text != ptxas::module_shared_declaration) out.kernel.preamble.push_back(text);
  }
  out.listing = Lines(ir, file).of(*entries.front());
  for (const ListingLine& line : out.listing) {
    out.kernel.statements.push_back(line.text);
    out.kernel.source.push_back(line.source);
  }
  out.kernel.hash = kernel_hash(out.kernel);
  return out;
}

// "NAME:12:5: what" -> "templates/protocols/mbarrier/wait.ll:7: what".
std::string with_template(std::string message, const std::string& name, const Rendered& ir) {
  const std::string begin = name + ":";
  if (!message.starts_with(begin)) return message;
  size_t line = 0;
  const char* const end = message.data() + message.size();
  const auto [after, error] = std::from_chars(message.data() + begin.size(), end, line);
  if (error != std::errc() || line == 0 || line > ir.kernel.source.size()) return message;
  const size_t what = message.find(": ", static_cast<size_t>(after - message.data()));
  return fmt::format("{}{}: `{}`", ir.kernel.source[line - 1].place(),
                     message.substr(std::min(what, message.size())),
                     trimmed(ir.kernel.statements[line - 1]));
}

}  // namespace

Result<Rendered> lower(llvm::Worker& worker, const Rendered& ir, const llvm::Options& options) {
  auto made = worker.lower(ir.kernel.entry, module_text(ir), options);
  if (!made) {
    Error error = made.error();
    error.message = with_template(std::move(error.message), ir.kernel.entry, ir);
    return tl::unexpected<Error>(std::move(error));
  }
  return kernel_of(ir, made->ptx);
}

namespace {

// Numbers of metadata; the templates have those below.
constexpr int unit_number = 100;
constexpr int type_number = unit_number + 1;
constexpr int first_number = unit_number + 10;

// "p_wait" of "  call void @p_wait(i32 %slot)" and of "define internal void @p_wait(...) {".
std::string function_of(const std::string& line) {
  const size_t at = line.find('@'), open = line.find('(', at);
  if (at == std::string::npos || open == std::string::npos) return {};
  return line.substr(at + 1, open - at - 1);
}

// "i32, ptr" of "i32 %slot, ptr %pb".
std::string types_of(std::string_view arguments) {
  std::string types;
  while (!arguments.empty()) {
    const size_t end = std::min(arguments.find(','), arguments.size());
    const std::string_view one = base::trimmed(arguments.substr(0, end));
    types += (types.empty() ? "" : ", ") + std::string(one.substr(0, one.rfind(' ')));
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
  }
  return types;
}

// Verbs by their empty functions' whole text. What a call gives them is written as it is there.
class EmptyVerbs {
 public:
  void take(const std::string& line) {
    const std::string text(base::trimmed(line));
    const std::string name = function_of(text);
    if (text.starts_with("define ")) defined_.insert(name);
    constexpr std::string_view call = "call void @";
    if (!text.starts_with(call)) return;
    const size_t role = name.find('_');
    if (!space::is_component_verb(name) &&
        (role == std::string::npos || !space::is_component_verb(name.substr(role + 1))))
      return;
    const size_t open = text.find('('), close = text.rfind(')');
    called_[name] = types_of(std::string_view(text).substr(open + 1, close - open - 1));
  }

  std::string text() const {
    std::string all;
    for (const auto& [name, types] : called_)
      if (!defined_.contains(name))
        all += fmt::format("define internal void @{}({}) alwaysinline {{\n  ret void\n}}\n", name,
                           types);
    return all;
  }

 private:
  std::set<std::string> defined_;
  std::map<std::string, std::string> called_;
};

// Locations of one module: each function is a subprogram of its own, as LLVM's verifier wants it.
class DebugLines {
 public:
  std::string of_function(const std::string& line) {
    scope_ = next_++;
    metadata_ += fmt::format(
        "!{} = distinct !DISubprogram(name: \"{}\", file: !{}, type: !{}, unit: !{}, "
        "spFlags: DISPFlagDefinition)\n",
        scope_, function_of(line), unit_number + 2, type_number, unit_number);
    return fmt::format("{}!dbg !{} {{", line.substr(0, line.size() - 1), scope_);
  }

  std::string of_instruction(const std::string& line, size_t number, bool verb) {
    metadata_ += fmt::format("!{} = !DILocation(line: {}, column: {}, scope: !{})\n", next_, number,
                             verb ? verb_column : 1, scope_);
    return fmt::format("{}, !dbg !{}", line, next_++);
  }

  std::string text() const {
    return fmt::format(
               "!llvm.dbg.cu = !{{!{0}}}\n!llvm.module.flags = !{{!{3}}}\n"
               "!phasebit.lines = !{{!{0}}}\n"
               "!{0} = distinct !DICompileUnit(language: DW_LANG_C99, file: !{2}, "
               "emissionKind: DebugDirectivesOnly)\n"
               "!{1} = !DISubroutineType(types: !{{}})\n"
               "!{2} = !DIFile(filename: \"rendered.ll\", directory: \"\")\n"
               "!{3} = !{{i32 2, !\"Debug Info Version\", i32 3}}\n",
               unit_number, type_number, unit_number + 2, unit_number + 3) +
           metadata_;
  }

 private:
  int next_ = first_number;
  int scope_ = 0;
  std::string metadata_;
};

}  // namespace

std::string module_text(const Rendered& ir) {
  EmptyVerbs empty;
  DebugLines lines;
  std::string out;
  bool inside = false;
  for (size_t n = 0; n < ir.kernel.statements.size(); ++n) {
    const std::string& line = ir.kernel.statements[n];
    empty.take(line);
    const std::string_view text = base::trimmed(line);
    if (text.starts_with("define ")) {
      inside = true;
      out += lines.of_function(line);
    } else if (text == "}") {
      inside = false;
      out += line;
    } else if (!inside || text.ends_with(':')) {
      out += line;
    } else {
      out += lines.of_instruction(line, location_of(n + 1, ir.kernel.statements.size()),
                                  !ir.kernel.source[n].verb.empty());
    }
    out += "\n";
  }
  return out + empty.text() + lines.text();
}

}  // namespace phasebit::kernel
