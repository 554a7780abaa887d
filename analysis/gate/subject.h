// One kernel as the rules of a file see it: its names, and the parts that a rule may speak of.
#pragma once

#include "analysis/cubin/source/lines.h"
#include "analysis/reading/subject.h"
#include "core/base/error.h"
#include "core/isa/version.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace phasebit::gate {

struct GatePart {
  flow::CodeCounts counts = {};
  std::map<std::string, std::string> places = {};  // of an opcode's first: "k.cu:12 (0x00a0)"
  std::optional<cubin::LiveCounts> live = {};      // the most of each kind, where asked for
};

struct GateLine {
  std::string file;
  int line = 0;
  GatePart part;
};

struct GateLoop {
  std::string name;  // "0x80-0xe0, k.cu:4-5"
  GatePart own;      // at its own depth: one turn
};

// Spills of code that others assembled.
struct GateSpills {
  flow::SpillBytes bytes;
  std::string what;  // is counted: "spill bytes", "bytes of all local memory accesses"
};

// One kernel of one column, or of one code file.
struct GateSubject {
  std::string name, target, family;  // the variant's id, or the kernel's symbol
  std::optional<isa::Version> ptxas;
  std::string code_class;
  flow::Features features;
  std::vector<GateLine> lines;  // by file and line
  // Of kernels that are not variants: what patterns of `kernels` may say (symbol, demangled, that
  // without types around it), and what to call it. None: a variant.
  std::vector<std::string> names = {};
  std::string shown = {}, file = {};  // the path of its code or PTX file; "" of variants
  std::vector<GateLoop> loops = {};
  std::string loops_problem = {};  // why there may be others
  GatePart kernel = {};            // places and live; the counts are those of the features
  std::optional<GateSpills> spills = {};
  // For the occupancy. Threads: of the launch, or the largest that the code allows; 0: not known.
  std::optional<isa::Target> sm = {};
  flow::CtaNeeds needs = {};
  std::string threads_from = {};      // "maxntid"; "" where the launch says
  std::optional<Error> problem = {};  // why it cannot be read
  void set_problem(const Error& error) { problem = error; }
};

// Adds what some code has to the parts of the kernel that runs it: its own, or (`function`) that of
// a function that it calls. `open_calls` are those of what cannot be looked into. An instruction
// belongs to its line, and to every line that this was inlined into.
void add_code(GateSubject& subject, const reading::CodeSubject& code,
              const cubin::source::SourceTable& table, const std::string& function,
              const std::map<std::string, int>& open_calls);

// "ns::step for sm_90a in build/libk.so", "ring/mbarrier/none for sm_90a by ptxas 13.5.37"
std::string name_of(const GateSubject& subject);

// Which part of a kernel a rule speaks of.

struct Where {
  enum class Kind { hot_paths, kernel, role, verb, line, loop_with };
  Kind kind = Kind::hot_paths;
  std::string text;        // as it was written
  std::string role, verb;  // of `role` and `verb`
  std::string file;        // of `line`: the end of a path; "": whatever the only file is called
  int line = 0;
  std::string pattern;  // of `loop_with`
};

// "" the hot paths of all timed loops (the kernel where there is none), "kernel", a role or "timed
// loop" its hot path, "role.verb" that verb's part of it, "line 12" or "line gemm.cu:12", "loop
// with HGMMA*". Step::spec for a line that is not a number, or a loop with nothing.
Result<Where> parse_where(const std::string& text);

struct FoundPart {
  GatePart part;
  std::string name = {};     // which of several, "" for the only one
  std::string problem = {};  // why there is no such code; "" when there is
  bool absent = false;       // with a problem: the kernel has no such code, and that is certain
};

// At least one; each loop of `loop_with` by itself. Step::gate when the word can mean several: a
// line without its file in code of several files, or a file's name that fits two.
Result<std::vector<FoundPart>> parts_of(const Where& where, const GateSubject& subject);

}  // namespace phasebit::gate
