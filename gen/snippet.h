// A user's own text for one verb in the place of the template's, under the contract of
// templates/README.md. Leading comments declare what its SASS must be:
//   // expect: SYNCS.PHASECHK* = 1      exactly so many an item, on the hot path
//   // forbid: NANOSLEEP*
//   // needs: 8.0 sm_90                 lowest PTX version and target, when above the variant's
//   // protocol: mbarrier               the only protocol it is meant for
#pragma once

#include "core/base/file.h"
#include "core/image/variant_key.h"
#include "core/isa/version.h"
#include "core/rule/rule.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit {

struct Snippet {
  std::string verb;  // the partial that it replaces
  fs::path path;     // as messages name it
  std::string text;
  std::string protocol;  // "" for any
  VerbRule gate;         // in the place of the catalogue's rules for the verb
  Version ptx;
  int sm = 0;
  // "NAME@HASH8": the file's stem and the first digits of the text's hash.
  std::string label() const;
};

// The verbs that a snippet can stand for.
const std::vector<std::string>& snippet_verbs();

// "wait=FILE", as given to --snippet. Step::usage for the form and the verb, with the nearest one;
// Step::spec with file and line for a declaration; Step::io.
Result<Snippet> read_snippet(std::string_view assignment);
Result<Snippet> read_snippet(const std::string& verb, const fs::path& path);

// The prefix of the axes that name snippets in a key: "ring/mbarrier/none/none/snippet.wait=a@1f".
inline constexpr std::string_view snippet_axis = "snippet.";

// The key of a variant with these snippets in it.
VariantKey snippet_key(const VariantKey& variant, const std::vector<Snippet>& snippets);

// The variant that a hand-made key (of a fork, or with snippets) came from: its axes are those of
// the catalogue, without those of ptxas (gen/assembler.h).
VariantKey template_key(const VariantKey& key);
bool has_snippets(const VariantKey& key);

// The rules of a gate with those of these verbs in the place of its own.
void replace_rules(GateSpec& spec, const std::vector<VerbRule>& rules);

}  // namespace phasebit
