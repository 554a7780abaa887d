// Every verb that has a .ll becomes SASS that passes the gate of its PTX. Which variants show that
// is found out: the fewest of all specs whose IR has a statement of every .ll file.
#include "core/base/text.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/llvm/worker.h"
#include "gen/space/catalogue.h"
#include "gen/space/variants.h"
#include "tests/app/program.h"
#include "tests/app/project.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

namespace phasebit::test {
namespace {

using Files = std::set<std::string>;

// Whether a file has a statement of its own: some only ask for another.
bool has_statement(const fs::path& file) {
  const std::string text = base::read_file(file).value();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = base::trimmed(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (!line.empty() && !line.starts_with(';') && !line.starts_with("{{")) return true;
  }
  return false;
}

// "protocols/mbarrier/wait.ll"
Files files_with_ir(const fs::path& templates) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(templates))
    if (entry.path().extension() == ".ll" && has_statement(entry.path()))
      files.insert(fs::relative(entry.path(), templates).generic_string());
  return files;
}

// Sections ask for a word, or whether a number is 0.
std::string kind_of(const std::string& value) {
  const bool is_number = value.find_first_not_of("0123456789") == std::string::npos;
  return is_number && value != "0" ? "n" : value;
}

// Variants of all specs, the shortest id of those that agree in what decides which files they take.
std::map<std::string, launch::VariantKey> candidates(const space::Catalogue& catalogue) {
  std::map<std::string, launch::VariantKey> shortest;
  for (const auto& file : fs::directory_iterator(home().data / "specs")) {
    if (file.path().extension() != ".toml" || file.path().stem() == "forms") continue;
    const auto spec = space::load_spec(home(), file.path(), catalogue);
    if (!spec) continue;  // it speaks of sweeps alone that other files have
    for (const space::Sweep& sweep : spec->sweeps) {
      const auto expansion = space::expand(catalogue, *spec, sweep.name);
      if (!expansion) continue;
      for (const launch::VariantKey& key : expansion->variants) {
        std::string what;
        for (const char* axis :
             {"probe", "protocol", "mover", "work", "roles", "granularity", "early_exit",
              "early_token", "resident", "setmaxnreg", "order", "epilogue_blocks"})
          what += "/" + kind_of(key.value(axis));
        const auto [known, is_new] = shortest.try_emplace(what, key);
        if (!is_new && key.id.size() < known->second.id.size()) known->second = key;
      }
    }
  }
  return shortest;
}

// The files that each candidate takes; those without IR are left out.
std::map<std::string, Files> files_of_candidates(const space::Catalogue& catalogue,
                                                 const fs::path& templates) {
  kernel::Renderer renderer(catalogue, templates);
  std::map<std::string, Files> all;
  for (const auto& [what, key] : candidates(catalogue)) {
    const auto plan = kernel::make_plan(catalogue, key);
    if (!plan) continue;
    const auto ir = renderer.render_ir(key, *plan);
    if (!ir) continue;
    for (const launch::SourceLine& line : ir->kernel.source) all[key.id].insert(line.file);
  }
  return all;
}

struct Cover {
  std::vector<std::string> variants;
  Files missing;  // files that no variant of a spec takes
};

// Again and again the variant that takes the most of what is left.
Cover cover_of(const fs::path& templates) {
  const auto catalogue = space::Catalogue::load(templates);
  EXPECT_TRUE(catalogue) << catalogue.error().text();
  Cover cover{{}, files_with_ir(templates)};
  const auto all = files_of_candidates(*catalogue, templates);
  for (size_t best = 1; best > 0 && !cover.missing.empty();) {
    best = 0;
    std::string chosen;
    for (const auto& [id, files] : all) {
      const auto gain = static_cast<size_t>(
          std::count_if(files.begin(), files.end(),
                        [&](const std::string& file) { return cover.missing.contains(file); }));
      if (gain > best || (gain == best && gain > 0 && id.size() < chosen.size())) chosen = id;
      best = std::max(best, gain);
    }
    if (best == 0) break;
    for (const std::string& file : all.at(chosen)) cover.missing.erase(file);
    cover.variants.push_back(chosen);
  }
  return cover;
}

TEST(LlvmVerbs, EveryOneBecomesTheSassOfItsGate) {
  if (const auto program = llvm::find_program(); !program) GTEST_SKIP() << program.error().text();
  const Cover cover = cover_of(home().data / "templates");
  EXPECT_EQ(cover.missing, Files()) << "no variant of a spec takes them";
  EXPECT_GE(cover.variants.size(), 10U);
  std::vector<std::string> arguments = {"--gate", "-t", "sm_90a", "--json"};
  for (const std::string& variant : cover.variants)
    arguments.insert(arguments.end(), {"--id", variant + "/llvm=22"});
  const auto said = run_phasebit({"assemble"}, arguments);
  EXPECT_TRUE(said.ok()) << said.err;
  const auto made = nlohmann::json::parse(said.out, nullptr, false);
  ASSERT_FALSE(made.is_discarded()) << said.out;
  EXPECT_EQ(made["targets"][0]["gate_passed"], cover.variants.size()) << said.out;
}

TEST(LlvmVerbs, AFileThatNobodyTakesIsMissing) {
  const Project project;
  Project::write(project.templates() / "work/fma/idle.ll",
                 "define internal void @idle() alwaysinline {\n  ret void\n}\n");
  EXPECT_EQ(cover_of(project.templates()).missing, Files{"work/fma/idle.ll"});
}

}  // namespace
}  // namespace phasebit::test
