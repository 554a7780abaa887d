#include "tests/analysis/flips/attributes.h"

#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace phasebit::test {
namespace {

struct Name {
  int attribute;
  std::string_view name;
};
// As `cuobjdump -elf` names them.
constexpr Name attribute_names[] = {{0x04, "CTAIDZ_USED"},
                                    {0x05, "MAX_THREADS"},
                                    {0x0a, "PARAM_CBANK"},
                                    {0x0f, "EXTERNS"},
                                    {0x10, "REQNTID"},
                                    {0x11, "FRAME_SIZE"},
                                    {0x12, "MIN_STACK_SIZE"},
                                    {0x17, "KPARAM_INFO"},
                                    {0x19, "CBANK_PARAM_SIZE"},
                                    {0x1b, "MAXREG_COUNT"},
                                    {0x1c, "EXIT_INSTR_OFFSETS"},
                                    {0x1d, "S2RCTAID_INSTR_OFFSETS"},
                                    {0x1e, "CRS_STACK_SIZE"},
                                    {0x23, "MAX_STACK_SIZE"},
                                    {0x25, "LD_CACHEMOD_INSTR_OFFSETS"},
                                    {0x27, "ATOM_SYS_INSTR_OFFSETS"},
                                    {0x28, "COOP_GROUP_INSTR_OFFSETS"},
                                    {0x29, "COOP_GROUP_MASK_REGIDS"},
                                    {0x2f, "REGCOUNT"},
                                    {0x31, "INT_WARP_WIDE_INSTR_OFFSETS"},
                                    {0x34, "INDIRECT_BRANCH_TARGETS"},
                                    {0x36, "SW_WAR"},
                                    {0x37, "CUDA_API_VERSION"},
                                    {0x38, "NUM_MBARRIERS"},
                                    {0x39, "MBARRIER_INSTR_OFFSETS"},
                                    {0x3b, "SAM_REGION_STACK_SIZE"},
                                    {0x3d, "CTA_PER_CLUSTER"},
                                    {0x3e, "EXPLICIT_CLUSTER"},
                                    {0x3f, "MAX_CLUSTER_RANK"},
                                    {0x40, "INSTR_REG_MAP"},
                                    {0x41, "RESERVED_SMEM_USED"},
                                    {0x42, "RESERVED_SMEM_0_SIZE"},
                                    {0x44, "UNUSED_LOAD_BYTE_OFFSET"},
                                    {0x45, "KPARAM_INFO_V2"},
                                    {0x46, "SYSCALL_OFFSETS"},
                                    {0x4a, "VRC_CTA_INIT_COUNT"},
                                    {0x4c, "NUM_BARRIERS"},
                                    {0x4f, "AT_ENTRY_FRAGMENTS"},
                                    {0x50, "SPARSE_MMA_MASK"},
                                    {0x51, "TCGEN05_1CTA_USED"},
                                    {0x55, "ANNOTATIONS"},
                                    {0x66, "LANGUAGE"},
                                    {0x6b, "NVSAL_SW_WAR"},
                                    {0x6c, "INSTR_OFFSETS"},
                                    {0x6d, "PREEXIT_USED"}};

std::string attribute_name(int attribute) {
  for (const Name& one : attribute_names)
    if (one.attribute == attribute) return "EIATTR_" + std::string(one.name);
  return fmt::format("attribute {:#x}", attribute);
}

}  // namespace

std::vector<AttributePart> attribute_parts(std::string_view nv_info) {
  constexpr std::size_t head_bytes = 4, kind_bytes = 2;
  constexpr unsigned char no_value = 1, sized = 4;
  std::vector<AttributePart> parts;
  std::size_t at = 0;
  while (at + head_bytes <= nv_info.size()) {
    const auto format = static_cast<unsigned char>(nv_info[at]),
               number = static_cast<unsigned char>(nv_info[at + 1]);
    std::uint16_t size = 0;
    std::memcpy(&size, &nv_info[at + kind_bytes], sizeof size);
    // The other formats have their value where this one has its size.
    const std::size_t value =
        at + (format == sized || format == no_value ? head_bytes : kind_bytes);
    const std::size_t end = at + head_bytes + (format == sized ? size : 0U);
    if (end > nv_info.size()) break;
    parts.push_back({"heads of attributes", at, value});
    parts.push_back({attribute_name(number), value, end});
    at = end;
  }
  if (at < nv_info.size()) parts.push_back({"rest", at, nv_info.size()});
  return parts;
}

}  // namespace phasebit::test
