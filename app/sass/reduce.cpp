#include "join/reduce/reduce.h"

#include "app/commands.h"
#include "core/base/file.h"

#include <cstdio>

namespace phasebit::app {
namespace {

void say(const join::reduce::Reduction& done, std::FILE* to) {
  fmt::print(
      to, "{} {}: {} -> {} by {}, {} -> {} by {}\n", done.opcode, flow::to_string(done.where),
      done.sides[0].first.of(done.where), done.sides[0].last.of(done.where), done.sides[0].name,
      done.sides[1].first.of(done.where), done.sides[1].last.of(done.where), done.sides[1].name);
  fmt::print(
      to, "{} -> {} lines, {} -> {} bytes; {} candidates in {:.1f} s{}\n", done.first_statements,
      done.last_statements, done.first_bytes, done.last_bytes, done.candidates, done.seconds,
      done.finished ? "" : ": the time was over before it was as small as it gets (--seconds)");
}

}  // namespace

Status run_sass_reduce(const join::reduce::VariantReduceRequest& options) {
  PHASEBIT_TRY_ASSIGN(done, join::reduce::reduce_variants(options));
  say(done, options.out.empty() ? stderr : stdout);
  if (options.out.empty()) {
    fmt::print("{}", done.text);
    return {};
  }
  PHASEBIT_TRY(base::write_file(options.out, done.text));
  fmt::print("{}\n", options.out);
  return {};
}

}  // namespace phasebit::app
