// Which compilers make a variant, and how they are asked: LLVM the PTX, where it is not the
// templates', and ptxas the code. These axes stand last in an id, and only where they are not the
// default:
// ".../llvm=22.1.8/llvm_opt=1/short_ptr=off/ptxas=12.4.131/opt_level=1/padding=208". A variant's
// PTX depends on those of LLVM alone.
#pragma once

#include "core/base/home.h"
#include "core/image/variant_key.h"
#include "gen/ptxas/llvm_axes.h"

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptxas {

struct AssemblerChoice {
  std::string ptxas;     // "12.4.131"; "" for the one that the command works with
  int opt_level = 3;     // ptxas -O, 0..3
  int maxrregcount = 0;  // ptxas -maxrregcount, registers a thread; 0: not given
  // An experiment on what ptxas made (analysis/cubin/change/edit.h): "0x920.NOP"; "" for none. The
  // timed build alone has it.
  std::string edit = {};
  // Bytes of NOPs before the code (analysis/cubin/change/padding.h), a multiple of 16; of the timed
  // build alone.
  int padding = 0;
  LlvmChoice llvm = {};
  friend auto operator<=>(const AssemblerChoice&, const AssemblerChoice&) = default;
};

// What a person must know of one of these axes.
struct AssemblerAxis {
  const char *name, *default_value, *values, *doc;
};
std::span<const AssemblerAxis> assembler_axis_facts();

bool is_assembler_axis(std::string_view axis);

// {"-O1", "-maxrregcount=32"}; nothing for the defaults.
std::vector<std::string> flags_of(const AssemblerChoice& choice);
// "ptxas 12.4.131 -O1"; "" for the defaults.
std::string describe(const AssemblerChoice& choice);

AssemblerChoice assembler_of(const image::VariantKey& key);
// The key with these axes in the place of those that it has; a choice without LLVM leaves the key's
// text as it is.
image::VariantKey with_assembler(const image::VariantKey& key, const AssemblerChoice& choice);
// The key without those of ptxas: equal text keys have equal PTX.
image::VariantKey text_key(const image::VariantKey& key);

// Values of the axes that a sweep or a command line asks for; an empty list is the default
// alone.
struct AssemblerAxes {
  std::vector<std::string> ptxas;  // as AssemblerChoice has them
  std::vector<int> opt_level, maxrregcount;
  std::vector<std::string> edit = {};
  std::vector<int> padding = {};
  std::vector<std::string> llvm = {};  // as LlvmChoice has them
  std::vector<int> llvm_opt = {};
  std::vector<bool> short_ptr = {};
};

// Sets the values of one axis: "ptxas" takes versions and "all" (every one installed), "opt_level"
// 0..3 and "all", "maxrregcount" registers and "none", "edit" any text, "padding" bytes and ranges
// ("0:1024:16"), "llvm" its version and "none", "llvm_opt" 0..3 and "all", "short_ptr" on and off.
// Errors as read_typed_id (gen/space/typed_id.h).
Status set_assembler_axis(const base::Home& home, AssemblerAxes& axes, std::string_view axis,
                          const std::vector<std::string>& values);

// All combinations, ptxas slowest.
std::vector<AssemblerChoice> combinations(const AssemblerAxes& axes);

}  // namespace phasebit::ptxas
