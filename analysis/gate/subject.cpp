#include "analysis/gate/subject.h"

#include "analysis/flow/flow.h"
#include "core/base/file.h"
#include "core/isa/rule.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace phasebit::gate {

using flow::Features;

std::string name_of(const GateSubject& subject) {
  if (subject.target.empty()) return subject.file;  // a file that cannot be opened
  std::string name =
      (subject.shown.empty() ? subject.name : subject.shown) + " for " + subject.target;
  if (subject.ptxas) name += " by ptxas " + subject.ptxas->text();
  return subject.file.empty() ? name : subject.file + ": " + name;
}

namespace {

// An instruction of some code, and what is known of it.
struct Placed {
  const cubin::Instruction& one;
  std::string place;
  std::string open_call;  // of what is not in the file; else ""
  const cubin::LiveCounts* live = nullptr;
};

void add(GatePart& part, const Placed& placed) {
  const auto& [one, place, open_call, live] = placed;
  flow::add(part.counts, one);
  if (!open_call.empty()) ++part.counts.open_calls[open_call];
  part.places.try_emplace(one.opcode, place);
  if (live != nullptr) part.live = cubin::peak(part.live.value_or(cubin::LiveCounts{}), *live);
}

using LinePlace = std::pair<std::string, int>;  // file and line

// A line may be there twice in a chain; what has no chain has its own line.
std::set<LinePlace> lines_of(const reading::CodeSubject& code,
                             const cubin::source::SourceTable& table, std::size_t i) {
  std::set<LinePlace> lines;
  if (!code.has_lines) {
    if (const auto* line = flow::source_line(code.source, code.kernel.instructions[i]))
      lines.emplace(line->file, line->line);
    return lines;
  }
  for (const int frame : table.chain(code.frame_of(i)))
    lines.emplace(table.file_of(frame), table.frames[static_cast<std::size_t>(frame)].line);
  return lines;
}

// "inc.h:2 from k.cu:5, 0x00a0 of f": the line itself, the line that the author wrote, the address.
std::string place_of(const reading::CodeSubject& code, const cubin::source::SourceTable& table,
                     std::size_t i, const std::string& in) {
  const cubin::Instruction& one = code.kernel.instructions[i];
  std::string text;
  if (const launch::SourceLine* line = flow::source_line(code.source, one); line != nullptr)
    text = code.has_lines ? line->verb : line->place();
  if (const std::vector<int> chain = table.chain(code.frame_of(i)); chain.size() > 1)
    text += fmt::format(" from {}:{}", fs::path(table.file_of(chain.back())).filename().string(),
                        table.frames[static_cast<std::size_t>(chain.back())].line);
  return fmt::format("{}{}{:#06x}{}", text, text.empty() ? "" : ", ", one.address, in);
}

}  // namespace

void add_code(GateSubject& subject, const reading::CodeSubject& code,
              const cubin::source::SourceTable& table, const std::string& function,
              const std::map<std::string, int>& open_calls) {
  const cubin::SassKernel& kernel = code.kernel;
  const std::string in = function.empty() ? "" : " of " + function;
  std::vector<Placed> placed;
  std::map<LinePlace, GatePart> lines;
  for (GateLine& line : subject.lines) lines[{line.file, line.line}] = std::move(line.part);
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    const std::string call =
        flow::calls_function(one) ? fmt::format("{} {}", one.opcode, flow::callee_of(one)) : "";
    placed.push_back({one, place_of(code, table, i, in), open_calls.contains(call) ? call : "",
                      kernel.live.empty() ? nullptr : &kernel.live[i]});
    add(subject.kernel, placed.back());
    for (const LinePlace& line : lines_of(code, table, i)) add(lines[line], placed.back());
  }
  subject.lines.clear();
  for (auto& [place, part] : lines)
    subject.lines.push_back({place.first, place.second, std::move(part)});
  for (const reading::CodeLoop& loop : code.loops.loops) {
    subject.loops.push_back(
        {fmt::format("{:#x}-{:#x}{}{}", loop.begin, loop.end - cubin::instruction_bytes, in,
                     loop.lines.empty() ? "" : ", " + reading::first_lines(loop.lines)),
         {}});
    for (const std::uint32_t address : loop.own_addresses)
      if (const std::size_t i = address / cubin::instruction_bytes; i < used)
        add(subject.loops.back().own, placed[i]);
  }
  if (!code.loops.problem.empty()) subject.loops_problem = code.loops.problem;
}

namespace {

constexpr std::string_view line_word = "line ", loop_word = "loop with ";

bool read_number(std::string_view text, int& number) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && number > 0;
}

Result<Where> parse_line(Where where, std::string_view rest) {
  where.kind = Where::Kind::line;
  const std::size_t colon = rest.rfind(':');
  if (colon != std::string_view::npos) where.file = rest.substr(0, colon);
  if (read_number(rest.substr(colon == std::string_view::npos ? 0 : colon + 1), where.line))
    return where;
  return with_hint(fail(Step::spec, "where: '{}' names no line", where.text),
                   "write `line 12` or `line gemm.cu:12`");
}

// Of "src/a/k.cu": "k.cu", "a/k.cu" and itself.
bool is_end_of_path(const std::string& end, const std::string& path) {
  return path.ends_with(end) &&
         (path.size() == end.size() || path[path.size() - end.size() - 1] == '/');
}

FoundPart without(std::string problem) {
  return {{}, "", std::move(problem), true};
}

FoundPart loops_of(const Features& features, const std::string& role) {
  FoundPart found;
  std::string names;
  bool any = false;
  for (const flow::LoopFeatures& loop : features.loops) {
    const std::string name = loop.role.empty() ? "timed loop" : loop.role;
    names += (names.empty() ? "" : ", ") + name;
    if (!role.empty() && role != name) continue;
    any = true;
    if (!loop.problem.empty()) found.problem = name + ": " + loop.problem;
    flow::add(found.part.counts, loop.hot);
    if (loop.live)
      found.part.live = cubin::peak(found.part.live.value_or(cubin::LiveCounts{}), *loop.live);
  }
  if (any) return found;
  return without(names.empty() ? "no timed loop at all: roles are of variants"
                               : "no such timed loop, only " + names);
}

FoundPart verb_of(const Features& features, const Where& where) {
  std::string known;
  for (const flow::VerbFeatures& verb : features.verbs) {
    if (verb.role == where.role && verb.verb == where.verb) return {{verb.hot, {}, verb.live}};
    known += (known.empty() ? "" : ", ") + verb.role + "." + verb.verb;
  }
  return without("no code of that verb in a timed loop" +
                 (known.empty() ? "" : ", only of " + known));
}

std::string list(const std::set<std::string>& files) {
  return fmt::format("{}", fmt::join(files, ", "));
}

Result<FoundPart> line_of(const Where& where, const GateSubject& subject) {
  std::set<std::string> files, meant;
  for (const GateLine& line : subject.lines) files.insert(line.file);
  for (const std::string& file : files)
    if (where.file.empty() || is_end_of_path(where.file, file)) meant.insert(file);
  if (files.empty()) return without("no line information: nvcc -lineinfo writes it");
  if (meant.empty()) return without("no code of that file, only of " + list(files));
  if (meant.size() > 1)
    return with_hint(
        fail(Step::gate, "where: '{}' may mean a line of {}", where.text, list(meant)),
        fmt::format("write `line {}:{}`, or another of them", *meant.begin(), where.line));
  for (const GateLine& line : subject.lines)
    if (line.file == *meant.begin() && line.line == where.line) return FoundPart{line.part};
  return without("no instruction of that line");
}

std::vector<FoundPart> loops_with(const Where& where, const GateSubject& subject) {
  std::vector<FoundPart> found;
  for (const GateLoop& loop : subject.loops)
    if (isa::count_opcodes(loop.own.counts.opcodes, where.pattern) > 0)
      found.push_back({loop.own, loop.name});
  if (!found.empty()) return found;
  const std::size_t count = subject.loops.size();
  std::string problem =
      count == 0 ? "no loop at all" : fmt::format("no loop with it; {} without", count);
  FoundPart none = without(std::move(problem));
  none.absent = subject.loops_problem.empty();
  if (!none.absent) none.problem += "; there may be others: " + subject.loops_problem;
  return {std::move(none)};
}

}  // namespace

Result<Where> parse_where(const std::string& text) {
  Where where;
  where.text = text;
  const std::string_view view = text;
  if (view.empty()) return where;
  if (view.starts_with(line_word)) return parse_line(where, view.substr(line_word.size()));
  if (view.starts_with("loop")) {
    where.kind = Where::Kind::loop_with;
    where.pattern = view.starts_with(loop_word) ? view.substr(loop_word.size()) : "";
    if (where.pattern.empty() || where.pattern.find(' ') != std::string::npos)
      return with_hint(fail(Step::spec, "where: '{}' names no opcode", text),
                       "write `loop with HGMMA*`");
    return where;
  }
  where.kind = Where::Kind::kernel;
  if (text == "kernel") return where;
  const std::size_t dot = text.find('.');
  where.kind = dot == std::string::npos ? Where::Kind::role : Where::Kind::verb;
  where.role = text.substr(0, dot);
  if (dot != std::string::npos) where.verb = text.substr(dot + 1);
  return where;
}

Result<std::vector<FoundPart>> parts_of(const Where& where, const GateSubject& subject) {
  const Features& features = subject.features;
  const bool has_loop =
      std::any_of(features.loops.begin(), features.loops.end(),
                  [](const flow::LoopFeatures& loop) { return loop.problem.empty(); });
  const auto whole = [&] {
    FoundPart found{subject.kernel};
    found.part.counts = features.kernel;
    return std::vector<FoundPart>{std::move(found)};
  };
  switch (where.kind) {
    case Where::Kind::hot_paths:
      return has_loop ? std::vector<FoundPart>{loops_of(features, "")} : whole();
    case Where::Kind::kernel: return whole();
    case Where::Kind::role: return std::vector<FoundPart>{loops_of(features, where.role)};
    case Where::Kind::verb: return std::vector<FoundPart>{verb_of(features, where)};
    case Where::Kind::line: {
      PHASEBIT_TRY_ASSIGN(found, line_of(where, subject));
      return std::vector<FoundPart>{std::move(found)};
    }
    case Where::Kind::loop_with: return loops_with(where, subject);
  }
  bug("unknown part of a kernel");
}

}  // namespace phasebit::gate
