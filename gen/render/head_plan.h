// The launch of a head, held against the plan of the variant that its key names.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/catalogue/catalogue.h"

namespace phasebit::render {

// What the axes of the key decide, a head may not say otherwise: the clusters, CTAs and work of a
// launch, who is timed in which unit, and how much of its end state is verified. Threads, shared
// memory and items may differ, as an edited text may. Nothing is held against a head whose
// components are its own. Step::spec with file, line, key and what to write.
Status check_head_plan(const catalogue::Catalogue& catalogue, const ptx::head::Head& head,
                       const image::VariantKey& key);

// Whether rules, barriers and items of the head are those of the variant that its key names; of a
// head with components of its own, true. An edited text may have others, but then it is not known
// that it is what its key says.
Result<bool> is_held_to_key(const catalogue::Catalogue& catalogue, const ptx::head::Head& head,
                            const image::VariantKey& key);

}  // namespace phasebit::render
