#include "pipeline/explain/sides.h"

#include "core/image/sass_class.h"
#include "core/isa/targets.h"
#include "pipeline/select/open_space.h"

#include <mutex>
#include <set>

namespace phasebit::pipeline::explain {

Result<CodeSides> code_of(images::Tools& tools, const CodeRequest& request) {
  const std::set<std::string> distinct(request.ids.begin(), request.ids.end());
  PHASEBIT_TRY_ASSIGN(known, isa::parse_target(request.target));
  PHASEBIT_TRY_ASSIGN(disassembler, images::open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(space, select::open_ids(request.space, {distinct.begin(), distinct.end()}));
  for (const select::Space& one : request.read) select::append(space, one);
  space.target = request.target;
  PHASEBIT_TRY_ASSIGN(prepared, images::prepare(space, image::Build::timed, tools.options.threads));
  CodeSides sides;
  std::mutex mutex;
  PHASEBIT_TRY(images::analyse_images(
      tools, disassembler, prepared, {{request.target, {}}},
      [&](std::size_t, std::size_t variant, Result<images::AnalysedImage> image) {
        const images::Prepared& one = prepared[variant];
        const std::string code = image ? image->kernel.code.hash : std::string();
        const std::lock_guard guard(mutex);
        if (!image)
          sides.emplace(one.key.id, tl::unexpected<Error>(image.error()));
        else
          sides.emplace(one.key.id,
                        compare::DiffSide{fmt::format("{} for {}", one.key.id, request.target),
                                          known.sm, std::move(image->kernel), one.kernel.source,
                                          std::move(image->windows), true,
                                          image::sass_class_word(code, one.head.launch)});
      }));
  return sides;
}

bool is_code_of(const std::string& text_hash, const std::string& sass_class,
                const compare::DiffSide& side) {
  return text_hash == side.kernel.text_hash && sass_class == side.sass_class;
}

}  // namespace phasebit::pipeline::explain
