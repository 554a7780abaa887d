// Packs mistakes of the committed listings with what `check` says of each for a GPU machine:
// deadlocks, and as many that change nothing. pack_checked OUT [TARGET [SEED [EACH]]]. The gate is
// left out: it would refuse them.
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/launch/bundle.h"
#include "gen/kernel/kernel_file.h"
#include "gen/ptxas/assemble.h"
#include "join/images/images.h"
#include "tests/home.h"
#include "tests/mutants/checked.h"
#include "tests/protocol/listing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>

namespace phasebit::test {
namespace {

using join::images::Prepared;

struct Request {
  fs::path out;
  std::string target = "sm_90a";
  std::uint32_t seed = 1;
  std::size_t each = 100;
};

struct Drawn {
  CheckedMutant mutant;
  Prepared timed;
};

Result<std::vector<Mistake>> all_mistakes(const std::string& target) {
  std::vector<Mistake> all;
  for (const fs::path& path : listings()) {
    PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
    PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, path.filename()));
    if (!ptxas::check_ptx_target(file.target, target)) continue;
    PHASEBIT_TRY_ASSIGN(mistakes, mistakes_of(path));
    std::move(mistakes.begin(), mistakes.end(), std::back_inserter(all));
  }
  return all;
}

// By the seed alone, on any machine.
void shuffle(std::vector<Mistake>& all, std::uint32_t seed) {
  std::mt19937 draw(seed);
  for (std::size_t n = all.size(); n > 1; --n) std::swap(all[n - 1], all[draw() % n]);
}

// The entry's name must be its own among all that are packed. An error where the head no longer
// says what the text does.
Result<Prepared> prepare(const Mistake& mistake, const std::string& id) {
  PHASEBIT_TRY_ASSIGN(read, kernel::read_kernel(mistake.text, mistake.listing.filename().string()));
  Prepared made{read.head.key, read.head, read.kernel, {}, {}, {}, {}};
  made.key.id = made.head.key.id = id;
  made.key.hash = made.head.key.hash = base::short_hash(id);
  const std::string old = made.kernel.entry;
  made.kernel.entry = kernel::entry_name(made.key, launch::Build::timed);
  for (std::string& statement : made.kernel.statements)
    if (const std::size_t at = statement.find(old); at != std::string::npos)
      statement.replace(at, old.size(), made.kernel.entry);
  return made;
}

// Whether ptxas takes it: a mistake may spell a form that PTX does not have.
bool is_assembled(join::images::Tools& tools, const Prepared& timed, const std::string& target) {
  return join::images::make_images(tools, {timed}, {{target, {}}}).front().images[0].has_value();
}

Result<std::vector<Drawn>> draw(const Request& request, join::images::Tools& tools) {
  PHASEBIT_TRY_ASSIGN(all, all_mistakes(request.target));
  shuffle(all, request.seed);
  std::vector<Drawn> drawn;
  std::map<bool, std::size_t> taken;  // by whether they hang
  constexpr std::size_t at_once = 32;
  std::size_t next = 0;
  while (next < all.size() && (taken[true] < request.each || taken[false] < request.each)) {
    const std::size_t end = std::min(all.size(), next + at_once);
    std::vector<MistakeVerdict> verdicts(end - next);
    base::parallel_for(verdicts.size(), 0,
                       [&](std::size_t n) { verdicts[n] = verdict_of(all[next + n]); });
    for (MistakeVerdict& verdict : verdicts) {
      const Mistake& mistake = all[next++];
      const bool hangs = verdict.mutant.hangs();
      if (!verdict.is_known || taken[hangs] == request.each) continue;
      verdict.mutant.id =
          fmt::format("checked/{}/{}", hangs ? "deadlock" : "proved", taken[hangs] + 1);
      auto timed = prepare(mistake, verdict.mutant.id);
      if (!timed || !is_assembled(tools, *timed, request.target)) continue;
      ++taken[hangs];
      drawn.push_back({std::move(verdict.mutant), std::move(*timed)});
    }
  }
  std::printf("%zu of %zu mistakes looked at: %zu deadlocks, %zu proved with equal events\n", next,
              all.size(), taken[true], taken[false]);
  return drawn;
}

// Whether the guard bounds a wait at each place where one hangs.
Status find_places(const CheckedMutant& mutant, const Prepared& guarded) {
  for (const CheckedWait& wait : mutant.waits)
    if (!wait.place.empty() &&
        std::none_of(guarded.sites.begin(), guarded.sites.end(), [&](const launch::WaitSite& one) {
          return one.role + " " + one.verb == wait.place;
        }))
      return fail(Step::guard, "{}: the guard bounds no {}", mutant.mistake, wait.place);
  return {};
}

Status pack(const Request& request) {
  PHASEBIT_TRY_ASSIGN(tools, join::images::open_tools({test::home(), {}, {}, {}}));
  PHASEBIT_TRY_ASSIGN(drawn, draw(request, tools));
  std::vector<Prepared> prepared;
  std::vector<CheckedMutant> mutants;
  for (Drawn& one : drawn) {
    PHASEBIT_TRY_ASSIGN(guarded, join::images::guarded_of(one.timed));
    PHASEBIT_TRY(find_places(one.mutant, guarded));
    prepared.push_back(std::move(one.timed));
    prepared.push_back(std::move(guarded));
    mutants.push_back(std::move(one.mutant));
  }
  const auto set =
      std::move(join::images::make_images(tools, prepared, {{request.target, {}}}).front());
  launch::Manifest manifest;
  manifest.target = request.target;
  manifest.ptxas = tools.toolchain.version.text();
  manifest.sweep = "checked";
  std::map<std::string, std::string> modules;
  for (std::size_t n = 0; n < prepared.size(); n += 2) {
    launch::BundleVariant variant{prepared[n].key, prepared[n].head.launch, {}};
    for (std::size_t build = n; build < n + 2; ++build) {
      PHASEBIT_TRY_ASSIGN(image, set.images[build]);
      PHASEBIT_TRY_ASSIGN(code,
                          ptxas::module_code(*set.assembly, tools.cache_or_null(), image.module));
      modules[image.module] = std::move(code);
      image.gate = {launch::GateVerdict::passed, {}};
      // Each is launched, also where another has its code.
      image.sass_class = fmt::format("{} {}", prepared[build].key.hash, build - n);
      if (build > n) image.guard = join::images::guard_table(prepared[build]);
      variant.images.push_back(std::move(image));
    }
    manifest.variants.push_back(std::move(variant));
  }
  PHASEBIT_TRY(launch::write_bundle(request.out, manifest, modules));
  return base::write_file(request.out / "checked.toml", text_of(mutants));
}

}  // namespace
}  // namespace phasebit::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: pack_checked OUT [TARGET [SEED [EACH]]]\n");
    return 2;
  }
  phasebit::test::Request request{argv[1]};
  if (argc > 2) request.target = argv[2];
  if (argc > 3) request.seed = static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
  if (argc > 4) request.each = std::strtoul(argv[4], nullptr, 10);
  const phasebit::Status done = phasebit::test::pack(request);
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
