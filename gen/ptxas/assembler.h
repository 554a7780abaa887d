// How a kernel is assembled, a rendered kernel, and what ptxas made of it.
#pragma once

#include "core/launch/manifest.h"
#include "core/launch/source_map.h"

#include <compare>
#include <string>
#include <vector>

namespace phasebit::ptxas {

// Which LLVM makes the PTX of a variant, and how it is asked.
struct LlvmChoice {
  std::string version = {};    // "22.1.8"; "" for the PTX of the templates
  int opt_level = 2;           // -O, 0..3
  bool short_pointers = true;  // addresses in shared memory have 32 bits
  friend auto operator<=>(const LlvmChoice&, const LlvmChoice&) = default;
};

// What a key says of how it is compiled (space/compilers.h: assembler_of).
struct AssemblerChoice {
  std::string ptxas;                    // "12.4.131"; "" for the one that the command works with
  std::vector<std::string> flags = {};  // of ptxas: {"-O1", "-maxrregcount=32"}
  // An experiment on what ptxas made (analysis/cubin/change/edit.h): "0x920.NOP"; "" for none. The
  // timed build alone has it.
  std::string edit = {};
  // Bytes of NOPs before the code (analysis/cubin/change/padding.h), a multiple of 16; of the timed
  // build alone.
  int padding = 0;
  LlvmChoice llvm = {};
  friend auto operator<=>(const AssemblerChoice&, const AssemblerChoice&) = default;
};

// One rendered kernel: PTX statements and where each came from.

// What a line of a file that goes to ptxas as it is holds for `.loc`.
enum class LineKind {
  other,
  executable,     // an instruction begins on it, in a body that was opened above it
  line_directive  // a `.loc` or `.file` of its own
};

struct Kernel {
  std::string entry;  // "pb_0123456789ab_t": from the variant's hash and the build
  launch::Build build = launch::Build::timed;
  std::string ptx_version;  // lowest `.version` that its forms need: "8.0"
  std::string ptx_target;   // lowest `.target`: "sm_90"
  // The text of the `.entry`, from its `.visible .entry` line to the closing brace. One statement,
  // label, directive or brace a line, without comments and blank lines, so that a changed comment
  // changes no hash. Statement n (1-based) is what `.loc` names and `source[n - 1]` explains.
  std::vector<std::string> statements;
  launch::SourceMap source;
  // What the module needs before its kernels apart from the dynamic shared memory, one statement a
  // line; kernels of one module have it in common. Empty but for guarded builds.
  std::vector<std::string> preamble;
  // content_hash of version, target, preamble and statements without the entry's name
  std::string hash;
  // True: `statements` are the lines of a whole file, as a user wrote it, from its .version on.
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
  launch::Resources resources;
  std::vector<StatementMessage> messages;  // errors when refused, else warnings
};

}  // namespace phasebit::ptxas
