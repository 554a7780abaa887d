#include "gen/space/typed_id.h"

#include "gen/space/hand_made.h"

#include <sstream>

namespace phasebit::space {
namespace {

void append(std::string& id, const std::string& part) {
  id += (id.empty() ? "" : "/") + part;
}

}  // namespace

Result<TypedId> read_typed_id(const base::Home& home, const std::string& id) {
  TypedId typed;
  ptxas::AssemblerAxes axes;
  std::istringstream parts(id);
  for (std::string part; std::getline(parts, part, '/');) {
    const size_t equals = part.find('=');
    const std::string axis = equals == std::string::npos ? std::string() : part.substr(0, equals);
    if (ptxas::is_assembler_axis(axis)) {
      PHASEBIT_TRY(ptxas::set_assembler_axis(home, axes, axis, {part.substr(equals + 1)}));
      continue;
    }
    append(typed.text, part);
    if (axis == tuned_axis)
      typed.fork = part.substr(equals + 1);
    else if (is_snippet_axis(axis))
      typed.snippets = true;
    else
      append(typed.variant, part);
  }
  const std::vector<ptxas::AssemblerChoice> choices = ptxas::combinations(axes);
  if (choices.size() != 1) return fail(Step::usage, "{}: names several of ptxas", id);
  typed.choice = choices.front();
  typed.named = std::move(axes);
  return typed;
}

}  // namespace phasebit::space
