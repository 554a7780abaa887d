// Forks: kernels that began as a generated variant and are edited by hand since. A folder each:
//   ptx/tuned/NAME/fork.toml           parent, its recorded hashes, gate declarations of its own
//   ptx/tuned/NAME/timed.ptx           the text that is measured
//   ptx/tuned/NAME/guarded.ptx         the same change, with bounded waits: runs first
//   ptx/tuned/NAME/parent.timed.ptx    what the parent was when it was forked: the base of a merge
//   ptx/tuned/NAME/parent.guarded.ptx
#pragma once

#include "core/image/variant_key.h"
#include "core/rule/rule.h"
#include "gen/render.h"

#include <string>
#include <vector>

namespace phasebit {

inline constexpr Build both_builds[] = {Build::timed, Build::guarded};

struct Fork {
  std::string name;
  fs::path folder;
  std::string parent;           // id of the variant
  std::string parent_hash;      // of the id
  std::string parent_texts[2];  // content_hash of the parent's text, by build
  std::vector<VerbRule> gates;  // in the place of the parent's for these verbs
  fs::path text(Build build) const { return folder / (to_string(build) + ".ptx"); }
  fs::path base(Build build) const { return folder / ("parent." + to_string(build) + ".ptx"); }
  fs::path conflict(Build build) const { return folder / (to_string(build) + ".conflict.ptx"); }
  const std::string& recorded(Build build) const { return parent_texts[static_cast<int>(build)]; }
};

// The axis of a fork's key that names it: "ring/mbarrier/none/none/tuned=fast".
inline constexpr const char* tuned_axis = "tuned";

// <data root>/ptx/tuned
fs::path tuned_folder();

// All forks by name; none when there is no such folder. Step::spec with file, line and key.
Result<std::vector<Fork>> read_forks(const fs::path& tuned);
// Step::usage with the nearest name when there is none of this name.
Result<Fork> read_fork(const fs::path& tuned, const std::string& name);

VariantKey fork_key(const Fork& fork, const VariantKey& parent);

// "ID/tuned=NAME" -> ID and NAME; NAME is "" for other ids.
struct ForkId {
  std::string parent, name;
};
ForkId split_fork_id(const std::string& id);

// The text of one build as a kernel of the name that the key gives it. Its statements are
// attributed to the fork's own file and line, and to the role and verb of their heading.
Result<Rendered> fork_kernel(const Fork& fork, const VariantKey& key, Build build);

// The texts of a parent, as readable_module gives them.
struct ParentTexts {
  std::string timed, guarded;
  const std::string& of(Build build) const { return build == Build::timed ? timed : guarded; }
};

// A new fork of that name. Step::usage when the name is taken or cannot be a folder's.
Result<Fork> make_fork(const fs::path& tuned, const std::string& name, const VariantKey& parent,
                       const ParentTexts& texts);

// Makes these texts the ones that the fork is merged with from now on.
Status record_parent(const Fork& fork, const ParentTexts& texts);

}  // namespace phasebit
