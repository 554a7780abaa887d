#include "core/ptx/known/program.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace phasebit::ptx::known {
namespace {

using Part = PtxStatement::Part;

// "32", "0x20U", "-1"; nothing for floating point and names.
std::optional<std::uint64_t> literal(std::string text) {
  if (text.ends_with('U')) text.pop_back();
  const bool minus = text.starts_with('-');
  const std::size_t first = minus ? 1 : 0;
  if (text.size() == first || std::isdigit(static_cast<unsigned char>(text[first])) == 0)
    return std::nullopt;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text.c_str() + first, &end, 0);
  if (*end != '\0') return std::nullopt;
  return minus ? 0 - value : value;
}

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
    if (const auto number = literal(operand)) {
      source.kind = PtxOperand::Kind::constant;
      source.value = known_number(*number);
    } else if (!operand.empty() && operand.find_first_of("{}[]()|,+ ") == std::string::npos) {
      source = source_of_name(at, operand);
    }
    source.negated = negated;
    return source;
  }

  std::optional<PtxValue> loaded(const PtxStatement& parsed) const {
    if (!parsed.name.starts_with("ld.param") || parsed.operands.size() != 2) return std::nullopt;
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

  PtxStep step_of(std::size_t at) {
    const PtxStatement& parsed = file_.statements[at].parsed;
    PtxStep step;
    step.statement = at;
    if (!parsed.guard.empty()) step.guard = source_of(at, parsed.guard.substr(1));
    for (const std::string& operand : parsed.operands)
      step.operands.push_back(source_of(at, operand));
    std::vector<std::string> written = written_names(parsed);
    step.is_call = parsed.name == "call" || parsed.name.starts_with("call.");
    if (step.is_call)
      for (std::string& name : names_in(parsed.operands.empty() ? "" : parsed.operands.front()))
        written.push_back(std::move(name));
    for (const std::string& name : written) {
      const PtxOperand source = source_of_name(at, name);
      if (source.kind == PtxOperand::Kind::register_) step.writes.push_back(source.number);
    }
    // Two results are known of a comparison alone: the second is the first one's opposite.
    const bool compares = parsed.name.starts_with("setp.");
    if (written.size() == 1 || (compares && written.size() == 2))
      step.makes = PtxOperation::of(parsed.name);
    step.loads = loaded(parsed);
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

}  // namespace phasebit::ptx::known
