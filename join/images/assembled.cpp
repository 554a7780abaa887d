#include "join/images/assembled.h"

#include "gen/space/compilers.h"
#include "join/images/gate_images.h"
#include "join/select/choices.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace phasebit::join::images {

using launch::Build;
using launch::GateVerdict;
using ptxas::AssemblerChoice;

namespace {

void count_image(const launch::Image& image, TargetCount& count, std::set<std::string>& classes) {
  ++count.assembled;
  classes.insert(image.sass_class);
  count.most_registers = std::max(count.most_registers, image.resources.registers);
  count.spills += image.resources.spill_store_bytes > 0 ? 1 : 0;
  count.warnings += static_cast<int>(image.warnings.size());
  switch (image.gate.verdict) {
    case GateVerdict::passed: ++count.gate_passed; break;
    case GateVerdict::failed: ++count.gate_failed; break;
    case GateVerdict::ungated: ++count.ungated; break;
  }
}

// Those of one choice of ptxas.
TargetCount count_images(const std::string& target, const std::vector<Prepared>& prepared,
                         const ImageSet& set, const AssemblerChoice& choice,
                         const ptxas::Toolchain& toolchain, AssembledImages& made) {
  TargetCount count;
  count.target = target;
  count.build = launch::to_string(prepared.front().kernel.build);
  count.ptxas = fmt::format("{}", fmt::join(choice.flags, " "));
  count.ptxas = toolchain.version.text() + (count.ptxas.empty() ? "" : " " + count.ptxas);
  if (const std::string made_by = space::describe(choice.llvm); !made_by.empty())
    count.ptxas += " of " + made_by;
  std::set<std::string> classes;
  for (size_t i = 0; i < prepared.size(); ++i) {
    if (prepared[i].choice != choice) continue;
    const Result<launch::Image>& image = set.images[i];
    if (image) {
      count_image(*image, count, classes);
      if (image->gate.verdict == GateVerdict::failed)
        made.failures.push_back(
            {target, count.build, prepared[i].key.id, Error{Step::gate, image->gate.reason, {}}});
    } else if (const Status takes = prepared[i].refused
                                        ? Status()
                                        : ptxas::check_takes(toolchain, prepared[i].kernel, target);
               !takes) {
      ++count.skipped;
      ++made.skipped[takes.error().message.substr(0,
                                                  takes.error().message.find(", the target is"))];
    } else {
      ++count.refused;
      made.failures.push_back({target, count.build, prepared[i].key.id, image.error()});
    }
  }
  count.classes = classes.size();
  return count;
}

Status count_column(Tools& tools, const std::string& target, const std::vector<Prepared>& prepared,
                    const ImageSet& set, AssembledImages& made) {
  std::vector<AssemblerChoice> choices;
  for (const Prepared& one : prepared)
    if (std::find(choices.begin(), choices.end(), one.choice) == choices.end())
      choices.push_back(one.choice);
  for (const AssemblerChoice& choice : choices) {
    PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice.ptxas));
    made.counts.push_back(count_images(target, prepared, set, choice, *toolchain, made));
  }
  return {};
}

// What the guard's calls and registers cost, so that it is not looked for in the timed build.
void say_what_guards_cost(const std::string& target, const std::vector<Prepared>& prepared,
                          const ImageSet& set) {
  size_t spills = 0, serialized = 0;
  const std::string *spilled_most = nullptr, *first_serialized = nullptr;
  int most_bytes = 0;
  for (size_t i = 0; i < prepared.size(); ++i) {
    const Result<launch::Image>& image = set.images[i];
    if (!image) continue;
    const int bytes = image->resources.spill_store_bytes + image->resources.spill_load_bytes;
    spills += bytes > 0 ? 1 : 0;
    if (bytes > most_bytes) spilled_most = &prepared[i].key.id;
    most_bytes = std::max(most_bytes, bytes);
    const bool waits =
        std::any_of(image->warnings.begin(), image->warnings.end(), [](const std::string& warning) {
          return warning.find("wgmma.mma_async instructions are serialized") != std::string::npos;
        });
    serialized += waits ? 1 : 0;
    if (waits && first_serialized == nullptr) first_serialized = &prepared[i].key.id;
  }
  if (spills > 0)
    fmt::print(stderr,
               "note: guarded builds for {}: {} of {} spill registers, at most {} bytes ({})\n",
               target, spills, prepared.size(), most_bytes, *spilled_most);
  if (serialized > 0)
    fmt::print(stderr, "note: guarded builds for {}: ptxas serializes wgmma in {} of {} ({})\n",
               target, serialized, prepared.size(), *first_serialized);
}

Status run_kernels(const AssembleRequest& request, const Tools& tools, const select::Space& space,
                   const std::vector<Prepared>& prepared, std::vector<ImageSet>& sets,
                   AssembledImages& made) {
  PHASEBIT_TRY_ASSIGN(executions, run_all(tools, space, request.space, prepared));
  for (ImageSet& set : sets)
    hold_executions(executions, prepared, request.unchecked, set, made.notes);
  return {};
}

Status assemble_build(const AssembleRequest& request, Tools& tools, const select::Space& space,
                      const std::vector<std::string>& targets,
                      const std::vector<Prepared>& prepared, Build build, AssembledImages& made) {
  std::optional<disassembly::Disassembler> disassembler;
  if (request.gate && build == Build::timed) {
    PHASEBIT_TRY_ASSIGN(opened, open_disassembler(tools));
    disassembler = std::move(opened);
  }
  PHASEBIT_TRY_ASSIGN(columns, columns_of(tools, targets, {}));
  std::vector<ImageSet> sets = make_images(tools, prepared, columns);
  if (disassembler) PHASEBIT_TRY(gate_images(tools, *disassembler, prepared, columns, sets));
  if (disassembler && !request.rules.empty())
    for (size_t i = 0; i < sets.size(); ++i)
      PHASEBIT_TRY(
          gate_by_rules(tools, *disassembler, request.rules, prepared, columns[i], sets[i]));
  if (disassembler && request.check)
    PHASEBIT_TRY(run_kernels(request, tools, space, prepared, sets, made));
  for (size_t i = 0; i < sets.size(); ++i)
    PHASEBIT_TRY(count_column(tools, targets[i], prepared, sets[i], made));
  if (build == Build::guarded)
    for (size_t i = 0; i < sets.size(); ++i) say_what_guards_cost(targets[i], prepared, sets[i]);
  if (!sets.empty())
    for (const std::string& note : sets.front().assembly->notes)
      fmt::print(stderr, "note: {}\n", note);
  return {};
}

}  // namespace

Result<AssembledImages> assemble_images(const AssembleRequest& asked) {
  AssembleRequest request = asked;
  request.gate |= request.check;
  if (!request.rules.empty() && !request.gate)
    return with_hint(fail(Step::usage, "--rules {}: nothing is gated", request.rules),
                     "give --gate too");
  if (request.gate && request.build == "guarded")
    return with_hint(fail(Step::usage, "--gate: what is gated is the timed build"),
                     "--build timed or both");
  const bool both = request.build == "both";
  PHASEBIT_TRY_ASSIGN(build, select::parse_build(both ? "timed" : request.build));
  PHASEBIT_TRY_ASSIGN(tools, open_tools(request.tools));
  PHASEBIT_TRY_ASSIGN(targets,
                      chosen_targets(tools.toolchain, request.targets, request.targets_file));
  PHASEBIT_TRY_ASSIGN(space, select::open_space(request.space, select::Forks::included));
  AssembledImages made;
  const unsigned jobs = request.tools.jobs;
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, build, jobs));
  PHASEBIT_TRY(assemble_build(request, tools, space, targets, prepared, build, made));
  if (!both) return made;
  PHASEBIT_TRY_ASSIGN(guarded, guarded_of(prepared, jobs));
  PHASEBIT_TRY(assemble_build(request, tools, space, targets, guarded, Build::guarded, made));
  return made;
}

namespace {

struct SameRefusal {
  std::string text;
  std::vector<std::string> images;
};

// An error may begin with the name of its own image: that is not a difference.
std::string text_of(const Refusal& refusal) {
  Error error = refusal.error;
  const std::string id = refusal.image.substr(refusal.image.find(' ') + 1);
  for (const std::string& name : {refusal.image, id})
    if (!name.empty() && error.message.starts_with(name + ": "))
      error.message.erase(0, name.size() + 2);
  return error.text();
}

std::vector<SameRefusal> grouped(const std::vector<Refusal>& refusals) {
  std::vector<SameRefusal> groups;
  for (const Refusal& refusal : refusals) {
    const std::string text = text_of(refusal);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const SameRefusal& one) { return one.text == text; });
    if (group == groups.end()) group = groups.insert(group, {text, {}});
    group->images.push_back(refusal.image);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const SameRefusal& a, const SameRefusal& b) {
    return a.images.size() > b.images.size();
  });
  return groups;
}

}  // namespace

std::string refusal_text(const std::vector<Refusal>& refusals, std::size_t most,
                         const std::string& rest) {
  constexpr std::size_t shown_images = 3;
  const std::vector<SameRefusal> groups = grouped(refusals);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const std::vector<std::string>& images = groups[i].images;
    text += fmt::format("{}\n  {} image{}:\n", groups[i].text, images.size(),
                        images.size() == 1 ? "" : "s");
    for (std::size_t n = 0; n < std::min(shown_images, images.size()); ++n)
      text += fmt::format("    {}\n", images[n]);
    if (images.size() > shown_images) text += "    ...\n";
  }
  if (groups.size() > most)
    text += fmt::format("... and {} other errors{}{}\n", groups.size() - most,
                        rest.empty() ? "" : "; ", rest);
  return text;
}

}  // namespace phasebit::join::images
