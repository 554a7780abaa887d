// One point of the space on its way to a variant.
#pragma once

#include "core/base/error.h"
#include "core/base/home.h"
#include "core/launch/variant_key.h"
#include "gen/space/catalogue.h"
#include "gen/space/compilers.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace phasebit::space {

// What a request says of a point. All four leading axes must be named before it is settled.
struct Draft {
  enum class Named : unsigned char { no, baseline, varied };
  Values values;
  std::vector<Named> named;

  explicit Draft(const Vocabulary& vocabulary)
      : values(vocabulary.size()), named(vocabulary.size(), Named::no) {}
  void set(int slot, std::int64_t value, Named how) {
    values[static_cast<size_t>(slot)] = value;
    named[static_cast<size_t>(slot)] = how;
  }
  bool varies(int slot) const { return named[static_cast<size_t>(slot)] == Named::varied; }
};

struct Settled {
  Values point;        // every axis that the chosen components have; the others are 0
  Values asked;        // the same, with the values asked of axes that the components do not have
  std::string pruned;  // the reason as written, or "" for a variant
};

// variants.h says what is pruned. Step::spec when an expression cannot be evaluated.
Result<Settled> settle(const Catalogue& catalogue, const Draft& draft);

// The text, of a reason or a rule, with the point's values in the place of {axis}.
std::string fill_in(const Catalogue& catalogue, const Values& point, std::string_view text);

launch::VariantKey key_of(const Catalogue& catalogue, const Values& point);

// The point of named values, whether it is a variant or pruned. probe, protocol, mover and work
// must be given. Step::spec for a name or value that is none.
Result<Settled> settle_values(const Catalogue& catalogue,
                              const std::vector<std::pair<std::string, std::string>>& values);

// The point of a key, as rules see it. Step::spec when the key is of another catalogue.
Result<Values> point_of(const Catalogue& catalogue, const launch::VariantKey& key);

// The id of a variant as a person types it, taken apart. Nothing else takes one apart: a key is
// typed.

struct TypedId {
  std::string variant;    // of the catalogue: "ring/mbarrier/none/none/num_stages=8", or a hash
  std::string fork;       // its name; "" for none
  bool snippets = false;  // names some
  std::string text;       // without how it is compiled
  std::vector<AxisValues> named;  // what it says of that, one value an axis
  CompilerChoice choice;          // the same without defaults
};

// A version of ptxas may be short (12.4 is the newest 12.4 installed).
// Step::usage for a value that is none; Step::toolchain, with the command that installs it, for a
// version that is not installed.
Result<TypedId> read_typed_id(const base::Home& home, const Catalogue& catalogue,
                              const std::string& id);

}  // namespace phasebit::space
