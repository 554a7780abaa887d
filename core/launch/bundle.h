// Writing and reading a bundle folder.
#pragma once

#include "core/launch/manifest.h"
#include "core/launch/placement/code_moves.h"

#include <map>
#include <string>

namespace phasebit::launch {

// Writes manifest.json, modules/<hash>.cubin for every module the manifest names, for those that
// can be padded modules/<hash>.moves (core/launch/placement), and what buffers hold when a launch
// begins, by the file that the manifest names.
Status write_bundle(const fs::path& folder, const Manifest& manifest,
                    const std::map<std::string, std::string>& modules,
                    const std::map<std::string, placement::CodeMoves>& moves = {},
                    const std::map<std::string, std::string>& contents = {});

// Reads manifest.json. Step::bundle names what is missing, newer, torn or changed (check_seals).
Result<Manifest> read_manifest(const fs::path& folder);

// What is wrong in a bundle, without a GPU: check_manifest, and of each module that it is there,
// untorn, and has the kernels that the manifest names.
Status check_bundle(const fs::path& folder, const Manifest& manifest);

// The module of an image with so much padding before its code, as check_padding has it; an image
// that is padded by its variant keeps its own. Step::bundle where its module cannot be padded
// (can_be_padded), or is torn.
Result<std::string> read_module(const fs::path& folder, const Image& image, int padding_bytes = 0);
bool can_be_padded(const fs::path& folder, const Image& image);

// "contents/HASH.bin" for FOLDER `contents`.
std::string contents_file(const std::string& folder, std::string_view bytes);
// Of the file in the folder, whose name is the hash of what it holds.
Result<std::string> read_contents(const fs::path& folder, const ExternalContents& one);

// Reads one module and checks its hash.
Result<std::string> read_module(const fs::path& folder, const std::string& hash);

}  // namespace phasebit::launch
