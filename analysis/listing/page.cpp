#include "analysis/listing/page.h"

#include "analysis/compare/diff.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/reading/loops.h"
#include "core/base/parallel.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit::listing {

using cubin::instruction_bytes;
using flow::Heat;

namespace {

using nlohmann::ordered_json;

std::string_view heat_of(const reading::CodeSubject& side, std::size_t index) {
  for (const flow::RoleWindow& window : side.windows) {
    if (index >= window.heat.size()) continue;
    switch (window.heat[index]) {
      case Heat::outside: break;
      case Heat::beside: return "beside";
      case Heat::hot: return "hot";
      case Heat::cold: return "cold";
    }
  }
  return "";
}

}  // namespace

CodePlaces::CodePlaces(const PageCode& code) : code_(code) {
  if (!code.side.has_lines) return;
  hottest_ = reading::hottest_loop(code.side.kernel, code.side.loops);
  depth_ = reading::loop_depths(code.side.kernel, code.side.loops);
  is_hot_.assign(depth_.size(), false);
  if (!hottest_) return;
  for (const std::uint32_t address : code.side.loops.loops[*hottest_].own_addresses)
    is_hot_[address / instruction_bytes] = true;
}

std::string CodePlaces::of(std::size_t index) const {
  const cubin::Instruction& one = code_.side.kernel.instructions[index];
  const launch::SourceLine* line = flow::source_line(code_.side.source, one);
  const std::string place = line == nullptr ? "" : fmt::format("{}:{}", line->file, line->line);
  if (code_.side.has_lines)
    return fmt::format("{}\n{}\n{}\n", depth_[index] > 0 ? std::to_string(depth_[index]) : "",
                       place, is_hot_[index] ? "hot" : "");
  const auto statement = static_cast<std::size_t>(one.line);
  const bool known =
      code_.statements != nullptr && statement > 0 && statement <= code_.statements->size();
  return fmt::format("{}\n{}\n{}\n{}", flow::verb_name(line), place, heat_of(code_.side, index),
                     known ? (*code_.statements)[statement - 1] : "");
}

std::optional<std::size_t> CodePlaces::opens_at() const {
  if (!hottest_) return code_.opens_at;
  return code_.side.loops.loops[*hottest_].begin / instruction_bytes;
}

ordered_json page_counts(const flow::CodeCounts& counts) {
  return {counts.instructions, counts.issue_cycles, counts.fences, counts.sleeps,
          counts.scoreboard_waits};
}

ordered_json page_loops(const PageCode& code) {
  const std::vector<bool> waits = reading::waiting_loops(code.side.kernel, code.side.loops);
  ordered_json loops = ordered_json::array();
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const reading::CodeLoop& loop = code.side.loops.loops[i];
    loops.push_back({{"begin", loop.begin / instruction_bytes},
                     {"end", loop.end / instruction_bytes},
                     {"depth", loop.depth},
                     {"waits", static_cast<bool>(waits[i])},
                     {"own", page_counts(loop.own)},
                     {"inside", loop.inner.instructions},
                     {"lines", loop.lines}});
  }
  return loops;
}

ordered_json page_hot_loops(const PageCode& code, const CodePlaces& places,
                            const flow::Features& features, flow::CodeCounts& hot) {
  ordered_json loops = ordered_json::array();
  if (places.hottest()) {
    hot = code.side.loops.loops[*places.hottest()].own;
    loops.push_back({"hottest loop", "", page_counts(hot), page_counts({})});
  }
  if (code.side.windows.empty()) return loops;
  for (const flow::LoopFeatures& loop : features.loops) {
    loops.push_back({loop.role, loop.problem, page_counts(loop.hot), page_counts(loop.cold)});
    flow::add(hot, loop.hot);
  }
  return loops;
}

namespace {

using nlohmann::ordered_json;

// Each distinct value once, by number.
class Numbers {
 public:
  int of(const std::string& value) {
    const auto [entry, is_new] = numbers_.emplace(value, static_cast<int>(values_.size()));
    if (is_new) values_.push_back(value);
    return entry->second;
  }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::unordered_map<std::string, int> numbers_;
  std::vector<std::string> values_;
};

// [name, mark] of each class of change of a row, the smallest first.
ordered_json changes_json() {
  ordered_json changes = ordered_json::array();
  for (std::size_t i = 0; i + 1 < compare::change_names.size(); ++i) {
    const char mark = compare::mark_of(compare::DiffRow{0, 0, static_cast<compare::Change>(i)});
    changes.push_back({compare::change_names[i], std::string(1, mark)});
  }
  return changes;
}

ordered_json figure_json(const PageFigure& figure) {
  return {{"cycles", figure.cycles}, {"half_width", figure.half_width},
          {"unit", figure.unit},     {"device", figure.device},
          {"date", figure.date},     {"target", figure.target}};
}

class Writer {
 public:
  explicit Writer(const Page& page) : page_(page) {}

  Result<ordered_json> run(unsigned threads) {
    ordered_json codes = ordered_json::array();
    for (const PageCode& code : page_.codes) codes.push_back(code_json(code));
    PHASEBIT_TRY_ASSIGN(diffs, diffs_json(threads));
    ordered_json rows = ordered_json::array();
    for (const auto& row : rows_) rows.push_back(row);
    ordered_json views = ordered_json::array();
    for (const PageView& view : page_.views) views.push_back(view_json(view));
    return ordered_json{{"made_with", page_.made_with},
                        {"of_files", page_.of_files},
                        {"variants", page_.variants},
                        {"short_names", page_.short_names},
                        {"symbols", page_.symbols},
                        {"left_out_why", page_.left_out_why},
                        {"left_out", page_.left_out},
                        {"changes", changes_json()},
                        {"views", views},
                        {"problems", problems_.values()},
                        {"codes", codes},
                        {"listings", listings_.values()},
                        {"rows", rows},
                        {"texts", texts_.values()},
                        {"controls", controls_.values()},
                        {"places", places_.values()},
                        {"opcodes", opcodes_.values()},
                        {"diffs", diffs}};
  }

 private:
  int row_of(const PageCode& code, const CodePlaces& places, std::size_t index) {
    const cubin::Instruction& one = code.side.kernel.instructions[index];
    const std::array<int, 3> row = {texts_.of(disassembly::text_of(one)),
                                    controls_.of(cubin::to_string(one.control)),
                                    places_.of(places.of(index))};
    const auto [entry, is_new] = row_numbers_.emplace(row, static_cast<int>(rows_.size()));
    if (is_new) rows_.push_back(row);
    return entry->second;
  }

  ordered_json code_json(const PageCode& code) {
    const CodePlaces places(code);
    std::string listing;
    const std::size_t used = flow::used_instructions(code.side.kernel);
    for (std::size_t i = 0; i < used; ++i)
      listing += fmt::format("{}{}", i == 0 ? "" : ",", row_of(code, places, i));
    const flow::Features features =
        flow::take_features(code.side.kernel, code.side.source, code.side.windows);
    flow::CodeCounts all_hot;
    ordered_json json = {{"hash", code.side.kernel.text_hash.substr(0, 12)},
                         {"sm", code.side.sm},
                         {"listing", listings_.of(listing)},
                         {"registers", features.registers},
                         {"bytes", features.code_bytes},
                         {"kernel", page_counts(features.kernel)},
                         {"loops", page_hot_loops(code, places, features, all_hot)}};
    ordered_json hot = ordered_json::array();
    for (const auto& [opcode, count] : all_hot.opcodes) hot.push_back({opcodes_.of(opcode), count});
    json["hot"] = std::move(hot);
    if (places.opens_at()) json["opens_at"] = *places.opens_at();
    if (!code.side.has_lines) return json;
    json["all_loops"] = page_loops(code);
    if (places.hottest()) json["hottest"] = *places.hottest();
    json["loops_problem"] = code.side.loops.problem;
    return json;
  }

  // A number of a code, or of a problem from -1 down.
  ordered_json view_json(const PageView& view) {
    ordered_json rows = ordered_json::array(), figures = ordered_json::array();
    for (std::size_t variant = 0; variant < view.cells.size(); ++variant) {
      ordered_json row = ordered_json::array();
      for (std::size_t column = 0; column < view.cells[variant].size(); ++column) {
        const PageCell& cell = view.cells[variant][column];
        row.push_back(cell.code >= 0 ? cell.code : -1 - problems_.of(cell.problem));
        if (cell.figure)
          figures.push_back(ordered_json::array({variant, column, figure_json(*cell.figure)}));
      }
      rows.push_back(std::move(row));
    }
    return {{"name", view.name},
            {"columns", view.columns},
            {"reference", first_reference(view)},
            {"cells", rows},
            {"figures", figures}};
  }

  std::vector<std::pair<int, int>> pairs() const {
    std::set<std::pair<int, int>> found;
    for (const PageView& view : page_.views)
      for (const auto& cells : view.cells)
        for (const PageCell& a : cells)
          for (const PageCell& b : cells)
            if (a.code >= 0 && b.code >= 0 && a.code != b.code) found.emplace(a.code, b.code);
    return {found.begin(), found.end()};
  }

  // [left, right, runs of marks].
  Result<ordered_json> diffs_json(unsigned threads) const {
    const auto list = pairs();
    std::vector<Result<std::string>> marks(list.size(), std::string());
    base::parallel_for(list.size(), threads, [&](std::size_t i) {
      const auto diff =
          compare::diff_kernels(page_.codes[static_cast<std::size_t>(list[i].first)].side,
                                page_.codes[static_cast<std::size_t>(list[i].second)].side);
      if (!diff) return void(marks[i] = tl::unexpected<Error>(diff.error()));
      std::string all;
      for (const compare::DiffRow& row : diff->rows) all += compare::mark_of(row);
      marks[i] = run_lengths(all);
    });
    ordered_json json = ordered_json::array();
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!marks[i]) return tl::unexpected<Error>(marks[i].error());
      json.push_back(ordered_json::array({list[i].first, list[i].second, *marks[i]}));
    }
    return json;
  }

  const Page& page_;
  Numbers texts_, controls_, places_, listings_, opcodes_, problems_;
  std::map<std::array<int, 3>, int> row_numbers_;
  std::vector<std::array<int, 3>> rows_;
};

}  // namespace

std::string run_lengths(const std::string& marks) {
  std::string text;
  for (std::size_t begin = 0; begin < marks.size();) {
    const std::size_t end = std::min(marks.find_first_not_of(marks[begin], begin), marks.size());
    if (end - begin > 1) text += std::to_string(end - begin);
    text += marks[begin];
    begin = end;
  }
  return text;
}

std::size_t first_reference(const PageView& view) {
  if (view.reference) return *view.reference;
  for (std::size_t column = 0; column < view.columns.size(); ++column)
    for (const std::vector<PageCell>& row : view.cells)
      if (row[column].code >= 0) return column;
  return 0;
}

Result<std::string> page_data(const Page& page, unsigned threads) {
  Writer writer(page);
  PHASEBIT_TRY_ASSIGN(data, writer.run(threads));
  return data.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

namespace {

constexpr std::string_view page_html =
#include "analysis/listing/page/page.html.inc"
    ;
constexpr std::string_view page_css =
#include "analysis/listing/page/page.css.inc"
    ;
constexpr std::string_view data_js =
#include "analysis/listing/page/data.js.inc"
    ;
constexpr std::string_view matrix_js =
#include "analysis/listing/page/matrix.js.inc"
    ;
constexpr std::string_view listing_js =
#include "analysis/listing/page/listing.js.inc"
    ;
constexpr std::string_view panel_js =
#include "analysis/listing/page/panel.js.inc"
    ;
constexpr std::string_view main_js =
#include "analysis/listing/page/main.js.inc"
    ;

// A script ends at the first "</script", wherever it is; no other text of the data ends it.
std::string harmless(std::string json) {
  for (std::size_t at = json.find("</"); at != std::string::npos; at = json.find("</", at))
    json.replace(at, 2, "<\\/");
  return json;
}

Status fill(std::string& html, const std::string& mark, const std::string& text) {
  const std::size_t at = html.find(mark);
  if (at == std::string::npos) return fail(Step::spec, "{}: no {}", "page.html", mark);
  html.replace(at, mark.size(), text);
  return {};
}

// {OPCODE: what it does}
std::string opcode_notes() {
  nlohmann::ordered_json notes;
  for (const isa::OpcodeRow& row : isa::OpcodeTable::sass().rows())
    for (const std::string& name : row.names)
      if (!row.is.empty()) notes[name] = row.is;
  return notes.dump();
}

}  // namespace

Result<std::string> page_as_html(const Page& page, unsigned threads) {
  std::string html(page_html);
  std::string script;
  for (const std::string_view part : {data_js, matrix_js, listing_js, panel_js, main_js})
    script += part;
  PHASEBIT_TRY_ASSIGN(data, page_data(page, threads));
  PHASEBIT_TRY(fill(html, "/* style */", std::string(page_css)));
  PHASEBIT_TRY(fill(html, "/* script */", script));
  PHASEBIT_TRY(fill(html, "\"opcodes\"", harmless(opcode_notes())));
  PHASEBIT_TRY(fill(html, "\"data\"", harmless(data)));
  return html;
}

}  // namespace phasebit::listing
