// Any PTX: statements, heads, and the guard over it.
#include "core/ptx/head/check.h"
#include "core/ptx/head/text_facts.h"
#include "gen/guard/guard.h"
#include "gen/kernel/kernel_file.h"
#include "join/capture/parameter_list.h"
#include "tests/fuzz/reader.h"

namespace phasebit::test {

void read_fuzzed_ptx_file(std::string_view text) {
  const auto file = ptx::read_ptx(text, "mine.ptx");
  if (!file) return check_refusal(file.error(), {Step::assemble});
  if (write_ptx(*file) != text.substr(0, text.find('\0'))) bug("written it is another text");
  for (const ptx::PtxFunction& function : file->functions)
    if (function.has_body &&
        (function.open >= function.close || function.close >= file->statements.size()))
      bug("a body without its braces");
  for (const ptx::PtxFunction* entry : file->entries()) (void)join::capture::parameters_of(*entry);
}

// The head of a kernel with its text. What every thread of a launch does is followed: those of
// large launches take time and nothing else.
void read_fuzzed_ptx_head(std::string_view text) {
  constexpr std::int64_t most_threads = 64;
  const auto file = ptx::read_ptx(text, "mine.ptx");
  if (!file) return check_refusal(file.error(), {Step::assemble});
  for (const ptx::PtxFunction* entry : file->entries()) {
    if (entry->head_lines.empty()) continue;
    const auto head = ptx::head::read_head(entry->head_lines, "mine.ptx");
    if (!head) return check_refusal(head.error(), {Step::spec});
    if (std::int64_t{head->launch.threads} * head->launch.cluster_size > most_threads) return;
  }
  const auto kernels = kernel::read_kernels(text, "mine.ptx");
  if (!kernels) return check_refusal(kernels.error(), {Step::assemble, Step::spec, Step::render});
  for (const kernel::Rendered& one : *kernels) {
    if (!one.has_head) continue;
    (void)gate_of(one.head, "hopper", isa::Version{{13, 5}});
    (void)launch::launch_signature(one.head.launch);
    (void)write_head(one.head);
  }
}

void read_fuzzed_ptx_guard(std::string_view text) {
  const auto file = ptx::read_ptx(text, "mine.ptx");
  if (!file) return check_refusal(file.error(), {Step::assemble});
  const auto guarded = guard::guard(*file);
  if (!guarded) return check_refusal(guarded.error(), {Step::usage, Step::assemble});
  if (guarded->origins.size() != guarded->file.statements.size())
    bug("a statement without its origin");
  for (const std::size_t at : guarded->site_statements)
    if (at >= file->statements.size()) bug("a wait of no statement");
  const std::string written = write_ptx(guarded->file);
  const auto again = ptx::read_ptx(written, "guarded.ptx");
  if (!again) bug("a guarded text that cannot be read: " + again.error().text());
  if (write_ptx(*again) != written) bug("written again it is another text");
}

}  // namespace phasebit::test
