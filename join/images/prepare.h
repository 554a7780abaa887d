// Variants on their way to ptxas: planned, rendered in parallel, and headed. From here on no
// step asks where a kernel's text came from.
#pragma once

#include "core/launch/guard_sites.h"
#include "gen/kernel/kernel_file.h"
#include "gen/kernel/render.h"
#include "join/select/space.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::images {

struct Prepared {
  launch::VariantKey key;
  ptx::head::Head head;
  ptxas::Kernel kernel;
  fs::path path = {};                        // of the file that it was read from; "" of others
  std::vector<launch::WaitSite> sites = {};  // of a guarded build
  // Why there is no kernel: LLVM has no IR of the variant, or does not make PTX of it.
  std::optional<Error> refused = {};
  ptxas::AssemblerChoice choice = {};  // how the key says that it is compiled
};

// What the reports of a guarded build mean: its waits, and the barriers in shared memory.
launch::GuardTable guard_table(const Prepared& guarded);

// A variant of the catalogue with its listing.
Result<kernel::Rendered> render_one(const fs::path& templates, const space::Catalogue& catalogue,
                                    const launch::VariantKey& variant, launch::Build build);

// Makes variant after variant: it keeps what it has parsed, and the process that LLVM runs in. One
// a thread; the space must outlive it.
class VariantMaker {
 public:
  explicit VariantMaker(const select::Space& space);
  VariantMaker(VariantMaker&&) noexcept;
  ~VariantMaker();
  Result<kernel::Rendered> make(const launch::VariantKey& variant, launch::Build build);

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

// The same for any variant of a space: with the space's snippets in it, or a file of the space. The
// guarded build is made from the timed one (gen/guard).
Result<kernel::Rendered> render_one(const select::Space& space, const launch::VariantKey& variant,
                                    launch::Build build);

// All variants of the space in their order, on `jobs` threads (0: all cores). A template error
// stops it: it concerns every variant of its combination. So does a fork that cannot be read. What
// LLVM does not make is refused, and all others are prepared.
Result<std::vector<Prepared>> prepare(const select::Space& space, launch::Build build,
                                      unsigned jobs);

// The guarded build of a kernel, wherever its text came from.

// Made from the timed build (gen/guard), which is not rendered again. Its head says that it is
// guarded. Of a refused one as refused.
Result<kernel::Rendered> guarded_kernel(const kernel::Rendered& timed);
Result<Prepared> guarded_of(const Prepared& timed);
// Of several, on `jobs` threads; the first error stops it.
Result<std::vector<Prepared>> guarded_of(const std::vector<Prepared>& timed, unsigned jobs);

}  // namespace phasebit::join::images
