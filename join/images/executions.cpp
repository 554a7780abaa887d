#include "join/images/executions.h"

#include "analysis/protocol/asked.h"
#include "core/base/hash.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/launch/external.h"
#include "core/ptx/run/instruction.h"
#include "gen/space/hand_made.h"
#include "join/images/progress.h"
#include "join/select/open_space.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>

namespace phasebit::join::images {

using kernel::Rendered;
using launch::GateVerdict;
using launch::VariantKey;
using phasebit::protocol::Checked;
using phasebit::protocol::Counted;
using phasebit::protocol::Equality;
using phasebit::protocol::Verdict;

namespace {

// Of what one run does not prove; `check` draws more.
constexpr int drawn_schedules = 2;
constexpr std::uint64_t most_steps = 500'000;
// Of differences that a refusal names.
constexpr std::size_t most_named = 3;

Rendered rendered_of(const Prepared& prepared) {
  Rendered made;
  made.kernel = prepared.kernel;
  made.head = prepared.head;
  made.has_head = !launch::is_external(prepared.key);
  made.path = prepared.path;
  for (std::size_t n = 0; !made.kernel.as_is && n < made.kernel.statements.size(); ++n)
    made.listing.push_back({made.kernel.statements[n], made.kernel.source[n]});
  return made;
}

Result<std::string> text_of(const space::Catalogue& catalogue, const Rendered& rendered) {
  if (rendered.path.empty()) return kernel::kernel_file(catalogue, rendered);
  return base::read_file(rendered.path);
}

std::string name_of(const Rendered& rendered) {
  return rendered.path.empty() ? rendered.head.key.id + ".ptx" : rendered.path.string();
}

// A text that is run once, whoever has it.
struct Run {
  std::string name, text, entry;
  ptx::head::Head head;
  bool checks = false;  // not of templates that are only compared with
  bool lies = false;    // of what is compared: whether verification sees them
  std::string key;
  std::optional<Counted> counted;
  Verdict verdict = Verdict::proved;
  std::optional<std::string> found;  // by check; "" for no error
  // What check says of it that is not proved: what kind of finding, and the sentence.
  std::vector<std::pair<std::string, std::string>> unproved;
};

void check(Run& run, const ptx::PtxFile& file, const ptx::PtxFunction& entry) {
  run.found = "";
  const auto shape = ptx::run::shape_of_run(run.head.launch);
  const auto launches =
      launches_of(run.head, entry, ptx::run::usual_items(shape, stages_of(run.head)));
  run.verdict = Verdict::unsupported;
  if (!launches) return;
  phasebit::protocol::CheckOptions options;
  options.schedules = drawn_schedules;
  options.most_steps = most_steps;
  const Checked checked = phasebit::protocol::check(file, entry, *launches, options);
  run.verdict = checked.verdict;
  for (const Checked::Found& one : checked.found) {
    const std::string said =
        fmt::format("{}: {}: {}", one.at.place, to_string(one.kind), one.at.what);
    if (one.grade == ptx::run::Grade::error && run.found->empty()) run.found = said;
    if (one.grade == ptx::run::Grade::unproved)
      run.unproved.emplace_back(fmt::format("{} {}", to_string(one.kind), one.at.what), said);
  }
}

// As a cache keeps it: the verdict and the error, then what is not proved, a line each.
std::string checked_as_text(const Run& run) {
  std::string text = fmt::format("{}{}", static_cast<int>(run.verdict), *run.found);
  for (const auto& [kind, said] : run.unproved) text += fmt::format("\n{}\t{}", kind, said);
  return text;
}

void take_checked(std::string_view text, Run& run) {
  run.unproved.clear();
  for (const std::string_view line : base::split(text, '\n')) {
    const std::size_t tab = line.find('\t');
    if (line.data() == text.data()) {
      run.verdict = static_cast<Verdict>(std::clamp(line[0] - '0', 0, 3));
      run.found = line.substr(1);
    } else if (tab != std::string_view::npos) {
      run.unproved.emplace_back(line.substr(0, tab), line.substr(tab + 1));
    }
  }
}

bool is_counted(const Run& run) {
  return run.counted && (run.counted->lied || !run.lies || !run.counted->why_not.empty());
}

Status execute(Run& run) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(run.text, run.name));
  const ptx::PtxFunction* entry = file.find(run.entry);
  if (entry == nullptr) bug("a kernel that is not in its own file");
  if (!is_counted(run)) run.counted = counted_of(file, *entry, run.head, run.lies);
  if (run.checks && !run.found) check(run, file, *entry);
  return {};
}

// Texts and the outcomes of their runs, each once.
class Runs {
 public:
  Runs(const Tools& tools, unsigned jobs) : tools_(tools), jobs_(jobs) {}

  std::size_t add(std::string name, std::string text, const Rendered& rendered, bool checks,
                  bool lies) {
    const std::string key = base::content_hash(text) + " " + rendered.kernel.entry;
    const auto [found, is_new] = known_.emplace(key, runs_.size());
    if (is_new) {
      Run& run = runs_.emplace_back();
      run.name = std::move(name);
      run.text = std::move(text);
      run.entry = rendered.kernel.entry;
      run.head = rendered.head;
      run.key = key;
    }
    runs_[found->second].checks |= checks;
    runs_[found->second].lies |= lies;
    return found->second;
  }

  Status run() {
    look_up();
    std::vector<Run*> open;
    for (Run& one : runs_)
      if (!is_counted(one) || (one.checks && !one.found)) open.push_back(&one);
    const auto progress = progress_on_terminal("kernels run for their counts and check");
    std::mutex one_at_a_time;
    std::size_t ended = 0;
    const auto end_one = [&] {
      const std::lock_guard<std::mutex> lock(one_at_a_time);
      ++ended;
      if (progress) progress(ended, open.size());
    };
    for (std::size_t from = 0; from < open.size(); from += kept_at_once)
      PHASEBIT_TRY(
          run(std::span(open).subspan(from, std::min(kept_at_once, open.size() - from)), end_one));
    return {};
  }

  void add_check(std::size_t n) { runs_[n].checks = true; }

  const Run& operator[](std::size_t n) const { return runs_[n]; }

 private:
  // So many are lost by a kill.
  static constexpr std::size_t kept_at_once = 64;

  Status run(std::span<Run* const> open, const std::function<void()>& end_one) {
    std::vector<Status> done(open.size());
    base::parallel_for(open.size(), jobs_, [&](std::size_t n) {
      done[n] = execute(*open[n]);
      end_one();
    });
    for (Status& one : done) PHASEBIT_TRY(one);
    keep(open);
    return {};
  }

  void look_up() {
    const std::string counts = tools_.derived_kind("counts"), checks = tools_.derived_kind("check");
    if (counts.empty()) return;
    std::vector<std::string> keys;
    for (const Run& one : runs_) keys.push_back(one.key);
    const auto counted = tools_.cache->find(counts, keys),
               checked = tools_.cache->find(checks, keys);
    for (std::size_t n = 0; n < runs_.size(); ++n) {
      if (counted[n]) runs_[n].counted = phasebit::protocol::counted_from_text(*counted[n]);
      if (!checked[n] || checked[n]->empty()) continue;
      take_checked(*checked[n], runs_[n]);
    }
  }

  // A cache that cannot be written costs time, not the result.
  void keep(std::span<Run* const> made) {
    const std::string counts = tools_.derived_kind("counts"), checks = tools_.derived_kind("check");
    if (counts.empty() || made.empty()) return;
    base::Cache::Entries counted, checked;
    for (const Run* one : made) {
      counted.emplace_back(one->key, phasebit::protocol::counted_as_text(*one->counted));
      if (one->found) checked.emplace_back(one->key, checked_as_text(*one));
    }
    static_cast<void>(tools_.cache->add(counts, counted));
    static_cast<void>(tools_.cache->add(checks, checked));
  }

  const Tools& tools_;
  unsigned jobs_;
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> known_;
};

// What the shipped templates make of a key, whatever was made of it by hand.
class Templates {
 public:
  Templates(const select::Space& space, const select::SpaceRequest& request)
      : target_(space.target) {
    shipped_.home = request.home;
    is_shipped_ = request.templates.empty() && !space.snippet_folder;
    folder_ = select::templates_folder(shipped_);
  }
  // Step::spec and the like where there is none of that key.
  Result<Rendered> of(const VariantKey& key) {
    if (!space_) {
      PHASEBIT_TRY_ASSIGN(catalogue, select::load_catalogue(shipped_));
      space_.emplace(select::Space{folder_, std::move(catalogue), {}, {}, target_});
      maker_.emplace(*space_);
    }
    VariantKey plain{key.id, key.hash, {}};
    for (const auto& axis : key.axes)
      if (!space::is_later_axis(space_->catalogue, axis.first)) plain.axes.push_back(axis);
    return maker_->make(plain, launch::Build::timed);
  }
  const space::Catalogue& catalogue() const { return space_->catalogue; }
  bool has_components_of(const VariantKey& key) const {
    return std::ranges::all_of(space::component_kinds, [&](space::ComponentKind kind) {
      const char* axis = launch::component_axes[static_cast<std::size_t>(kind)];
      return catalogue().find(kind, key.value(axis)) != nullptr;
    });
  }

  Execution::Text text_of(const Prepared& prepared) const {
    const bool by_hand = !prepared.path.empty() || !is_shipped_ ||
                         space::is_hand_made(prepared.key) || prepared.head.own_components();
    if (by_hand) return Execution::Text::by_hand;
    return prepared.choice.llvm.version.empty() ? Execution::Text::templates
                                                : Execution::Text::compiled;
  }

 private:
  select::SpaceRequest shipped_;
  std::string target_;
  bool is_shipped_ = false;
  fs::path folder_;
  std::optional<select::Space> space_;
  std::optional<VariantMaker> maker_;
};

struct Compared {
  std::optional<std::size_t> own, wanted;  // of the runs
  bool is_same = false;                    // its text is the template's
  std::string no_template;                 // why there is none
  std::vector<std::string> launch;         // what its head asks for, and the template's does not
};

std::string first_of(const std::vector<std::string>& differences) {
  std::string text;
  for (std::size_t n = 0; n < std::min(differences.size(), most_named); ++n)
    text += (n == 0 ? "" : "; ") + differences[n];
  if (differences.size() > most_named)
    text += fmt::format("; and {} more", differences.size() - most_named);
  return text;
}

// A snippet says its verb in words of its own: of its mbarriers which instruction waits, and with
// which hint, and what else synchronises.
Counted without_words_of_snippets(const Counted& counted, const VariantKey& key) {
  Counted made;
  made.items = counted.items;
  for (const auto& [from, pair] : counted.counts) {
    phasebit::protocol::CountKey one = from;
    const bool is_snippets = one.counting == phasebit::protocol::Counting::synchronisation &&
                             !key.value(std::string(space::snippet_axis) + one.verb).empty();
    if (is_snippets && !one.what.starts_with("mbarrier.")) continue;
    if (is_snippets && one.what.starts_with("mbarrier.test_wait"))
      one.what.replace(0, std::string_view("mbarrier.test").size(), "mbarrier.try");
    if (is_snippets && one.what.ends_with(" ns")) one.what.erase(one.what.rfind(','));
    phasebit::protocol::CountPair& sum = made.counts[one];
    sum.once += pair.once;
    sum.twice += pair.twice;
  }
  return made;
}

// What a head asks of the launch beyond its key's: fewer CTAs of more shared memory run on an SM,
// and with other numbers of items a launch has another part in its figure.
std::vector<std::string> launch_beyond(const launch::LaunchShape& own,
                                       const launch::LaunchShape& wanted) {
  const struct {
    const char* name;
    int own, wanted;
    bool is_beyond;
  } rows[] = {{"shared_bytes", own.dynamic_shared_bytes, wanted.dynamic_shared_bytes,
               own.dynamic_shared_bytes > wanted.dynamic_shared_bytes},
              {"min_items", own.min_items, wanted.min_items, own.min_items > wanted.min_items},
              {"max_items", own.max_items, wanted.max_items,
               own.max_items != 0 && (wanted.max_items == 0 || own.max_items < wanted.max_items)}};
  std::vector<std::string> found;
  for (const auto& row : rows)
    if (row.is_beyond)
      found.push_back(fmt::format("its head has {} = {}, the template of its key {}", row.name,
                                  row.own, row.wanted == 0 ? "none" : std::to_string(row.wanted)));
  return found;
}

// The template of its key, if it is another text.
std::optional<Rendered> template_of(Templates& templates, const Prepared& prepared,
                                    Execution& execution, Compared& compared) {
  if (prepared.head.own_components()) {
    compared.no_template = "no template has its key";
    return std::nullopt;
  }
  auto wanted = templates.of(prepared.key);
  if (!wanted) {
    compared.no_template = "no template has its key: " + wanted.error().message;
    execution.is_new = !templates.has_components_of(prepared.key);
    return std::nullopt;
  }
  compared.launch = launch_beyond(prepared.head.launch, wanted->head.launch);
  if (wanted->kernel.hash != prepared.kernel.hash) return std::move(*wanted);
  execution.text = Execution::Text::templates;
  compared.is_same = true;
  return std::nullopt;
}

// Of findings of one kind the template of its key may have as many, at other lines.
std::vector<std::string> unproved_beyond(const Run& own, const Run& wanted) {
  std::map<std::string, int> usual;
  for (const auto& one : wanted.unproved) ++usual[one.first];
  std::vector<std::string> found;
  for (const auto& [kind, said] : own.unproved)
    if (--usual[kind] < 0) found.push_back(said + ", and not in the template of its key");
  return found;
}

Result<std::vector<std::string>> asked_beyond_of(const Run& own, const Run& wanted) {
  PHASEBIT_TRY_ASSIGN(file, ptx::read_ptx(own.text, own.name));
  PHASEBIT_TRY_ASSIGN(usual, ptx::read_ptx(wanted.text, wanted.name));
  return phasebit::protocol::asked_beyond(file, usual);
}

void judge(const Compared& compared, const Runs& runs, const Prepared& prepared,
           Execution& execution) {
  const Run& own = runs[*compared.own];
  execution.verdict = own.verdict;
  execution.found = own.found.value_or("");
  execution.counted = *own.counted;
  execution.not_counted = own.counted->why_not;
  const auto refuse = [&](const std::vector<std::string>& reasons) {
    if (!reasons.empty()) execution.refused.push_back("executions: " + first_of(reasons));
  };
  refuse(compared.launch);
  if (!execution.not_counted.empty()) return;
  // Another library's code has its clock reads in functions of its own.
  if (!prepared.head.own_components()) refuse(phasebit::protocol::faults_of_records(*own.counted));
  refuse(phasebit::protocol::growth_outside(*own.counted, prepared.head.clocks));
  if (compared.is_same) return;
  execution.not_counted = compared.no_template;
  if (!compared.wanted) return;
  const Counted& wanted = *runs[*compared.wanted].counted;
  if (!wanted.why_not.empty()) {
    execution.not_counted = "the template of its key: " + wanted.why_not;
    return;
  }
  // Templates that were edited are held to all of it: nobody says that they are other words.
  const bool is_edit = prepared.path.empty() && execution.text == Execution::Text::by_hand &&
                       !space::is_hand_made(prepared.key) && prepared.choice.llvm.version.empty();
  refuse(differences(without_words_of_snippets(*own.counted, prepared.key),
                     without_words_of_snippets(wanted, prepared.key),
                     is_edit                                       ? Equality::all
                     : execution.text == Execution::Text::compiled ? Equality::compiled
                                                                   : Equality::protocol));
  if (execution.text != Execution::Text::by_hand) return;
  if (const auto asked = asked_beyond_of(own, runs[*compared.wanted])) refuse(*asked);
  refuse(unproved_beyond(own, runs[*compared.wanted]));
}

}  // namespace

Result<ptx::PtxFile> file_of(const space::Catalogue& catalogue, const Rendered& rendered) {
  PHASEBIT_TRY_ASSIGN(text, text_of(catalogue, rendered));
  return ptx::read_ptx(text, name_of(rendered));
}

int stages_of(const ptx::head::Head& head) {
  const std::string named = head.key.value("num_stages");
  int stages = 1;
  std::from_chars(named.data(), named.data() + named.size(), stages);
  for (const ptx::head::HeadBarrier& barrier : head.barriers)
    stages = std::max(stages, barrier.count);
  return stages;
}

Result<ptx::run::RunLaunch> run_launch_of(const ptx::head::Head& head,
                                          const ptx::PtxFunction& entry, std::uint32_t items) {
  return ptx::run::launch_of(ptx::run::shape_of_run(head.launch), items,
                             ptx::run::parameter_places(entry));
}

Result<std::vector<phasebit::protocol::ItemsLaunch>> launches_of(
    const ptx::head::Head& head, const ptx::PtxFunction& entry,
    const std::vector<std::uint32_t>& items) {
  std::vector<phasebit::protocol::ItemsLaunch> launches;
  for (const std::uint32_t number : items) {
    PHASEBIT_TRY_ASSIGN(launch, run_launch_of(head, entry, number));
    launches.push_back({number, std::move(launch), verifier_of(head, number)});
  }
  return launches;
}

std::function<Status(const ptx::run::RunOutcome&)> verifier_of(const ptx::head::Head& head,
                                                               std::uint32_t items) {
  return [&head, items](const ptx::run::RunOutcome& outcome) {
    const auto shape = ptx::run::shape_of_run(head.launch);
    launch::ExpectedChecksums expected(shape, ptx::run::seed_of_run);
    return launch::verify_launch(shape, 0, ptx::run::output_of(shape, items, outcome.memory),
                                 expected);
  };
}

phasebit::protocol::Counted counted_of(const ptx::PtxFile& file, const ptx::PtxFunction& entry,
                                       const ptx::head::Head& head, bool lies) {
  const auto shape = ptx::run::shape_of_run(head.launch);
  const launch::workload::WorkloadShape& work = shape.workload;
  const int stages = 2 * std::max(1, stages_of(head));
  // Of a tile that has several items so many that a ring comes round as often.
  const int number = (stages + work.items_a_tile - 1) / work.items_a_tile;
  const std::uint32_t items = launch::allowed_items(shape, static_cast<std::uint64_t>(number));
  // A workload's elements are so many that each CTA has as many tiles as a ring has items.
  const int unit = work.empty() ? 1 : shape.ctas() / shape.cluster_size * work.tile_elements;
  return phasebit::protocol::count_executions(
      {file, entry, head.barriers,
       [&](std::uint32_t number) {
         return run_launch_of(head, entry, number * static_cast<std::uint32_t>(unit));
       },
       items, lies});
}

Result<std::vector<Execution>> run_all(const Tools& tools, const select::Space& space,
                                       const select::SpaceRequest& request,
                                       const std::vector<Prepared>& prepared) {
  std::vector<Execution> executions(prepared.size());
  std::vector<Compared> compared(prepared.size());
  Templates templates(space, request);
  Runs runs(tools, tools.options.threads);
  for (std::size_t n = 0; n < prepared.size(); ++n) {
    const Prepared& one = prepared[n];
    if (one.refused || launch::is_external(one.key)) continue;
    executions[n].text = templates.text_of(one);
    const Rendered own = rendered_of(one);
    PHASEBIT_TRY_ASSIGN(text, text_of(space.catalogue, own));
    Compared& made = compared[n];
    made.is_same = executions[n].text == Execution::Text::templates;
    std::optional<Rendered> wanted;
    if (!made.is_same) wanted = template_of(templates, one, executions[n], made);
    made.own = runs.add(name_of(own), std::move(text), own, true, wanted.has_value());
    if (!wanted) continue;
    PHASEBIT_TRY_ASSIGN(template_text, text_of(templates.catalogue(), *wanted));
    made.wanted = runs.add(name_of(*wanted), std::move(template_text), *wanted, false, true);
  }
  PHASEBIT_TRY(runs.run());
  // What a text leaves open its template may leave open, too.
  for (std::size_t n = 0; n < prepared.size(); ++n)
    if (compared[n].wanted && executions[n].text == Execution::Text::by_hand &&
        !runs[*compared[n].own].unproved.empty())
      runs.add_check(*compared[n].wanted);
  PHASEBIT_TRY(runs.run());
  for (std::size_t n = 0; n < prepared.size(); ++n)
    if (compared[n].own) judge(compared[n], runs, prepared[n], executions[n]);
  return executions;
}

void hold_executions(const std::vector<Execution>& executions,
                     const std::vector<Prepared>& prepared, bool unchecked, ImageSet& set,
                     ExecutionNotes& notes) {
  for (std::size_t n = 0; n < executions.size(); ++n) {
    const Execution& one = executions[n];
    const Result<launch::Image>& image = set.images[n];
    if (!image || image->gate.verdict == GateVerdict::ungated) continue;
    const bool by_hand = one.text == Execution::Text::by_hand;
    // What LLVM makes of the shipped templates was edited by nobody.
    std::vector<std::string> reasons;
    for (const std::string& reason : one.refused)
      if (one.text == Execution::Text::compiled)
        notes.found.emplace(prepared[n].key.id, reason);
      else
        reasons.push_back(reason);
    // A template may have what an axis never executes.
    if (by_hand && one.not_counted.empty() && image->gate.verdict == GateVerdict::passed)
      for (const std::string& site : unmatched_sites(one.counted, image->census))
        reasons.push_back(site);
    const auto note = [&](const std::string& what, const char* by, bool refuses,
                          std::map<std::string, std::string>& others) {
      if (what.empty()) return;
      if (refuses)
        reasons.push_back(by + what);
      else
        others.emplace(prepared[n].key.id, what);
    };
    const bool is_held = by_hand && !prepared[n].head.own_components();
    note(one.not_counted, "not counted: ", is_held && !one.is_new, notes.not_counted);
    note(one.found, "check: ", is_held, notes.found);
    launch::GateResult& gate = set.images[n]->gate;
    for (const std::string& reason : reasons)
      gate.reason += (gate.reason.empty() ? "" : "; ") + reason;
    if (!reasons.empty()) gate.verdict = unchecked ? GateVerdict::ungated : GateVerdict::failed;
  }
}

Result<std::vector<std::string>> faults_of_forks(const select::SpaceRequest& request) {
  select::SpaceRequest forks = request;
  forks.tuned_only = true;
  PHASEBIT_TRY_ASSIGN(space, select::open_space(forks, select::Forks::included));
  PHASEBIT_TRY_ASSIGN(prepared, prepare(space, launch::Build::timed, 0));
  PHASEBIT_TRY_ASSIGN(executions, run_all(Tools{}, space, forks, prepared));
  std::vector<std::string> faults;
  for (std::size_t n = 0; n < prepared.size(); ++n) {
    if (prepared[n].path.empty()) continue;
    const Execution& one = executions[n];
    const auto add = [&](const char* what, const std::string& why) {
      if (!why.empty()) faults.push_back(fmt::format("{}: {}{}", prepared[n].key.id, what, why));
    };
    for (const std::string& reason : one.refused) add("", reason);
    add("not counted: ", one.not_counted);
    add("check: ", one.found);
  }
  return faults;
}

}  // namespace phasebit::join::images
