// Static libraries.
#include "analysis/foreign/packed/archive.h"
#include "tests/fuzz/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phasebit;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (!foreign::packed::is_archive(bytes)) return 0;
  const auto members = foreign::packed::read_archive(bytes, "file");
  if (!members) return test::refused(members.error());
  for (const foreign::packed::ArchiveMember& member : *members)
    if (member.bytes.data() < bytes.data() ||
        member.bytes.data() + member.bytes.size() > bytes.data() + size)
      bug("a member lies outside of the file");
  return 0;
}
