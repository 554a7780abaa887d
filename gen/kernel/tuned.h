// Forks: kernels that began as a generated variant and are edited by hand since. Two files each:
//   ptx/tuned/NAME.ptx         the edited file; its head names the parent and the merge base
//   ptx/tuned/NAME.parent.ptx  the parent as it was when they were last merged: the merge base
#pragma once

#include "core/base/home.h"
#include "core/launch/variant_key.h"
#include "gen/kernel/kernel_file.h"

#include <string>
#include <vector>

namespace phasebit::kernel {

struct Fork {
  std::string name;
  fs::path path;
  std::string shown;  // the path as messages name it
  Rendered kernel;
  const launch::VariantKey& key() const { return kernel.head.key; }
  const std::string& parent() const { return kernel.head.parent.id; }
  const std::string& recorded() const { return kernel.head.parent.text; }  // hash of the base
  std::string shown_base() const {
    return fs::path(shown).replace_extension(".parent.ptx").string();
  }
  fs::path base() const { return next_to(".parent.ptx"); }
  fs::path conflict() const { return next_to(".conflict.ptx"); }
  fs::path next_to(const char* ending) const { return path.parent_path() / (name + ending); }
};

// ptx/tuned of the checkout; of the current folder where the program is installed
fs::path tuned_folder(const base::Home& home);

// A path as messages name it: below the folder of what a user edits, or where it is.
std::string shown_path(const base::Home& home, const fs::path& path);

// Those of a folder by name, and an error for each file that cannot be read as one: it names file,
// line and key.
struct FoundForks {
  std::vector<Fork> forks;
  std::vector<Error> broken;
};
// Nothing when there is no such folder.
FoundForks read_forks(const base::Home& home);
// Reads that file alone. Step::usage with the nearest name when there is none of this name.
Result<Fork> read_fork(const base::Home& home, const std::string& name);

// The parent's file as forks and their bases have it: without the lines of templates, which move
// when nothing else does.
std::string parent_file(const space::Catalogue& catalogue, const Rendered& parent);

// A new fork of that name. Step::usage when the name is taken or cannot be a file's. Nothing is
// written when the fork could not be read again.
Result<Fork> make_fork(const base::Home& home, const space::Catalogue& catalogue,
                       const std::string& name, const Rendered& parent);

// Makes this text the one that the fork is merged with from now on.
Status record_parent(const Fork& fork, const std::string& parent);

}  // namespace phasebit::kernel
