#include "pipeline/images/gate_subjects.h"

#include "analysis/gate/expectation_file.h"
#include "core/image/whole.h"
#include "gen/ptxas/assembler.h"
#include "gen/space/hand_made.h"

#include <algorithm>
#include <map>
#include <optional>

namespace phasebit::pipeline::images {

using gate::Expectation;
using gate::GateSubject;
using image::GateResult;
using image::GateVerdict;

namespace {

Result<std::optional<isa::Version>> version_of(Tools& tools, const CodeColumn& column,
                                               const Prepared& prepared) {
  PHASEBIT_TRY_ASSIGN(toolchain, tools.toolchain_of(choice_of(prepared, column).ptxas));
  return std::optional<isa::Version>(toolchain->version);
}

Result<std::vector<Expectation>> read_rules_file(const std::string& file) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
  PHASEBIT_TRY_ASSIGN(read, gate::parse_expectations(text, file));
  for (const Expectation& one : read.expectations)
    if (one.kind != gate::ExpectationKind::rule)
      return with_hint(fail(Step::spec, "{}: --rules takes [[rule]] alone", one.place),
                       "`phasebit sass gate` compares kernels");
  return std::move(read.expectations);
}

// The lines of templates, or of the file that it was read from, and where opcodes stand.
void add_places(GateSubject& subject, const cubin::SassKernel& kernel,
                const image::SourceMap& source) {
  std::map<std::pair<std::string, int>, gate::GatePart> lines;
  const std::size_t used = flow::used_instructions(kernel);
  for (std::size_t i = 0; i < used; ++i) {
    const cubin::Instruction& one = kernel.instructions[i];
    const image::SourceLine* line = flow::source_line(source, one);
    if (line != nullptr) {
      gate::GatePart& part = lines[{line->file, line->line}];
      flow::add(part.counts, one);
      if (!kernel.live.empty())
        part.live = cubin::peak(part.live.value_or(cubin::LiveCounts{}), kernel.live[i]);
    }
    subject.kernel.places.try_emplace(
        one.opcode,
        fmt::format("{}{:#06x}", line == nullptr ? "" : line->place() + ", ", one.address));
  }
  for (auto& [place, part] : lines)
    subject.lines.push_back({place.first, place.second, std::move(part)});
  subject.kernel.live = subject.features.live;
}

bool wants_live(const std::vector<Expectation>& rules, const GateSubject& subject) {
  return std::any_of(rules.begin(), rules.end(), [&](const Expectation& rule) {
    return rule.limits.count("max_live_registers") > 0 && gate::concerns(rule, subject);
  });
}

// What the rules that speak of a kernel say of it.
Result<GateResult> verdict_on(const GateSubject& subject, const std::vector<Expectation>& rules,
                              const std::string& file) {
  std::vector<Expectation> own;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(own),
               [&](const Expectation& rule) { return gate::concerns(rule, subject); });
  if (own.empty()) return GateResult{GateVerdict::ungated, fmt::format("no rule of {}", file)};
  PHASEBIT_TRY_ASSIGN(report, gate::check_expectations(own, {subject}));
  std::string reason;
  for (const gate::BrokenExpectation& one : report.broken)
    reason += fmt::format("{}{}: {}: expected {}, found {}", reason.empty() ? "" : "; ", one.place,
                          one.rule, one.expected, one.found);
  if (!reason.empty()) return GateResult{GateVerdict::failed, reason};
  return GateResult{GateVerdict::passed, fmt::format("by the rules of {}", file)};
}

}  // namespace

Result<std::vector<GateSubject>> subjects_of(Tools& tools,
                                             const disassembly::Disassembler& disassembler,
                                             const std::vector<Prepared>& prepared,
                                             const std::vector<CodeColumn>& columns,
                                             const std::vector<Expectation>& rules) {
  std::vector<std::optional<GateSubject>> found(columns.size() * prepared.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const CodeColumn& column = columns[i % columns.size()];
    const Prepared& one = prepared[i / columns.size()];
    PHASEBIT_TRY_ASSIGN(target, tools.targets.find(column.target));
    PHASEBIT_TRY_ASSIGN(version, version_of(tools, column, one));
    found[i] = GateSubject{one.key.id, column.target, target.family, version, "", {}, {}};
    if (image::is_whole(one.key) || !one.key.value(space::file_axis).empty())
      found[i]->names = {one.key.id, one.kernel.entry};
  }
  PHASEBIT_TRY(analyse_images(
      tools, disassembler, prepared, columns,
      [&](std::size_t c, std::size_t v, const Result<AnalysedImage>& image) {
        std::optional<GateSubject>& subject = found[v * columns.size() + c];
        if (!image) return subject.reset();
        const Prepared& one = prepared[v];
        subject->code_class = image->kernel.code.hash;
        subject->features = flow::take_features(image->kernel, one.kernel.source, image->windows);
        const flow::CtaShape shape{one.head.launch.threads, one.head.launch.dynamic_shared_bytes};
        subject->sm = tools.targets.find(columns[c].target).value();
        subject->needs = flow::needs_of(image->kernel, *subject->sm, shape);
        add_places(*subject, image->kernel, one.kernel.source);
        flow::add_resources(subject->features, image->kernel, *subject->sm,
                            {image->resources.spill_store_bytes, image->resources.spill_load_bytes},
                            shape);
      },
      [&](std::size_t c, std::size_t v) {
        return wants_live(rules, *found[v * columns.size() + c]);
      }));
  std::vector<GateSubject> subjects;
  for (auto& one : found)
    if (one) subjects.push_back(std::move(*one));
  return subjects;
}

Status gate_by_rules(Tools& tools, const disassembly::Disassembler& disassembler,
                     const std::string& file, const std::vector<Prepared>& prepared,
                     const CodeColumn& column, ImageSet& set) {
  PHASEBIT_TRY_ASSIGN(rules, read_rules_file(file));
  std::vector<Prepared> strangers;
  for (const Prepared& one : prepared)
    if (image::is_whole(one.key)) strangers.push_back(one);
  if (strangers.empty())
    return with_hint(fail(Step::usage, "--rules {}: no kernel lacks a head", file),
                     "what has a head says its rules there");
  PHASEBIT_TRY_ASSIGN(subjects, subjects_of(tools, disassembler, strangers, {column}, rules));
  bool speaks = subjects.empty();
  for (const GateSubject& subject : subjects)
    for (std::size_t i = 0; i < prepared.size(); ++i)
      if (prepared[i].key.id == subject.name && set.images[i]) {
        PHASEBIT_TRY_ASSIGN(verdict, verdict_on(subject, rules, file));
        speaks = speaks || verdict.verdict != GateVerdict::ungated;
        set.images[i]->gate = std::move(verdict);
      }
  if (speaks) return {};
  return with_hint(fail(Step::gate, "{}: no rule speaks of {} for {}", file, subjects.front().name,
                        column.target),
                   "a rule without `kernels`, `targets`, `family` and `ptxas` speaks of all");
}

}  // namespace phasebit::pipeline::images
