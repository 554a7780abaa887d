// Fatbins, host files with fatbins in them, and what is in a fatbin.
#include "analysis/foreign/packed/fatbin.h"
#include "tests/fuzz/reader.h"

namespace {

using namespace phasebit;

void check_inside(std::string_view part, std::string_view whole, const char* what) {
  if (part.data() < whole.data() || part.data() + part.size() > whole.data() + whole.size())
    phasebit::bug(what);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto fatbins = phasebit::foreign::packed::find_fatbins(bytes, "file");
  if (!fatbins) return phasebit::test::refused(fatbins.error());
  for (const phasebit::foreign::packed::Fatbin& fatbin : fatbins->all) {
    if (fatbin.bytes.size() < 16) phasebit::bug("a fatbin is shorter than its header");
    check_inside(fatbin.bytes, bytes, "a fatbin lies outside of the file");
    for (const phasebit::foreign::packed::FatbinMember& member :
         phasebit::foreign::packed::read_members(fatbin.bytes).all) {
      check_inside(member.whole, fatbin.bytes, "an image lies outside of its fatbin");
      check_inside(member.payload, member.whole, "a payload lies outside of its image");
      const auto out = phasebit::foreign::packed::unpack(member);
      if (out && out->size() != member.size) phasebit::bug("an image unpacks to another size");
    }
  }
  return 0;
}
