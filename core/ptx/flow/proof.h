// Whether a loop ends by a count or a clock, whatever else comes: as far as that is proved.
#pragma once

#include "core/ptx/flow/counts.h"
#include "core/ptx/flow/stuck.h"
#include "core/ptx/flow/values.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace phasebit::ptx::flow {

// What the statements of a function say of a name that one of them writes, and nothing else.
class PtxOnce {
 public:
  PtxOnce(const PtxFile& file, const PtxFlow& flow);
  std::optional<long> number(const PtxName& name, int depth = 0) const;
  bool positive(const PtxName& name, int depth = 0) const;  // a size of the launch, and made of it
  // The number that it has when the loop begins.
  std::optional<long> number_before(const PtxLoop& loop, const PtxName& name) const;

 private:
  std::optional<long> moved(std::size_t statement, int depth) const;
  bool positive_operand(std::size_t statement, std::size_t operand, int depth) const;
  const PtxFile& file_;
  const PtxFlow& flow_;
  std::map<PtxName, std::vector<std::size_t>> writers_;
};

// A bound is an exit that each turn comes by, as a comparison says between what each turn moves
// one way by a step that is known, or a clock, and what stays in the loop and lies that way.
class PtxProof {
 public:
  // `stuck`: of what runs while the polls stay as they are.
  PtxProof(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop, const PtxLoopNames& names,
           const PtxSteady& steady, const PtxOnce& once, const PtxStuck& stuck,
           std::function<bool(std::size_t statement)> is_poll,
           std::function<bool(std::size_t statement)> is_clock);
  PtxProof(const PtxProof&) = delete;
  PtxProof& operator=(const PtxProof&) = delete;

  bool ends_by(const PtxJump& jump) const;

 private:
  const PtxStatement& at(std::size_t i) const { return file_.statements[i].parsed; }
  bool each_turn_passes(int block) const;
  bool leads_out(int from, int way) const;
  void follow(int block, std::map<PtxName, bool>& known) const;
  std::vector<std::size_t> definitions(std::size_t reader, const PtxName& name) const;
  // What a predicate shall be, and whether it shall stay so in the turns that follow.
  struct Wanted {
    bool value = true, lasting = false;
    int depth = 0;
    Wanted within(bool same, bool lasts = false) const {
      return {value == same, lasting || lasts, depth + 1};
    }
  };
  bool comes(std::size_t reader, const std::string& operand, Wanted wanted) const;
  bool comes_of(std::size_t definition, const std::string& operand, Wanted wanted) const;
  bool comes_of_setp(std::size_t setp, Wanted wanted) const;
  bool comes_of_number(std::size_t setp, Wanted wanted) const;
  bool compares(std::size_t setp, Wanted wanted) const;
  bool reaches(std::size_t setp, const PtxMover& mover, std::string_view order,
               std::optional<long> limit) const;
  bool meets(const PtxMover& mover, std::optional<long> limit, int bits) const;
  bool shifts_to(const PtxMover& mover, std::string_view order, std::optional<long> limit,
                 int bits) const;
  bool steady(std::size_t statement, std::size_t operand) const;
  std::optional<long> number(std::size_t statement, std::size_t operand) const;

  const PtxFile& file_;
  const PtxFlow& flow_;
  const PtxLoop& loop_;
  const PtxLoopNames& names_;
  const PtxSteady& steady_;
  const PtxOnce& once_;
  const PtxStuck& stuck_;
  PtxStrict strict_;
  PtxCounts counts_;
  std::map<PtxName, std::vector<std::size_t>> writers_;  // in the loop
};

}  // namespace phasebit::ptx::flow
