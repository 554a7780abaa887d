#include "analysis/disassembly/text.h"

#include "analysis/cubin/cubin.h"
#include "analysis/cubin/instruction.h"
#include "core/base/hash.h"

#include <algorithm>

namespace phasebit {
namespace {

std::string describe_difference(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return fmt::format("{} against {} bytes", a.size(), b.size());
  const auto [at, other] = std::mismatch(a.begin(), a.end(), b.begin());
  const auto offset = static_cast<std::size_t>(at - a.begin());
  return fmt::format("first differs at {:#x}", offset - offset % instruction_bytes);
}

}  // namespace

Result<std::map<std::string, std::string>> text_hashes(std::string_view cubin) {
  PHASEBIT_TRY_ASSIGN(read, read_cubin(cubin));
  std::map<std::string, std::string> hashes;
  for (const CubinKernel& kernel : read.kernels) hashes[kernel.entry] = content_hash(kernel.text);
  return hashes;
}

Result<std::vector<TextDifference>> compare_text(std::string_view first, std::string_view second) {
  PHASEBIT_TRY_ASSIGN(a, read_cubin(first, "first module"));
  PHASEBIT_TRY_ASSIGN(b, read_cubin(second, "second module"));
  std::vector<TextDifference> differences;
  for (const CubinKernel& kernel : a.kernels) {
    const CubinKernel* other = b.find(kernel.entry);
    if (other == nullptr)
      differences.push_back({kernel.entry, "not in the second module"});
    else if (kernel.text != other->text)
      differences.push_back({kernel.entry, describe_difference(kernel.text, other->text)});
  }
  for (const CubinKernel& kernel : b.kernels)
    if (a.find(kernel.entry) == nullptr)
      differences.push_back({kernel.entry, "not in the first module"});
  return differences;
}

}  // namespace phasebit
