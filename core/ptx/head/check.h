// Whether a head and the text below it speak of the same kernel.
#pragma once

#include "core/ptx/file.h"
#include "core/ptx/head/head.h"

namespace phasebit::ptx::head {

// Step::spec, "file:line: key: what the head says and what the text has (what to write)".
Status check_head(const Head& head, const PtxFile& file, const PtxFunction& entry);

// Puts the buffers and tensor maps of a checked head into the order of the entry's parameters, in
// which a launch passes them.
void order_buffers(Head& head, const PtxFunction& entry);

}  // namespace phasebit::ptx::head
