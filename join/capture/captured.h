// What the capture library noted of a program (bench/capture), as launches.
#pragma once

#include "core/base/file.h"
#include "core/launch/external.h"
#include "core/ptx/file.h"
#include "gen/guard/guard.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::join::capture {

struct Captured {
  std::vector<launch::CapturedLaunch> launches;  // alike ones once, in the order of the first
  int without_parameters = 0;  // launches of which the driver did not say what they take
  int left_out = 0;            // further ones of kernels with very many that differ
  // What buffers held, by the file that a launch names: contents_folder/HASH.bin.
  std::map<std::string, std::string> contents;
  int cut = 0;  // buffers of which less than all is there
};

// Of all processes that left a file in the folder. Addresses become buffers: those in one
// allocation are in one. Step::io for what is not a note.
Result<Captured> read_notes(const fs::path& folder, const std::string& contents_folder);
// Of one file's text, whose contents lie in `folder`.
Result<Captured> parse_notes(std::string_view text, const std::string& file,
                             const fs::path& folder = {});

// Which of the launches in a launch file `--launch FILE[#N]` means.

// The one of this kernel; Step::usage lists them where it has several and no number says which.
Result<launch::CapturedLaunch> captured_launch(const std::string& words, const std::string& kernel);

// What the guard takes of them, by entry. Several launches of a kernel may be meant where their
// threads and registers are the same. Step::usage where the file has no kernel of the text.
Result<std::map<std::string, guard::GuardLaunch>> guard_launches(const ptx::PtxFile& file,
                                                                 const std::string& words);

}  // namespace phasebit::join::capture
