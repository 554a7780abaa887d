// A user's own text for one verb, under the contract of templates/README.md. It is a component of
// two files, `uses` and the verb (gen/kernel/snippet.h). Leading comments declare what its
// SASS must be:
//   // expect: SYNCS.PHASECHK* = 1      exactly so many an item, on the hot path
//   // forbid: NANOSLEEP*
//   // needs: 8.0 sm_90                 lowest PTX version and target, when above the variant's;
//   with
//                                       a suffix (sm_90a) that target alone
//   // protocol: mbarrier               the only protocol it is meant for
#pragma once

#include "core/base/file.h"
#include "core/isa/rule.h"
#include "core/isa/targets.h"
#include "core/isa/version.h"
#include "core/launch/variant_key.h"
#include "gen/space/catalogue.h"
#include "gen/space/hand_made.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::kernel {

struct Snippet {
  std::string verb;
  fs::path path;  // as messages name it
  std::string text;
  std::string protocol;  // "" for any
  isa::VerbRule gate;    // in the place of what the component demands of the verb
  isa::Version ptx;
  isa::Target target;  // that it needs; with a suffix that one alone. sm 0: any
  // "NAME@HASH8": the file's stem and the first digits of the text's hash.
  std::string label() const;
};

// "wait=FILE", as given to --snippet. Step::usage for the form and the verb, with the nearest one;
// Step::spec with file and line for a declaration; Step::io.
Result<Snippet> read_snippet(std::string_view assignment);
Result<Snippet> read_snippet(const std::string& verb, const fs::path& path);

// The key of a variant with these snippets in it: it keeps the components of the variant, and has
// an axis a snippet, "ring/mbarrier/none/none/snippet.wait=a@1f".
launch::VariantKey snippet_key(const launch::VariantKey& variant,
                               const std::vector<Snippet>& snippets);

// Snippets as templates: next to each component that they change comes one of two files, which
// `uses` it and has the verb. From there on they go the way of any component.

// A folder that holds the templates, by links, and such a component for every variant with
// snippets (its name: snippet_component). The catalogue is of `templates`. Step::io.
Result<base::TempDir> make_snippet_folder(const fs::path& templates,
                                          const space::Catalogue& catalogue,
                                          const std::vector<launch::VariantKey>& variants,
                                          const std::vector<Snippet>& snippets);

}  // namespace phasebit::kernel
