// Performs the steps of docs/extending.md: its files, as they stand there, in a copy of templates/.
// Needs the pinned ptxas for the last step and says so without.
#include "core/base/process.h"
#include "gen/probes/make_plan.h"
#include "gen/probes/requirements.h"
#include "gen/ptxas/toolchain.h"
#include "gen/render/render.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/home.h"

#include <regex>

namespace phasebit::test {
namespace {

// "`protocols/patient/wait.ptx`:", a blank line, and the fenced text after it.
std::map<std::string, std::string> files_of(const std::string& page) {
  std::map<std::string, std::string> files;
  const std::regex name("`([a-z_/]+\\.(?:toml|ptx))`:\n\n```[a-z]*\n");
  for (std::sregex_iterator at(page.begin(), page.end(), name), end; at != end; ++at) {
    const auto begin = static_cast<size_t>(at->position() + at->length());
    files[(*at)[1]] = page.substr(begin, page.find("```", begin) - begin);
  }
  return files;
}

class Extending : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    fs::copy(base::source_root() / "templates", folder_.path(), fs::copy_options::recursive);
    const auto files =
        files_of(base::read_file(base::source_root() / "docs" / "extending.md").value());
    ASSERT_EQ(files.size(), 10U);
    for (const auto& [name, text] : files) folder_.write(name, text);
  }

  void assemble(const render::Rendered& rendered) {
    const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
    if (!toolchain) GTEST_SKIP() << toolchain.error().text();
    std::string text =
        fmt::format(".version {}\n.target {}\n.address_size 64\n{}\n", rendered.kernel.ptx_version,
                    rendered.kernel.ptx_target, ptxas::module_shared_declaration);
    for (const std::string& line : rendered.kernel.statements) text += line + "\n";
    folder_.write("kernel.ptx", text);
    const auto output = base::run_process(
        {toolchain->ptxas.string(), "-arch=sm_90", (folder_.path() / "kernel.ptx").string(), "-o",
         (folder_.path() / "kernel.cubin").string()},
        {});
    ASSERT_TRUE(output);
    EXPECT_TRUE(output->ok()) << output->err << output->out;
  }

  Folder folder_;
};

TEST_P(Extending, MakesAVariantThatPtxasTakes) {
  const auto catalogue = catalogue::Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const auto key = space::parse_variant(*catalogue, GetParam());
  ASSERT_TRUE(key) << key.error().text();
  const auto plan = probes::make_plan(*catalogue, *key);
  ASSERT_TRUE(plan) << plan.error().text();
  const auto needs = probes::requirements(*catalogue, *key);
  ASSERT_TRUE(needs) << needs.error().text();
  render::Renderer renderer(*catalogue, folder_.path());
  const auto rendered = renderer.render(*key, *plan, image::Build::timed, needs->ptx.text(),
                                        fmt::format("sm_{}", needs->sm));
  ASSERT_TRUE(rendered) << rendered.error().text();
  EXPECT_EQ(plan->phases_checked, 2 * plan->num_stages);
  assemble(*rendered);
}

INSTANTIATE_TEST_SUITE_P(Page, Extending,
                         testing::Values("ring/patient/st_shared/none/pause_ns=500",
                                         "handoff/patient/none/none/num_stages=1",
                                         "ring/mbarrier/st_volatile/none",
                                         "ring/patient/st_volatile/imad/rounds=9",
                                         "silent/mbarrier/st_shared/none",
                                         "silent/flag_volatile/st_volatile/none"));

}  // namespace
}  // namespace phasebit::test
