// Whether a text is that of another value of one of its key's axes. Rules cannot say so of every
// axis: `layout`, `poller` or `work_kind` change a text and leave what is counted of it as it is.
#pragma once

#include "gen/render/render.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::render {

class NearbyTexts {
 public:
  // The catalogue must outlive it.
  NearbyTexts(const catalogue::Catalogue& catalogue, fs::path templates)
      : catalogue_(catalogue), renderer_(catalogue, std::move(templates)) {}

  // "layout=v1" where fewer statements differ from the text of this value than from the key's own;
  // "" where the key's own is nearest. Ranges of numbers are left out: barriers and items hold
  // them.
  Result<std::string> nearer(const ptxas::Kernel& kernel, const image::VariantKey& key);

 private:
  using Text = std::vector<std::string>;  // statements without the entry's name, sorted

  Result<const Text*> text_of(const image::VariantKey& key);

  const catalogue::Catalogue& catalogue_;
  Renderer renderer_;
  std::map<std::string, Text> texts_;
};

}  // namespace phasebit::render
