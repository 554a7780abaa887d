#include "core/ptx/head/text_facts.h"

#include "core/isa/opcodes.h"
#include "core/ptx/head/head.h"
#include "core/ptx/known/program.h"

#include <algorithm>
#include <cstddef>

namespace phasebit::ptx::head {

using isa::PtxFact;
using known::PtxLaunch;
using known::PtxValue;
using launch::KernelParams;
using launch::Role;

namespace {

// What every launch finds in the parameter block (core/launch/abi.h).
PtxLaunch launch_of(const Head& head) {
  PtxLaunch launch;
  launch.threads = head.launch.threads;
  launch.cluster_size = head.launch.cluster_size;
  const auto put = [&](std::size_t offset, std::size_t bytes, int value) {
    launch.parameters[{static_cast<int>(offset), static_cast<int>(bytes)}] =
        static_cast<std::uint64_t>(value);
  };
  put(offsetof(KernelParams, zero), sizeof(KernelParams::zero), 0);
  // A launch may have warps before these; the kernel's own thread numbers are the same.
  put(offsetof(KernelParams, first_warp), sizeof(KernelParams::first_warp), 0);
  put(offsetof(KernelParams, gap_after), sizeof(KernelParams::gap_after), 0);
  put(offsetof(KernelParams, gap_warps), sizeof(KernelParams::gap_warps), 0);
  put(offsetof(KernelParams, first_rank), sizeof(KernelParams::first_rank), head.launch.first_rank);
  put(offsetof(KernelParams, second_rank), sizeof(KernelParams::second_rank),
      head.launch.second_rank);
  return launch;
}

// The role under whose heading a statement is part of a verb.
Role role_of(const PtxHeading& heading) {
  if (heading.verb.empty()) return Role::none;
  return base::value_of_word<Role>(heading.role).value_or(Role::none);
}

class FactFinder {
 public:
  FactFinder(const Head& head, const PtxFile& file, const PtxFunction& entry)
      : head_(head),
        file_(file),
        launch_(launch_of(head)),
        program_(known::program_of(file, entry, launch_)),
        known_(file.statements.size()) {
    for (std::size_t at = entry.open; at < entry.close; ++at) {
      const PtxStatement& parsed = file.statements[at].parsed;
      const PtxHeading* heading = heading_at(at);
      if (heading != nullptr)
        known_[at] = {role_of(*heading), heading->verb == "clock_end", watched_as(parsed)};
      else
        known_[at].watched = watched_as(parsed);
      const bool instruction = parsed.part == PtxStatement::Part::instruction;
      if (instruction && known_[at].role != Role::none) facts_.verbs.emplace(known_[at].role, at);
    }
  }

  TextFacts find() {
    known::PtxWalk walk(program_);
    const int threads = head_.launch.threads;
    for (int rank = 0; rank < head_.launch.cluster_size; ++rank) {
      facts_.roles.emplace_back(static_cast<std::size_t>(threads), 0U);
      for (int tid = 0; tid < threads; ++tid) {
        unsigned& roles = facts_.roles.back()[static_cast<std::size_t>(tid)];
        bool ends = false;
        const bool all =
            walk.run(launch_, {tid, rank},
                     [&](const known::PtxStep& step, const std::vector<PtxValue>& operands) {
                       const Known& known = known_[step.statement];
                       if (known.role != Role::none) roles |= bit_of(known.role);
                       ends = ends || known.is_end;
                       note(step, operands);
                     });
        // Next to a role are the other warps of its warpgroup, which leave before its end.
        if (all && head_.launch.fixed_warps && !ends) roles = 0;
        if (all) continue;
        facts_.complete = false;
        return std::move(facts_);
      }
    }
    return std::move(facts_);
  }

 private:
  // Of a statement, once: the walk comes by it for every thread.
  enum class Watched { no, init, id, store };
  struct Known {
    Role role = Role::none;
    bool is_end = false;
    Watched watched = Watched::no;
  };
  static Watched watched_as(const PtxStatement& one) {
    if (is(one, PtxFact::init)) return Watched::init;
    if (is(one, PtxFact::numbered_barrier)) return Watched::id;
    return is(one, PtxFact::store, PtxFact::atomic, PtxFact::reduction) ? Watched::store
                                                                        : Watched::no;
  }

  const PtxHeading* heading_at(std::size_t statement) const {
    const int index = file_.statements[statement].heading;
    return index < 0 ? nullptr : &file_.headings[static_cast<std::size_t>(index)];
  }
  void note(const known::PtxStep& step, const std::vector<PtxValue>& operands) {
    if (step.is_call) facts_.complete = false;
    if (operands.empty()) return;
    switch (known_[step.statement].watched) {
      case Watched::no: break;
      case Watched::init: note_init(step.statement, operands); break;
      case Watched::id: note_id(step.statement, operands.front()); break;
      case Watched::store: note_store(step.statement, operands.front()); break;
    }
  }

  // Bytes from the beginning of the dynamic shared memory; nothing for other places.
  std::optional<int> dynamic_offset(const PtxValue& address) const {
    if (address.kind != PtxValue::Kind::address) return std::nullopt;
    if (!program_.symbols[static_cast<std::size_t>(address.symbol)].is_dynamic) return std::nullopt;
    return static_cast<int>(static_cast<std::uint32_t>(address.bits));
  }

  void note_init(std::size_t statement, const std::vector<PtxValue>& operands) {
    const auto offset = dynamic_offset(operands.front());
    if (!offset) {
      facts_.init_places_known =
          facts_.init_places_known && operands.front().kind == PtxValue::Kind::address;
      return;
    }
    TextFacts::Init& init =
        facts_.inits.emplace(*offset, TextFacts::Init{statement, {}, true}).first->second;
    if (operands.size() > 1 && operands[1].is_number())
      init.counts.insert(operands[1].bits);
    else
      init.counts_known = false;
  }

  void note_id(std::size_t statement, const PtxValue& id) {
    if (id.is_number())
      facts_.ids.emplace(id.bits, statement);
    else
      facts_.ids_known = false;
  }

  void note_store(std::size_t statement, const PtxValue& address) {
    const PtxHeading* heading = heading_at(statement);
    if (heading == nullptr || heading->verb != "init") return;
    if (file_.statements[statement].parsed.name.find(".global") != std::string::npos) return;
    if (const auto offset = dynamic_offset(address))
      facts_.init_stores.insert(*offset);
    else if (address.kind != PtxValue::Kind::address)
      facts_.init_stores_known = false;
  }

  const Head& head_;
  const PtxFile& file_;
  PtxLaunch launch_;
  known::PtxProgram program_;
  std::vector<Known> known_;  // by statement
  TextFacts facts_;
};

}  // namespace

TextFacts facts_of(const Head& head, const PtxFile& file, const PtxFunction& entry) {
  return FactFinder(head, file, entry).find();
}

}  // namespace phasebit::ptx::head
