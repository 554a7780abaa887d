// Bundles for the fake device.
#pragma once

#include "core/launch/bundle.h"

#include <map>
#include <string>

#include <nlohmann/json.hpp>

namespace phasebit::test {

// A ring of one producer warp and one consumer warp with a payload of 64 words.
launch::LaunchShape ring_shape();

// A variant "ring/NAME" with both builds, gate passed, a SASS class of its own. Entries NAME_t,
// NAME_g.
launch::BundleVariant ring_variant(const std::string& name);

// The same name for a kernel without a head, timed build alone; `external` is the caller's to fill
// in.
launch::BundleVariant stranger_variant(const std::string& name);

// The anchors of templates/anchors/anchors.toml.
std::vector<launch::BundleVariant> anchor_variants();

// What the fake's kernels do so that every anchor lies in its range.
nlohmann::json sound_anchors();

class FakeBundle {
 public:
  FakeBundle();  // anchors alone
  launch::BundleVariant& add(launch::BundleVariant variant);
  nlohmann::json& kernel(const std::string& entry) { return script_["kernels"][entry]; }
  nlohmann::json& device() { return script_["device"]; }
  launch::Manifest& manifest() { return manifest_; }
  // Writes manifest, module and script to a folder of the temporary directory; its path.
  fs::path write();
  fs::path file(const std::string& name) const { return folder_->path() / name; }

 private:
  Result<base::TempDir> folder_;
  launch::Manifest manifest_;
  nlohmann::json script_;
};

}  // namespace phasebit::test
