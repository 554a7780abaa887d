#include "app/manual.h"

#include "core/base/documents.h"
#include "core/base/home.h"

namespace phasebit::app {

base::ManPageFacts manual() {
  base::ManPageFacts facts;
  facts.version = base::program_version();
  facts.about = "PTX for GPU producer/consumer pipelines: generate, assemble, gate, report";
  facts.environment = {
      {"PHASEBIT_HOME",
       "the folder with templates/, specs/ and results/: a checkout, or "
       "share/phasebit of a prefix"},
      {"PHASEBIT_TOOLCHAIN", "the folder of another ptxas than the pinned one"},
      {"XDG_CACHE_HOME",
       "of an installed program: what is assembled is kept in phasebit/ below it"},
      {"XDG_DATA_HOME", "of an installed program: toolchains are in phasebit/toolchains below it"},
  };
  facts.files = {
      {"PREFIX/share/phasebit", "templates, specs, published listings and results"},
      {"PREFIX/share/phasebit/tools/toolchain", "installs ptxas and its tools"},
      {"~/.local/share/phasebit/toolchains", "where it does"},
      {"~/.cache/phasebit", "may be deleted at any time"},
      {"ptx/tuned", "of the current folder: forks of variants, edited by hand"},
  };
  facts.exit_codes = base::step_exit_codes();
  facts.exit_codes.insert(facts.exit_codes.begin(), {"0", "done"});
  facts.exit_codes.insert(facts.exit_codes.begin() + 1,
                          {"1", "done, and found what it was asked to fail on"});
  return facts;
}

}  // namespace phasebit::app
