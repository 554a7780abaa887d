#include "gen/space/compilers.h"

#include "core/base/hash.h"

#include <algorithm>

namespace phasebit::space {

using launch::KeyAxes;
using launch::VariantKey;

namespace {

std::string id_part(const KeyAxes& axes) {
  std::string part;
  for (const auto& [axis, value] : axes) part += fmt::format("/{}={}", axis, value);
  return part;
}

void append(VariantKey& key, const KeyAxes& axes) {
  key.id += id_part(axes);
  key.axes.insert(key.axes.end(), axes.begin(), axes.end());
  key.hash = base::short_hash(key.id);
}

// Those of LLVM, or all others.
KeyAxes part_of(const Catalogue& catalogue, const CompilerChoice& choice, bool of_llvm) {
  KeyAxes part;
  for (const auto& axis : choice)
    if (is_llvm_axis(catalogue, axis.first) == of_llvm) part.push_back(axis);
  return part;
}

}  // namespace

CompilerChoice settled_choice(const Catalogue& catalogue, const KeyAxes& said) {
  const VariantKey named{{}, {}, said};
  const auto value_of = [&](const Axis& axis) {
    const std::string value = named.value(axis.name);
    return value.empty() ? axis.default_value : value;
  };
  Values point(catalogue.compiler_words().size());
  for (const Axis& axis : catalogue.compilers())
    point[static_cast<size_t>(axis.slot)] =
        value_number(catalogue.compiler_words(), axis.name, value_of(axis));
  CompilerChoice choice;
  for (const Axis& axis : catalogue.compilers())
    if (const std::string value = value_of(axis);
        value != axis.default_value && (!axis.when || axis.when->holds(point).value_or(true)))
      choice.emplace_back(axis.name, value);
  return choice;
}

std::vector<CompilerChoice> combinations(const Catalogue& catalogue,
                                         const std::vector<AxisValues>& asked) {
  std::vector<KeyAxes> all = {{}};
  for (const Axis& axis : catalogue.compilers())
    for (const AxisValues& values : asked) {
      if (values.axis != axis.name) continue;
      std::vector<KeyAxes> more;
      for (const KeyAxes& one : all)
        for (const std::string& value : values.values) {
          more.push_back(one);
          more.back().emplace_back(axis.name, value);
        }
      all = std::move(more);
    }
  std::vector<CompilerChoice> choices;
  for (const KeyAxes& one : all)
    if (CompilerChoice choice = settled_choice(catalogue, one);
        std::ranges::find(choices, choice) == choices.end())
      choices.push_back(std::move(choice));
  return choices;
}

bool is_llvm_axis(const Catalogue& catalogue, std::string_view axis) {
  const Axis* found = catalogue.compiler(axis);
  return found != nullptr && found->read_by == ReadBy::llvm;
}

bool names_llvm(const Catalogue& catalogue, const CompilerChoice& choice) {
  return !part_of(catalogue, choice, true).empty();
}

CompilerChoice choice_of(const Catalogue& catalogue, const VariantKey& key) {
  return settled_choice(catalogue, key.axes);
}

VariantKey text_key(const Catalogue& catalogue, const VariantKey& key) {
  if (key.text_id.empty()) return key;
  VariantKey text{key.text_id, base::short_hash(key.text_id), key.axes};
  std::erase_if(text.axes, [&](const auto& axis) {
    return catalogue.compiler(axis.first) != nullptr && !is_llvm_axis(catalogue, axis.first);
  });
  return text;
}

VariantKey without_llvm(const Catalogue& catalogue, const VariantKey& text_key) {
  VariantKey made = text_key;
  const std::string part = id_part(part_of(catalogue, choice_of(catalogue, text_key), true));
  if (!part.empty()) made.id.erase(made.id.find(part), part.size());
  std::erase_if(made.axes, [&](const auto& axis) { return is_llvm_axis(catalogue, axis.first); });
  made.hash = base::short_hash(made.id);
  return made;
}

VariantKey with_choice(const Catalogue& catalogue, const VariantKey& key,
                       const CompilerChoice& choice) {
  VariantKey made = text_key(catalogue, key);
  if (names_llvm(catalogue, choice)) {
    made = without_llvm(catalogue, made);
    append(made, part_of(catalogue, choice, true));
  }
  const KeyAxes rest = part_of(catalogue, choice, false);
  if (rest.empty()) return made;
  made.text_id = made.id;
  append(made, rest);
  return made;
}

VariantKey by_ptxas(const Catalogue& catalogue, const VariantKey& key, const std::string& version) {
  KeyAxes said = key.axes;
  std::erase_if(said, [](const auto& axis) { return axis.first == "ptxas"; });
  said.emplace_back("ptxas", version);
  return with_choice(catalogue, key, settled_choice(catalogue, said));
}

ptxas::LlvmChoice llvm_of(const VariantKey& key) {
  ptxas::LlvmChoice choice;
  choice.version = key.value("llvm");
  if (const std::string level = key.value("llvm_opt"); !level.empty())
    choice.opt_level = std::stoi(level);
  choice.short_pointers = key.value("short_ptr") != "off";
  return choice;
}

ptxas::AssemblerChoice assembler_of(const Catalogue& catalogue, const VariantKey& key) {
  ptxas::AssemblerChoice choice;
  choice.ptxas = key.value("ptxas");
  for (const auto& [name, value] : choice_of(catalogue, key))
    if (std::string flag = catalogue.compiler(name)->flag; !flag.empty()) {
      if (const size_t at = flag.find("{}"); at != std::string::npos) flag.replace(at, 2, value);
      choice.flags.push_back(std::move(flag));
    }
  choice.edit = key.value("edit");
  if (const std::string bytes = key.value("padding"); !bytes.empty())
    choice.padding = std::stoi(bytes);
  choice.llvm = llvm_of(key);
  return choice;
}

std::string describe(const ptxas::LlvmChoice& choice) {
  if (choice.version.empty()) return {};
  return fmt::format("LLVM {} -O{}{}", choice.version, choice.opt_level,
                     choice.short_pointers ? "" : ", long pointers");
}

}  // namespace phasebit::space
