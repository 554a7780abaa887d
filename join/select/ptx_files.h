// FILE.ptx in place of a variant: any PTX, with heads or without, with one entry or several.
#pragma once

#include "gen/kernel/head_plan.h"
#include "gen/kernel/snippet.h"
#include "join/select/space.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::join::select {

// Whether a word of the command line is a file of PTX: it ends like one.
bool is_ptx_file(const std::string& word);

// Whether it is there and none of its entries has a head: then it is code as any other's.
bool lacks_heads(const fs::path& path);

// Where no target is named: that of a PTX file's own `.target`, where code for one of that
// name can be read; of anything else sm_90a.
std::string default_target(const std::string& word);

// Its kernels, each with a key of its own: that of its head with an axis `file=NAME@HASH`, because
// an edited file is another kernel, and after the hash "-not-held-to-its-key" where the
// head's rules are not those of the variant that the key names, or the text is nearer to that of
// another value of one of its axes. A fork of ptx/tuned keeps its key; a file elsewhere whose head
// says that it is one does not. Without a head "external/NAME@HASH/ENTRY". HASH is the text's. Keys
// of heads are checked against the catalogue (gen/kernel/head_plan.h), which is loaded from
// `templates` when the first head asks for it.
struct HeadCatalogue {
  base::Home home;
  fs::path templates;
  std::optional<space::Catalogue> loaded = {};
  std::optional<kernel::NearbyTexts> texts = {};  // of `loaded`
};
Result<std::vector<kernel::Rendered>> read_ptx_kernels(const fs::path& path,
                                                       HeadCatalogue& catalogue);

// A space of files alone: the catalogue is read where a file has a head or an axis is asked for.
// With `kernel` in the request the entries whose name has it; Step::usage, with the names, when
// there is none.
Result<Space> open_files(const SpaceRequest& request, const std::vector<std::string>& files);

// The one kernel of a file. Step::usage, with the names, when the request leaves several.
Result<Space> open_one_file(const SpaceRequest& request, const std::string& file);

// Snippets of a request on their way to components.

// Those of the sweep, then those of the command line; each verb once. Their protocols are known.
Result<std::vector<kernel::Snippet>> read_snippets(const SpaceRequest& request,
                                                   const space::Catalogue& catalogue,
                                                   const space::Sweep* sweep);

// Each variant that takes them is followed by itself with them in it.
void add_snippets(const space::Catalogue& catalogue, const std::vector<kernel::Snippet>& snippets,
                  std::vector<launch::VariantKey>& variants);

// Adds them to the templates of the space: from there on they are components as any other.
Status lay_snippets(Space& space, const std::vector<kernel::Snippet>& snippets);

}  // namespace phasebit::join::select
