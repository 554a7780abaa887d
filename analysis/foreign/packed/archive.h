// Static libraries: the members of an archive of ar.
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::foreign::packed {

struct ArchiveMember {
  std::string name;        // "k.o"
  std::string_view bytes;  // in the archive
};

// A thin archive too, which read_archive refuses.
bool is_archive(std::string_view bytes);

// In their order, without the tables of symbols and of long names. `name` stands for the file in
// messages. Step::disassemble when a header is damaged or a member is cut short, and for a thin
// archive, whose members are other files.
//
// The layout is ar(5): a line "!<arch>", then a header of 60 bytes before each member, which begins
// at an even place.
Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes, std::string_view name);

}  // namespace phasebit::foreign::packed
