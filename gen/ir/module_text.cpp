#include "gen/ir/module_text.h"

#include "core/base/text.h"
#include "gen/catalogue/verbs.h"

#include <set>

namespace phasebit::ir {
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

// Verbs by their empty functions' whole text. What a call gives them is written as it stands there.
class EmptyVerbs {
 public:
  void take(const std::string& line) {
    const std::string text(base::trimmed(line));
    const std::string name = function_of(text);
    if (text.starts_with("define ")) defined_.insert(name);
    constexpr std::string_view call = "call void @";
    if (!text.starts_with(call)) return;
    const size_t role = name.find('_');
    if (!catalogue::is_component_verb(name) &&
        (role == std::string::npos || !catalogue::is_component_verb(name.substr(role + 1))))
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

std::string module_text(const render::Rendered& ir) {
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

}  // namespace phasebit::ir
