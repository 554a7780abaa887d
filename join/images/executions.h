// Kernels run in the interpreter before they are measured: whether check finds them wrong, and
// whether they execute what the template of their key does. docs/decisions/executions.md.
#pragma once

#include "analysis/protocol/check.h"
#include "analysis/protocol/counts.h"
#include "join/images/images.h"
#include "join/images/prepare.h"
#include "join/images/tools.h"
#include "join/select/space.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace phasebit::join::images {

// The text of a kernel as a file: that which it was read from, or as `show` writes it.
Result<ptx::PtxFile> file_of(const space::Catalogue& catalogue, const kernel::Rendered& rendered);
// The slots of its ring, by key and barriers.
int stages_of(const ptx::head::Head& head);
// The launch of a kernel with a head.
Result<ptx::run::RunLaunch> run_launch_of(const ptx::head::Head& head,
                                          const ptx::PtxFunction& entry, std::uint32_t items);
// The same for several numbers of items, each with its verifier. The head must outlive them.
Result<std::vector<phasebit::protocol::ItemsLaunch>> launches_of(
    const ptx::head::Head& head, const ptx::PtxFunction& entry,
    const std::vector<std::uint32_t>& items);
// What verifies a run of it as a GPU's launch is verified. The head must outlive it.
std::function<Status(const ptx::run::RunOutcome&)> verifier_of(const ptx::head::Head& head,
                                                               std::uint32_t items);

// Of a kernel with a head; with what wrong answers and wrong payload change, where it `lies`.
phasebit::protocol::Counted counted_of(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                       const ptx::head::Head& head, bool lies = false);

struct Execution {
  // Whose text it is. `templates`: what the shipped templates make of its key. `compiled`: what
  // LLVM makes of them. `by_hand`: a fork, snippets, other templates, a file.
  enum class Text : std::uint8_t { templates, compiled, by_hand };
  Text text = Text::templates;
  phasebit::protocol::Verdict verdict = phasebit::protocol::Verdict::proved;
  std::string found;                    // by check: the first error
  std::string not_counted;              // why, with the line
  std::vector<std::string> refused;     // by its counts
  phasebit::protocol::Counted counted;  // of a kernel with a head
  bool is_new = false;                  // the shipped templates lack a component of its key
};

// One for each, in order; cached by text. Kernels without a head are not run.
Result<std::vector<Execution>> run_all(const Tools& tools, const select::Space& space,
                                       const select::SpaceRequest& request,
                                       const std::vector<Prepared>& prepared);

// What is said of variants and refuses none.
struct ExecutionNotes {
  std::map<std::string, std::string> not_counted, found;  // why, by variant
};
// What of it refuses an image; with consent its figure counts as not gated instead. Adds to the
// notes.
void hold_executions(const std::vector<Execution>& executions,
                     const std::vector<Prepared>& prepared, bool unchecked, ImageSet& set,
                     ExecutionNotes& notes);

// "ID: executions: ...", of each fork that its runs refuse.
Result<std::vector<std::string>> faults_of_forks(const select::SpaceRequest& request);

}  // namespace phasebit::join::images
