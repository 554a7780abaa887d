// The gate over images.
#pragma once

#include "analysis/cubin/instruction.h"
#include "analysis/disassembly/disassembler.h"
#include "join/images/images.h"

#include <string>
#include <vector>

namespace phasebit::join::images {

// Gates the timed images of each column by their census: outcomes that are kept for the same code,
// lines and rules, the others with as few runs of nvdisasm as can be. Images that failed to
// assemble are left as they are; a kernel whose code cannot be read becomes an error.
Status gate_images(Tools& tools, const disassembly::Disassembler& disassembler,
                   const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                   std::vector<ImageSet>& sets);

// Assembles once more without `.loc`: an image whose `.text` is not the same byte for byte becomes
// an error, as its lines say nothing of it. The error says that nothing could be done.
Status check_plain_text(Tools& tools, const std::vector<Prepared>& prepared,
                        const CodeColumn& column, ImageSet& set);

// The verdict of a rules file on kernels without a head, for their images. A file whose rules speak
// of none of them is an error, as is one with [[same]] or [[differ]], or no such kernel to gate. A
// kernel that no rule speaks of stays ungated.
Status gate_by_rules(Tools& tools, const disassembly::Disassembler& disassembler,
                     const std::string& file, const std::vector<Prepared>& prepared,
                     const CodeColumn& column, ImageSet& set);

}  // namespace phasebit::join::images
