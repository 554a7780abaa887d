// What is said of a kernel's protocol: proved, or what is wrong with it, or why neither can be
// said.
#pragma once

#include "core/base/error.h"
#include "core/ptx/file.h"
#include "core/ptx/run/findings.h"
#include "core/ptx/run/launch.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace phasebit::protocol {

// In the order in which they win where several kernels are checked: the later one.
enum class Verdict : std::uint8_t { proved, explored, unsupported, error };
const char* to_string(Verdict verdict);
// 0, 24, 25 and 1: docs/decisions/exit-codes.md.
int exit_code(Verdict verdict);

struct CheckOptions {
  int schedules = 100;  // that are drawn where one run proves nothing
  bool is_strict = false;
  bool elects_each = true;   // a run for each lane that elect.sync may choose, or for both ends
  std::uint32_t replay = 0;  // not 0: the drawn schedule of that number alone
  std::uint64_t most_steps = 20'000'000;
  // Whether what a run left in memory is right; asked where all of it was computed.
  std::function<Status(const ptx::run::RunOutcome&)> verify = {};
};

// An instruction of the text, the thread that ran it, and the finding.
struct Remark {
  std::string place;   // "ring.ptx:120:5"
  std::string text;    // the instruction
  std::string source;  // "producer acquire, templates/protocols/mbarrier/wait.ptx:12", or ""
  std::string thread;  // "CTA 0, warp 1, lane 0", or ""
  std::string what;
};

struct Checked {
  std::string kernel;  // a variant's id, or FILE/ENTRY
  std::string launch;  // "1 CTA of 64 threads, 13, 14 and 25 items"
  Verdict verdict = Verdict::proved;
  std::string reason;  // of what is unsupported before it runs
  struct Found {
    ptx::run::FindingKind kind;
    ptx::run::Grade grade;
    Remark at;
    std::vector<Remark> related;
  };
  std::vector<Found> found;
  std::uint64_t instructions = 0;  // of warps, in all runs
  int schedules = 0;               // that were drawn
  std::uint32_t schedule = 0;      // the drawn one that went wrong; 0: none, or not a drawn one
  std::string counts;              // what is executed an item, lines; "" where it was not asked
};

// "1 CTA of 64 threads", "1 cluster of 2 CTAs of 64 threads".
std::string describe(const ptx::run::RunLaunch& launch);

// Of an entry with a body.
Checked check(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
              const ptx::run::RunLaunch& launch, const CheckOptions& options);

// The same kernel for several numbers of items, as a proof holds for its own alone: the first of
// them that is not proved is told; what is explored for one may be wrong for a later one.
struct ItemsLaunch {
  std::uint32_t items = 0;
  ptx::run::RunLaunch launch;
  std::function<Status(const ptx::run::RunOutcome&)> verify = {};  // CheckOptions::verify
};
Checked check(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
              const std::vector<ItemsLaunch>& launches, const CheckOptions& options);

// What the text alone shows to be wrong, whatever runs: numbers that the hardware does not take,
// bytes that are expected where nothing arrives, Tensor Memory that is not given back.
std::vector<Checked::Found> check_text(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                       int threads);

// Lines of text, and JSON with the same.
std::string text_of(const Checked& checked);
std::string json_of(const std::vector<Checked>& all);

}  // namespace phasebit::protocol
