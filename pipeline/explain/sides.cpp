#include "pipeline/explain/sides.h"

#include "core/image/sass_class.h"
#include "core/isa/targets.h"
#include "pipeline/select/open_space.h"

#include <mutex>
#include <set>

namespace phasebit {

Result<CodeSides> code_of(Tools& tools, const CodeRequest& request) {
  const std::set<std::string> distinct(request.ids.begin(), request.ids.end());
  PHASEBIT_TRY_ASSIGN(known, parse_target(request.target));
  PHASEBIT_TRY_ASSIGN(disassembler, open_disassembler(tools));
  PHASEBIT_TRY_ASSIGN(space, open_ids(request.space, {distinct.begin(), distinct.end()}));
  space.target = request.target;
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, Build::timed, tools.options.threads));
  CodeSides sides;
  std::mutex mutex;
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, prepared, {{request.target, {}}},
      [&](std::size_t, std::size_t variant, Result<AnalysedImage> image) {
        const Prepared& one = prepared[variant];
        const std::string code = image ? image->kernel.code.hash : std::string();
        const std::lock_guard guard(mutex);
        if (!image)
          sides.emplace(one.key.id, tl::unexpected<Error>(image.error()));
        else
          sides.emplace(one.key.id, DiffSide{fmt::format("{} for {}", one.key.id, request.target),
                                             known.sm, std::move(image->kernel), one.kernel.source,
                                             std::move(image->windows), true,
                                             sass_class_word(code, one.head.launch)});
      }));
  return sides;
}

bool is_code_of(const std::string& text_hash, const std::string& sass_class, const DiffSide& side) {
  return text_hash == side.kernel.text_hash &&
         (!covers_all_code(sass_class) || sass_class == side.sass_class);
}

}  // namespace phasebit
