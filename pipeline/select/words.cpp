#include "pipeline/select/words.h"

#include "core/base/nearest.h"

namespace phasebit::pipeline::select {

using image::Build;

Result<Build> parse_build(const std::string& word) {
  if (word == "timed") return Build::timed;
  if (word == "guarded") return Build::guarded;
  return with_hint(fail(Step::usage, "--build {}: no such build", word),
                   base::nearest_word_hint(word, {"timed", "guarded"}));
}

}  // namespace phasebit::pipeline::select
