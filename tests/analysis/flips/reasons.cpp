#include "tests/analysis/flips/flips.h"

namespace phasebit::test {
namespace {

struct Reason {
  std::string_view kind;  // how it begins
  std::string_view text;
};

// Of bytes that are read.
constexpr std::string_view names_only =
                               "names of what counts by content, and of what K does not lead to",
                           not_led_to = "of what K does not lead to",
                           other_code = "K does not call it",
                           parameters = "parameters: a launch hands them over",
                           places = "places in .text and what is there: they follow from it",
                           instruction = "whether .text has such an instruction",
                           compiler = "which compiler made it: one value for a target and ptxas",
                           figures = "figures for tools";
// Of bytes that are not.
constexpr std::string_view debuggers = "for debuggers",
                           mercury = "the code for a driver that makes that of other SMs from it";

// The first that fits.
constexpr Reason reasons[] = {
    {".shstrtab", names_only},
    {".strtab", names_only},
    {".symtab st_name", "the same"},
    {".symtab st_", "of what K does not lead to; of K where no address depends on it"},
    {".debug_", debuggers},
    {".nv_debug_", debuggers},
    {".rela.debug_", debuggers},
    {".rel.debug_", debuggers},
    {".rela.nv_debug_", debuggers},
    {".rel.nv_debug_", debuggers},
    {".note.", "which tool made the file, and how it was called"},
    {".nv.compat", "for tools that link or finish the file"},
    {".nv.rel.action", "how a driver carries out relocations: one table for a target"},
    {".nv.prototype", "numbers of prototypes; whom a call may mean is in the call graph"},
    {".nv.merc.", mercury},
    {".nv.capmerc.", mercury},
    {".nv.callgraph", "calls inside a section, those that lead nowhere, numbers of prototypes"},
    {".nv.info.K heads", "one attribute taken for another that does not count either"},
    {".nv.info.K EIATTR_PARAM_CBANK", "where bank 0 has the parameters: the SM says it"},
    {".nv.info.K EIATTR_KPARAM_INFO", parameters},
    {".nv.info.K EIATTR_CBANK_PARAM_SIZE", parameters},
    {".nv.info.K EIATTR_MAXREG_COUNT", "a limit for a linker: what K has is in REGCOUNT"},
    {".nv.info.K EIATTR_NUM_BARRIERS", "the second byte of two"},
    {".nv.info.K EIATTR_EXTERNS", "functions that it calls: relocations name them"},
    {".nv.info.K EIATTR_EXIT_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_S2RCTAID_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_COOP_GROUP_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_COOP_GROUP_MASK_REGIDS", places},
    {".nv.info.K EIATTR_INT_WARP_WIDE_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_MBARRIER_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_INSTR_REG_MAP", places},
    {".nv.info.K EIATTR_SYSCALL_OFFSETS", places},
    {".nv.info.K EIATTR_INSTR_OFFSETS", places},
    {".nv.info.K EIATTR_UNUSED_LOAD_BYTE_OFFSET", places},
    {".nv.info.K EIATTR_CTAIDZ_USED", instruction},
    {".nv.info.K EIATTR_PREEXIT_USED", instruction},
    {".nv.info.K EIATTR_CUDA_API_VERSION", compiler},
    {".nv.info.K EIATTR_LANGUAGE", compiler},
    {".nv.info.K EIATTR_SW_WAR", compiler},
    {".nv.info.K EIATTR_NVSAL_SW_WAR", compiler},
    {".nv.info.K EIATTR_SPARSE_MMA_MASK", compiler},
    {".nv.info.K attribute 0x35", compiler},
    {".nv.info.K attribute 0x5f", compiler},
    {".nv.info.K EIATTR_ANNOTATIONS", figures},
    {".nv.info.K EIATTR_STATISTICS", figures},
    {".nv.info.K EIATTR_PERF_STATISTICS", figures},
    {".nv.info.* ", "of other kernels"},
    {".nv.info ", "of other functions"},
    {".nv.constant0.", "bank 0 is what a launch hands over"},
    {".nv.constant2.*", other_code},
    {".nv.constant3", not_led_to},
    {".nv.constant4", not_led_to},
    {".nv.global.init", not_led_to},
    {".rel.nv.constant2.*", other_code},
    {".rela.nv.constant2.*", other_code},
    {".rel.nv.constant", not_led_to},
    {".rela.nv.constant", not_led_to},
    {".rel.nv.global.init", not_led_to},
    {".rela.nv.global.init", not_led_to},
    {".rel.text.K r_info symbol", "a section's own symbol for what is at its start"},
    {".rela.text.K r_info symbol", "a section's own symbol for what is at its start"},
    {".text.*", other_code},
    {".rel.text.*", other_code},
    {".rela.text.*", other_code},
    {"header of .text.K sh_addralign", "128 bytes for all code"},
    {"header of .text.K sh_flags", "read where NUM_BARRIERS is missing"},
    {"header of .text.K sh_info", "registers once more, and the symbol"},
    {"header of .nv.shared.K sh_addralign", "it begins at the start of shared memory"},
    {"header of .nv.shared.K sh_", "the same for all"},
    {"header of .nv.global", "of what K does not lead to, or of 16 bytes and less"},
};

}  // namespace

std::string_view reason_of(std::string_view kind) {
  for (const Reason& one : reasons)
    if (kind.starts_with(one.kind)) return one.text;
  return {};
}

}  // namespace phasebit::test
