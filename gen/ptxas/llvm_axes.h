// Which LLVM makes the PTX of a variant, and how it is asked.
#pragma once

#include "core/base/error.h"
#include "core/image/variant_key.h"

#include <compare>
#include <string>
#include <string_view>

namespace phasebit::ptxas {

inline constexpr const char* llvm_axis = "llvm";
inline constexpr const char* llvm_opt_axis = "llvm_opt";
inline constexpr const char* short_ptr_axis = "short_ptr";

struct LlvmChoice {
  std::string version = {};    // "22.1.8"; "" for the PTX of the templates
  int opt_level = 2;           // -O, 0..3
  bool short_pointers = true;  // addresses in shared memory have 32 bits
  friend auto operator<=>(const LlvmChoice&, const LlvmChoice&) = default;
};

// Of the axes that decide the PTX.
bool is_llvm_axis(std::string_view axis);

LlvmChoice llvm_of(const image::VariantKey& key);
// A text key with this choice in the place of the one that it has.
image::VariantKey with_llvm(const image::VariantKey& text_key, const LlvmChoice& choice);

// "LLVM 22.1.8 -O1, long pointers"; "" for the templates' PTX.
std::string describe(const LlvmChoice& choice);

// Values of the axes as they are typed: "22" is the version that phasebit-llvm has, "none" none.
// Step::usage or toolchain.
Result<std::string> llvm_value(const std::string& word);
Result<bool> short_ptr_value(const std::string& word);

}  // namespace phasebit::ptxas
