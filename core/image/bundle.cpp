#include "core/image/bundle.h"

#include "core/base/hash.h"

namespace phasebit {

Status write_bundle(const fs::path& folder, const Manifest& manifest,
                    const std::map<std::string, std::string>& modules) {
  for (const auto& [hash, cubin] : modules)
    PHASEBIT_TRY(write_file(folder / "modules" / (hash + ".cubin"), cubin));
  return write_file(folder / "manifest.json", to_json(manifest));
}

Result<Manifest> read_manifest(const fs::path& folder) {
  const fs::path path = folder / "manifest.json";
  auto text = read_file(path);
  if (!text)
    return with_hint(
        fail(Step::bundle, "{} is not a bundle: {}", folder.string(), text.error().message),
        "make one with `phasebit pack`");
  return manifest_from_json(*text, path.string());
}

Result<std::string> read_module(const fs::path& folder, const std::string& hash) {
  const fs::path path = folder / "modules" / (hash + ".cubin");
  auto cubin = read_file(path);
  if (!cubin) return fail(Step::bundle, "{}", cubin.error().message);
  if (content_hash(*cubin) != hash)
    return with_hint(
        fail(Step::bundle, "{} is torn: its content does not match its name", path.string()),
        "pack and copy the bundle again");
  return std::move(*cubin);
}

}  // namespace phasebit
