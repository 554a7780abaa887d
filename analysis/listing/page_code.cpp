#include "analysis/listing/page_code.h"

#include "analysis/reading/hot_loop.h"

#include <nlohmann/json.hpp>

namespace phasebit::listing {

using cubin::instruction_bytes;
using flow::Heat;

namespace {

using nlohmann::ordered_json;

std::string_view heat_of(const compare::DiffSide& side, std::size_t index) {
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

CodePlaces::CodePlaces(const PageCode& code, bool of_files) : code_(code), of_files_(of_files) {
  if (!of_files) return;
  hottest_ = reading::hottest_loop(code.side.kernel, code.loops);
  depth_ = reading::loop_depths(code.side.kernel, code.loops);
  is_hot_.assign(depth_.size(), false);
  if (!hottest_) return;
  for (const std::uint32_t address : code.loops.loops[*hottest_].own_addresses)
    is_hot_[address / instruction_bytes] = true;
}

std::string CodePlaces::of(std::size_t index) const {
  const cubin::Instruction& one = code_.side.kernel.instructions[index];
  const image::SourceLine* line = flow::source_line(code_.side.source, one);
  const std::string place = line == nullptr ? "" : fmt::format("{}:{}", line->file, line->line);
  if (of_files_)
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
  return code_.loops.loops[*hottest_].begin / instruction_bytes;
}

ordered_json page_counts(const flow::CodeCounts& counts) {
  return {counts.instructions, counts.issue_cycles, counts.fences, counts.sleeps,
          counts.scoreboard_waits};
}

ordered_json page_loops(const PageCode& code) {
  const std::vector<bool> waits = reading::waiting_loops(code.side.kernel, code.loops);
  ordered_json loops = ordered_json::array();
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const reading::CodeLoop& loop = code.loops.loops[i];
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
    hot = code.loops.loops[*places.hottest()].own;
    loops.push_back({"hottest loop", "", page_counts(hot), page_counts({})});
  }
  if (code.side.windows.empty()) return loops;
  for (const flow::LoopFeatures& loop : features.loops) {
    loops.push_back({loop.role, loop.problem, page_counts(loop.hot), page_counts(loop.cold)});
    flow::add(hot, loop.hot);
  }
  return loops;
}

}  // namespace phasebit::listing
