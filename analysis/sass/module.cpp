#include "analysis/sass/module.h"

#include "core/base/hash.h"

namespace phasebit {

Result<SassKernel> join_kernel(const CubinKernel& kernel, const DisassembledFunction& function) {
  const std::size_t count = function.instructions.size();
  if (count != kernel.size() || function.length != kernel.text.size() || function.start != 0)
    return fail(Step::disassemble,
                "{}: .text has {} instructions; nvdisasm printed {} of {} bytes from {}",
                kernel.entry, kernel.size(), count, function.length, function.start);
  SassKernel joined{kernel.entry,     content_hash(kernel.text),  {},
                    kernel.registers, kernel.static_shared_bytes, kernel.barriers};
  joined.code = kernel.code;
  joined.instructions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const DisassembledInstruction& text = function.instructions[i];
    const SassWord word = kernel.word(i);
    joined.instructions.push_back(
        {static_cast<std::uint32_t>(i * instruction_bytes), text.predicate, text.opcode,
         text.operands, word, decode_control(word), kernel.lines.empty() ? 0 : kernel.lines[i]});
  }
  return joined;
}

Result<std::map<std::string, SassKernel>> read_module(const Disassembler& disassembler,
                                                      const Cubin& cubin, std::string_view bytes) {
  std::map<std::string_view, const CubinKernel*> first_of_text;
  std::vector<const CubinKernel*> distinct;
  for (const CubinKernel& kernel : cubin.kernels)
    if (first_of_text.emplace(kernel.text, &kernel).second) distinct.push_back(&kernel);
  PHASEBIT_TRY_ASSIGN(functions, disassembler.functions(bytes, cubin, distinct));
  std::map<std::string, SassKernel> kernels;
  for (const CubinKernel& kernel : cubin.kernels) {
    const std::string& printed = first_of_text.at(kernel.text)->entry;
    PHASEBIT_TRY_ASSIGN(joined, join_kernel(kernel, functions.at(printed)));
    kernels.emplace(kernel.entry, std::move(joined));
  }
  return kernels;
}

}  // namespace phasebit
