// Packs every mutant of mutants.toml for a GPU machine: pack_mutants MUTANTS.toml OUT [TARGET]. The
// gate is left out: it is the guard and the verification that must see the fault.
#include "core/base/hash.h"
#include "core/image/bundle.h"
#include "gen/guard/kernel_guard.h"
#include "pipeline/images/images.h"
#include "pipeline/select/open_space.h"
#include "tests/home.h"
#include "tests/mutants/mutant.h"

#include <cstdio>

namespace phasebit::test {
namespace {

struct Pair {
  Prepared timed, guarded;
};

Result<Pair> make_pair(const Mutant& mutant) {
  PHASEBIT_TRY_ASSIGN(space, open_ids(test::at_home<SpaceRequest>(), {mutant.variant}));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, 1));
  Pair pair{prepared.front(), prepared.front()};
  pair.timed.key.id = "mutant/" + mutant.name;
  pair.timed.key.hash = short_hash(pair.timed.key.id);
  PHASEBIT_TRY(put_fault(mutant, pair.timed.kernel));
  pair.timed.kernel.hash = kernel_hash(pair.timed.kernel);
  pair.guarded.key = pair.timed.key;
  PHASEBIT_TRY_ASSIGN(guarded, guard_kernel(pair.timed.kernel, pair.timed.kernel.entry + "_g"));
  pair.guarded.kernel = std::move(guarded.kernel);
  pair.guarded.sites = std::move(guarded.sites);
  return pair;
}

Status add(const Mutant& mutant, Tools& tools, const std::string& target, Manifest& manifest,
           std::map<std::string, std::string>& modules) {
  PHASEBIT_TRY_ASSIGN(pair, make_pair(mutant));
  BundleVariant variant{pair.timed.key, pair.timed.head.launch, {}};
  for (const Prepared* one : {&pair.timed, &pair.guarded}) {
    ImageSet set = std::move(make_images(tools, {*one}, {{target, {}}}).front());
    PHASEBIT_TRY_ASSIGN(image, std::move(set.images.front()));
    PHASEBIT_TRY_ASSIGN(code, module_code(*set.assembly, tools.cache_or_null(), image.module));
    modules[image.module] = std::move(code);
    image.gate = {GateVerdict::passed, {}};
    if (one == &pair.guarded) image.guard = guard_table(*one);
    variant.images.push_back(std::move(image));
  }
  manifest.variants.push_back(std::move(variant));
  return {};
}

Status pack(const fs::path& file, const fs::path& out, const std::string& target) {
  PHASEBIT_TRY_ASSIGN(mutants, read_mutants(file));
  PHASEBIT_TRY_ASSIGN(tools, open_tools({test::home(), {}, {}, {}}));
  Manifest manifest;
  manifest.target = target;
  manifest.ptxas = tools.toolchain.version.text();
  manifest.sweep = "mutants";
  std::map<std::string, std::string> modules;
  for (const Mutant& mutant : mutants) PHASEBIT_TRY(add(mutant, tools, target, manifest, modules));
  PHASEBIT_TRY(write_bundle(out, manifest, modules));
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
