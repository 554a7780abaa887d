#include "analysis/disassembly/module.h"

#include "core/base/hash.h"

#include <algorithm>

namespace phasebit::disassembly {

using cubin::CubinKernel;
using cubin::instruction_bytes;
using cubin::SassKernel;

namespace {

// Each ends where the next begins.
std::vector<cubin::FunctionCode> functions_of(const CubinKernel& kernel) {
  std::vector<cubin::FunctionCode> functions;
  for (auto one = kernel.functions.begin(); one != kernel.functions.end(); ++one) {
    const auto next =
        std::find_if(one, kernel.functions.end(),
                     [&](const cubin::CubinFunction& other) { return other.offset > one->offset; });
    functions.push_back(
        {one->name, one->offset / instruction_bytes,
         next == kernel.functions.end() ? kernel.size() : next->offset / instruction_bytes});
  }
  return functions;
}

}  // namespace

Result<SassKernel> join_kernel(const CubinKernel& kernel, const DisassembledFunction& function) {
  const std::size_t count = function.instructions.size();
  if (count != kernel.size() || function.length != kernel.text.size() || function.start != 0)
    return fail(Step::disassemble,
                "{}: .text has {} instructions; nvdisasm printed {} of {} bytes from {}",
                kernel.entry, kernel.size(), count, function.length, function.start);
  SassKernel joined{kernel.entry,     base::content_hash(kernel.text), {},
                    kernel.registers, kernel.static_shared_bytes,      kernel.barriers};
  joined.code = kernel.code;
  joined.functions = functions_of(kernel);
  joined.indirect = kernel.indirect;
  joined.instructions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const DisassembledInstruction& text = function.instructions[i];
    const cubin::SassWord word = kernel.word(i);
    joined.instructions.push_back({static_cast<std::uint32_t>(i * instruction_bytes),
                                   text.predicate, text.opcode, text.operands, word,
                                   cubin::decode_control(word),
                                   kernel.lines.empty() ? 0 : kernel.lines[i], text.unnamed});
  }
  return joined;
}

Result<SassKernel> join_kernel(const CubinKernel& kernel, const Disassembler::Listing& listing) {
  if (!listing) return tl::unexpected<Error>(listing.error());
  return join_kernel(kernel, *listing);
}

}  // namespace phasebit::disassembly
