// Plans of variants written down as axes.
#pragma once

#include "gen/probes/make_plan.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

using Axes = std::vector<std::pair<std::string, std::string>>;

// The catalogue of templates/.
inline const catalogue::Catalogue& shipped() {
  static const catalogue::Catalogue catalogue = [] {
    auto loaded = catalogue::Catalogue::load(base::source_root() / "templates");
    if (!loaded) bug(loaded.error().text());
    return std::move(*loaded);
  }();
  return catalogue;
}

// The leading axes, then the others.
inline image::VariantKey key_of(Axes leading, const Axes& axes) {
  image::VariantKey key;
  key.id = "test";
  key.axes = std::move(leading);
  key.axes.insert(key.axes.end(), axes.begin(), axes.end());
  return key;
}

inline probes::Plan plan_of(const image::VariantKey& key) {
  auto plan = probes::make_plan(shipped(), key);
  EXPECT_TRUE(plan) << plan.error().text();
  return plan.value_or(probes::Plan{});
}

}  // namespace phasebit::test
