// A bundle: what a GPU machine needs to run variants, and nothing else. A folder with manifest.json
// and modules/<hash>.cubin; each module holds the kernels of many variants.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/launch/external.h"
#include "core/launch/facts.h"
#include "core/launch/guard_sites.h"
#include "core/launch/launch.h"
#include "core/launch/variant_key.h"

#include <optional>
#include <string>
#include <vector>

namespace phasebit::launch {

inline constexpr int manifest_version = 7;

struct Resources {
  int registers = 0;  // per thread
  int static_shared_bytes = 0;
  int stack_bytes = 0;
  int spill_store_bytes = 0;
  int spill_load_bytes = 0;
  int barriers = 0;  // named barriers
};

enum class Build { timed, guarded };
const std::vector<std::string>& words_of(Build build);
std::string to_string(Build build);

// One kernel as assembled for one target by one ptxas.
struct Image {
  Build build = Build::timed;
  std::string module;      // content hash of the cubin file
  std::string entry;       // kernel name in it
  std::string ptx_hash;    // of the kernel's text
  std::string text_hash;   // of its .text section
  std::string sass_class;  // exact class: hash of .text and launch shape
  Resources resources;
  GateResult gate;  // of the timed build
  Census census;
  std::vector<std::string> warnings;  // ptxas's, about this kernel
  GuardTable guard = {};              // of a guarded build: what its reports mean
  // NOPs before its code. `module` is then what is launched: `base_module` of the bundle, padded.
  int padding_bytes = 0;
  std::string base_module = {};
};

struct BundleVariant {
  VariantKey key;
  LaunchShape launch;
  std::vector<Image> images;  // at most one per build
  // Of a kernel without a head, which `launch` says nothing of but threads and shared memory.
  std::optional<ExternalLaunch> external = {};
  std::string seal = {};  // as it was read: check_seals
  const Image* image(Build build) const;
};
template <typename Visit>
void fields(Visit& visit, const BundleVariant* /*type*/) {
  visit("key", &BundleVariant::key);
  visit("launch", &BundleVariant::launch);
  visit("images", &BundleVariant::images);
  visit("external", &BundleVariant::external, {.if_set = true});
  visit("seal", &BundleVariant::seal);
}

struct Manifest {
  int version = manifest_version;
  std::string target;  // "sm_90a"
  std::string ptxas;   // "13.5.37"
  std::string ptxas_flags;
  std::string nvdisasm;  // version; "" when nothing was disassembled
  std::string commit;    // of the templates, from `git describe --always --dirty`; "" outside git
  std::string sweep;     // name of the sweep it was packed from
  // Of the templates; a manifest without them is read too.
  CatalogueFacts catalogue;
  std::vector<BundleVariant> variants;
  std::string seal = {};  // as it was read: check_seals
};

// The fields of the launch that count in a signature, as one line of JSON: launches of one code and
// one signature are measured once. launch.h says of each field whether it counts.
std::string launch_signature(const LaunchShape& launch);
std::string launch_signature(const ExternalLaunch& external);

// What no single field shows: a variant that its launch, images and the others contradict.
// Step::bundle names variant and field.
Status check_manifest(const Manifest& manifest);

// Whether it is what to_json wrote: a field that was changed since, or a variant that was added or
// taken away, is another seal. Step::bundle names the variant and both seals. As a module's name is
// the hash of what it holds, the modules are sealed as well. A seal can be forged: this finds
// what was edited or mixed up.
Status check_seals(const Manifest& manifest, const std::string& name);

// With seals: a hash of each variant, and one of all other fields and of the variants' seals.
std::string to_json(const Manifest& manifest);
Result<Manifest> manifest_from_json(std::string_view text, const std::string& name);

// The word by which rows and images name their exact class.

// Of a hash of the code with all that decides what it does, and the launch shape: images of one
// word are measured once. docs/decisions/sass-class.md says why it ends in its version.
std::string sass_class_word(const std::string& code_class, const LaunchShape& launch);

// The same of a kernel that is launched as a user says.
std::string sass_class_word(const std::string& code_class, const ExternalLaunch& external);

}  // namespace phasebit::launch
