// Packs every mutant of mutants.toml for a GPU machine: pack_mutants MUTANTS.toml OUT [TARGET]. The
// gate is left out: it is the guard and the verification that must see the fault.
#include "core/base/hash.h"
#include "core/launch/bundle.h"
#include "gen/guard/guard.h"
#include "join/images/images.h"
#include "join/select/open_space.h"
#include "tests/home.h"
#include "tests/mutants/mutant.h"

#include <cstdio>

namespace phasebit::test {
namespace {

struct Pair {
  join::images::Prepared timed, guarded;
};

Result<Pair> make_pair(const Mutant& mutant) {
  PHASEBIT_TRY_ASSIGN(
      space, join::select::open_ids(test::at_home<join::select::SpaceRequest>(), {mutant.variant}));
  PHASEBIT_TRY_ASSIGN(prepared, join::images::prepare(space, launch::Build::timed, 1));
  Pair pair{prepared.front(), prepared.front()};
  pair.timed.key.id = "mutant/" + mutant.name;
  pair.timed.key.hash = base::short_hash(pair.timed.key.id);
  PHASEBIT_TRY(put_fault(mutant, pair.timed.kernel));
  pair.timed.kernel.hash = kernel::kernel_hash(pair.timed.kernel);
  pair.guarded.key = pair.timed.key;
  PHASEBIT_TRY_ASSIGN(guarded,
                      guard::guard_kernel(pair.timed.kernel, pair.timed.kernel.entry + "_g"));
  pair.guarded.kernel = std::move(guarded.kernel);
  pair.guarded.sites = std::move(guarded.sites);
  return pair;
}

Status add(const Mutant& mutant, join::images::Tools& tools, const std::string& target,
           launch::Manifest& manifest, std::map<std::string, std::string>& modules) {
  PHASEBIT_TRY_ASSIGN(pair, make_pair(mutant));
  launch::BundleVariant variant{pair.timed.key, pair.timed.head.launch, {}};
  for (const join::images::Prepared* one : {&pair.timed, &pair.guarded}) {
    join::images::ImageSet set =
        std::move(join::images::make_images(tools, {*one}, {{target, {}}}).front());
    PHASEBIT_TRY_ASSIGN(image, std::move(set.images.front()));
    PHASEBIT_TRY_ASSIGN(code,
                        ptxas::module_code(*set.assembly, tools.cache_or_null(), image.module));
    modules[image.module] = std::move(code);
    image.gate = {launch::GateVerdict::passed, {}};
    if (one == &pair.guarded) image.guard = join::images::guard_table(*one);
    variant.images.push_back(std::move(image));
  }
  manifest.variants.push_back(std::move(variant));
  return {};
}

Status pack(const fs::path& file, const fs::path& out, const std::string& target) {
  PHASEBIT_TRY_ASSIGN(mutants, read_mutants(file));
  PHASEBIT_TRY_ASSIGN(tools, join::images::open_tools({test::home(), {}, {}, {}}));
  launch::Manifest manifest;
  manifest.target = target;
  manifest.ptxas = tools.toolchain.version.text();
  manifest.sweep = "mutants";
  std::map<std::string, std::string> modules;
  for (const Mutant& mutant : mutants) PHASEBIT_TRY(add(mutant, tools, target, manifest, modules));
  PHASEBIT_TRY(launch::write_bundle(out, manifest, modules));
  std::printf("%zu mutants packed into %s\n", mutants.size(), out.c_str());
  return {};
}

}  // namespace
}  // namespace phasebit::test

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: pack_mutants MUTANTS.toml OUT [TARGET]\n");
    return 2;
  }
  const phasebit::Status done =
      phasebit::test::pack(argv[1], argv[2], argc > 3 ? argv[3] : "sm_90a");
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
