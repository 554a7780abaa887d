// The committed listings of the curated set are what the reference ptxas makes of it today.
#include "tests/golden/golden.h"

#include "join/images/prepare.h"
#include "join/images/subjects.h"
#include "tests/app/spaces.h"
#include "tests/app/tools.h"

#include <cstdlib>
#include <optional>

#include <gtest/gtest.h>

namespace phasebit::test {
namespace {

// One of each group of targets whose timed loops are the same throughout (docs/sass.md).
const std::vector<std::string> golden_targets = {
    "sm_75", "sm_80", "sm_86", "sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a"};

fs::path file_of(const std::string& target) {
  return base::source_root() / "tests/golden/sass" / (target + ".txt");
}

struct Listings {
  std::string version;
  std::vector<std::vector<GoldenKernel>> kernels;  // by target
};

Result<Listings> present_listings() {
  PHASEBIT_TRY_ASSIGN(tools, join::images::open_tools({test::home(), {}, {}, {}}));
  PHASEBIT_TRY_ASSIGN(disassembler, join::images::open_disassembler(tools));
  const join::select::Space space = test::space_of("curated");
  PHASEBIT_TRY_ASSIGN(prepared, join::images::prepare(space, launch::Build::timed, 0));
  std::vector<std::vector<std::optional<GoldenKernel>>> found(
      golden_targets.size(), std::vector<std::optional<GoldenKernel>>(prepared.size()));
  PHASEBIT_TRY_ASSIGN(columns, join::images::columns_of(tools, golden_targets, {}));
  join::images::analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t target, std::size_t variant, const Result<reading::CodeSubject>& image) {
        if (!image) return;  // a file that has it then says "gone"
        found[target][variant] =
            golden_kernel(prepared[variant].key.id, image->kernel, image->source, image->windows);
      });
  Listings listings{tools.toolchain.version.text(), {}};
  for (auto& row : found) {
    auto& kernels = listings.kernels.emplace_back();
    for (auto& one : row)
      if (one) kernels.push_back(std::move(*one));
  }
  return listings;
}

// A variant that a target cannot have is in no file; one that could once and cannot now is "gone".
TEST(Golden, CuratedListings) {
  if (const std::string why = missing_tools(); !why.empty()) GTEST_SKIP() << why;
  const auto listings = present_listings();
  ASSERT_TRUE(listings) << listings.error().text();
  ASSERT_EQ(listings->version, ptxas::pinned_toolchain);
  std::vector<GoldenTarget> earlier;
  for (std::size_t t = 0; t < golden_targets.size(); ++t) {
    const std::vector<GoldenKernel>& kernels = listings->kernels[t];
    ASSERT_FALSE(kernels.empty()) << golden_targets[t];
    if (std::getenv("PHASEBIT_ACCEPT") != nullptr) {
      const std::string title = fmt::format(
          "Timed loops of the curated set on {} by ptxas {}; made anew by "
          "PHASEBIT_ACCEPT=1 and the test `golden`",
          golden_targets[t], listings->version);
      ASSERT_TRUE(
          base::write_file(file_of(golden_targets[t]), print_golden(title, kernels, earlier)));
    }
    const auto text = base::read_file(file_of(golden_targets[t]));
    ASSERT_TRUE(text) << text.error().text();
    const auto committed = parse_golden(*text, file_of(golden_targets[t]).string(), earlier);
    ASSERT_TRUE(committed) << committed.error().text();
    for (const GoldenChange& change : compare_golden(*committed, kernels))
      ADD_FAILURE() << golden_targets[t] << ": " << change.variant << ": " << change.what
                    << "\nPHASEBIT_ACCEPT=1 meson test -C build golden takes it over";
    earlier.push_back({golden_targets[t], *committed});
  }
}

}  // namespace
}  // namespace phasebit::test
