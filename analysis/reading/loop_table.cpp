#include "analysis/reading/loop_table.h"

#include "analysis/reading/pipes.h"

namespace phasebit::reading {
namespace {

void mark(std::vector<bool>& shown, const CodeLoop& loop) {
  for (const std::uint32_t address : loop.addresses)
    shown[address / cubin::instruction_bytes] = true;
}

}  // namespace

Result<table::Table> loop_table(const std::vector<FunctionLoops>& functions, int sm,
                                const std::string& lines) {
  PHASEBIT_TRY_ASSIGN(pipes, PipeTable::get());
  table::Table table{{{"loop", true},
                      {"addresses"},
                      {"depth", true},
                      {"instr", true},
                      {"issue", true},
                      {"waits", true},
                      {"inside", true},
                      {"key opcodes"},
                      {"pipelines"},
                      {lines}},
                     {},
                     {}};
  int number = 0;
  for (const FunctionLoops& function : functions)
    for (const CodeLoop& loop : function.loops->loops)
      table.rows.push_back(
          {++number,
           fmt::format("{}{}{:#x}-{:#x}", function.function, function.function.empty() ? "" : " ",
                       loop.begin, loop.end - cubin::instruction_bytes),
           loop.depth, loop.own.instructions, loop.own.issue_cycles, loop.own.scoreboard_waits,
           loop.inner.instructions, key_opcodes(*pipes, loop.own.opcodes),
           pipe_mix(*pipes, loop.own.opcodes, sm), first_lines(loop.lines)});
  return table;
}

std::vector<bool> in_any_loop(const cubin::SassKernel& kernel, const CodeLoops& loops) {
  std::vector<bool> shown(kernel.instructions.size(), false);
  for (const CodeLoop& loop : loops.loops) mark(shown, loop);
  return shown;
}

Result<std::vector<bool>> in_loop(const cubin::SassKernel& kernel, const CodeLoops& loops,
                                  int number) {
  const std::size_t count = loops.loops.size();
  if (number < 1 || static_cast<std::size_t>(number) > count)
    return with_hint(fail(Step::usage, "--loop {}: there are {} loops", number, count),
                     loops.problem.empty() ? "the table below the listing numbers them"
                                           : "there may be others: " + loops.problem);
  std::vector<bool> shown(kernel.instructions.size(), false);
  mark(shown, loops.loops[static_cast<std::size_t>(number) - 1]);
  return shown;
}

std::string first_lines(const std::string& lines) {
  std::size_t comma = lines.find(", ");
  if (comma != std::string::npos) comma = lines.find(", ", comma + 1);
  return comma == std::string::npos ? lines : lines.substr(0, comma) + ", ...";
}

}  // namespace phasebit::reading
