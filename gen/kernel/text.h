// A fork's file and its parent's differ in a few lines that say which is which. Taken as lines, so
// that all else stays as its author wrote it.
#pragma once

#include <string>

namespace phasebit::kernel {

struct ForkIdentity {
  std::string name;
  std::string parent_id, parent_hash;  // of the id, as the entry's name has it
  std::string text;                    // content_hash of the merge base
};

// The parent's file with the fork's id, axis, parent and entry.
std::string as_fork(const std::string& parent_file, const ForkIdentity& fork);

// The fork's file with those of the parent: what is left between them is what was edited.
std::string as_parent(const std::string& fork_file, const ForkIdentity& fork);

}  // namespace phasebit::kernel
