#include "analysis/cubin/change/edit.h"

#include "analysis/cubin/elf_file.h"
#include "analysis/cubin/instruction.h"
#include "analysis/cubin/sass_word.h"

#include <charconv>
#include <cstring>

namespace phasebit::cubin::change {
namespace {

// Opcode and operands as ptxas writes them on sm_70 to sm_121: always executed (PT).
constexpr SassWord nop_word{0x7918, 0};
constexpr SassWord yield_word{0x7946, 0x03800000};

constexpr int control_shift = 41;                    // of the high half
constexpr std::uint64_t stall_and_yield = 0x1f;      // bits 0..4 of the control fields
constexpr std::uint64_t no_scoreboards = 0x3f << 5;  // write and read: 7 is none
constexpr std::uint64_t wait_mask = std::uint64_t{0x3f} << 11;

SassWord edited(const SassWord& from, const std::string& opcode) {
  SassWord word = opcode == "NOP" ? nop_word : yield_word;
  const std::uint64_t control = from.high >> control_shift;
  word.high |= ((control & (stall_and_yield | wait_mask)) | no_scoreboards) << control_shift;
  return word;
}

Result<InstructionEdit> parse_edit(std::string_view text) {
  const size_t dot = text.find('.');
  InstructionEdit edit;
  const std::string_view number = text.substr(0, dot);
  const char* end = number.data() + number.size();
  const bool hex = number.starts_with("0x");
  const auto [rest, error] = std::from_chars(number.data() + (hex ? 2 : 0), end, edit.address, 16);
  if (dot != std::string_view::npos) edit.opcode = text.substr(dot + 1);
  const bool known = edit.opcode == "NOP" || edit.opcode == "YIELD";
  if (!hex || error != std::errc() || rest != end || !known ||
      edit.address % instruction_bytes != 0)
    return with_hint(fail(Step::usage, "edit={}: cannot be read", text),
                     "an address and NOP or YIELD, such as 0x920.NOP or 0x920.NOP+0x9f0.YIELD");
  return edit;
}

}  // namespace

Result<std::vector<InstructionEdit>> parse_edits(std::string_view text) {
  std::vector<InstructionEdit> edits;
  while (true) {
    const size_t end = text.find('+');
    PHASEBIT_TRY_ASSIGN(edit, parse_edit(text.substr(0, end)));
    edits.push_back(std::move(edit));
    if (end == std::string_view::npos) return edits;
    text.remove_prefix(end + 1);
  }
}

Result<std::string> edit_cubin(std::string_view cubin, const std::string& entry,
                               const std::vector<InstructionEdit>& edits) {
  PHASEBIT_TRY_ASSIGN(file, ElfFile::open(cubin, "cubin"));
  const ElfSection* code = file.find(".text." + entry);
  if (code == nullptr) return fail(Step::disassemble, "the module has no kernel {}", entry);
  std::string bytes(cubin);
  for (const InstructionEdit& edit : edits) {
    if (std::size_t{edit.address} + instruction_bytes > code->data.size())
      return fail(Step::assemble, "edit={:#x}.{}: the kernel has {:#x} bytes of code", edit.address,
                  edit.opcode, code->data.size());
    char* at = bytes.data() + code->header.sh_offset + edit.address;
    SassWord word;
    std::memcpy(&word, at, sizeof word);
    word = edited(word, edit.opcode);
    std::memcpy(at, &word, sizeof word);
  }
  return bytes;
}

}  // namespace phasebit::cubin::change
