// One kernel as every `sass` command sees it, whether it came from a variant, a PTX file, a cubin
// or a library.
#pragma once

#include "analysis/flow/occupancy.h"
#include "analysis/reading/loops.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::reading {

struct CodeSubject {
  std::string name;  // for people: variant and target, file and kernel
  int sm = 0;        // words are compared only where both sides have the same
  cubin::SassKernel kernel;
  // What `line` of an instruction is a place in: statements with their verbs, or (has_lines) a
  // source line each, with "k.cu:12" as its verb. Empty: nothing is known.
  launch::SourceMap source;
  std::vector<flow::RoleWindow> windows;  // of what has verbs
  // Whether its verbs are those of the other side. Source lines of two files are not: they are
  // shown, and nothing goes by them.
  bool shares_verbs = true;
  std::string sass_class = {};  // of a variant: with its launch shape, as rows name it
  // Its verbs are source lines. A line that both sides have is one of the same function; what is
  // of a line that one side alone has may be aligned with anything of that kind.
  bool has_lines = false;
  std::string target = {};       // "sm_90a"
  CodeLoops loops = {};          // where they were asked for
  std::vector<int> frames = {};  // of its image's SourceTable, by instruction; empty without one
  // What ptxas and the launch say, of what was assembled here and has a head.
  std::optional<flow::SpillBytes> spill = {};
  flow::CtaShape shape = {};

  // Of an instruction; -1: none.
  int frame_of(std::size_t instruction) const {
    return instruction < frames.size() ? frames[instruction] : -1;
  }
};

// Its features; with a target spills and occupancy too, where the subject knows them.
flow::Features features_of(const CodeSubject& subject,
                           const std::optional<isa::Target>& target = {});

}  // namespace phasebit::reading
