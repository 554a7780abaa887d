// Sweeps over the small catalogue, given as the text of their blocks.
#pragma once

#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/home.h"

#include <string>
#include <vector>

namespace phasebit::test {

using Words = std::vector<std::string>;

inline constexpr const char* mbarrier_baseline =
    "baseline = { probe = \"ring\", protocol = \"mbarrier\", mover = \"none\", work = \"none\" }\n";

inline Words ids(const space::Expansion& expansion) {
  Words all;
  for (const launch::VariantKey& key : expansion.variants) all.push_back(key.id);
  return all;
}

// The sweep "s" of these blocks.
inline Result<space::Expansion> expand_blocks(const space::Catalogue& catalogue,
                                              const std::string& blocks,
                                              const Words& overrides = {}) {
  Folder folder;
  folder.write("s.toml", "[[sweep]]\nname = \"s\"\n" + blocks);
  PHASEBIT_TRY_ASSIGN(spec, space::load_spec(test::home(), folder.path() / "s.toml", catalogue));
  return space::expand(catalogue, spec, "s", overrides).map_error([&](Error error) {
    return Error{Step::spec, folder.text(error), {}};
  });
}

inline space::Expansion expand_one(const std::string& block, const Words& overrides = {}) {
  auto expansion = expand_blocks(load_fixture(), "[[sweep.block]]\n" + block, overrides);
  if (!expansion) bug(expansion.error().text());
  return std::move(*expansion);
}

}  // namespace phasebit::test
