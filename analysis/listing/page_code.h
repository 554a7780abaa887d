// What the page says of one code beside its instructions.
#pragma once

#include "analysis/listing/page.h"

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace phasebit::listing {

// Where the instructions of a code stand.
class CodePlaces {
 public:
  CodePlaces(const PageCode& code, bool of_files);

  // Verb (of a file: how many loops are around it), line of the source, heat, PTX: what stands
  // beside an instruction, a line each.
  std::string of(std::size_t index) const;
  // The instruction that the page opens at; none: the first.
  std::optional<std::size_t> opens_at() const;
  // Of PageCode::loops; none of a variant.
  std::optional<std::size_t> hottest() const { return hottest_; }

 private:
  const PageCode& code_;
  bool of_files_;
  std::optional<std::size_t> hottest_;
  std::vector<int> depth_;    // of a file: loops around each instruction
  std::vector<bool> is_hot_;  // of a file: in the hottest loop
};

// [instructions, issue cycles, fences, sleeps, scoreboard waits]
nlohmann::ordered_json page_counts(const flow::CodeCounts& counts);

// The loops of a file's kernel.
nlohmann::ordered_json page_loops(const PageCode& code);

// The loops whose hot paths the cells show, [role, problem, hot, cold]: the timed ones, of a file
// the hottest. Their opcodes are added to `hot`.
nlohmann::ordered_json page_hot_loops(const PageCode& code, const CodePlaces& places,
                                      const flow::Features& features, flow::CodeCounts& hot);

}  // namespace phasebit::listing
