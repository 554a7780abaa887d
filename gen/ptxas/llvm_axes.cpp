#include "gen/ptxas/llvm_axes.h"

#include "core/base/hash.h"
#include "core/base/nearest.h"
#include "gen/llvm/options.h"
#include "gen/llvm/program_path.h"

#include <algorithm>

namespace phasebit::ptxas {

using image::KeyAxes;
using image::VariantKey;

namespace {

// Those that an id names, in its order.
KeyAxes axes_of(const LlvmChoice& choice) {
  const LlvmChoice usual;
  KeyAxes axes;
  if (choice.version.empty()) return axes;
  axes.emplace_back(llvm_axis, choice.version);
  if (choice.opt_level != usual.opt_level)
    axes.emplace_back(llvm_opt_axis, std::to_string(choice.opt_level));
  if (!choice.short_pointers) axes.emplace_back(short_ptr_axis, "off");
  return axes;
}

std::string id_part(const KeyAxes& axes) {
  std::string part;
  for (const auto& [axis, value] : axes) part += fmt::format("/{}={}", axis, value);
  return part;
}

}  // namespace

bool is_llvm_axis(std::string_view axis) {
  return axis == llvm_axis || axis == llvm_opt_axis || axis == short_ptr_axis;
}

LlvmChoice llvm_of(const VariantKey& key) {
  LlvmChoice choice;
  choice.version = key.value(llvm_axis);
  if (const std::string level = key.value(llvm_opt_axis); !level.empty())
    choice.opt_level = std::stoi(level);
  choice.short_pointers = key.value(short_ptr_axis) != "off";
  return choice;
}

VariantKey with_llvm(const VariantKey& text_key, const LlvmChoice& choice) {
  VariantKey made = text_key;
  if (const std::string part = id_part(axes_of(llvm_of(text_key))); !part.empty())
    made.id.erase(made.id.find(part), part.size());
  std::erase_if(made.axes, [](const auto& axis) { return is_llvm_axis(axis.first); });
  const KeyAxes axes = axes_of(choice);
  made.id += id_part(axes);
  made.axes.insert(made.axes.end(), axes.begin(), axes.end());
  made.hash = base::short_hash(made.id);
  return made;
}

std::string describe(const LlvmChoice& choice) {
  if (choice.version.empty()) return {};
  return fmt::format("LLVM {} -O{}{}", choice.version, choice.opt_level,
                     choice.short_pointers ? "" : ", long pointers");
}

Result<std::string> llvm_value(const std::string& word) {
  if (word == "none") return std::string();
  if (const auto program = llvm::find_program(); !program)
    return tl::unexpected<Error>(program.error());
  std::string built(llvm::built_version());
  if (built == word || built.starts_with(word + ".")) return built;
  return fail(Step::usage, "{}={}: this phasebit has LLVM {}", llvm_axis, word, built);
}

Result<bool> short_ptr_value(const std::string& word) {
  if (word == "on" || word == "off") return word == "on";
  return with_hint(fail(Step::usage, "{}={}: neither on nor off", short_ptr_axis, word),
                   base::nearest_word_hint(word, {"on", "off"}));
}

}  // namespace phasebit::ptxas
