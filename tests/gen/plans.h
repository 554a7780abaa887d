// Plans of variants written down as axes.
#pragma once

#include "gen/kernel/make_plan.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

using Axes = std::vector<std::pair<std::string, std::string>>;

// The catalogue of templates/.
inline const space::Catalogue& shipped() {
  static const space::Catalogue catalogue = [] {
    auto loaded = space::Catalogue::load(base::source_root() / "templates");
    if (!loaded) bug(loaded.error().text());
    return std::move(*loaded);
  }();
  return catalogue;
}

// The leading axes, then the others.
inline launch::VariantKey key_of(Axes leading, const Axes& axes) {
  launch::VariantKey key;
  key.id = "test";
  key.axes = std::move(leading);
  key.axes.insert(key.axes.end(), axes.begin(), axes.end());
  return key;
}

inline kernel::Plan plan_of(const launch::VariantKey& key) {
  auto plan = kernel::make_plan(shipped(), key);
  EXPECT_TRUE(plan) << plan.error().text();
  return plan.value_or(kernel::Plan{});
}

}  // namespace phasebit::test
