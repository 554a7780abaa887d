#include "join/images/gate_images.h"

#include "analysis/disassembly/disassembler.h"
#include "analysis/gate/expectations.h"
#include "analysis/gate/gate.h"
#include "core/base/parallel.h"
#include "core/launch/external.h"
#include "core/ptx/head/clocks.h"
#include "core/ptx/head/forms.h"
#include "gen/space/hand_made.h"
#include "join/images/subjects.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <tuple>

namespace phasebit::join::images {

using base::parallel_for;
using disassembly::Disassembler;
using gate::Expectation;
using gate::GateSubject;
using launch::GateResult;
using launch::GateVerdict;
using launch::Image;

namespace {

unsigned cores_of(const Tools& tools) {
  const unsigned asked = tools.options.threads;
  return asked != 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
}

// Rules of one variant for one SASS family and ptxas, with what is hashed of them.
struct Rules {
  std::shared_ptr<const isa::GateSpec> spec;
  bool moves_lines = false;  // of the ptxas
  std::string key;           // gate_key without the kernel
};

// One kernel of a column on its way through the gate.
struct Work {
  std::size_t variant = 0;
  Rules rules;
  std::string key;
};

struct Module {
  std::string hash;
  std::vector<Work> work;
  std::size_t first = 0;    // of the work of all modules
  std::vector<Work*> open;  // not known yet
  std::optional<cubin::Cubin> cubin;
};

// What is wrong with the statements themselves, whatever ptxas makes of them: found once for every
// column whose rules say the same of them. A column has each variant once, so no two threads ask
// for one.
class TextFaults {
 public:
  explicit TextFaults(const std::vector<Prepared>& prepared)
      : prepared_(prepared), known_(prepared.size()) {}

  const std::vector<std::string>& of(std::size_t variant, const isa::GateSpec& spec) {
    const auto [place, is_new] = known_[variant].try_emplace(rules_of(spec));
    if (!is_new) return place->second;
    const auto& [head, kernel] = std::tie(prepared_[variant].head, prepared_[variant].kernel);
    const auto by = head.launch.sms > 0 ? ptx::head::FigureBy::timer : ptx::head::FigureBy::clock;
    const std::vector<ptx::PtxStatement> statements = ptx::take_all_apart(kernel.statements);
    place->second = ptx::head::find_misstated(spec, statements, kernel.source);
    for (std::string& one : ptx::head::find_clock_changes(statements, kernel.source, by))
      place->second.push_back(std::move(one));
    return place->second;
  }

 private:
  static std::string rules_of(const isa::GateSpec& spec) {
    std::string text;
    for (const isa::VerbRule& verb : spec.verbs)
      for (const isa::StatementRule& rule : verb.ptx)
        text += fmt::format("{}\t{}\t{}\t{}\n", verb.verb, verb.role, rule.opcode, rule.form);
    return text;
  }

  const std::vector<Prepared>& prepared_;
  std::vector<std::map<std::string, std::vector<std::string>>> known_;  // by variant and rules
};

class ColumnGate {
 public:
  ColumnGate(Tools& tools, const Disassembler& disassembler, const std::vector<Prepared>& prepared,
             TextFaults& faults, ImageSet& set)
      : tools_(tools),
        disassembler_(disassembler),
        prepared_(prepared),
        faults_(faults),
        set_(set) {}

  void run(std::vector<Module> modules) {
    modules_ = std::move(modules);
    look_up();
    each([&](Module& module) { read(module); });
    disassemble();
    keep();
    each([&](Module& module) { hold_statements(module); });
  }

 private:
  void each(const std::function<void(Module&)>& job) {
    parallel_for(modules_.size(), tools_.options.threads, [&](std::size_t i) { job(modules_[i]); });
  }
  Result<Image>& image_of(const Work& work) { return set_.images[work.variant]; }
  void take(const Work& work, gate::GateOutput output) {
    image_of(work)->gate = std::move(output.result);
    image_of(work)->census = std::move(output.census);
  }
  static void refuse_for(const std::vector<std::string>& reasons, launch::GateResult& result) {
    for (const std::string& reason : reasons) {
      result.reason += (result.reason.empty() ? "" : "; ") + reason;
      result.verdict = launch::GateVerdict::failed;
    }
  }
  // Not kept with the outcome, which is that of the code.
  void hold_statements(const Module& module) {
    for (const Work& work : module.work) {
      Result<Image>& image = image_of(work);
      if (!image || image->gate.verdict == launch::GateVerdict::ungated) continue;
      refuse_for(faults_.of(work.variant, *work.rules.spec), image->gate);
    }
  }
  void refuse(Module& module, const Error& error) {
    for (const Work* work : module.open) image_of(*work) = tl::unexpected<Error>(error);
    module.open.clear();
  }

  void look_up() {
    std::vector<std::string> keys;
    for (Module& module : modules_) {
      module.first = keys.size();
      for (Work& work : module.work) {
        work.key = fmt::format("{} {} {}", module.hash, work.rules.key, image_of(work)->entry);
        keys.push_back(work.key);
      }
    }
    std::vector<std::optional<std::string>> kept(keys.size());
    if (const std::string kind = tools_.derived_kind("gate"); !kind.empty())
      kept = tools_.cache->find(kind, keys);
    each([&](Module& module) {
      for (std::size_t n = 0; n < module.work.size(); ++n) {
        const auto& text = kept[module.first + n];
        auto output = text ? gate::outcome_from_text(*text) : std::nullopt;
        if (output)
          take(module.work[n], std::move(*output));
        else
          module.open.push_back(&module.work[n]);
      }
    });
  }

  void read(Module& module) {
    if (module.open.empty()) return;
    const auto code = ptxas::module_code(*set_.assembly, tools_.cache_or_null(), module.hash);
    if (!code) return refuse(module, code.error());
    auto cubin = cubin::read_cubin(*code, "module " + module.hash);
    if (!cubin) return refuse(module, cubin.error());
    module.cubin = std::move(*cubin);
    std::erase_if(module.open, [&](const Work* work) {
      Result<Image>& image = image_of(*work);
      if (module.cubin->find(image->entry) != nullptr) return false;
      image = fail(Step::disassemble, "the module has no kernel {}", image->entry);
      return true;
    });
  }

  void disassemble() {
    std::vector<std::pair<Work*, const cubin::CubinKernel*>> all;
    int sm = 0;  // of all: a column is one target
    for (Module& module : modules_)
      for (Work* work : module.open) {
        all.emplace_back(work, module.cubin->find(image_of(*work)->entry));
        sm = module.cubin->sm;
      }
    std::vector<const cubin::CubinKernel*> kernels;
    for (const auto& [work, kernel] : all) kernels.push_back(kernel);
    if (kernels.empty()) return;
    const auto listings = disassembler_.listings(sm, kernels, cores_of(tools_));
    parallel_for(all.size(), tools_.options.threads, [&](std::size_t i) {
      const auto& [work, kernel] = all[i];
      auto joined = disassembly::join_kernel(*kernel, listings[i]);
      if (!joined) {
        image_of(*work) = tl::unexpected<Error>(joined.error());
        return;
      }
      const gate::GateInput input{kernel->entry, &prepared_[work->variant].kernel.source,
                                  *work->rules.spec, work->rules.moves_lines};
      take(*work, gate::gate_kernel(std::move(*joined), input));
    });
  }

  void keep() {
    base::Cache::Entries entries;
    for (Module& module : modules_) {
      for (const Work* work : module.open)
        if (const Result<Image>& image = image_of(*work))
          entries.emplace_back(
              work->key, gate::outcome_as_text({image->gate, image->census, image->text_hash}));
      module.cubin.reset();
    }
    // A cache that cannot be written costs time, not the result.
    if (const std::string kind = tools_.derived_kind("gate"); !kind.empty())
      static_cast<void>(tools_.cache->add(kind, entries));
  }

  Tools& tools_;
  const Disassembler& disassembler_;
  const std::vector<Prepared>& prepared_;
  TextFaults& faults_;
  ImageSet& set_;
  std::vector<Module> modules_;
};

// The rules of variants by column: made once for every column of one family and ptxas.
class RuleBook {
 public:
  RuleBook(Tools& tools, const std::vector<Prepared>& prepared, std::string nvdisasm)
      : tools_(tools), prepared_(prepared), nvdisasm_(std::move(nvdisasm)) {
    sources_.resize(prepared.size());
    parallel_for(prepared.size(), tools.options.threads,
                 [&](std::size_t i) { sources_[i] = gate::hash_of(prepared[i].kernel.source); });
  }

  Result<Rules> of(std::size_t variant, const CodeColumn& column) {
    PHASEBIT_TRY_ASSIGN(known, tools_.targets.find(column.target));
    const std::string ptxas = choice_of(prepared_[variant], column).ptxas;
    auto& place = rules_[{variant, known.family, ptxas}];
    if (place.spec != nullptr) return place;
    PHASEBIT_TRY_ASSIGN(spec, gate_of(prepared_[variant], tools_, column));
    // An experiment takes out or puts in what the rules count: what is forbidden stays so.
    if (!prepared_[variant].choice.edit.empty()) {
      for (isa::VerbRule& rule : spec.verbs) rule.require.clear();
      spec.exhaustive_for.clear();
    }
    PHASEBIT_TRY_ASSIGN(toolchain, tools_.toolchain_of(ptxas));
    place.moves_lines = flow::moves_lines(toolchain->version, known.family);
    place.key = gate::gate_key(sources_[variant], spec, nvdisasm_);
    if (place.moves_lines) place.key += " moved";
    place.spec = std::make_shared<const isa::GateSpec>(std::move(spec));
    return place;
  }

 private:
  Tools& tools_;
  const std::vector<Prepared>& prepared_;
  std::string nvdisasm_;
  std::vector<std::string> sources_;  // hashes of the lines of each variant
  std::map<std::tuple<std::size_t, std::string, std::string>, Rules> rules_;
};

Result<std::vector<Module>> group_by_module(RuleBook& book, const CodeColumn& column,
                                            const ImageSet& set) {
  std::map<std::string, std::vector<Work>> modules;
  for (std::size_t i = 0; i < set.images.size(); ++i) {
    if (!set.images[i]) continue;
    PHASEBIT_TRY_ASSIGN(rules, book.of(i, column));
    modules[set.images[i]->module].push_back({i, std::move(rules), {}});
  }
  std::vector<Module> list;
  for (auto& [hash, work] : modules) list.push_back({hash, std::move(work), 0, {}, std::nullopt});
  return list;
}

}  // namespace

Status gate_images(Tools& tools, const Disassembler& disassembler,
                   const std::vector<Prepared>& prepared, const std::vector<CodeColumn>& columns,
                   std::vector<ImageSet>& sets) {
  RuleBook book(tools, prepared, disassembler.version());
  TextFaults faults(prepared);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PHASEBIT_TRY_ASSIGN(modules, group_by_module(book, columns[i], sets[i]));
    ColumnGate(tools, disassembler, prepared, faults, sets[i]).run(std::move(modules));
  }
  return {};
}

Status check_plain_text(Tools& tools, const std::vector<Prepared>& prepared,
                        const CodeColumn& column, ImageSet& set) {
  const bool before = std::exchange(tools.options.line_info, false);
  const ImageSet plain = std::move(make_images(tools, prepared, {column}).front());
  tools.options.line_info = before;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    Result<Image>& image = set.images[i];
    if (!image) continue;
    if (!plain.images[i])
      image = tl::unexpected<Error>(plain.images[i].error());
    else if (plain.images[i]->text_hash != image->text_hash)
      image = fail(Step::gate, "{}: `.loc` changed its code for {}, so its lines say nothing",
                   prepared[i].key.id, column.name());
  }
  return {};
}

namespace {

Result<std::vector<Expectation>> read_rules_file(const std::string& file) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(file));
  PHASEBIT_TRY_ASSIGN(read, gate::parse_expectations(text, file));
  for (const Expectation& one : read.expectations)
    if (one.kind != gate::ExpectationKind::rule)
      return with_hint(fail(Step::spec, "{}: --rules takes [[rule]] alone", one.place),
                       "`phasebit sass gate` compares kernels");
  return std::move(read.expectations);
}

// What the rules that speak of a kernel say of it.
Result<GateResult> verdict_on(const GateSubject& subject, const std::vector<Expectation>& rules,
                              const std::string& file) {
  std::vector<Expectation> own;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(own),
               [&](const Expectation& rule) { return gate::concerns(rule, subject); });
  if (own.empty()) return GateResult{GateVerdict::ungated, fmt::format("no rule of {}", file)};
  PHASEBIT_TRY_ASSIGN(report, gate::check_expectations(own, {subject}));
  if (!report.unjudged.empty()) return tl::unexpected<Error>(report.unjudged.front().why);
  std::string reason;
  for (const gate::BrokenExpectation& one : report.broken)
    reason += fmt::format("{}{}: {}: expected {}, found {}", reason.empty() ? "" : "; ", one.place,
                          one.rule, one.expected, one.found);
  if (!reason.empty()) return GateResult{GateVerdict::failed, reason};
  return GateResult{GateVerdict::passed, fmt::format("by the rules of {}", file)};
}

}  // namespace

Status gate_by_rules(Tools& tools, const disassembly::Disassembler& disassembler,
                     const std::string& file, const std::vector<Prepared>& prepared,
                     const CodeColumn& column, ImageSet& set) {
  PHASEBIT_TRY_ASSIGN(rules, read_rules_file(file));
  std::vector<Prepared> strangers;
  for (const Prepared& one : prepared)
    if (launch::is_external(one.key)) strangers.push_back(one);
  if (strangers.empty())
    return with_hint(
        fail(Step::usage,
             "--rules {}: applies only to kernels without a head; all of these have one", file),
        "a head has its own rules");
  const VariantPlaces opened = open_variants(tools, strangers, {column}, true);
  PHASEBIT_TRY_ASSIGN(places, gate_places(tools, opened.places));
  const auto subjects = read_gate_subjects(tools, disassembler, std::move(places), rules);
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

}  // namespace phasebit::join::images
