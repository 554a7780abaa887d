// The axes of a key that say what was made by hand: a fork, a file, snippets.
#pragma once

#include "core/launch/variant_key.h"
#include "gen/space/catalogue.h"

#include <string>
#include <string_view>
#include <vector>

namespace phasebit::space {

// The axis of a fork's key that names it: "ring/mbarrier/none/none/tuned=fast".
inline constexpr const char* tuned_axis = "tuned";

// That of a kernel read from an external file.
inline constexpr const char* file_axis = "file";

// That of what other templates than the program's own made: a hash of them.
inline constexpr const char* templates_axis = "templates";

// Those of snippets begin with it: "snippet.wait".
inline constexpr std::string_view snippet_axis = "snippet.";

bool is_snippet_axis(std::string_view axis);
// An axis that comes after a variant's own: which hand made it, and how it is assembled.
bool is_later_axis(const Catalogue& catalogue, std::string_view axis);
// Every axis that a key may have but those of snippets, each once.
std::vector<std::string> axis_names(const Catalogue& catalogue);
// Whether the key names what was made by hand: a fork, snippets.
bool is_hand_made(const launch::VariantKey& key);

// The component of a kind in whose folder the key's snippets are; that of the axis where it has
// no component of this kind.
std::string snippet_component(const launch::VariantKey& key, ComponentKind kind);

// What the templates make of a key: the axes of the catalogue alone, with the components that hold
// its snippets. Its id is still the key's, for messages.
launch::VariantKey template_key(const Catalogue& catalogue, const launch::VariantKey& key);

}  // namespace phasebit::space
