#include "analysis/listing/listing.h"

#include "analysis/compare/summary.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/flow/features.h"
#include "analysis/foreign/kernel.h"
#include "analysis/reading/flow_dot.h"
#include "analysis/reading/loops_json.h"
#include "core/base/text.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace phasebit::listing {

using cubin::source::demangled;
using flow::Heat;
using flow::RoleWindow;
using flow::source_line;
using flow::verb_name;
using launch::GateVerdict;
using launch::SourceLine;
using reading::CodeSubject;
using reading::FunctionLoops;
using reading::ReadingNotes;

namespace {

using nlohmann::ordered_json;

std::string_view to_string(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::passed: return "passed";
    case GateVerdict::failed: return "failed";
    case GateVerdict::ungated: return "ungated";
  }
  bug("unknown verdict");
}

std::string_view to_string(Heat heat) {
  switch (heat) {
    case Heat::outside: return "";
    case Heat::beside: return "beside";
    case Heat::hot: return "hot";
    case Heat::cold: return "cold";
  }
  bug("unknown heat");
}

// Where an instruction is, and the role whose window says so.
struct Place {
  std::string_view role;
  Heat heat = Heat::outside;
};

Place place_of(const CodeSubject& subject, std::size_t index) {
  for (const RoleWindow& window : subject.windows)
    if (index < window.heat.size() && window.heat[index] != Heat::outside)
      return {window.role, window.heat[index]};
  return {};
}

std::string window_line(const CodeSubject& subject, const RoleWindow& window) {
  const std::string role = window.role.empty() ? "no role" : window.role;
  if (!window.problem.empty()) return fmt::format("{}: {}", role, window.problem);
  const auto count = [&](Heat heat) {
    return std::count(window.heat.begin(), window.heat.end(), heat);
  };
  const auto address = [&](int index) {
    return subject.kernel.instructions[static_cast<std::size_t>(index)].address;
  };
  return fmt::format("{}: clock read at {:#x} and {:#x}, loop at {:#x}: {} hot, {} cold, {} beside",
                     role, address(window.start), address(window.end), address(window.loop_header),
                     count(Heat::hot), count(Heat::cold), count(Heat::beside));
}

// What the instructions of a kernel belong to, as text and as JSON: verbs, or source lines.
class Regions {
 public:
  Regions(const CodeSubject& subject, const ListingRequest& request)
      : subject_(subject), depth_(reading::loop_depths(subject.kernel, subject.loops)) {
    if (subject.has_lines && request.table != nullptr) add_frames(*request.table);
  }

  std::string head() const {
    return subject_.has_lines
               ? fmt::format("{:4} {:56} {}", "loop", "instruction", "source")
               : fmt::format("{:6} {:20} {:56} {}", "heat", "verb", "instruction", "template");
  }
  std::string line(std::size_t i) const {
    const SourceLine* line = line_of(i);
    const std::string text = disassembly::text_of(subject_.kernel.instructions[i]);
    if (subject_.has_lines)
      return fmt::format("{:4} {:56} {}", depth_[i] == 0 ? "" : std::to_string(depth_[i]), text,
                         line == nullptr ? "" : line->verb);
    return fmt::format("{:6} {:20} {:56} {}", to_string(place_of(subject_, i).heat),
                       verb_name(line), text,
                       line == nullptr ? "" : fmt::format("{}:{}", line->file, line->line));
  }

  void add_to(ordered_json& json, std::size_t i) const {
    const SourceLine* line = line_of(i);
    const int number = line == nullptr ? 0 : line->line;
    const std::string file = line == nullptr ? "" : line->file;
    if (subject_.has_lines) {
      const int frame = subject_.frame_of(i);
      json["file"] = file;
      json["line"] = number;
      json["frame"] = frame < 0 ? ordered_json(nullptr) : ordered_json(places_.at(frame));
      json["loop_depth"] = depth_[i];
      return;
    }
    const Place place = place_of(subject_, i);
    json["statement"] = subject_.kernel.instructions[i].line;
    json["verb"] = line == nullptr ? "" : line->verb;
    json["role"] = line == nullptr ? "" : line->role;
    json["template"] = file;
    json["template_line"] = number;
    json["window"] = place.role;
    json["heat"] = to_string(place.heat);
  }
  const ordered_json& frames() const { return frames_; }

 private:
  const SourceLine* line_of(std::size_t i) const {
    return source_line(subject_.source, subject_.kernel.instructions[i]);
  }

  // The lines of the kernel's code with what they were inlined into: a caller comes before those
  // that name it. By frame of the image: its place in that list.
  void add_frames(const cubin::source::SourceTable& table) {
    for (const int frame : subject_.frames)
      for (const int one : table.chain(frame)) places_.emplace(one, 0);
    for (auto& [frame, place] : places_) {
      place = frames_.size();
      const cubin::source::SourceFrame& line = table.frames[static_cast<std::size_t>(frame)];
      ordered_json one = {{"file", table.file_of(frame)},
                          {"line", line.line},
                          {"function", foreign::full_kernel_name(table.function_of(frame))},
                          {"caller", nullptr}};
      if (line.caller >= 0) one["caller"] = places_.at(line.caller);
      frames_.push_back(std::move(one));
    }
  }

  const CodeSubject& subject_;
  std::vector<int> depth_;
  ordered_json frames_ = ordered_json::array();
  std::map<int, std::size_t> places_;
};

class Listing {
 public:
  Listing(const CodeSubject& subject, const ListingRequest& request, const ReadingNotes& notes)
      : subject_(subject), request_(request), notes_(notes), regions_(subject, request) {
    loops_ = {{"", &subject.loops}};
    loops_.insert(loops_.end(), request.callees.begin(), request.callees.end());
    features_ = reading::features_of(subject, request.target);
  }

  Result<std::string> as_text() const {
    std::string text = fmt::format("{} for {}{}{}\n", subject_.name, subject_.target,
                                   request_.made_by.empty() ? "" : ", by ", request_.made_by);
    if (!demangled(subject_.kernel.entry).empty())
      text += fmt::format("symbol {}\n", subject_.kernel.entry);
    text += instruction_lines();
    if (notes_.shown.empty() && subject_.has_lines) text += line_rows();
    if (!subject_.windows.empty()) text += '\n';
    for (const RoleWindow& window : subject_.windows) text += window_line(subject_, window) + '\n';
    PHASEBIT_TRY_ASSIGN(table, reading::loop_table(loops_, subject_.sm,
                                                   subject_.has_lines ? "source lines" : "verbs"));
    if (!table.rows.empty()) text += "\n" + base::render(table, base::TableFormat::text);
    for (const FunctionLoops& one : loops_)
      if (!one.loops->problem.empty())
        text += fmt::format("\nthere may be other loops: {}\n", one.loops->problem);
    return text + live_lines() + summary();
  }

  Result<std::string> as_json() const {
    const std::string& symbol = subject_.kernel.entry;
    ordered_json all = {{"schema", disassembly::sass_json_schema},
                        {"name", subject_.name},
                        {"entry", symbol},
                        {"demangled", demangled(symbol)},
                        {"target", subject_.target},
                        {"sm", subject_.sm},
                        {"made_by", request_.made_by},
                        {"disassembler", request_.disassembler},
                        {"text_hash", subject_.kernel.text_hash}};
    if (subject_.has_lines)
      add_lines_to(all);
    else
      add_verbs_to(all);
    PHASEBIT_TRY_ASSIGN(
        loops, reading::loops_json(loops_, subject_.sm, subject_.has_lines ? "lines" : "verbs"));
    all["loops"] = subject_.loops.count() ? loops : ordered_json(nullptr);
    all["loops_problem"] = subject_.loops.problem;
    all["instructions"] = instructions_json();
    return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }

 private:
  std::string instruction_lines() const {
    const cubin::SassKernel& kernel = subject_.kernel;
    reading::ListingLines lines(kernel, notes_);
    lines.add_heading(fmt::format("{:4}  {}  {}{}", "addr", "st y Wr Rd waits   reuse",
                                  reading::live_heads(kernel), regions_.head()));
    const std::size_t used = flow::used_instructions(kernel);
    auto function = kernel.functions.begin();
    for (std::size_t i = 0; i < used; ++i) {
      if (!lines.shows(i)) continue;
      for (; function != kernel.functions.end() && function->begin <= i; ++function)
        if (function->begin == i) lines.add_heading(function->name + ":");
      lines.add(i, fmt::format("{:04x}  {}  {}{}", kernel.instructions[i].address,
                               cubin::to_string(kernel.instructions[i].control),
                               reading::live_columns(kernel, i), regions_.line(i)));
    }
    return lines.text();
  }

  std::string line_rows() const {
    if (subject_.source.empty())
      return "\nno line information: nvcc -lineinfo writes it, or .loc and ptxas -lineinfo\n";
    base::Table table{{{"source line"}, {"instr", true}, {"issue", true}, {"waits", true}}, {}, {}};
    for (const compare::LineSummary& line : compare::summarise_lines(subject_))
      table.rows.push_back({line.line.empty() ? "(no line)" : line.line, line.counts.instructions,
                            line.counts.issue_cycles, line.counts.scoreboard_waits});
    return "\n" + base::render(table, base::TableFormat::text);
  }

  std::string live_lines() const {
    if (!features_.live) return "";
    std::string text = "\nlive at most: " + reading::live_text(*features_.live) + "\n";
    for (const flow::LoopFeatures& loop : features_.loops)
      if (loop.live)
        text +=
            fmt::format("  in {}'s timed loop: {}\n", loop.role, reading::live_text(*loop.live));
    int number = 0;
    for (const reading::CodeLoop& loop : subject_.loops.loops) {
      cubin::LiveCounts in;
      for (const std::uint32_t address : loop.addresses)
        in = cubin::peak(in, subject_.kernel.live[address / cubin::instruction_bytes]);
      text += fmt::format("  in loop {}: {}\n", ++number, reading::live_text(in));
    }
    return text;
  }

  // What the kernel takes of an SM, and its size.
  std::string summary() const {
    std::string text = "\n";
    if (features_.spill)
      text += fmt::format("spills: {} bytes stored, {} loaded\n", features_.spill->stores,
                          features_.spill->loads);
    if (const auto& occupancy = features_.occupancy)
      text += fmt::format("occupancy: {} CTAs, {} of {} warps an SM, limited by {}\n",
                          occupancy->ctas, occupancy->warps, occupancy->max_warps,
                          fmt::join(occupancy->limited_by, ", "));
    const flow::CodeCounts& all = features_.kernel;
    const auto loops = subject_.loops.count();
    text += fmt::format(
        "{} instructions, {} issue cycles, {} scoreboard waits, {} loops; {} registers, {} bytes "
        "of static shared memory; .text {}, nvdisasm {}",
        all.instructions, all.issue_cycles, all.scoreboard_waits,
        loops ? std::to_string(*loops) : "?",
        features_.registers == 0 ? "unknown" : std::to_string(features_.registers),
        features_.static_shared_bytes, subject_.kernel.text_hash, request_.disassembler);
    if (subject_.has_lines) return text + "\n";
    return text + fmt::format(", gate {}{}{}\n", to_string(request_.gate.verdict),
                              request_.gate.reason.empty() ? "" : ": ", request_.gate.reason);
  }

  void add_lines_to(ordered_json& all) const {
    ordered_json lines = ordered_json::array();
    for (const compare::LineSummary& line : compare::summarise_lines(subject_))
      lines.push_back({{"line", line.line}, {"counts", flow::as_json(line.counts)}});
    all["registers"] = features_.registers;
    all["static_shared_bytes"] = features_.static_shared_bytes;
    all["code_bytes"] = features_.code_bytes;
    all["kernel"] = flow::as_json(features_.kernel);
    all["source_files"] =
        request_.table == nullptr ? std::vector<std::string>() : request_.table->files;
    all["frames"] = regions_.frames();
    all["lines"] = std::move(lines);
  }
  void add_verbs_to(ordered_json& all) const {
    ordered_json windows = ordered_json::array();
    for (const RoleWindow& window : subject_.windows)
      windows.push_back({{"role", window.role}, {"summary", window_line(subject_, window)}});
    all["gate"] = {{"verdict", to_string(request_.gate.verdict)}, {"reason", request_.gate.reason}};
    all["windows"] = std::move(windows);
    all["features"] = flow::as_json(features_);
  }

  ordered_json instructions_json() const {
    ordered_json all = ordered_json::array();
    for (std::size_t i = 0; i < subject_.kernel.instructions.size(); ++i) {
      if (!notes_.shown.empty() && !notes_.shown[i]) continue;
      ordered_json one = disassembly::as_json(subject_.kernel.instructions[i]);
      regions_.add_to(one, i);
      if (!notes_.waits.empty())
        one["waits_for"] = reading::waits_json(subject_.kernel, notes_.waits[i]);
      if (!subject_.kernel.live.empty()) one["live"] = flow::as_json(subject_.kernel.live[i]);
      if (!notes_.ptx.empty())
        one["ptx"] = {{"line", notes_.ptx[i].line}, {"text", notes_.ptx[i].text}};
      all.push_back(std::move(one));
    }
    return all;
  }

  const CodeSubject& subject_;
  const ListingRequest& request_;
  const ReadingNotes& notes_;
  Regions regions_;
  std::vector<FunctionLoops> loops_;
  flow::Features features_;
};

// The hot paths of timed loops; of what has no verbs all loops.
Result<std::vector<bool>> hot_instructions(const CodeSubject& subject) {
  std::vector<bool> shown = reading::in_any_loop(subject.kernel, subject.loops);
  if (subject.has_lines && !subject.loops.loops.empty()) return shown;
  if (subject.has_lines)
    return with_hint(fail(Step::usage, "--hot: {} has no loop", subject.name),
                     subject.loops.problem);
  shown.assign(shown.size(), false);
  bool any = false;
  for (const RoleWindow& window : subject.windows)
    for (std::size_t i = 0; i < window.heat.size(); ++i)
      if (window.heat[i] == Heat::hot) any = shown[i] = true;
  if (any) return shown;
  return with_hint(fail(Step::usage, "--hot: {} has no timed loop", subject.name),
                   subject.loops.loops.empty() ? "" : "--loop 1 shows a loop by its number");
}

// What an instruction may be called by --verb: its verb with its role and without; or the functions
// that its line was inlined from.
std::vector<std::string> verbs_of(const CodeSubject& subject, std::size_t i,
                                  const cubin::source::SourceTable* table) {
  if (subject.has_lines) {
    std::vector<std::string> names;
    if (table != nullptr)
      for (const int frame : table->chain(subject.frame_of(i)))
        if (const std::string& function = table->function_of(frame); !function.empty())
          for (std::string& name : foreign::kernel_names(function))
            names.push_back(std::move(name));
    return names;
  }
  const SourceLine* line = source_line(subject.source, subject.kernel.instructions[i]);
  if (line == nullptr || line->verb.empty()) return {};
  return {verb_name(line), line->verb};
}

Result<std::vector<bool>> verb_instructions(const CodeSubject& subject, const std::string& verb,
                                            const cubin::source::SourceTable* table) {
  std::vector<bool> shown(subject.kernel.instructions.size(), false);
  std::vector<std::string> known;
  bool any = false;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::vector<std::string> names = verbs_of(subject, i, table);
    if (names.empty()) continue;
    if (std::find(names.begin(), names.end(), verb) != names.end()) any = shown[i] = true;
    const std::string& name = subject.has_lines ? names.back() : names.front();
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  if (any) return shown;
  return with_hint(fail(Step::usage, "--verb {}: {} has no code of it", verb, subject.name),
                   known.empty() ? "it has neither verbs nor inlined functions"
                                 : base::nearest_word_hint(verb, known));
}

Result<std::vector<bool>> shown_of(const CodeSubject& subject, const ListingRequest& request) {
  const reading::Excerpt& excerpt = request.excerpt;
  if (excerpt.hot) return hot_instructions(subject);
  if (excerpt.loop > 0) return reading::in_loop(subject.kernel, subject.loops, excerpt.loop);
  if (!excerpt.verb.empty()) return verb_instructions(subject, excerpt.verb, request.table);
  return std::vector<bool>{};
}

}  // namespace

Result<std::string> list_subject(const CodeSubject& subject, const ListingRequest& request) {
  PHASEBIT_TRY_ASSIGN(shown, shown_of(subject, request));
  ReadingNotes notes{std::move(shown), {}, request.ptx};
  if (request.flow) return reading::flow_as_dot(subject.kernel, subject.name, notes.shown);
  if (request.waits || request.format == ListingFormat::json) {
    auto graph = reading::graph_of(subject.kernel);
    if (!graph && request.waits) return tl::unexpected<Error>(graph.error());
    if (graph) notes.waits = reading::find_wait_sources(subject.kernel, *graph);
  }
  const Listing listing(subject, request, notes);
  return request.format == ListingFormat::text ? listing.as_text() : listing.as_json();
}

}  // namespace phasebit::listing
