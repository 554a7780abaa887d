// A warp: where its lanes are, and what their registers hold.
#pragma once

#include "core/ptx/run/clocks.h"
#include "core/ptx/run/instruction.h"
#include "core/ptx/run/memory.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace phasebit::ptx::run {

using Mask = std::uint32_t;

template <typename Visit>
void each_lane(Mask mask, const Visit& visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

// Lanes that are alike at a time: `visit(first, mask)`.
template <typename Alike, typename Visit>
void each_group(Mask lanes, const Alike& alike, const Visit& visit) {
  while (lanes != 0) {
    const int first = std::countr_zero(lanes);
    Mask group = 0;
    each_lane(lanes, [&](int lane) {
      if (alike(first, lane)) group |= 1U << lane;
    });
    lanes &= ~group;
    visit(first, group);
  }
}

// cta, cluster, and what is above them.
inline std::size_t place_of(Scope scope) {
  return scope >= Scope::gpu ? 2 : scope == Scope::cluster ? 1 : 0;
}

using LaneBases = std::array<Base, lanes_of_warp>;

// Which lanes hold a value that is not known for sure, and why one of them does.
struct Unsure {
  Mask lanes = 0;
  std::uint32_t why = 0;
};

// What a register would hold if a try had answered false: in lanes where nothing else decides.
struct Otherwise {
  int token = -1;
  Mask lanes = 0;
  std::array<std::uint64_t, lanes_of_warp> values{};  // of a predicate: 0 or 1
};

struct Warp {
  int cta = 0, number = 0;  // in the launch, in the CTA
  int first_thread = 0;     // of the launch
  int registers = 0;        // of each of its threads; at most so many where .maxnreg does not say
  // `waiting` for others, `parked` until the lanes that a mask names come, `polling` until the next
  // round.
  Mask launched = 0, live = 0, waiting = 0, parked = 0, polling = 0;
  std::array<std::uint32_t, lanes_of_warp> pcs{};

  std::vector<std::uint64_t> values;      // row by row
  std::vector<std::uint32_t> predicates;  // a mask each
  std::vector<Unsure> unsure_rows, unsure_predicates;
  std::vector<Mask> based;  // of each row: the lanes that hold an address, or what is made of one
  std::vector<Base> bases;  // row by row, of those lanes
  std::map<std::uint64_t, Otherwise> otherwise;  // by name

  LaneClocks clocks;
  std::uint32_t time = 1;  // of its lanes; grows after each event that others may learn of
  std::array<std::vector<OwnClock>, lanes_of_warp> channels;
  // By the scope that a fence must have (place_of): what the last one made ready to be published,
  // and what one still has to make seen.
  struct Fenced {
    std::shared_ptr<const Clocks> clocks;
    std::uint32_t time = 0;
    bool operator==(const Fenced&) const = default;
  };
  std::array<std::array<Fenced, lanes_of_warp>, 3> fenced;
  using Unacquired = std::array<std::shared_ptr<Clocks>, lanes_of_warp>;
  std::array<Unacquired, 3> unacquired;

  // Of cp.async and bulk groups: copies that were issued, and how many in each open group.
  struct Groups {
    Component component = no_component;
    std::uint32_t issued = 0;
    std::vector<std::uint32_t> ends;  // of committed groups: issued by then
    std::uint32_t last = 0;           // of Tensor Memory: the instruction that issued last
  };
  std::array<Groups, lanes_of_warp> copies, bulk_reads, bulk_writes, tensor_memory;
  Groups products;  // of wgmma
  std::uint32_t products_done = 0;
  bool has_products = false;                // some are under way
  std::vector<std::uint32_t> row_products;  // the group that writes a row; 0: none
  std::vector<std::uint32_t> row_reads;     // the same, that reads it
  std::vector<std::uint64_t> row_places;    // which register of which product it was last
  // What a warpgroup runs together: each warp of it must run the same; and where.
  std::uint64_t group_path = 0, group_places = 0;
  std::uint32_t group_pc = 0;
  std::array<std::uint32_t, lanes_of_warp> cluster_phase{};
  std::map<std::uint32_t, Mask> met_aligned;  // lanes that have been at each barrier with .aligned
  std::array<Mask, lanes_of_warp> synced{};   // the mask of the last bar.warp.sync

  Component thread(int lane) const { return static_cast<Component>(first_thread + lane); }
  std::uint64_t* row(std::uint32_t number) { return &values[std::size_t{number} * lanes_of_warp]; }
  std::uint64_t value(const Operand& operand, int lane) const {
    return values[std::size_t{operand.row} * lanes_of_warp + static_cast<std::size_t>(lane)];
  }
  Mask mask_of(const Operand& predicate) const {
    const Mask mask = predicates[predicate.row];
    return predicate.negated ? ~mask : mask;
  }
  const Unsure& unsure(const Operand& operand) const {
    return operand.kind == Operand::Kind::predicate ? unsure_predicates[operand.row]
                                                    : unsure_rows[operand.row];
  }
  Unsure& unsure(const Operand& operand) {
    return operand.kind == Operand::Kind::predicate ? unsure_predicates[operand.row]
                                                    : unsure_rows[operand.row];
  }
  // Those lanes are unsure now, the others of `lanes` are sure.
  void set_unsure(const Operand& operand, Mask lanes, Unsure now) {
    if (operand.kind == Operand::Kind::none) return;
    if (!otherwise.empty())
      if (const auto found = otherwise.find(row_name(operand)); found != otherwise.end())
        found->second.lanes &= ~lanes;
    if (operand.kind == Operand::Kind::row && !based.empty()) based[operand.row] &= ~lanes;
    Unsure& kept = unsure(operand);
    kept.lanes = (kept.lanes & ~lanes) | (now.lanes & lanes);
    if ((now.lanes & lanes) != 0) kept.why = now.why;
  }
  Base base(const Operand& operand, int lane) const {
    if ((based[operand.row] >> lane & 1) == 0) return no_base;
    return bases[std::size_t{operand.row} * lanes_of_warp + static_cast<std::size_t>(lane)];
  }
  void set_base(const Operand& operand, int lane, Base base) {
    if (operand.kind != Operand::Kind::row || base == no_base) return;
    based[operand.row] |= 1U << lane;
    bases[std::size_t{operand.row} * lanes_of_warp + static_cast<std::size_t>(lane)] = base;
  }
  void set_bases(const Operand& operand, Mask lanes, const LaneBases& bases) {
    each_lane(lanes,
              [&](int lane) { set_base(operand, lane, bases[static_cast<std::size_t>(lane)]); });
  }
  std::uint64_t value_of(const Operand& operand, int lane) const {
    return operand.kind == Operand::Kind::predicate ? predicates[operand.row] >> lane & 1
                                                    : value(operand, lane);
  }
  void set_value(const Operand& operand, int lane, std::uint64_t value) {
    set_lane(operand, lane, value);
    set_mask(operand, 1U << lane, value != 0 ? ~Mask{0} : 0);
  }
  void set_lane(const Operand& operand, int lane, std::uint64_t value) {
    if (operand.kind == Operand::Kind::row) row(operand.row)[lane] = value;
  }
  void set_mask(const Operand& operand, Mask lanes, Mask value) {
    if (operand.kind != Operand::Kind::predicate) return;
    Mask& kept = predicates[operand.row];
    kept = (kept & ~lanes) | (value & lanes);
  }
  bool can_run() const { return (live & ~(waiting | parked | polling)) != 0; }
  Viewer viewer(int lane) const {
    return {&clocks.of(lane), thread(lane), &channels[static_cast<std::size_t>(lane)]};
  }
  // Publishes what lanes know to `to`: all of it to the order, to memory what the release says.
  // `released`: what came before it in the program; else what a fence of at least `reach` has made
  // ready.
  void publish(Mask lanes, bool released, Clocks& to, Scope reach = Scope::cta) const;
  // What lanes know in all three views, for an asynchronous operation that one of them issues.
  Clocks issued_by(int lane) const;
  // The lanes learn what was published: with an acquire at once, else by their next fence of at
  // least the scope that is `needed`.
  void learn(Mask lanes, const Clocks& from, bool acquires, Scope needed = Scope::cta);
  // The two halves of a fence.
  void acquire(Mask lanes, Scope scope);
  void release(Mask lanes, Scope scope);
  // Of which space; generic: of all. `threads`: of a CTA, so many components each; 0 where no CTA
  // reaches another's shared memory.
  void fence_proxy(Mask lanes, Space space, Component threads);
  void meet(Mask lanes);  // they know of each other
};

// Computes an instruction of numbers for the lanes, and which results are unsure. Gives the lanes
// whose result the manual leaves open.
Mask compute(Warp& warp, const Instruction& one, Mask lanes);

}  // namespace phasebit::ptx::run
