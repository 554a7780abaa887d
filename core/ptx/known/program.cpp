#include "core/ptx/known/program.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"
#include "core/ptx/flow/stuck.h"

#include <algorithm>

namespace phasebit::ptx::known {

namespace {

using isa::PtxFact;
using Part = PtxStatement::Part;

class ProgramMaker {
 public:
  ProgramMaker(const PtxFile& file, const PtxFunction& function, const PtxLaunch& launch)
      : file_(file), function_(function), launch_(launch) {
    program_.flow = flow::flow_of(file, function);
    for (const std::size_t at : file.globals) add_symbol(file.statements[at].parsed);
    for (std::size_t at = function.open; at < function.close; ++at)
      add_symbol(file.statements[at].parsed);
  }

  PtxProgram make() {
    const auto& blocks = program_.flow.blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      program_.blocks.emplace_back();
      for (const std::size_t at : blocks[b].statements)
        if (file_.statements[at].parsed.part == Part::instruction)
          program_.blocks.back().push_back(step_of(at));
    }
    program_.registers = numbers_.size();
    return std::move(program_);
  }

 private:
  // ".extern .shared .align 128 .b8 pb_shared[]"
  void add_symbol(const PtxStatement& variable) {
    if (variable.part != Part::directive || variable.name.find(".shared") == std::string::npos)
      return;
    for (const std::string& operand : variable.operands) {
      const std::vector<std::string> names = names_in(operand);
      if (names.empty()) continue;
      symbols_[names.front()] = static_cast<int>(program_.symbols.size());
      const bool dynamic = variable.name.find(".extern") != std::string::npos;
      program_.symbols.push_back({names.front(), dynamic});
    }
  }

  std::size_t number_of(const flow::PtxName& name) {
    return numbers_.emplace(name, numbers_.size()).first->second;
  }

  PtxOperand source_of_name(std::size_t at, const std::string& name) {
    PtxOperand source;
    const PtxScopes& scopes = program_.flow.scopes;
    const int scope = scopes.declaring(scopes.of(at), name);
    const auto symbol = symbols_.find(name);
    if (symbol != symbols_.end()) {
      source.kind = PtxOperand::Kind::constant;
      source.value = known_address(symbol->second, 0);
    } else if (scope >= 0) {
      source.kind = PtxOperand::Kind::register_;
      source.number = number_of({scope, name});
    } else if (name.starts_with('%')) {
      source.kind = PtxOperand::Kind::special;
      source.special = name;
    }
    return source;
  }

  PtxOperand source_of(std::size_t at, std::string operand) {
    if (const auto address = flow::address_of(operand)) {
      PtxOperand source = source_of(at, address->base);
      const auto offset = static_cast<std::uint64_t>(address->offset);
      if (source.kind == PtxOperand::Kind::constant)
        source.value.bits += offset;
      else
        source.value = known_number(offset);
      return source;
    }
    const bool negated = operand.starts_with('!');
    if (negated) operand.erase(0, 1);
    PtxOperand source;
    if (const auto number = literal_integer(operand)) {
      source.kind = PtxOperand::Kind::constant;
      source.value = known_number(*number);
    } else if (!operand.empty() && operand.find_first_of("{}[]()|,+ ") == std::string::npos) {
      source = source_of_name(at, operand);
    }
    source.negated = negated;
    return source;
  }

  std::optional<PtxValue> loaded(const PtxStatement& parsed) const {
    if (!is(parsed, PtxFact::load) || !is(parsed, PtxFact::parameter) ||
        parsed.operands.size() != 2)
      return std::nullopt;
    const auto address = flow::address_of(parsed.operand(1));
    if (!address || function_.parameters.empty() ||
        address->base != function_.parameters.front().name)
      return std::nullopt;
    const int bits =
        std::atoi(parsed.name.c_str() + parsed.name.find_last_not_of("0123456789") + 1);
    const auto known = launch_.parameters.find({static_cast<int>(address->offset), bits / 8});
    if (known == launch_.parameters.end()) return std::nullopt;
    return known_number(known->second);
  }

  // By all lanes of a warp.
  static bool is_from_first_lane(const PtxStatement& parsed) {
    return parsed.name == "shfl.sync.idx.b32" && parsed.operands.size() == 5 &&
           literal_integer(parsed.operand(2)) == 0U && literal_integer(parsed.operand(3)) == 31U &&
           literal_integer(parsed.operand(4)) == 0xffffffffU;
  }

  PtxStep step_of(std::size_t at) {
    const PtxStatement& parsed = file_.statements[at].parsed;
    PtxStep step;
    step.statement = at;
    if (!parsed.guard.empty()) step.guard = source_of(at, parsed.guard.substr(1));
    for (const std::string& operand : parsed.operands)
      step.operands.push_back(source_of(at, operand));
    std::vector<std::string> written = written_names(parsed);
    step.is_call = is(parsed, PtxFact::call);
    if (step.is_call)
      for (std::string& name : names_in(parsed.operands.empty() ? "" : parsed.operands.front()))
        written.push_back(std::move(name));
    for (const std::string& name : written) {
      const PtxOperand source = source_of_name(at, name);
      if (source.kind == PtxOperand::Kind::register_) step.writes.push_back(source.number);
    }
    // Two results are known of a comparison alone: the second is the first one's opposite.
    const bool compares = is(parsed, PtxFact::compares);
    if (written.size() == 1 || (compares && written.size() == 2))
      step.makes = PtxOperation::of(parsed.name);
    step.loads = loaded(parsed);
    step.from_first_lane = is_from_first_lane(parsed);
    for (const flow::PtxJump& jump : program_.flow.jumps)
      if (jump.statement == at) step.jump = &jump;
    return step;
  }

  const PtxFile& file_;
  const PtxFunction& function_;
  const PtxLaunch& launch_;
  std::map<std::string, int> symbols_;
  std::map<flow::PtxName, std::size_t> numbers_;
  PtxProgram program_;
};

}  // namespace

PtxProgram program_of(const PtxFile& file, const PtxFunction& function, const PtxLaunch& launch) {
  return ProgramMaker(file, function, launch).make();
}

namespace {

// Of all threads of a launch together, and of one: a loop that ends after more turns is not known.
constexpr long most_steps = 20'000'000;
constexpr long most_steps_of_thread = 100'000;
constexpr int lanes = 32;

}  // namespace

struct PtxWalk::Thread {
  const PtxLaunch& launch;
  PtxThread at;

  PtxValue special(const std::string& name) const {
    const auto number = [](int value) { return known_number(static_cast<std::uint64_t>(value)); };
    const int lane = at.tid % lanes;
    const std::uint32_t bit = 1U << lane;
    if (name == "%tid.x") return number(at.tid);
    if (name == "%ntid.x") return number(launch.threads);
    if (name == "%laneid") return number(lane);
    if (name == "%tid.y" || name == "%tid.z") return number(0);
    if (name == "%ntid.y" || name == "%ntid.z") return number(1);
    if (name == "%cluster_ctarank") return number(at.rank);
    if (name == "%cluster_nctarank") return number(launch.cluster_size);
    if (name == "%lanemask_eq") return known_number(bit);
    if (name == "%lanemask_lt") return known_number(bit - 1);
    if (name == "%lanemask_le") return known_number(bit | (bit - 1));
    if (name == "%lanemask_gt") return known_number(~(bit | (bit - 1)));
    if (name == "%lanemask_ge") return known_number(~(bit - 1));
    return {};
  }
};

PtxWalk::PtxWalk(const PtxProgram& program) : program_(program), steps_left_(most_steps) {}

PtxValue PtxWalk::value_of(const PtxOperand& source, const State& state,
                           const Thread& thread) const {
  switch (source.kind) {
    case PtxOperand::Kind::unknown: return {};
    case PtxOperand::Kind::constant: return source.value;
    case PtxOperand::Kind::special: return thread.special(source.special);
    case PtxOperand::Kind::register_: break;
  }
  PtxValue value = state[source.number];
  if (value.kind == PtxValue::Kind::unknown) return value;
  value.bits += source.value.bits;
  if (source.negated) value.bits = value.bits == 0 ? 1 : 0;
  return value;
}

PtxValue PtxWalk::from_first_lane(const PtxStep& step, const PtxValue& own, const Thread& thread) {
  const PtxThread& at = thread.at;
  if (at.tid % lanes == 0) {
    const auto [handed, first] = handed_.emplace(step.statement, own);
    if (!first) handed->second = joined(handed->second, own);
    return own;
  }
  const auto handed = handed_.find(step.statement);
  const bool same_warp = at.rank == first_.rank && at.tid / lanes == first_.tid / lanes;
  return same_warp && handed != handed_.end() ? handed->second : PtxValue{};
}

void PtxWalk::take_step(const PtxStep& step, State& state, const Thread& thread, const Seen& seen) {
  bool certain = true;
  if (step.guard) {
    const PtxValue guard = value_of(*step.guard, state, thread);
    if (guard.is_number() && guard.bits == 0) return;
    certain = guard.is_number();
  }
  std::vector<PtxValue> operands;
  operands.reserve(step.operands.size());
  for (const PtxOperand& source : step.operands)
    operands.push_back(value_of(source, state, thread));
  seen(step, operands);
  PtxValue made;
  if (step.loads) made = *step.loads;
  if (step.makes && !operands.empty())
    made = step.makes->of_operands(std::span(operands).subspan(1));
  if (step.from_first_lane) made = from_first_lane(step, operands[1], thread);
  for (std::size_t n = 0; n < step.writes.size(); ++n) {
    if (n == 1 && made.is_number()) made.bits ^= 1;
    PtxValue& to = state[step.writes[n]];
    to = certain ? made : joined(to, made);
  }
}

void PtxWalk::go_both_ways(const std::vector<int>& blocks, const State& state) {
  for (const int block : blocks) {
    const auto [known, first] = merged_.emplace(block, state);
    bool changed = first;
    for (std::size_t n = 0; !first && n < state.size(); ++n) {
      const PtxValue both = joined(known->second[n], state[n]);
      changed = changed || both != known->second[n];
      known->second[n] = both;
    }
    if (changed) open_.push_back({block, known->second});
  }
}

int PtxWalk::next_block(int block, const PtxStep* last, const State& state, const Thread& thread) {
  const flow::PtxJump* jump = last == nullptr ? nullptr : last->jump;
  const auto& successors = program_.flow.blocks[static_cast<std::size_t>(block)].successors;
  if (jump == nullptr) return successors.empty() ? -1 : successors.front();
  PtxValue taken = known_number(1);
  if (last->guard) taken = value_of(*last->guard, state, thread);
  if (taken.is_number() && taken.bits == 0) return jump->falls_to;
  if (taken.is_number() && jump->leaves) return -1;
  if (taken.is_number() && jump->targets.size() == 1) return jump->targets.front();
  go_both_ways(successors, state);
  return -1;
}

bool PtxWalk::run(const PtxLaunch& launch, const PtxThread& thread, const Seen& seen) {
  const Thread own{launch, thread};
  if (thread.tid % lanes == 0) {
    first_ = thread;
    handed_.clear();
  }
  merged_.clear();
  open_.clear();
  open_.push_back({0, State(program_.registers)});
  const long stop = std::max(0L, steps_left_ - most_steps_of_thread);
  while (!open_.empty()) {
    Place place = std::move(open_.back());
    open_.pop_back();
    for (int block = place.block; block >= 0;) {
      const auto& steps = program_.blocks[static_cast<std::size_t>(block)];
      steps_left_ -= static_cast<long>(steps.size()) + 1;
      if (steps_left_ < stop) return false;
      for (const PtxStep& step : steps) take_step(step, place.state, own, seen);
      block = next_block(block, steps.empty() ? nullptr : &steps.back(), place.state, own);
    }
  }
  return true;
}

}  // namespace phasebit::ptx::known
