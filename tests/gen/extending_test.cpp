// Performs the steps of docs/extending.md: its files, as they are there, in a copy of templates/.
// Needs the pinned ptxas for the last step and says so without.
#include "core/base/cache.h"
#include "core/base/process.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/kernel/requirements.h"
#include "gen/ptxas/assemble.h"
#include "gen/ptxas/toolchain.h"
#include "gen/space/compilers.h"
#include "gen/space/point.h"
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
    ASSERT_EQ(files.size(), 11U);
    for (const auto& [name, text] : files)  // an entry more of axes.toml, else whole files
      folder_.write(name, (name == "axes.toml" ? folder_.read(name) + "\n" : "") + text);
  }

  void assemble(const kernel::Rendered& rendered) {
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

  Result<kernel::Rendered> rendered(const space::Catalogue& catalogue, const std::string& id) {
    PHASEBIT_TRY_ASSIGN(key, space::parse_variant(catalogue, id));
    PHASEBIT_TRY_ASSIGN(plan, kernel::make_plan(catalogue, key));
    EXPECT_EQ(plan.phases_checked, 2 * plan.num_stages);
    PHASEBIT_TRY_ASSIGN(needs, kernel::requirements(catalogue, key));
    return kernel::Renderer(catalogue, folder_.path())
        .render(key, plan, launch::Build::timed, needs.ptx.text(), fmt::format("sm_{}", needs.sm));
  }

  Folder folder_;
};

TEST_P(Extending, MakesAVariantThatPtxasTakes) {
  const auto catalogue = space::Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const auto made = rendered(*catalogue, GetParam());
  ASSERT_TRUE(made) << made.error().text();
  assemble(*made);
}

// A flag of ptxas is an entry of axes.toml: it is in the id, in the call of ptxas, and in what the
// cache tells apart.
using ExtendingCompilers = Extending;

TEST_P(ExtendingCompilers, AFlagOfPtxasIsAnAxis) {
  const auto catalogue = space::Catalogue::load(folder_.path());
  ASSERT_TRUE(catalogue) << folder_.text(catalogue.error());
  const std::string id = GetParam();
  const auto typed = space::read_typed_id(test::home(), *catalogue, id + "/reg_usage=10");
  ASSERT_TRUE(typed) << typed.error().text();
  const auto made = rendered(*catalogue, typed->variant);
  ASSERT_TRUE(made) << made.error().text();
  const auto key =
      space::with_choice(*catalogue, *space::parse_variant(*catalogue, id), typed->choice);
  EXPECT_EQ(key.id, id + "/reg_usage=10");
  EXPECT_EQ(space::text_key(*catalogue, key).id, id);
  EXPECT_EQ(space::assembler_of(*catalogue, key).flags,
            (std::vector<std::string>{"-regUsageLevel=10"}));
  const auto toolchain = ptxas::find_toolchain({test::home(), {}, {}});
  if (!toolchain) GTEST_SKIP() << toolchain.error().text();
  auto cache = base::Cache::open(folder_.path() / "cache");
  ASSERT_TRUE(cache) << cache.error().text();
  std::map<std::string, std::string> code;  // by the level
  for (const char* level : {"5", "10", "5", "10"}) {
    ptxas::AssembleOptions options;
    const space::CompilerChoice choice = space::settled_choice(*catalogue, {{"reg_usage", level}});
    options.flags =
        space::assembler_of(*catalogue, space::with_choice(*catalogue, key, choice)).flags;
    const auto assembly = ptxas::assemble(*toolchain, &*cache, {made->kernel}, "sm_90", options);
    ASSERT_TRUE(assembly.kernels[0]) << assembly.kernels[0].error().text();
    const auto [known, is_new] = code.emplace(level, assembly.kernels[0]->text_hash);
    EXPECT_EQ(known->second, assembly.kernels[0]->text_hash);
    EXPECT_EQ(assembly.assembled, is_new ? 1U : 0U) << level;
  }
  EXPECT_NE(code["5"], code["10"]);
}

INSTANTIATE_TEST_SUITE_P(Page, ExtendingCompilers,
                         testing::Values("ring/mbarrier/st_shared/none/num_stages=8"));

INSTANTIATE_TEST_SUITE_P(Page, Extending,
                         testing::Values("ring/patient/st_shared/none/pause_ns=500",
                                         "handoff/patient/none/none/num_stages=1",
                                         "ring/mbarrier/st_volatile/none",
                                         "ring/patient/st_volatile/imad/rounds=9",
                                         "silent/mbarrier/st_shared/none",
                                         "silent/flag_volatile/st_volatile/none"));

}  // namespace
}  // namespace phasebit::test
