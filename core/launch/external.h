// How a stranger's kernel is launched: one without a head, of which nothing is known but what the
// command line says. Its figure is the slope of its duration over one parameter, the items.
#pragma once

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/saturated.h"
#include "core/base/toml.h"
#include "core/launch/buffer.h"
#include "core/launch/launch.h"
#include "core/launch/tensor/map.h"
#include "core/launch/variant_key.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phasebit::launch {

// The probe of such a kernel's key, and the word that its id begins with: "external/FILE/ENTRY".
inline constexpr const char* external_kind = "external";
inline bool is_external(const VariantKey& key) {
  return key.value("probe") == external_kind;
}

// Of a kernel (PTX ISA, .param, from ISA 8.1 on).
inline constexpr int most_parameter_bytes = 32764;

// Some bytes of the parameters, from `offset` on. Those that come later in the list are written
// over those before.
struct ExternalParameter {
  enum class Kind { value, buffer, items, raw, tensor_map };
  std::string name;
  Kind kind = Kind::value;
  int offset = 0, bytes = 0;  // in the parameters as the kernel takes them
  std::uint64_t value = 0;    // of a value: its bits
  // Of a buffer, and of a map, whose tensor lies in it. Those of one name are one buffer.
  Buffer buffer = {};
  std::uint64_t at = 0;  // in the buffer
  std::string raw = {};  // of raw bytes, two hexadecimal digits each
  std::optional<tensor::TensorMap> map = {};
  bool operator==(const ExternalParameter&) const = default;
};
const std::vector<std::string>& words_of(ExternalParameter::Kind kind);
template <typename Visit>
void fields(Visit& visit, const ExternalParameter* /*type*/) {
  visit("name", &ExternalParameter::name, {.always = true});
  visit("kind", &ExternalParameter::kind, {.always = true});
  visit("offset", &ExternalParameter::offset, {.most = most_parameter_bytes, .always = true});
  visit("bytes", &ExternalParameter::bytes, {.most = most_parameter_bytes, .always = true});
  visit("value", &ExternalParameter::value, {.toml = nullptr});  // TOML has no such large numbers
  visit("buffer", &ExternalParameter::buffer);                   // of 0 bytes where it is none
  visit("at", &ExternalParameter::at, {.if_set = true});
  visit("raw", &ExternalParameter::raw, {.if_set = true});
  visit("map", &ExternalParameter::map, {.if_set = true});
}

// Bytes that a buffer holds when a launch begins, over its fill. The file is next to the one that
// names it, or in a folder there: launch.toml (`phasebit capture --contents`), manifest.json.
struct ExternalContents {
  std::string buffer;
  std::uint64_t at = 0, bytes = 0;  // in the buffer
  std::string file;                 // FOLDER/HASH.bin
  bool operator==(const ExternalContents&) const = default;
};
template <typename Visit>
void fields(Visit& visit, const ExternalContents* /*type*/) {
  visit("buffer", &ExternalContents::buffer, {.must = ""});
  visit("at", &ExternalContents::at);
  visit("bytes", &ExternalContents::bytes, {.least = 1, .must = ""});
  visit("file", &ExternalContents::file, {.must = ""});
}

struct ExternalLaunch {
  std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  int shared_bytes = 0;  // dynamic
  int parameter_bytes = 0;
  std::vector<int> starts;   // where each parameter begins among those bytes, ascending
  bool cooperative = false;  // all CTAs at once
  bool no_figure = false;    // the guarded build alone is run
  std::vector<ExternalParameter> parameters;
  std::vector<ExternalContents> contents;
  std::int64_t threads() const { return product(block); }
  std::int64_t ctas() const { return product(grid); }
  std::int64_t ctas_of_cluster() const { return product(cluster); }
  bool operator==(const ExternalLaunch&) const = default;

 private:
  static std::int64_t product(const std::array<int, 3>& size) {
    return base::saturated_product(size);
  }
};
template <typename Visit>
void fields(Visit& visit, const ExternalLaunch* /*type*/) {
  visit("grid", &ExternalLaunch::grid, {.least = 1, .always = true});
  visit("block", &ExternalLaunch::block, {.least = 1, .most = most_threads_of_cta, .always = true});
  visit("cluster", &ExternalLaunch::cluster, {.least = 1, .most = most_ctas_of_cluster});
  visit("shared_bytes", &ExternalLaunch::shared_bytes, {.most = most_shared_bytes, .always = true});
  visit("parameter_bytes", &ExternalLaunch::parameter_bytes,
        {.most = most_parameter_bytes, .always = true});
  visit("starts", &ExternalLaunch::starts, {.always = true});
  visit("cooperative", &ExternalLaunch::cooperative, {.if_set = true});
  visit("no_figure", &ExternalLaunch::no_figure, {.toml = nullptr, .if_set = true});
  visit("parameters", &ExternalLaunch::parameters, {.always = true});
  visit("contents", &ExternalLaunch::contents, {.if_set = true});
}

// Why it cannot be launched as it says; nothing of one that can.
std::optional<std::string> complaint_about(const ExternalLaunch& external);

// What its parameters and maps point to, each once, and where one's is among them.
std::vector<Buffer> buffers_of(const ExternalLaunch& external);
std::size_t place_of(const ExternalParameter& one, const std::vector<Buffer>& buffers);

// The parameters as the kernel takes them. `addresses` are those of buffers_of, in its order, and
// `maps` the encoded tensor maps in the order of their parameters.
using MapBytes = std::array<std::byte, 128>;
std::vector<std::byte> parameter_block(const ExternalLaunch& external, std::uint32_t items,
                                       const std::vector<std::uint64_t>& addresses,
                                       const std::vector<MapBytes>& maps = {});

// Two hexadecimal digits a byte; nothing for another text.
std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view digits);

// launch.toml: launches of kernels as a program made them (`phasebit capture`), by the list of
// fields of a launch (external.h).

struct CapturedLaunch {
  std::string kernel;  // its entry's name
  int times = 1;       // launches that are alike
  int registers = 0;   // of a thread when it begins; 0 where the driver did not say
  ExternalLaunch launch;
};

// Step::spec with file, line and key for what is not a launch.
Result<std::vector<CapturedLaunch>> read_launch_file(const fs::path& path);
// The same of its TOML.
Result<std::vector<CapturedLaunch>> read_launches(const base::TomlValue& toml,
                                                  const std::string& file);

// `made_by`: a line for readers of the file.
std::string launch_file_text(const std::vector<CapturedLaunch>& launches,
                             const std::string& made_by);

}  // namespace phasebit::launch
