// Tests of what ptxas makes and nvdisasm lists.
#pragma once

#include "core/base/file.h"
#include "gen/ptxas/toolchain.h"
#include "tests/home.h"

#include <string>

#include <gtest/gtest.h>

namespace phasebit::test {

// Why they cannot run here; "" where they can.
inline std::string missing_tools() {
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  if (!toolchain) return toolchain.error().text();
  const Status nvdisasm = ptxas::require_nvdisasm(*toolchain);
  return nvdisasm ? "" : nvdisasm.error().text();
}

// Is skipped without them. Each test has a folder of its own.
class WithListing : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = missing_tools(); !why.empty()) GTEST_SKIP() << why;
  }
  base::TempDir folder_ = std::move(*base::TempDir::create());
};

}  // namespace phasebit::test
