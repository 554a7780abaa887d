#include "analysis/disassembly/nvdisasm_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasebit::disassembly {

namespace {

using nlohmann::json;

// Fills a Disassembly while the text is read: no document is built, which for a module of 64
// kernels would be ten times the size of what is kept. Depths: 1 the outer list, 2 the header or
// the list of functions, 3 a function, 4 its instructions, 5 an instruction, 6 its
// attributes.
class Handler : public nlohmann::json_sax<json> {
 public:
  explicit Handler(Disassembly& into) : into_(into) {}
  const std::string& problem() const { return problem_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t value) override {
    if (!in_functions() || depth_ != function_depth) return true;
    if (key_ == "start") into_.functions.back().start = value;
    if (key_ == "length") into_.functions.back().length = value;
    return true;
  }
  bool string(string_t& value) override {
    if (!in_functions()) {
      if (depth_ == 2 && key_ == "Producer") into_.producer = std::move(value);
    } else if (depth_ == function_depth) {
      if (key_ == "function-name") into_.functions.back().name = std::move(value);
    } else if (depth_ == instruction_depth && listing_) {
      DisassembledInstruction& instruction = into_.functions.back().instructions.back();
      if (key_ == "predicate")
        instruction.predicate = std::move(value);
      else if (key_ == "opcode")
        instruction.opcode = std::move(value);
      else if (key_ == "operands")
        instruction.operands = std::move(value);
    } else if (depth_ == instruction_depth + 1 && listing_ && key_ == "control-flow") {
      into_.functions.back().instructions.back().control_flow = value == "True";
    }
    return true;
  }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 2) ++element_;
    if (in_functions() && depth_ == function_depth) into_.functions.emplace_back();
    if (in_functions() && depth_ == instruction_depth && listing_)
      into_.functions.back().instructions.emplace_back();
    return depth_ > 1 || refuse("the outermost value is not a list");
  }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t) override {
    ++depth_;
    if (depth_ == 2) ++element_;
    if (in_functions() && depth_ == function_depth) return refuse("a function is not an object");
    if (listing_ && depth_ == instruction_depth) return refuse("an instruction is not an object");
    if (depth_ == function_depth + 1) listing_ = in_functions() && key_ == "sass-instructions";
    return true;
  }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&,
                   const json::exception& exception) override {
    problem_ = fmt::format("at byte {}: {}", position, exception.what());
    return false;
  }

 private:
  static constexpr int function_depth = 3, instruction_depth = 5;

  bool in_functions() const { return element_ == 2; }
  bool leave() {
    if (depth_ == function_depth + 1) listing_ = false;
    --depth_;
    return true;
  }
  bool refuse(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  Disassembly& into_;
  std::string key_, problem_;
  int depth_ = 0;
  int element_ = 0;       // of the outer list, counted from 1
  bool listing_ = false;  // inside "sass-instructions"
};

// Of P2R and its like nvdisasm gives the operand PR as the predicate, and the guard, where there is
// one, as the second operand: "PR", "R2,@P0,RZ,0x1" of what it prints as "@P0 P2R R2, PR, RZ, 0x1".
void put_guard_in_front(DisassembledInstruction& one) {
  if (one.predicate.empty() || one.predicate.starts_with('@')) return;
  const std::size_t second = std::min(one.operands.find(','), one.operands.size());
  std::string guard;
  if (one.operands.compare(second, 2, ",@") == 0) {
    const std::size_t end = std::min(one.operands.find(',', second + 1), one.operands.size());
    guard = one.operands.substr(second + 1, end - second - 1);
    one.operands.erase(second, end - second);
  }
  one.operands.insert(second, (second == 0 ? "" : ",") + one.predicate);
  one.predicate = std::move(guard);
}

// "[R7][R2.64]" of LDGSTS on sm_80 to sm_89, which nvdisasm prints as "[R7], [R2.64]".
void part_addresses(DisassembledInstruction& one) {
  const std::size_t close = one.operands.find(']');
  if (one.operands.starts_with('[') && close == one.operands.find("][") &&
      close < one.operands.size())
    one.operands.insert(close + 1, ",");
}

}  // namespace

Result<Disassembly> parse_nvdisasm_json(std::string_view text) {
  Disassembly disassembly;
  Handler handler(disassembly);
  if (!json::sax_parse(text.begin(), text.end(), &handler))
    return fail(Step::disassemble, "nvdisasm's JSON cannot be read: {}", handler.problem());
  if (disassembly.producer.empty())
    return fail(Step::disassemble, "nvdisasm's JSON names no producer");
  for (DisassembledFunction& function : disassembly.functions) {
    if (function.name.empty() || function.instructions.empty())
      return fail(Step::disassemble, "nvdisasm's JSON has a function '{}' with {} instructions",
                  function.name, function.instructions.size());
    for (DisassembledInstruction& instruction : function.instructions) {
      if (instruction.opcode.empty())
        return fail(Step::disassemble, "nvdisasm's JSON has an instruction without opcode in {}",
                    function.name);
      put_guard_in_front(instruction);
      part_addresses(instruction);
    }
  }
  if (disassembly.functions.empty())
    return fail(Step::disassemble, "nvdisasm's JSON holds no function");
  return disassembly;
}

std::string text_of(const cubin::Instruction& instruction) {
  std::string text = instruction.predicate;
  for (const std::string* part : {&instruction.opcode, &instruction.operands})
    if (!part->empty()) text += (text.empty() ? "" : " ") + *part;
  return text;
}

nlohmann::ordered_json as_json(const cubin::Instruction& instruction) {
  const cubin::Control& control = instruction.control;
  return {{"address", instruction.address},
          {"predicate", instruction.predicate},
          {"opcode", instruction.opcode},
          {"operands", instruction.operands},
          {"word", fmt::format("{:016x}{:016x}", instruction.word.high, instruction.word.low)},
          {"stall_cycles", control.stall_cycles},
          {"yield", control.yield},
          {"write_scoreboard", control.write_scoreboard},
          {"read_scoreboard", control.read_scoreboard},
          {"wait_mask", control.wait_mask},
          {"reuse", control.reuse}};
}

}  // namespace phasebit::disassembly
