// Machine code and what nvdisasm says of it.
#include "analysis/cubin/change/padding.h"
#include "analysis/cubin/cubin.h"
#include "analysis/disassembly/live.h"
#include "analysis/disassembly/nvdisasm_json.h"
#include "analysis/foreign/packed/fatbin.h"
#include "analysis/foreign/packed/images.h"
#include "core/isa/version.h"
#include "tests/fuzz/reader.h"

namespace phasebit::test {
namespace {

void check_inside(std::string_view part, std::string_view whole, const char* what) {
  if (part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size())
    bug(what);
}

// What is padded can be read and is of the same classes.
void pad(std::string_view bytes) {
  constexpr int padding = 208;
  const auto padded = cubin::change::pad_cubin(bytes, padding);
  if (!padded) return check_refusal(padded.error(), {Step::disassemble});
  const auto before = cubin::read_cubin_or_stub(bytes), after = cubin::read_cubin_or_stub(*padded);
  if (before && !after) bug("what is padded cannot be read: " + after.error().text());
  if (after && !before) bug("padding makes readable: " + before.error().text());
  if (before && before->kernels.size() != after->kernels.size()) bug("kernels are missing");
}

}  // namespace

// Static libraries.
void read_fuzzed_archive(std::string_view bytes) {
  if (!foreign::packed::is_archive(bytes)) return;
  const auto members = foreign::packed::read_archive(bytes, "file");
  if (!members) return check_refusal(members.error(), {Step::disassemble});
  for (const foreign::packed::ArchiveMember& member : *members)
    check_inside(member.bytes, bytes, "a member lies outside of the file");
}

// The ELF reader with its line table, notes and symbols, and what pads a cubin.
void read_fuzzed_cubin(std::string_view bytes) {
  pad(bytes);
  const auto cubin = cubin::read_cubin_or_stub(bytes);
  if (!cubin) return check_refusal(cubin.error(), {Step::disassemble});
  for (const cubin::CubinKernel& kernel : cubin->kernels) {
    if (kernel.size() == 0 || kernel.text.size() % 16 != 0) bug("a kernel without whole words");
    (void)cubin::decode_control(kernel.word(kernel.size() - 1));
    if (!kernel.lines.empty() && kernel.lines.size() != kernel.size()) bug("lines are missing");
    if (kernel.frames.size() != kernel.lines.size()) bug("frames are missing");
    for (const int frame : kernel.frames)
      if (frame < -1 || frame >= static_cast<int>(cubin->source.frames.size()))
        bug("no such frame");
  }
}

// Fatbins, host files with fatbins in them, and what is in a fatbin.
void read_fuzzed_fatbin(std::string_view bytes) {
  const auto fatbins = foreign::packed::find_fatbins(bytes, "file");
  if (!fatbins) return check_refusal(fatbins.error(), {Step::disassemble});
  for (const foreign::packed::Fatbin& fatbin : fatbins->all) {
    if (fatbin.bytes.size() < 16) bug("a fatbin is shorter than its header");
    check_inside(fatbin.bytes, bytes, "a fatbin lies outside of the file");
    for (const foreign::packed::FatbinMember& member :
         foreign::packed::read_members(fatbin.bytes).all) {
      check_inside(member.whole, fatbin.bytes, "an image lies outside of its fatbin");
      check_inside(member.payload, member.whole, "a payload lies outside of its image");
      const auto out = foreign::packed::unpack(member);
      if (out && out->size() != member.size) bug("an image unpacks to another size");
    }
  }
}

// `nvdisasm -plr`'s text, and the header that is given to older files for it.
void read_fuzzed_life_ranges(std::string_view text) {
  if (disassembly::with_present_header(text).size() != text.size())
    bug("the header changed the size of the file");
  const auto table = disassembly::parse_life_ranges(text);
  if (!table) return check_refusal(table.error(), {Step::disassemble});
  if (table->empty()) bug("an empty table is a result");
}

// nvdisasm's JSON, and its version.
void read_fuzzed_nvdisasm_json(std::string_view text) {
  (void)isa::version_in_banner(text);
  const auto read = disassembly::parse_nvdisasm_json(text);
  if (!read) return check_refusal(read.error(), {Step::disassemble});
  if (read->producer.empty() || read->functions.empty()) bug("an empty disassembly is a result");
  for (const disassembly::DisassembledFunction& function : read->functions)
    if (function.instructions.empty()) bug("a function without instructions is a result");
}

}  // namespace phasebit::test
