// Makes the folder that the GPU suite takes as PHASEBIT_HANGING: hanging_kernels() guarded as
// any PTX is, with their site tables. For a machine that has neither gen nor templates.
// Usage: pack_hanging OUT
#include "core/base/hash.h"
#include "core/launch/bundle.h"
#include "gen/guard/guard.h"
#include "tests/bench/hanging_kernels.h"

#include <cstdio>

namespace phasebit::test {

using launch::Build;
using launch::Manifest;

namespace {

Result<guard::GuardedPtx> guarded_text(const HangingKernel& kernel) {
  const std::string name = kernel.name;
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(hanging_kernel("hang_" + name, kernel), name + ".ptx"));
  guard::GuardOptions options;
  options.limit_ns = 50'000'000;
  return guard::guard(file, options);
}

// The text itself is the module: the driver translates it.
Status add(const HangingKernel& kernel, Manifest& manifest,
           std::map<std::string, std::string>& modules) {
  PHASEBIT_TRY_ASSIGN(made, guarded_text(kernel));
  const std::string text = ptx::write_ptx(made.file);
  launch::BundleVariant variant;
  variant.key.id = std::string("hanging/") + kernel.name;
  variant.key.hash = base::short_hash(variant.key.id);
  variant.key.axes = {{"probe", "hanging"}, {"kernel", kernel.name}};
  variant.launch.threads = kernel.threads;
  variant.launch.cluster_size = kernel.cluster_size;
  variant.launch.slices = {
      {0, 0, 1, launch::Role::consumer, 0, 0, kernel.cluster_size > 1 ? 0 : -1}};
  if (kernel.cluster_size > 1) variant.launch.second_rank = 1;
  launch::Image image;
  image.build = Build::guarded;
  image.entry = std::string("hang_") + kernel.name;
  image.module = base::content_hash(text);
  image.text_hash = image.sass_class = image.entry;
  image.gate.verdict = launch::GateVerdict::passed;
  image.guard.sites = made.sites;
  variant.images = {image};
  modules[image.module] = text;
  manifest.variants.push_back(std::move(variant));
  return {};
}

// As `phasebit pack` would: both builds, the parameters as a user says them. With 4 in its buffer
// it ends, with another word it hangs.
Status add_stranger(const char* name, std::uint32_t word, Manifest& manifest,
                    std::map<std::string, std::string>& modules) {
  const std::string text = waiting_stranger;
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(text, "stranger.ptx"));
  PHASEBIT_TRY_ASSIGN(made, guard::guard(file));
  launch::BundleVariant variant;
  variant.key.id = std::string("external/stranger/") + name;
  variant.key.hash = base::short_hash(variant.key.id);
  variant.key.axes = {{"probe", launch::external_kind}, {"file", "stranger"}, {"entry", name}};
  variant.launch.threads = 32;
  variant.launch.unit = "ns per item";
  launch::ExternalLaunch external;
  const launch::BufferFill fill{launch::BufferFill::Kind::word, word};
  external.block = {32, 1, 1};
  external.parameter_bytes = 12;
  external.starts = {0, 8};
  external.parameters = {
      {"flag", launch::ExternalParameter::Kind::buffer, 0, 8, 0, {"flag", 64, fill}},
      {"n", launch::ExternalParameter::Kind::items, 8, 4, 0, {}}};
  variant.external = external;
  for (const Build build : {Build::timed, Build::guarded}) {
    const std::string& code = build == Build::timed ? text : ptx::write_ptx(made.file);
    launch::Image image;
    image.build = build;
    image.entry = "stranger";
    image.module = base::content_hash(code);
    image.text_hash = image.sass_class = variant.key.id;
    if (build == Build::guarded) image.guard.sites = made.sites;
    variant.images.push_back(image);
    modules[image.module] = code;
  }
  manifest.variants.push_back(std::move(variant));
  return {};
}

Status pack(const fs::path& out) {
  Manifest manifest;
  manifest.target = "sm_90";
  std::map<std::string, std::string> modules;
  for (const HangingKernel& kernel : hanging_kernels())
    PHASEBIT_TRY(add(kernel, manifest, modules));
  PHASEBIT_TRY(add_stranger("ends", 4, manifest, modules));
  PHASEBIT_TRY(add_stranger("hangs", 7, manifest, modules));
  return launch::write_bundle(out, manifest, modules);
}

}  // namespace
}  // namespace phasebit::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: pack_hanging OUT\n");
    return 2;
  }
  const auto done = phasebit::test::pack(argv[1]);
  if (done) return 0;
  fmt::print(stderr, "pack_hanging: {}\n", done.error().text());
  return 1;
}
