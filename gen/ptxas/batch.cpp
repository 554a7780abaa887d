#include "gen/ptxas/batch.h"

#include "core/base/hash.h"
#include "core/base/interrupt.h"
#include "core/base/process.h"
#include "gen/ptxas/messages.h"
#include "gen/ptxas/module.h"

#include <algorithm>
#include <set>

#include <signal.h>

namespace phasebit::ptxas {
namespace {

using Severity = PtxasMessage::Severity;
using Members = std::vector<size_t>;  // indices into the kernels of the batch

// One call: the text that was given, how it ended, what was said and made.
struct Attempt {
  ModuleText module;
  base::ProcessOutput process;
  PtxasReport report;
  std::string cubin;
  // Signals from outside (a user, the kernel when memory runs out) say nothing of the
  // text; others are a crash on it.
  bool killed() const {
    const std::set<int> sent{SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT};
    return process.signal != 0 && !process.timed_out && sent.count(process.signal) != 0;
  }
  bool crashed() const { return (process.signal != 0 && !killed()) || process.timed_out; }
};

class Batch {
 public:
  Batch(const BatchSettings& settings, const std::vector<const Kernel*>& kernels, fs::path folder)
      : settings_(settings), kernels_(kernels), folder_(std::move(folder)) {
    result_.outcomes.resize(kernels.size(), Outcome{});
  }
  void assemble(const Members& members);
  BatchResult take() { return std::move(result_); }

 private:
  Result<Attempt> call(const Members& members) const;
  std::vector<std::string> arguments() const;
  void accept(const Members& members, const Attempt& attempt);
  void refused(const Members& members, const Attempt& attempt);
  void refused_by_line(const Members& members, const Attempt& attempt);
  void halve(const Members& members);
  void one_by_one_then_rest(const Members& members, const std::set<size_t>& suspects);
  void fail_all(const Members& members, const Error& error);
  void refuse(size_t kernel, std::vector<StatementMessage> messages);
  // The error when even a module without kernels is refused: a flag, version or target.
  std::optional<Error> common_failure() const;
  // The member that a message is about; nothing when it names none.
  std::optional<size_t> subject(const PtxasMessage& message, const Members& members,
                                const ModuleText& module) const;
  std::string tool() const { return "ptxas " + settings_.toolchain->version.text(); }

  const BatchSettings& settings_;
  const std::vector<const Kernel*>& kernels_;
  fs::path folder_;
  BatchResult result_;
};

std::vector<std::string> Batch::arguments() const {
  const fs::path& ptxas = settings_.toolchain->ptxas;
  // An explicit "./" keeps a bare file name from being searched in PATH.
  std::vector<std::string> words{(ptxas.has_parent_path() ? ptxas : "." / ptxas).string(), "-v",
                                 "-arch=" + settings_.target};
  if (settings_.line_info) words.push_back("-lineinfo");
  words.insert(words.end(), settings_.flags.begin(), settings_.flags.end());
  words.insert(words.end(),
               {(folder_ / "module.ptx").string(), "-o", (folder_ / "module.cubin").string()});
  return words;
}

Result<Attempt> Batch::call(const Members& members) const {
  std::vector<const Kernel*> kernels;
  for (const size_t member : members) kernels.push_back(kernels_[member]);
  Attempt attempt;
  attempt.module = module_text(kernels_.front()->ptx_version, kernels_.front()->ptx_target, kernels,
                               settings_.line_info);
  PHASEBIT_TRY(base::write_file(folder_ / "module.ptx", attempt.module.text));
  attempt.module.text = {};  // attempts nest when kernels are searched for
  std::error_code ignored;
  fs::remove(folder_ / "module.cubin", ignored);
  base::ProcessOptions options;
  options.timeout = settings_.timeout;
  auto process = base::run_process(arguments(), options);
  if (!process) return tl::unexpected(Error{Step::toolchain, process.error().message, {}});
  attempt.process = *std::move(process);
  attempt.report = parse_ptxas_output(attempt.process.out + attempt.process.err);
  if (attempt.process.ok()) {
    PHASEBIT_TRY_ASSIGN(cubin, base::read_file(folder_ / "module.cubin"));
    attempt.cubin = std::move(cubin);
  }
  return attempt;
}

void Batch::assemble(const Members& members) {
  if (members.empty()) return;
  if (base::interrupted()) return fail_all(members, Error{Step::assemble, "interrupted", {}});
  const auto attempt = call(members);
  if (!attempt) return fail_all(members, attempt.error());
  if (attempt->killed())
    return fail_all(members, Error{Step::toolchain,
                                   fmt::format("{} {}", tool(), attempt->process.how_it_ended()),
                                   "try again; is there enough memory?"});
  if (attempt->crashed() && members.size() > 1) return halve(members);
  if (attempt->crashed())
    return fail_all(members,
                    Error{Step::assemble,
                          fmt::format("{} {} on {}", tool(), attempt->process.how_it_ended(),
                                      kernels_[members.front()]->entry),
                          "a fault of ptxas: write its statements another way"});
  if (!attempt->process.ok()) return refused(members, *attempt);
  accept(members, *attempt);
}

void Batch::halve(const Members& members) {
  const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
  assemble(Members(members.begin(), middle));
  assemble(Members(middle, members.end()));
}

void Batch::fail_all(const Members& members, const Error& error) {
  for (const size_t member : members) result_.outcomes[member] = tl::unexpected(error);
}

std::optional<size_t> Batch::subject(const PtxasMessage& message, const Members& members,
                                     const ModuleText& module) const {
  if (members.size() == 1) return members.front();
  const ModuleLine line = module.at(message.line);
  if (line.kernel >= 0) return members[static_cast<size_t>(line.kernel)];
  for (const size_t member : members) {
    for (const char* quoted : {"'{}'", "function {} ", "function {},"})
      if (message.text.find(fmt::format(fmt::runtime(quoted), kernels_[member]->entry)) !=
          std::string::npos)
        return member;
  }
  return std::nullopt;
}

void Batch::accept(const Members& members, const Attempt& attempt) {
  std::map<size_t, std::vector<StatementMessage>> warnings;
  for (const PtxasMessage& message : attempt.report.messages) {
    const auto about = subject(message, members, attempt.module);
    if (!about) return halve(members);
    warnings[*about].push_back({attempt.module.at(message.line).statement, message.text});
  }
  const auto code = code_sections(attempt.cubin);
  if (!code) return fail_all(members, code.error());
  const std::string hash = base::content_hash(attempt.cubin);
  for (const size_t member : members) {
    const std::string& entry = kernels_[member]->entry;
    const auto resources = attempt.report.entries.find(entry);
    const auto section = code->find(entry);
    if (resources == attempt.report.entries.end() || section == code->end()) {
      fail_all({member}, Error{Step::toolchain, fmt::format("{} made no {}", tool(), entry), {}});
      continue;
    }
    result_.outcomes[member] = Outcome{false,
                                       hash,
                                       entry,
                                       base::content_hash(section->second),
                                       resources->second,
                                       std::move(warnings[member])};
  }
  result_.modules[hash] = attempt.cubin;
}

void Batch::refuse(size_t kernel, std::vector<StatementMessage> messages) {
  // ptxas tells them pass by pass; a reader goes down the text.
  std::stable_sort(messages.begin(), messages.end(),
                   [](const auto& a, const auto& b) { return a.statement < b.statement; });
  Outcome outcome;
  outcome.refused = true;
  outcome.entry = kernels_[kernel]->entry;
  outcome.messages = std::move(messages);
  result_.outcomes[kernel] = std::move(outcome);
}

std::optional<Error> Batch::common_failure() const {
  const auto attempt = call({});
  if (!attempt) return attempt.error();
  if (attempt->process.ok()) return std::nullopt;
  std::string text = attempt->process.how_it_ended();
  if (!attempt->report.messages.empty()) text = attempt->report.messages.front().text;
  return Error{Step::toolchain, fmt::format("{} for {}: {}", tool(), settings_.target, text), {}};
}

// An error that names no line of a kernel is either common to all or has to be searched for.
void Batch::refused(const Members& members, const Attempt& attempt) {
  const auto& messages = attempt.report.messages;
  const bool named = std::any_of(messages.begin(), messages.end(), [&](const auto& message) {
    return message.severity >= Severity::error && attempt.module.at(message.line).kernel >= 0;
  });
  if (named) return refused_by_line(members, attempt);
  if (const auto error = common_failure()) return fail_all(members, *error);
  if (members.size() > 1) return halve(members);
  std::vector<StatementMessage> said;
  for (const PtxasMessage& message : messages)
    if (message.severity >= Severity::error) said.push_back({0, message.text});
  if (said.empty())
    said.push_back({0, fmt::format("{} {}", tool(), attempt.process.how_it_ended())});
  refuse(members.front(), std::move(said));
}

void Batch::refused_by_line(const Members& members, const Attempt& attempt) {
  std::map<size_t, std::vector<StatementMessage>> errors;
  std::set<size_t> suspects;
  for (const PtxasMessage& message : attempt.report.messages) {
    const ModuleLine line = attempt.module.at(message.line);
    if (message.severity < Severity::error || line.kernel < 0) continue;
    const auto place = static_cast<size_t>(line.kernel);
    errors[members[place]].push_back({line.statement, message.text});
    // After a syntax error ptxas reads no further, and when a brace is missing it notices only in
    // the next kernel: neither is guilty before it has been tried alone.
    if (message.severity != Severity::fatal) continue;
    suspects.insert(members[place]);
    if (place > 0) suspects.insert(members[place - 1]);
  }
  if (!suspects.empty() && members.size() > 1) return one_by_one_then_rest(members, suspects);
  Members rest;
  for (const size_t member : members) {
    const auto found = errors.find(member);
    if (found == errors.end())
      rest.push_back(member);
    else
      refuse(member, std::move(found->second));
  }
  assemble(rest);
}

void Batch::one_by_one_then_rest(const Members& members, const std::set<size_t>& suspects) {
  Members rest;
  for (const size_t member : members) {
    if (suspects.count(member) == 0)
      rest.push_back(member);
    else
      assemble({member});
  }
  assemble(rest);
}

}  // namespace

BatchResult assemble_batch(const BatchSettings& settings,
                           const std::vector<const Kernel*>& kernels) {
  if (kernels.empty()) return {};
  const auto folder = base::TempDir::create();
  if (!folder) {
    BatchResult failed;
    failed.outcomes.assign(kernels.size(), tl::unexpected(folder.error()));
    return failed;
  }
  Batch batch(settings, kernels, folder->path());
  Members all;
  for (size_t member = 0; member < kernels.size(); ++member) all.push_back(member);
  batch.assemble(all);
  return batch.take();
}

}  // namespace phasebit::ptxas
