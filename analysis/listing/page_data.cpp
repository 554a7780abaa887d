#include "analysis/compare/diff_report.h"
#include "analysis/disassembly/instruction_json.h"
#include "analysis/listing/page.h"
#include "core/base/parallel.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

namespace phasebit {
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

std::string_view heat_of(const DiffSide& side, std::size_t index) {
  for (const RoleWindow& window : side.windows) {
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

// verb, template line, heat, PTX: what stands beside an instruction, a line each.
std::string place_of(const PageCode& code, std::size_t index) {
  const Instruction& one = code.side.kernel.instructions[index];
  const SourceLine* line = source_line(code.side.source, one);
  const auto statement = static_cast<std::size_t>(one.line);
  const bool known =
      code.statements != nullptr && statement > 0 && statement <= code.statements->size();
  return fmt::format("{}\n{}\n{}\n{}", verb_name(line),
                     line == nullptr ? "" : fmt::format("{}:{}", line->file, line->line),
                     heat_of(code.side, index), known ? (*code.statements)[statement - 1] : "");
}

ordered_json counts_json(const CodeCounts& counts) {
  return {counts.instructions, counts.issue_cycles, counts.fences, counts.sleeps,
          counts.scoreboard_waits};
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
                        {"variants", page_.variants},
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
  int row_of(const PageCode& code, std::size_t index) {
    const Instruction& one = code.side.kernel.instructions[index];
    const std::array<int, 3> row = {texts_.of(text_of(one)), controls_.of(to_string(one.control)),
                                    places_.of(place_of(code, index))};
    const auto [entry, is_new] = row_numbers_.emplace(row, static_cast<int>(rows_.size()));
    if (is_new) rows_.push_back(row);
    return entry->second;
  }

  ordered_json code_json(const PageCode& code) {
    std::string listing;
    const std::size_t used = used_instructions(code.side.kernel);
    for (std::size_t i = 0; i < used; ++i)
      listing += fmt::format("{}{}", i == 0 ? "" : ",", row_of(code, i));
    const Features features = take_features(code.side.kernel, code.side.source, code.side.windows);
    ordered_json loops = ordered_json::array(), hot = ordered_json::array();
    CodeCounts all_hot;
    for (const LoopFeatures& loop : features.loops) {
      loops.push_back({loop.role, loop.problem, counts_json(loop.hot), counts_json(loop.cold)});
      add(all_hot, loop.hot);
    }
    for (const auto& [opcode, count] : all_hot.opcodes) hot.push_back({opcodes_.of(opcode), count});
    return {{"hash", code.side.kernel.text_hash.substr(0, 12)},
            {"sm", code.side.sm},
            {"listing", listings_.of(listing)},
            {"registers", features.registers},
            {"bytes", features.code_bytes},
            {"kernel", counts_json(features.kernel)},
            {"loops", loops},
            {"hot", hot}};
  }

  // A number of a code, or of a problem from -1 down.
  ordered_json view_json(const PageView& view) {
    ordered_json rows = ordered_json::array();
    for (const auto& cells : view.cells) {
      ordered_json row = ordered_json::array();
      for (const PageCell& cell : cells)
        row.push_back(cell.code >= 0 ? cell.code : -1 - problems_.of(cell.problem));
      rows.push_back(std::move(row));
    }
    return {{"name", view.name},
            {"columns", view.columns},
            {"reference", view.reference},
            {"cells", rows}};
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
    parallel_for(list.size(), threads, [&](std::size_t i) {
      const auto diff = diff_kernels(page_.codes[static_cast<std::size_t>(list[i].first)].side,
                                     page_.codes[static_cast<std::size_t>(list[i].second)].side);
      if (!diff) return void(marks[i] = tl::unexpected<Error>(diff.error()));
      std::string all;
      for (const DiffRow& row : diff->rows) all += mark_of(row);
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

Result<std::string> page_data(const Page& page, unsigned threads) {
  Writer writer(page);
  PHASEBIT_TRY_ASSIGN(data, writer.run(threads));
  return data.dump();
}

}  // namespace phasebit
