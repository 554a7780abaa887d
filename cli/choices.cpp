#include "cli/choices.h"

#include <sstream>

namespace phasebit {

Result<AssemblerAxes> assembler_axes(const SpaceRequest& request, AssemblerAxes axes,
                                     std::vector<std::string>& rest) {
  for (const std::string& text : request.overrides) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || !is_assembler_axis(text.substr(0, equals))) {
      rest.push_back(text);
      continue;
    }
    std::vector<std::string> values;
    std::istringstream words(text.substr(equals + 1));
    for (std::string word; std::getline(words, word, ',');) values.push_back(word);
    PHASEBIT_TRY(set_assembler_axis(axes, text.substr(0, equals), values));
  }
  if (!request.toolchains.empty())
    PHASEBIT_TRY(set_assembler_axis(axes, "ptxas", request.toolchains));
  return axes;
}

void add_choices(std::vector<VariantKey>& variants, const std::vector<AssemblerChoice>& choices) {
  std::vector<VariantKey> all;
  for (const VariantKey& variant : variants)
    for (const AssemblerChoice& choice : choices) all.push_back(with_assembler(variant, choice));
  variants = std::move(all);
}

}  // namespace phasebit
