// Variants with their images as a bundle.
#pragma once

#include "core/launch/manifest.h"
#include "core/launch/placement/code_moves.h"
#include "join/capture/external_launch.h"
#include "join/images/assembled.h"
#include "join/images/executions.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <map>
#include <string>
#include <vector>

namespace phasebit::join::bundle {

struct PackRequest {
  select::SpaceRequest space;
  images::ToolOptions tools;
  std::string target = "sm_90a";
  capture::ExternalFacts external;  // of kernels without a head
  std::string rules;                // a file of them, for these; "" for none
  bool anchors = true;
  bool unchecked = false;  // what is refused by its runs is packed as not gated
};

struct Packing {
  launch::Manifest manifest;
  std::map<std::string, std::string> modules;  // code by hash
  // Of timed code, by the module's hash: what lets the bench pad it (core/launch/placement).
  std::map<std::string, launch::placement::CodeMoves> moves;
  std::map<std::string, std::string> contents;  // of buffers, by the file in the bundle
  std::vector<images::Refusal> refused;         // images that are errors in it
  images::ExecutionNotes notes;                 // what its runs say and refuses none
};

// Each variant with its timed image, and where it can wait its guarded one. What the target does
// not take is left out, and counted by the reason on standard error.
Result<Packing> pack(const PackRequest& request);

// In place of the bundle that is there.
Status write_packing(const fs::path& folder, const Packing& packing);

}  // namespace phasebit::join::bundle
