#include "pipeline/lower/lower_file.h"

#include "core/base/file.h"
#include "core/isa/version.h"
#include "gen/llvm/program_path.h"
#include "gen/llvm/worker.h"

namespace phasebit::pipeline::lower {

Result<std::string> lower_file(const LowerRequest& request) {
  PHASEBIT_TRY_ASSIGN(ir, base::read_file(request.file));
  if (request.target.find_first_of(" \n") != std::string::npos || request.target.empty())
    return fail(Step::usage, "-t '{}': not an architecture such as sm_90a", request.target);
  const auto version = isa::parse_version(request.ptx);
  if (!version || version->parts.size() != 2)
    return fail(Step::usage, "--ptx {}: not a version such as 8.6", request.ptx);
  PHASEBIT_TRY_ASSIGN(program, llvm::find_program());
  llvm::Worker worker(program);
  const llvm::Options options{request.target, llvm::ptx_number(*version), request.opt_level,
                              request.short_pointers};
  PHASEBIT_TRY_ASSIGN(made, worker.lower(request.file, ir, options));
  return std::move(made.ptx);
}

}  // namespace phasebit::pipeline::lower
