#include "core/launch/bundle.h"

#include "core/base/hash.h"

namespace phasebit::launch {

using base::read_file;
using base::write_file;

namespace {

fs::path module_path(const fs::path& folder, const std::string& hash, const char* suffix) {
  return folder / "modules" / (hash + suffix);
}

constexpr const char* cubin_suffix = ".cubin";
constexpr const char* moves_suffix = ".moves";
constexpr const char* contents_suffix = ".bin";

// Of the file that holds an image's code.
const std::string& module_of(const Image& image) {
  return image.padding_bytes == 0 ? image.module : image.base_module;
}

tl::unexpected<Error> torn(const fs::path& path) {
  return with_hint(
      fail(Step::bundle, "{} is torn: its content does not match its name", path.string()),
      "pack and copy the bundle again");
}

// In a cubin a kernel's code is a section of its name. A module may be a text too, which the driver
// compiles.
bool has_kernel(const std::string& module, const std::string& entry) {
  using namespace std::string_literals;
  if (module.starts_with("\x7f\x45LF"))
    return module.find("\0.text."s + entry + '\0') != module.npos;
  for (const char behind : {'(', ' ', '\n'})
    if (module.find(".entry " + entry + behind) != module.npos) return true;
  return false;
}

}  // namespace

Status check_bundle(const fs::path& folder, const Manifest& manifest) {
  PHASEBIT_TRY(check_manifest(manifest));
  std::map<std::string, std::vector<std::string>> entries;
  for (const BundleVariant& variant : manifest.variants)
    for (const Image& image : variant.images) entries[module_of(image)].push_back(image.entry);
  for (const auto& [module, names] : entries) {
    PHASEBIT_TRY_ASSIGN(cubin, read_module(folder, module));
    for (const std::string& entry : names)
      if (!has_kernel(cubin, entry))
        return with_hint(fail(Step::bundle, "{} has no kernel '{}'",
                              module_path(folder, module, cubin_suffix).string(), entry),
                         "pack and copy the bundle again");
  }
  for (const BundleVariant& variant : manifest.variants) {
    if (!variant.external) continue;
    for (const ExternalContents& one : variant.external->contents)
      PHASEBIT_TRY(read_contents(folder, one));
  }
  return {};
}

Status write_bundle(const fs::path& folder, const Manifest& manifest,
                    const std::map<std::string, std::string>& modules,
                    const std::map<std::string, placement::CodeMoves>& moves,
                    const std::map<std::string, std::string>& contents) {
  for (const auto& [hash, cubin] : modules)
    PHASEBIT_TRY(write_file(module_path(folder, hash, cubin_suffix), cubin));
  for (const auto& [hash, one] : moves)
    PHASEBIT_TRY(write_file(module_path(folder, hash, moves_suffix), placement::to_bytes(one)));
  for (const auto& [file, bytes] : contents) PHASEBIT_TRY(write_file(folder / file, bytes));
  return write_file(folder / "manifest.json", to_json(manifest));
}

Result<Manifest> read_manifest(const fs::path& folder) {
  const fs::path path = folder / "manifest.json";
  auto text = read_file(path);
  if (!text)
    return with_hint(
        fail(Step::bundle, "{} is not a bundle: {}", folder.string(), text.error().message),
        "make one with `phasebit pack`");
  PHASEBIT_TRY_ASSIGN(manifest, manifest_from_json(*text, path.string()));
  PHASEBIT_TRY(check_seals(manifest, path.string()));
  return std::move(manifest);
}

std::string contents_file(const std::string& folder, std::string_view bytes) {
  return fmt::format("{}/{}{}", folder, base::content_hash(bytes), contents_suffix);
}

Result<std::string> read_contents(const fs::path& folder, const ExternalContents& one) {
  const fs::path path = folder / one.file;
  auto bytes = read_file(path);
  if (!bytes) return fail(Step::bundle, "{}", bytes.error().message);
  if (bytes->size() != one.bytes || path.filename() != base::content_hash(*bytes) + contents_suffix)
    return torn(path);
  return std::move(*bytes);
}

Result<std::string> read_module(const fs::path& folder, const std::string& hash) {
  const fs::path path = module_path(folder, hash, cubin_suffix);
  auto cubin = read_file(path);
  if (!cubin) return fail(Step::bundle, "{}", cubin.error().message);
  if (base::content_hash(*cubin) != hash) return torn(path);
  return std::move(*cubin);
}

Result<std::string> read_module(const fs::path& folder, const Image& image, int padding_bytes) {
  const int padding = image.padding_bytes == 0 ? padding_bytes : image.padding_bytes;
  PHASEBIT_TRY_ASSIGN(base, read_module(folder, module_of(image)));
  if (padding == 0) return std::move(base);
  const fs::path path = module_path(folder, module_of(image), moves_suffix);
  const auto bytes = read_file(path);
  if (!bytes)
    return fail(Step::bundle, "{} cannot be padded: {}", image.entry, bytes.error().message);
  PHASEBIT_TRY_ASSIGN(moves, placement::moves_from_bytes(*bytes, path.string()));
  PHASEBIT_TRY_ASSIGN(padded, placement::move_code(base, moves, padding));
  if (image.padding_bytes != 0 && base::content_hash(padded) != image.module) return torn(path);
  return std::move(padded);
}

bool can_be_padded(const fs::path& folder, const Image& image) {
  std::error_code error;
  return fs::exists(module_path(folder, module_of(image), moves_suffix), error);
}

}  // namespace phasebit::launch
