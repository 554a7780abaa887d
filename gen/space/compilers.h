// How a variant's text is compiled: the axes of axes.toml with a `compiler`. They are last in an
// id, and only where they are not at their defaults:
// ".../llvm=22.1.8/llvm_opt=1/short_ptr=off/ptxas=12.4.131/opt_level=1/padding=208". A variant's
// PTX depends on those of LLVM alone.
#pragma once

#include "core/launch/variant_key.h"
#include "gen/ptxas/assembler.h"
#include "gen/space/catalogue.h"
#include "gen/space/spec.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::space {

// Those that are not at their defaults, in the order of the catalogue.
using CompilerChoice = launch::KeyAxes;

// Of axes by name, in any order: without defaults, and without what has no meaning (`when`).
CompilerChoice settled_choice(const Catalogue& catalogue, const launch::KeyAxes& said);
// All combinations of the values asked for, the catalogue's first axis slowest, no two equal.
std::vector<CompilerChoice> combinations(const Catalogue& catalogue,
                                         const std::vector<AxisValues>& asked);

bool is_llvm_axis(const Catalogue& catalogue, std::string_view axis);
bool names_llvm(const Catalogue& catalogue, const CompilerChoice& choice);

CompilerChoice choice_of(const Catalogue& catalogue, const launch::VariantKey& key);
// The key with this choice in the place of its own; one without LLVM leaves the key's text as it
// is.
launch::VariantKey with_choice(const Catalogue& catalogue, const launch::VariantKey& key,
                               const CompilerChoice& choice);
// The same by another version of ptxas.
launch::VariantKey by_ptxas(const Catalogue& catalogue, const launch::VariantKey& key,
                            const std::string& version);
// The key without what is done to its text: equal text keys have equal PTX.
launch::VariantKey text_key(const Catalogue& catalogue, const launch::VariantKey& key);
// That of the templates' own PTX.
launch::VariantKey without_llvm(const Catalogue& catalogue, const launch::VariantKey& text_key);

// What the steps after the text must know of a key.
ptxas::LlvmChoice llvm_of(const launch::VariantKey& key);
ptxas::AssemblerChoice assembler_of(const Catalogue& catalogue, const launch::VariantKey& key);

// "LLVM 22.1.8 -O1, long pointers"; "" for the templates' PTX.
std::string describe(const ptxas::LlvmChoice& choice);

}  // namespace phasebit::space
