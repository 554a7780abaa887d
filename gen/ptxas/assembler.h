// Which compilers make a variant, and how they are asked: LLVM the PTX, where it is not the
// templates', and ptxas the code. These axes stand last in an id, and only where they are not the
// default:
// ".../llvm=22.1.8/llvm_opt=1/short_ptr=off/ptxas=12.4.131/opt_level=1/padding=208". A variant's
// PTX depends on those of LLVM alone.
#pragma once

#include "core/base/error.h"
#include "core/base/home.h"
#include "core/image/manifest.h"
#include "core/image/source_map.h"
#include "core/image/variant_key.h"

#include <compare>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::ptxas {

// Which LLVM makes the PTX of a variant, and how it is asked.

inline constexpr const char* llvm_axis = "llvm";
inline constexpr const char* llvm_opt_axis = "llvm_opt";
inline constexpr const char* short_ptr_axis = "short_ptr";

struct LlvmChoice {
  std::string version = {};    // "22.1.8"; "" for the PTX of the templates
  int opt_level = 2;           // -O, 0..3
  bool short_pointers = true;  // addresses in shared memory have 32 bits
  friend auto operator<=>(const LlvmChoice&, const LlvmChoice&) = default;
};

// Of the axes that decide the PTX.
bool is_llvm_axis(std::string_view axis);

LlvmChoice llvm_of(const image::VariantKey& key);
// A text key with this choice in the place of the one that it has.
image::VariantKey with_llvm(const image::VariantKey& text_key, const LlvmChoice& choice);

// "LLVM 22.1.8 -O1, long pointers"; "" for the templates' PTX.
std::string describe(const LlvmChoice& choice);

// Values of the axes as they are typed: "22" is the version that phasebit-llvm has, "none" none.
// Step::usage or toolchain.
Result<std::string> llvm_value(const std::string& word);
Result<bool> short_ptr_value(const std::string& word);

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
// Errors as read_typed_id (gen/space/point.h).
Status set_assembler_axis(const base::Home& home, AssemblerAxes& axes, std::string_view axis,
                          const std::vector<std::string>& values);

// All combinations, ptxas slowest.
std::vector<AssemblerChoice> combinations(const AssemblerAxes& axes);

// One rendered kernel: PTX statements and where each came from.

// What a line of a file that goes to ptxas as it is holds for `.loc`.
enum class LineKind {
  other,
  executable,     // an instruction begins on it, in a body that was opened above it
  line_directive  // a `.loc` or `.file` of its own
};

struct Kernel {
  std::string entry;  // "pb_0123456789ab_t": from the variant's hash and the build
  image::Build build = image::Build::timed;
  std::string ptx_version;  // lowest `.version` that its forms need: "8.0"
  std::string ptx_target;   // lowest `.target`: "sm_90"
  // The text of the `.entry`, from its `.visible .entry` line to the closing brace. One statement,
  // label, directive or brace a line, without comments and blank lines, so that a changed comment
  // changes no hash. Statement n (1-based) is what `.loc` names and `source[n - 1]` explains.
  std::vector<std::string> statements;
  image::SourceMap source;
  // What the module needs in front of its kernels beside the dynamic shared memory, one statement a
  // line; kernels of one module have it in common. Empty but for guarded builds.
  std::vector<std::string> preamble;
  // content_hash of version, target, preamble and statements without the entry's name
  std::string hash;
  // True: `statements` are the lines of a whole file, as somebody wrote it, from its .version on.
  // It is assembled by itself: it may hold functions, globals and other entries.
  bool as_is = false;
  std::vector<LineKind> line_kinds;  // of a kernel as it is, one a line
  // Of a kernel as it is: its own `.loc` say where code comes from, and none is put in their place.
  bool has_own_lines = false;
};

// What every module starts with after .version, .target and .address_size: the dynamic shared
// memory.
inline constexpr const char* module_shared_declaration =
    ".extern .shared .align 128 .b8 pb_shared[];";

// What ptxas made of one kernel, in the form in which it can be kept: it names statements, not
// template lines, because those move without a change of the kernel.

struct StatementMessage {
  int statement = 0;  // 1-based; 0: of the kernel as a whole
  std::string text;
};

struct Outcome {
  bool refused = false;
  std::string module;     // content hash of the cubin; empty when refused
  std::string entry;      // its name there: that of the first kernel that had this text
  std::string text_hash;  // content hash of the section .text.<entry>
  image::Resources resources;
  std::vector<StatementMessage> messages;  // errors when refused, else warnings
};

}  // namespace phasebit::ptxas
