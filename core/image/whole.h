// How a stranger's kernel is launched: one without a head, of which nothing is known but what the
// command line says. Its figure is the slope of its duration over one parameter, the items.
#pragma once

#include "core/image/buffer.h"
#include "core/image/variant_key.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace phasebit::image {

// The probe of such a kernel's key, and the word that its id begins with: "whole/FILE/ENTRY".
inline constexpr const char* whole_kind = "whole";
inline bool is_whole(const VariantKey& key) {
  return key.value("probe") == whole_kind;
}

// Of a kernel (PTX ISA, .param, from ISA 8.1 on).
inline constexpr int most_parameter_bytes = 32764;

struct WholeParameter {
  enum class Kind { value, buffer, items };
  std::string name;
  Kind kind = Kind::value;
  int offset = 0, bytes = 0;  // in the parameters as the kernel takes them
  std::uint64_t value = 0;    // of a value: its bits
  Buffer buffer = {};         // of a buffer
};
const std::vector<std::string>& words_of(WholeParameter::Kind kind);

struct WholeLaunch {
  std::array<int, 3> grid{1, 1, 1}, block{1, 1, 1};
  int cluster = 1;
  int shared_bytes = 0;  // dynamic
  int parameter_bytes = 0;
  std::vector<WholeParameter> parameters;
  int threads() const { return block[0] * block[1] * block[2]; }
};

// The parameters as the kernel takes them. `addresses` are those of the buffers, in their order.
std::vector<std::byte> parameter_block(const WholeLaunch& whole, std::uint32_t items,
                                       const std::vector<std::uint64_t>& addresses);

}  // namespace phasebit::image
