// The parameters of the entry: the block, an address for each buffer, and the tensor maps.
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/image/abi.h"
#include "core/ptx/head/check.h"
#include "core/ptx/head/complaint.h"

#include <algorithm>

namespace phasebit::ptx::head {

using image::Buffer;
using image::tensor::TensorMap;

namespace {

constexpr int tensor_map_bytes = 128;  // PTX ISA, Tensor-map

// Bytes of ".param .align 8 .b8 pb[96]"; 0 of what is no array of bytes.
int bytes_of(const std::string& parameter) {
  const size_t open = parameter.find('[');
  if (open == std::string::npos || parameter.find(".b8 ") == std::string::npos) return 0;
  return std::atoi(parameter.c_str() + open + 1);
}

bool is_tensor_map(const PtxParameter& parameter) {
  return bytes_of(parameter.text) == tensor_map_bytes &&
         (parameter.text.find(".align 64 ") != std::string::npos ||
          parameter.text.find(".align 128 ") != std::string::npos);
}

bool is_address(const PtxParameter& parameter) {
  for (const char* type : {".u64 ", ".b64 ", ".s64 "})
    if (parameter.text.find(type) != std::string::npos) return true;
  return false;
}

template <typename List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& one : list) names.push_back(one.name);
  return names;
}

}  // namespace

Status check_head_parameters(const CheckedHead& checked) {
  const PtxFunction& entry = checked.entry;
  const int wanted = sizeof(image::KernelParams);
  const std::string block = fmt::format("{}(.param .align 8 .b8 pb[{}]", entry.name, wanted);
  if (entry.parameters.empty() || bytes_of(entry.parameters.front().text) != wanted)
    return checked.complain("launch", fmt::format("write `{})`", block),
                            "'{}' does not take the parameter block of {} bytes", entry.name,
                            wanted);
  const std::vector<PtxParameter> more(entry.parameters.begin() + 1, entry.parameters.end());
  const std::vector<Buffer>& buffers = checked.head.launch.buffers;
  const std::vector<TensorMap>& maps = checked.head.launch.tensor_maps;
  bool behind_maps = false;
  for (const PtxParameter& one : more) {
    if (base::contains(names_of(maps), one.name)) {
      behind_maps = true;
      if (is_tensor_map(one)) continue;
      return checked.complain(
          "tensor map " + one.name,
          fmt::format("write `.param .align 64 .b8 {}[{}]`", one.name, tensor_map_bytes),
          "the text has `{}`, which holds no tensor map", one.text);
    }
    if (behind_maps)
      return checked.complain("buffer " + one.name, "write it before them",
                              "parameter '{}' of '{}' stands behind tensor maps", one.name,
                              entry.name);
    if (!base::contains(names_of(buffers), one.name))
      return checked.complain(
          "resources",
          fmt::format("write `buffers = [{{ name = \"{}\", bytes = 4096 }}]` in [resources]",
                      one.name),
          "nobody says what parameter '{}' of '{}' is", one.name, entry.name);
    if (!is_address(one))
      return checked.complain("buffer " + one.name, fmt::format("write `.param .u64 {}`", one.name),
                              "the text has `{}`, which holds no address", one.text);
  }
  for (const Buffer& buffer : buffers)
    if (!base::contains(names_of(more), buffer.name))
      return checked.complain("buffer " + buffer.name,
                              more.empty()
                                  ? fmt::format("write `{}, .param .u64 {})`", block, buffer.name)
                                  : base::nearest_word_hint(buffer.name, names_of(more)),
                              "'{}' has no parameter of that name", entry.name);
  for (const TensorMap& map : maps)
    if (!base::contains(names_of(more), map.name))
      return checked.complain("tensor map " + map.name,
                              fmt::format("write `.param .align 64 .b8 {}[{}]` behind the others",
                                          map.name, tensor_map_bytes),
                              "'{}' has no parameter of that name", entry.name);
  return {};
}

void order_buffers(Head& head, const PtxFunction& entry) {
  const std::vector<std::string> names = names_of(entry.parameters);
  const auto before = [&](const auto& a, const auto& b) {
    return std::find(names.begin(), names.end(), a.name) <
           std::find(names.begin(), names.end(), b.name);
  };
  std::sort(head.launch.buffers.begin(), head.launch.buffers.end(), before);
  std::sort(head.launch.tensor_maps.begin(), head.launch.tensor_maps.end(), before);
}

}  // namespace phasebit::ptx::head
