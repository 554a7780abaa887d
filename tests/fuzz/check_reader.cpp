// Any PTX, run.
#include "analysis/protocol/check.h"
#include "core/ptx/run/instruction.h"
#include "tests/fuzz/reader.h"

#include <algorithm>
#include <vector>

namespace phasebit::test {

// The first kernel, run as a small launch whose parameters all point to buffers: whatever the text
// is, each run ends, and what it finds has a place.
void read_fuzzed_ptx_check(std::string_view text) {
  const auto file = ptx::read_ptx(text, "mine.ptx");
  if (!file) return check_refusal(file.error(), {Step::assemble});
  const std::vector<const ptx::PtxFunction*> entries = file->entries();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const ptx::PtxFunction* one) { return one->has_body; });
  if (found == entries.end()) return;
  const ptx::PtxFunction& entry = **found;
  ptx::run::RunLaunch launch;
  launch.block = {64, 1, 1};
  if (const auto program = ptx::run::decode(*file, entry); program && program->cluster[0] == 2)
    launch.grid = launch.cluster = {2, 1, 1};
  for (std::size_t n = 0; n < std::min<std::size_t>(entry.parameters.size(), 8); ++n) {
    launch.buffers.push_back({entry.parameters[n].name, 4096, {}});
    ptx::run::put_parameter(launch, 8 * n, ptx::run::address_of_buffer(n), 8);
  }
  protocol::CheckOptions options;
  options.most_steps = 5000;
  options.schedules = 2;
  const protocol::Checked checked = protocol::check(*file, entry, launch, options);
  if (checked.verdict == protocol::Verdict::error && checked.found.empty())
    bug("an error without a finding");
  for (const protocol::Checked::Found& one : checked.found)
    if (one.at.place.empty() || one.at.what.empty()) bug("a finding without a place or words");
  (void)protocol::text_of(checked);
  (void)protocol::json_of({checked});
}

}  // namespace phasebit::test
