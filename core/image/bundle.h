// Writing and reading a bundle folder.
#pragma once

#include "core/image/manifest.h"

#include <map>
#include <string>

namespace phasebit {

// Writes manifest.json and modules/<hash>.cubin for every module the manifest names.
Status write_bundle(const fs::path& folder, const Manifest& manifest,
                    const std::map<std::string, std::string>& modules);

// Reads manifest.json. Step::bundle names what is missing, newer or torn.
Result<Manifest> read_manifest(const fs::path& folder);

// Reads one module and checks its hash.
Result<std::string> read_module(const fs::path& folder, const std::string& hash);

}  // namespace phasebit
