#include "gen/ptxas/assemble.h"

#include "core/base/parallel.h"
#include "gen/ptxas/batch.h"
#include "gen/ptxas/cache.h"
#include "gen/ptxas/module.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>

namespace phasebit::ptxas {

namespace {

constexpr size_t messages_shown = 8;

// Jobs with the same text, whatever its name, for the same target: assembled once.
struct Task {
  const Kernel* kernel = nullptr;
  std::string hash;  // nameless
  std::string target;
  std::vector<size_t> jobs;
  std::optional<Result<Outcome>> outcome;
  size_t size() const { return kernel->statements.size(); }
};

class Assembler {
 public:
  Assembler(const Toolchain& toolchain, const base::Cache* cache,
            const std::vector<AssembleJob>& jobs, const AssembleOptions& options)
      : toolchain_(toolchain), cache_(cache), jobs_(jobs), options_(options) {
    assembly_.kernels.resize(jobs.size(), tl::unexpected(Error{Step::assemble, "not tried", {}}));
  }
  Assembly run();

 private:
  using Batch = std::vector<Task*>;
  Status admit(const AssembleJob& job) const;
  void gather_tasks();
  void look_up();
  std::vector<Batch> batches();
  void assemble(const Batch& batch);
  void keep(const Batch& batch, BatchResult& made);
  void report(const Task& task);
  Result<Assembled> judge(const AssembleJob& job, const Outcome& outcome) const;
  std::string configuration(const std::string& target) const;

  const Toolchain& toolchain_;
  const base::Cache* cache_;
  const std::vector<AssembleJob>& jobs_;
  const AssembleOptions& options_;
  std::vector<Task> tasks_;
  std::map<std::string, Result<isa::Target>> limits_;  // by target
  size_t done_ = 0, missing_ = 0;                      // tasks
  std::mutex mutex_;                                   // of assembly_, done_ and progress
  Assembly assembly_;
};

// What decides the outcome of a text.
std::string Assembler::configuration(const std::string& target) const {
  return fmt::format("{} ptxas {} flags [{}]{}", target, toolchain_.version.text(),
                     fmt::join(options_.flags, " "), options_.line_info ? " lineinfo" : "");
}

Status Assembler::admit(const AssembleJob& job) const {
  return check_takes(toolchain_, *job.kernel, job.target);
}

void Assembler::gather_tasks() {
  std::unordered_map<std::string, size_t> known;
  std::unordered_map<const Kernel*, std::string> hashes;
  const auto table = isa::TargetTable::load();
  for (size_t n = 0; n < jobs_.size(); ++n) {
    const AssembleJob& job = jobs_[n];
    if (const Status status = admit(job); !status) {
      assembly_.kernels[n] = tl::unexpected(status.error());
      continue;
    }
    if (limits_.count(job.target) == 0)
      limits_.emplace(job.target, table ? table->find(job.target) : tl::unexpected(table.error()));
    std::string& hash = hashes[job.kernel];
    if (hash.empty()) hash = nameless_hash(*job.kernel);
    const auto [place, is_new] = known.emplace(hash + job.target, tasks_.size());
    if (is_new) tasks_.push_back({job.kernel, hash, job.target, {}, std::nullopt});
    tasks_[place->second].jobs.push_back(n);
  }
}

void Assembler::look_up() {
  if (cache_ == nullptr) return;
  std::map<std::string, Batch> by_target;
  for (Task& task : tasks_) by_target[task.target].push_back(&task);
  for (const auto& [target, tasks] : by_target) {
    std::vector<std::string> hashes;
    for (const Task* task : tasks) hashes.push_back(task->hash);
    auto found = find_outcomes(*cache_, configuration(target), hashes);
    for (size_t n = 0; n < tasks.size(); ++n) {
      if (!found[n]) continue;
      tasks[n]->outcome = *std::move(found[n]);
      assembly_.from_cache += tasks[n]->jobs.size();
    }
  }
}

// By target, version, PTX target and preamble, an entry once in each; long ones first, so that no
// core is left with the longest at the end.
std::vector<Assembler::Batch> Assembler::batches() {
  std::map<std::tuple<std::string, std::string, std::string, std::vector<std::string>>, Batch>
      groups;
  for (Task& task : tasks_) {
    if (task.outcome) continue;
    ++missing_;
    const Kernel& kernel = *task.kernel;
    groups[{task.target, kernel.ptx_version, kernel.ptx_target, kernel.preamble}].push_back(&task);
  }
  struct Open {
    Batch batch;
    std::set<std::string> entries;
    size_t size = 0;
  };
  std::vector<Open> all;
  for (auto& [key, tasks] : groups) {
    const size_t first = all.size();
    for (Task* task : tasks) {
      size_t at = std::max(first, all.empty() ? 0 : all.size() - 1);
      if (at == all.size() ||
          all[at].batch.size() >= std::max<size_t>(1, options_.kernels_per_module) ||
          all[at].entries.count(task->kernel->entry) != 0 || task->kernel->as_is ||
          all[at].batch.front()->kernel->as_is)
        at = all.size(), all.emplace_back();
      all[at].batch.push_back(task);
      all[at].entries.insert(task->kernel->entry);
      all[at].size += task->size();
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Open& a, const Open& b) { return a.size > b.size; });
  std::vector<Batch> sorted;
  for (Open& open : all) sorted.push_back(std::move(open.batch));
  return sorted;
}

void Assembler::assemble(const Batch& batch) {
  std::vector<const Kernel*> kernels;
  for (const Task* task : batch) kernels.push_back(task->kernel);
  BatchSettings settings;
  settings.toolchain = &toolchain_;
  settings.target = batch.front()->target;
  settings.flags = options_.flags;
  settings.line_info = options_.line_info;
  settings.timeout = options_.timeout;
  BatchResult made = assemble_batch(settings, kernels);
  for (size_t n = 0; n < batch.size(); ++n) batch[n]->outcome = made.outcomes[n];
  keep(batch, made);
}

void Assembler::keep(const Batch& batch, BatchResult& made) {
  Status kept = fail(Step::io, "no cache");
  if (cache_ != nullptr) {
    std::vector<std::pair<std::string, Outcome>> outcomes;
    for (const Task* task : batch)
      if (*task->outcome) outcomes.emplace_back(task->hash, **task->outcome);
    kept = keep_outcomes(*cache_, configuration(batch.front()->target), outcomes, made.modules);
  }
  const std::lock_guard guard(mutex_);
  if (cache_ != nullptr && !kept) assembly_.notes.push_back(kept.error().text());
  if (!kept) assembly_.modules.merge(made.modules);
  for (const Task* task : batch) assembly_.assembled += task->jobs.size();
  done_ += batch.size();
  if (options_.progress) options_.progress(done_, missing_);
}

// With the kernel's own name and the template line that it has now.
std::string placed(const Kernel& kernel, const std::string& entry,
                   const StatementMessage& message) {
  std::string text = message.text;
  const size_t at = entry.empty() ? std::string::npos : text.find(entry);
  if (at != std::string::npos) text.replace(at, entry.size(), kernel.entry);
  const auto n = static_cast<size_t>(message.statement);
  if (n < 1 || n > kernel.source.size()) return text;
  const launch::SourceLine& line = kernel.source[n - 1];
  return fmt::format("{}: {}", line.place(), text);
}

// Each text once: a template line that an unrolled ring repeats is one fault.
std::vector<std::string> placed_messages(const Kernel& kernel, const Outcome& outcome) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const StatementMessage& message : outcome.messages) {
    std::string text = placed(kernel, outcome.entry, message);
    if (seen.insert(text).second) texts.push_back(std::move(text));
  }
  return texts;
}

Result<Assembled> Assembler::judge(const AssembleJob& job, const Outcome& outcome) const {
  std::vector<std::string> messages = placed_messages(*job.kernel, outcome);
  if (outcome.refused) {
    const size_t more = messages.size() - std::min(messages.size(), messages_shown);
    messages.resize(messages.size() - more);
    if (more > 0) messages.push_back(fmt::format("and {} more", more));
    return fail(Step::assemble, "{}", fmt::join(messages, "; "));
  }
  const Result<isa::Target>& target = limits_.at(job.target);
  if (!target) return tl::unexpected(target.error());
  PHASEBIT_TRY(
      check_resources(outcome.resources, job.dynamic_shared_bytes, options_.limits, *target));
  return Assembled{outcome.module, outcome.entry, outcome.text_hash, outcome.resources,
                   std::move(messages)};
}

void Assembler::report(const Task& task) {
  if (!task.outcome) bug("a kernel was left out of every batch");
  for (const size_t job : task.jobs) {
    if (*task.outcome)
      assembly_.kernels[job] = judge(jobs_[job], **task.outcome);
    else
      assembly_.kernels[job] = tl::unexpected(task.outcome->error());
  }
}

Assembly Assembler::run() {
  const size_t told = cache_ == nullptr ? 0 : cache_->notes().size();
  gather_tasks();
  look_up();
  const std::vector<Batch> todo = batches();
  base::parallel_for(todo.size(), options_.threads, [&](size_t n) { assemble(todo[n]); });
  for (const Task& task : tasks_) report(task);
  if (cache_ != nullptr) {
    const std::vector<std::string> notes = cache_->notes();
    assembly_.notes.insert(assembly_.notes.end(), notes.begin() + static_cast<std::ptrdiff_t>(told),
                           notes.end());
  }
  return std::move(assembly_);
}

}  // namespace

Assembly assemble(const Toolchain& toolchain, const base::Cache* cache,
                  const std::vector<AssembleJob>& jobs, const AssembleOptions& options) {
  return Assembler(toolchain, cache, jobs, options).run();
}

Assembly assemble(const Toolchain& toolchain, const base::Cache* cache,
                  const std::vector<Kernel>& kernels, const std::string& target,
                  const AssembleOptions& options) {
  std::vector<AssembleJob> jobs;
  for (const Kernel& kernel : kernels) jobs.push_back({&kernel, target, 0});
  return assemble(toolchain, cache, jobs, options);
}

Result<std::string> module_code(const Assembly& assembly, const base::Cache* cache,
                                const std::string& hash) {
  const auto found = assembly.modules.find(hash);
  if (found != assembly.modules.end()) return found->second;
  if (cache == nullptr) return fail(Step::assemble, "no module {}", hash);
  return cache->file(hash);
}

namespace {

Status check(const char* what, int figure, int limit, const std::string& whose) {
  if (figure <= limit) return {};
  return fail(Step::assemble, "uses {} {}, the limit{} is {}", figure, what, whose, limit);
}

}  // namespace

Status check_ptx_target(const std::string& ptx_target, const std::string& target) {
  PHASEBIT_TRY_ASSIGN(from, isa::parse_target(ptx_target));
  PHASEBIT_TRY_ASSIGN(to, isa::parse_target(target));
  constexpr int decade = 10;
  const bool later = to.sm >= from.sm;
  bool fits = later;
  if (from.suffix == "a") fits = ptx_target == target;
  if (from.suffix == "f") fits = later && from.sm / decade == to.sm / decade;
  if (fits) return {};
  return fail(Step::assemble, "needs {}, the target is {}", ptx_target, target);
}

Status check_takes(const Toolchain& toolchain, const Kernel& kernel, const std::string& target) {
  PHASEBIT_TRY(check_target(toolchain, target));
  PHASEBIT_TRY(check_ptx_target(kernel.ptx_target, target));
  PHASEBIT_TRY_ASSIGN(needed, isa::parse_version(kernel.ptx_version));
  if (toolchain.ptx.parts.empty() || needed <= toolchain.ptx) return {};
  return fail(Step::assemble, "needs PTX {}, ptxas {} reads up to {}", kernel.ptx_version,
              toolchain.version.text(), toolchain.ptx.text());
}

Status check_resources(const launch::Resources& resources, int dynamic_shared_bytes,
                       const ResourceLimits& limits, const isa::Target& target) {
  const std::string of_target = " of " + target.name;
  const int shared = resources.static_shared_bytes + dynamic_shared_bytes;
  const int spilled = resources.spill_store_bytes + resources.spill_load_bytes;
  constexpr const char* shared_words = "bytes of shared memory";
  if (limits.max_registers)
    PHASEBIT_TRY(check("registers", resources.registers, *limits.max_registers, ""));
  if (target.max_registers_per_thread > 0)
    PHASEBIT_TRY(
        check("registers", resources.registers, target.max_registers_per_thread, of_target));
  if (limits.max_shared_bytes)
    PHASEBIT_TRY(check(shared_words, shared, *limits.max_shared_bytes, ""));
  if (target.max_shared_bytes_per_cta > 0)
    PHASEBIT_TRY(check(shared_words, shared, target.max_shared_bytes_per_cta, of_target));
  if (limits.max_spill_bytes)
    PHASEBIT_TRY(check("bytes of spills", spilled, *limits.max_spill_bytes, ""));
  return {};
}

}  // namespace phasebit::ptxas
