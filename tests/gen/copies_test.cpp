// A copy of every protocol, mover and work under another name is the same: no C++ knows a component
// by its name, and no probe asks for one. Variants of every spec, among them one of each probe with
// each set of components, have the same text, launch shape, needs and rules; as many points are
// pruned.
#include "core/base/parallel.h"
#include "core/launch/manifest.h"
#include "gen/kernel/make_plan.h"
#include "gen/kernel/render.h"
#include "gen/kernel/requirements.h"
#include "gen/space/variants.h"
#include "tests/gen/fixture.h"
#include "tests/gen/gates.h"
#include "tests/home.h"

#include <atomic>
#include <regex>
#include <set>

namespace phasebit::test {

using space::Catalogue;

namespace {

constexpr const char* suffix = "_copy";

struct Sweep {
  const char *spec, *name;
  size_t step = 1;  // every so many a variant is rendered as well; all are expanded
};

constexpr Sweep sweeps[] = {
    {"core", "core", 7},          {"protocols", "protocols", 7}, {"protocols", "newer", 7},
    {"probes", "verbs", 7},       {"probes", "response", 7},     {"probes", "interference", 7},
    {"probes", "fanin", 7},       {"probes", "entangle", 7},     {"cluster", "cluster", 7},
    {"tensor", "tensor", 7},      {"tensor", "multicast", 7},    {"barrier_word", "barrier_word"},
    {"curated", "curated"},       {"forms", "forms", 97},        {"products", "products", 41},
    {"products", "mma_sync", 17}, {"roles", "roles_fma", 17}};

// The shipped templates and, next to each component, its copy.
class Copies : public testing::TestWithParam<Sweep> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new Folder;
    fs::copy(base::source_root() / "templates", folder_->path(), fs::copy_options::recursive);
    for (const char* kind : {"protocols", "movers", "work"}) {
      std::vector<fs::path> originals;
      for (const auto& entry : fs::directory_iterator(folder_->path() / kind))
        originals.push_back(entry.path());
      for (const fs::path& original : originals)
        fs::copy(original, original.string() + suffix, fs::copy_options::recursive);
    }
    auto catalogue = Catalogue::load(folder_->path());
    ASSERT_TRUE(catalogue) << folder_->text(catalogue.error());
    catalogue_ = new Catalogue(std::move(*catalogue));
  }
  static void TearDownTestSuite() {
    delete catalogue_;
    delete folder_;
  }

  // "all" and "mbarrier" of a leading axis as a list of the originals, or of their copies.
  static std::string names_of(const std::string& kind, const std::string& value, bool copied) {
    const std::regex word("\"([a-z0-9_]+)\"");
    const std::string end = copied ? std::string(suffix) + "\"" : "\"";
    if (value != "\"all\"") return std::regex_replace(value, word, "\"$1" + end);
    std::string list;
    for (const std::string& name : catalogue_->values_of(kind))
      if (!name.ends_with(suffix)) list += (list.empty() ? "\"" : ", \"") + name + end;
    return "[" + list + "]";
  }

  static std::string renamed(const std::string& spec, bool copied) {
    const std::regex leading(R"((^|[\n {,])(protocol|mover|work) = ("[a-z0-9_]+"|\[[^\]]*\]))");
    std::string out;
    auto at = spec.cbegin();
    for (std::smatch found; std::regex_search(at, spec.cend(), found, leading);
         at = found.suffix().first)
      out += found.prefix().str() + found[1].str() + found[2].str() + " = " +
             names_of(found[2], found[3], copied);
    return out + std::string(at, spec.cend());
  }

  static space::Expansion expansion(const Sweep& sweep, bool copied) {
    const auto text =
        base::read_file(base::source_root() / "specs" / fmt::format("{}.toml", sweep.spec));
    Folder folder;
    folder.write("s.toml", renamed(text.value(), copied));
    const auto spec = space::load_spec(test::home(), folder.path() / "s.toml", *catalogue_);
    if (!spec) bug(spec.error().text());
    auto out = space::expand(*catalogue_, *spec, sweep.name);
    if (!out) bug(out.error().text());
    return std::move(*out);
  }

  static inline Folder* folder_ = nullptr;
  static inline Catalogue* catalogue_ = nullptr;
};

// All that must be the same, as text: a difference shows where.
std::string described(const Catalogue& catalogue, kernel::Renderer& renderer,
                      const launch::VariantKey& key) {
  const auto plan = kernel::make_plan(catalogue, key);
  if (!plan) return plan.error().text();
  const auto needs = kernel::requirements(catalogue, key);
  if (!needs) return needs.error().text();
  const auto rendered = renderer.render(key, *plan, launch::Build::timed, needs->ptx.text(),
                                        fmt::format("sm_{}", needs->sm));
  if (!rendered) return rendered.error().text();
  std::string out = launch::launch_signature(plan->launch) + "\n" + rendered->kernel.ptx_version +
                    " " + rendered->kernel.ptx_target + needs->suffix + "\n";
  for (const auto& [name, value] : plan->derived()) out += fmt::format("{} {}\n", name, value);
  for (const char* family : {"ampere", "hopper", "blackwell"}) {
    const auto gate = gate_spec(catalogue, key, family, isa::Version{{13, 5}}, plan->derived());
    if (!gate) return gate.error().text();
    out += fmt::format("{} {}\n", family, gate->known);
    for (const isa::VerbRule& rule : gate->verbs) {
      out += fmt::format("{} {} forbid {}", rule.verb, rule.role, fmt::join(rule.forbid, " "));
      for (const isa::OpcodeRule& opcode : rule.require)
        out += fmt::format(" {}={} {}", opcode.pattern, isa::to_string(opcode.count),
                           isa::to_string(opcode.path));
      out += "\n";
    }
  }
  const std::vector<std::string>& lines = rendered->kernel.statements;
  for (size_t i = 1; i < lines.size(); ++i) out += lines[i] + "\n";  // 0 names the entry
  for (const launch::SourceLine& line : rendered->kernel.source)
    out += line.verb + " " + line.role + "\n";
  return out;
}

// The first variant of each probe with each set of components, and of all every so many.
std::vector<size_t> rendered(const std::vector<launch::VariantKey>& variants, size_t step) {
  std::set<std::string> known;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < variants.size(); ++i) {
    std::string components;
    for (const char* axis : {"probe", "protocol", "mover", "work"})
      components += variants[i].value(axis) + "/";
    if (known.insert(components).second || i % step == 0) chosen.push_back(i);
  }
  return chosen;
}

TEST_P(Copies, AreTheSameVariants) {
  const Sweep& sweep = GetParam();
  const space::Expansion originals = expansion(sweep, false), copies = expansion(sweep, true);
  ASSERT_FALSE(originals.variants.empty());
  ASSERT_EQ(originals.variants.size(), copies.variants.size());
  ASSERT_EQ(originals.pruned.size(), copies.pruned.size());
  for (size_t i = 0; i < originals.pruned.size(); ++i)
    EXPECT_EQ(originals.pruned[i].second, copies.pruned[i].second) << originals.pruned[i].first;
  const std::vector<size_t> chosen = rendered(originals.variants, sweep.step);
  constexpr unsigned threads = 2;
  std::atomic<int> differ = 0;
  std::vector<std::string> first(threads);
  base::parallel_for(threads, threads, [&](size_t thread) {
    kernel::Renderer renderer(*catalogue_, folder_->path());
    for (size_t n = thread; n < chosen.size(); n += threads) {
      const launch::VariantKey &original = originals.variants[chosen[n]],
                               &copy = copies.variants[chosen[n]];
      const bool renamed = copy.value("protocol") == original.value("protocol") + suffix &&
                           copy.value("mover") == original.value("mover") + suffix &&
                           copy.value("work") == original.value("work") + suffix;
      const std::string before = described(*catalogue_, renderer, original);
      if (renamed && before.size() > 200 && before == described(*catalogue_, renderer, copy))
        continue;
      ++differ;
      if (first[thread].empty()) first[thread] = original.id + ", " + copy.id + "\n" + before;
    }
  });
  EXPECT_EQ(differ, 0) << first[0] << first[1];
}

INSTANTIATE_TEST_SUITE_P(Specs, Copies, testing::ValuesIn(sweeps), [](const auto& row) {
  return fmt::format("{}_{}", row.param.spec, row.param.name);
});

}  // namespace
}  // namespace phasebit::test
