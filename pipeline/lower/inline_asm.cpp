#include "pipeline/lower/inline_asm.h"

#include "gen/probes/make_plan.h"
#include "gen/render/render.h"
#include "gen/space/hand_made.h"
#include "pipeline/select/open_space.h"

#include <map>

namespace phasebit::pipeline::lower {
namespace {

// "createpolicy.fractional..." of `%policy = call i64 asm "createpolicy.fractional...", "=l"()`;
// "" for IR without.
std::string asm_of(const std::string& statement) {
  size_t begin = statement.find(" asm ");
  if (begin == std::string::npos) return {};
  begin = statement.find('"', begin);
  const size_t end = statement.find('"', begin + 1);
  return statement.substr(begin + 1, end - begin - 1);
}

}  // namespace

Result<table::Table> inline_asm(const select::SpaceRequest& request) {
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request));
  render::Renderer renderer(space.catalogue, space.templates);
  std::map<std::pair<std::string, std::string>, int> variants;  // by place and text
  int with_ir = 0, with_asm = 0;
  for (const image::VariantKey& key : space.expansion.variants) {
    const auto plan = probes::make_plan(space.catalogue, space::template_key(key));
    if (!plan) continue;
    const auto ir = renderer.render_ir(key, *plan);
    if (!ir) continue;
    ++with_ir;
    std::map<std::pair<std::string, std::string>, int> own;
    for (size_t n = 0; n < ir->kernel.statements.size(); ++n)
      if (const std::string text = asm_of(ir->kernel.statements[n]); !text.empty())
        own.try_emplace({ir->kernel.source[n].place(), text}, 1);
    with_asm += own.empty() ? 0 : 1;
    for (const auto& [place, one] : own) variants[place] += one;
  }
  table::Table made;
  made.columns = {{"template"}, {"inline asm"}, {"variants", true}};
  for (const auto& [place, count] : variants)
    made.rows.push_back({place.first, place.second, count});
  made.rows.push_back({"any", fmt::format("of {} variants with IR", with_ir), with_asm});
  return made;
}

}  // namespace phasebit::pipeline::lower
