// The launch of a head, checked against the plan of the variant that its key names.
#pragma once

#include "core/ptx/head/head.h"
#include "gen/kernel/render.h"
#include "gen/space/catalogue.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::kernel {

// The [key] of a head, checked against the catalogue.

// The whole key: axes that the head leaves out have their defaults, an id that it leaves out is
// made. With `origin = "file"` at least one component is the file's own: axes that the catalogue
// does not declare for the others are free, the id names every axis, and the head must say what no
// catalogue does: rules, and what a launch verifies. Step::spec with file, line, key and what to
// write.
Result<launch::VariantKey> check_head_key(const space::Catalogue& catalogue,
                                          const ptx::head::Head& head);

// What the axes of the key decide, a head may not say otherwise: the clusters, CTAs and work of a
// launch, which role is timed in which unit, and how much of its end state is verified. Threads,
// shared memory and items may differ, as an edited text may. Nothing is checked of a head whose
// components are its own. Step::spec with file, line, key and what to write.
Status check_head_plan(const space::Catalogue& catalogue, const ptx::head::Head& head,
                       const launch::VariantKey& key);

// Both checks; the head then has the whole key.
Status complete_head(const space::Catalogue& catalogue, ptx::head::Head& head);

// Whether rules, barriers and items of the head are those of the variant that its key names; of a
// head with components of its own, true. An edited text may have others, but then it is not known
// that it is what its key says.
Result<bool> is_held_to_key(const space::Catalogue& catalogue, const ptx::head::Head& head,
                            const launch::VariantKey& key);

// Whether a text is that of another value of one of its key's axes. Rules cannot say so of every
// axis: `layout`, `poller` or `work_kind` change a text and leave what is counted of it as it is.

class NearbyTexts {
 public:
  // The catalogue must outlive it.
  NearbyTexts(const space::Catalogue& catalogue, fs::path templates)
      : catalogue_(catalogue), renderer_(catalogue, std::move(templates)) {}

  // "layout=v1" where fewer statements differ from the text of this value than from the key's own;
  // "" where the key's own is nearest. Ranges of numbers are left out: barriers and items hold
  // them.
  Result<std::string> nearer(const ptxas::Kernel& kernel, const launch::VariantKey& key);

 private:
  using Text = std::vector<std::string>;  // statements without the entry's name, sorted

  Result<const Text*> text_of(const launch::VariantKey& key);

  const space::Catalogue& catalogue_;
  Renderer renderer_;
  std::map<std::string, Text> texts_;
};

}  // namespace phasebit::kernel
