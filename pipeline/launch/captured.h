// What the capture library noted of a program (bench/capture), as launches.
#pragma once

#include "core/base/file.h"
#include "core/image/launch_file.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::pipeline::launch {

struct Captured {
  std::vector<image::CapturedLaunch> launches;  // alike ones once, in the order of the first
  int without_parameters = 0;  // launches of which the driver did not say what they take
  int left_out = 0;            // further ones of kernels with very many that differ
  // What buffers held, by the file that a launch names: contents_folder/HASH.bin.
  std::map<std::string, std::string> contents;
  int cut = 0;  // buffers of which less than all is there
};

// Of all processes that left a file in the folder. Addresses become buffers: those in one
// allocation are in one. Step::io for what is no note.
Result<Captured> read_notes(const fs::path& folder, const std::string& contents_folder);
// Of one file's text, whose contents lie in `folder`.
Result<Captured> parse_notes(std::string_view text, const std::string& file,
                             const fs::path& folder = {});

}  // namespace phasebit::pipeline::launch
