#include "gen/reduce/reduce.h"

#include "core/isa/opcodes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace phasebit::reduce {

using isa::PtxFact;
using ptx::PtxStatement;
using ptx::read_names;
using ptx::replace_names;
using ptx::written_names;

namespace {

// How many ways to take several steps together are tried at once.
constexpr std::size_t ways = 32;

class Reducer {
 public:
  Reducer(FlatKernel first, const StillShows& still_shows, const ReduceLimits& limits)
      : still_shows_(still_shows), limits_(limits), unwritten_(unwritten_registers(first)) {
    reduced_.kernel = std::move(first);
  }

  ReducedKernel run() {
    bool smaller = true;
    while (smaller && !stopped_) {
      smaller = false;
      for (std::size_t size = size_of(reduced_.kernel).statements / 2; size >= 1; size /= 2)
        while (take_some(removals(reduced_.kernel, size))) smaller = true;
      while (take_some(simplifications(reduced_.kernel))) smaller = true;
    }
    reduced_.finished = !stopped_;
    return std::move(reduced_);
  }

 private:
  // Those that show it, by position. Texts that were tried before, and those that are not smaller,
  // are not tried.
  std::vector<std::size_t> ask(const std::vector<FlatKernel>& candidates) {
    const KernelSize now = size_of(reduced_.kernel);
    std::vector<std::string> texts(candidates.size());
    std::vector<std::size_t> open;
    std::set<std::string> asked;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!(size_of(candidates[i]) < now)) continue;
      texts[i] = as_kernel(candidates[i], "k").hash;
      if (!answers_.contains(texts[i]) && asked.insert(texts[i]).second) open.push_back(i);
    }
    for (std::size_t from = 0; from < open.size(); from += limits_.candidates) {
      if (limits_.out_of_time && limits_.out_of_time()) stopped_ = true;
      if (stopped_) break;
      const std::size_t to = std::min(open.size(), from + limits_.candidates);
      std::vector<FlatKernel> some;
      for (std::size_t i = from; i < to; ++i) some.push_back(candidates[open[i]]);
      const std::vector<bool> answers = still_shows_(some);
      ++reduced_.rounds;
      reduced_.tried += some.size();
      for (std::size_t i = from; i < to; ++i) answers_[texts[open[i]]] = answers[i - from];
    }
    std::vector<std::size_t> shows;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (const auto known = answers_.find(texts[i]); known != answers_.end() && known->second)
        shows.push_back(i);
    return shows;
  }

  // Each step alone; then those that show it together, as many as go. False when none does, or the
  // time is over.
  bool take_some(const std::vector<Change>& changes) {
    if (stopped_) return false;
    std::vector<FlatKernel> alone;
    for (const Change& change : changes)
      alone.push_back(apply(reduced_.kernel, change, unwritten_));
    const std::vector<std::size_t> good = ask(alone);
    if (good.empty()) return false;
    std::vector<FlatKernel> tried{alone[good.front()]};
    for (const std::vector<std::size_t>& way : together(good)) {
      FlatKernel kernel = reduced_.kernel;
      for (const std::size_t i : way) kernel = apply(kernel, changes[i], unwritten_);
      tried.push_back(std::move(kernel));
    }
    const std::vector<std::size_t> shows = ask(tried);
    const std::size_t best = *std::min_element(
        shows.begin(), shows.end(),
        [&](std::size_t a, std::size_t b) { return size_of(tried[a]) < size_of(tried[b]); });
    reduced_.kernel = std::move(tried[best]);
    return true;
  }

  // The first k of them, for several k, and all but one, for several.
  static std::vector<std::vector<std::size_t>> together(const std::vector<std::size_t>& good) {
    std::vector<std::vector<std::size_t>> found;
    const std::size_t step = (good.size() + ways - 1) / ways;
    for (std::size_t end = good.size(); end > 1; end -= std::min(step, end - 1)) {
      found.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(end));
      found.push_back(good);
      found.back().erase(found.back().begin() + static_cast<std::ptrdiff_t>(end - 1));
    }
    return found;
  }

  const StillShows& still_shows_;
  const ReduceLimits& limits_;
  std::set<std::string> unwritten_;
  std::map<std::string, bool> answers_;  // by hash of the text
  bool stopped_ = false;
  ReducedKernel reduced_;
};

}  // namespace

ReducedKernel reduce(FlatKernel first, const StillShows& still_shows, const ReduceLimits& limits) {
  return Reducer(std::move(first), still_shows, limits).run();
}

namespace {

using Part = PtxStatement::Part;

// What a register may be replaced by: 1 first, since a count of 0 is often not allowed; 128 is
// where a barrier can be.
constexpr std::array<const char*, 2> numbers = {"1", "0"}, addresses = {"pb_shared", "128"};

bool is_predicate(const FlatKernel& kernel, const std::string& name) {
  const auto found = kernel.registers.find(name);
  return found != kernel.registers.end() && found->second == ".pred";
}
bool is_number(const FlatKernel& kernel, const std::string& name) {
  const auto found = kernel.registers.find(name);
  return found != kernel.registers.end() && found->second.starts_with(".") &&
         found->second != ".pred" && found->second.find(' ') == std::string::npos;
}

// The one register that it writes, or "".
std::string only_destination(const FlatKernel& kernel, const PtxStatement& statement) {
  const std::vector<std::string> written = written_names(statement);
  return written.size() == 1 && written.front() == statement.operands.front() &&
                 kernel.registers.contains(written.front())
             ? written.front()
             : "";
}

bool is_branch(const PtxStatement& statement) {
  return is(statement, PtxFact::branch) && !is(statement, PtxFact::by_index);
}

FlatLine* find_line(FlatKernel& kernel, int id) {
  for (FlatLine& line : kernel.body)
    if (line.id == id) return &line;
  return nullptr;
}

// Whether some operand is [NAME] or [NAME+8].
bool is_address(const FlatKernel& kernel, const std::string& name) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), [&](const FlatLine& line) {
    const std::vector<std::string>& operands = line.statement.operands;
    return std::any_of(operands.begin(), operands.end(), [&](const std::string& operand) {
      const std::vector<std::string> names = ptx::names_in(operand);
      return operand.starts_with('[') && !names.empty() && names.front() == name;
    });
  });
}

template <typename Drop>
void remove_lines(FlatKernel& kernel, const Drop& drop) {
  std::erase_if(kernel.body, drop);
  std::erase_if(kernel.head, drop);
}

std::set<std::string> labels_of(const FlatKernel& kernel) {
  std::set<std::string> labels;
  for (const FlatLine& line : kernel.body)
    if (line.statement.part == Part::label) labels.insert(line.statement.name);
  return labels;
}

// One pass down the text; true when something went.
bool drop_unwritten(FlatKernel& kernel, const std::set<std::string>& unwritten) {
  std::set<std::string> known = unwritten;
  return std::erase_if(kernel.body, [&](const FlatLine& line) {
           for (const std::string& name : read_names(line.statement))
             if (kernel.registers.contains(name) && !known.contains(name)) return true;
           if (line.statement.guard.empty())
             for (std::string& name : written_names(line.statement)) known.insert(std::move(name));
           return false;
         }) > 0;
}

// Branches take labels alone as operands, so that a register's name cannot be meant.
bool drop_branches_to_nowhere(FlatKernel& kernel) {
  const std::set<std::string> labels = labels_of(kernel);
  return std::erase_if(kernel.body, [&](const FlatLine& line) {
           return is_branch(line.statement) && !line.statement.operands.empty() &&
                  !labels.contains(line.statement.operands.front());
         }) > 0;
}

void make_constant(FlatKernel& kernel, const std::string& name, const std::string& value) {
  std::erase_if(kernel.body, [&](const FlatLine& line) {
    return only_destination(kernel, line.statement) == name;
  });
  const auto replace = [&](const std::string& operand, bool address) {
    return replace_names(operand, [&](std::string_view word) {
      return word != name ? std::string(word) : address ? "pb_shared" : value;
    });
  };
  for (FlatLine& line : kernel.body)
    for (std::string& operand : line.statement.operands)
      operand = replace(operand, operand.starts_with('['));
}

void take_copy(FlatKernel& kernel, int id) {
  const FlatLine* line = find_line(kernel, id);
  if (line == nullptr || line->statement.operands.size() != 2) return;
  const std::string to = line->statement.operands[0], from = line->statement.operands[1];
  std::erase_if(kernel.body, [&](const FlatLine& one) { return one.id == id; });
  const auto rename = [&](std::string_view word) { return word == to ? from : std::string(word); };
  for (FlatLine& one : kernel.body) {
    one.statement.guard = replace_names(one.statement.guard, rename);
    for (std::string& operand : one.statement.operands) operand = replace_names(operand, rename);
  }
}

// `opcode` without its type.
void load(FlatKernel& kernel, int id, const std::string& opcode, const std::string& source) {
  FlatLine* line = find_line(kernel, id);
  if (line == nullptr) return;
  const std::string to = only_destination(kernel, line->statement);
  if (!is_number(kernel, to)) return;
  const std::string type = ".b" + kernel.registers.at(to).substr(2);
  line->statement = {Part::instruction, "", opcode + type, {to, source}};
}

// Whether a guarded branch goes up: without its guard the loop would never end.
bool branches_up(const FlatKernel& kernel, std::size_t at) {
  const PtxStatement& branch = kernel.body[at].statement;
  if (!is_branch(branch) || branch.operands.empty()) return false;
  for (std::size_t i = 0; i < at; ++i)
    if (kernel.body[i].statement.part == Part::label &&
        kernel.body[i].statement.name == branch.operands.front())
      return true;
  return false;
}

bool reads_register(const FlatKernel& kernel, const PtxStatement& statement) {
  const std::vector<std::string> names = read_names(statement);
  return std::any_of(names.begin(), names.end(),
                     [&](const auto& name) { return kernel.registers.contains(name); });
}

}  // namespace

KernelSize size_of(const FlatKernel& kernel) {
  KernelSize size{kernel.head.size() + kernel.body.size(), 0, 0};
  for (const FlatLine& line : kernel.body) {
    size.operands += line.statement.operands.size();
    for (const auto& names : {written_names(line.statement), read_names(line.statement)})
      for (const std::string& name : names) size.registers += kernel.registers.contains(name);
  }
  return size;
}

std::set<std::string> unwritten_registers(const FlatKernel& kernel) {
  std::set<std::string> known, unwritten;
  for (const FlatLine& line : kernel.body) {
    for (std::string& name : read_names(line.statement))
      if (kernel.registers.contains(name) && !known.contains(name))
        unwritten.insert(std::move(name));
    if (line.statement.guard.empty())
      for (std::string& name : written_names(line.statement)) known.insert(std::move(name));
  }
  return unwritten;
}

FlatKernel apply(const FlatKernel& kernel, const Change& change,
                 const std::set<std::string>& unwritten) {
  FlatKernel made = kernel;
  switch (change.what) {
    case Change::What::remove:
      remove_lines(made, [&](const FlatLine& line) {
        return std::find(change.ids.begin(), change.ids.end(), line.id) != change.ids.end();
      });
      break;
    case Change::What::unguard:
      if (FlatLine* line = find_line(made, change.ids.front())) line->statement.guard.clear();
      break;
    case Change::What::constant: make_constant(made, change.name, change.value); break;
    case Change::What::copy: take_copy(made, change.ids.front()); break;
    case Change::What::parameter:
      load(made, change.ids.front(), "ld.param", "[" + first_parameter(kernel) + "]");
      break;
    case Change::What::number: load(made, change.ids.front(), "mov", change.value); break;
  }
  while (drop_unwritten(made, unwritten) || drop_branches_to_nowhere(made)) {
  }
  return made;
}

std::vector<Change> removals(const FlatKernel& kernel, std::size_t size) {
  std::vector<int> ids;
  for (const FlatLine& line : kernel.head) ids.push_back(line.id);
  int last_return = 0;
  for (const FlatLine& line : kernel.body)
    if (is(line.statement, PtxFact::returns) && line.statement.guard.empty()) last_return = line.id;
  for (const FlatLine& line : kernel.body)
    if (line.id != last_return) ids.push_back(line.id);
  std::vector<Change> changes;
  for (std::size_t end = ids.size(); end > 0; end -= std::min(size, end)) {
    const auto from = ids.begin() + static_cast<std::ptrdiff_t>(end - std::min(size, end));
    changes.push_back(
        {Change::What::remove, {from, ids.begin() + static_cast<std::ptrdiff_t>(end)}});
  }
  return changes;
}

std::vector<Change> simplifications(const FlatKernel& kernel) {
  std::vector<Change> changes;
  for (const auto& [name, type] : kernel.registers) {
    if (!is_number(kernel, name) || !mentions(kernel, name)) continue;
    for (const char* value : numbers) changes.push_back({Change::What::constant, {}, name, value});
  }
  for (std::size_t i = kernel.body.size(); i-- > 0;) {
    const FlatLine& line = kernel.body[i];
    const PtxStatement& statement = line.statement;
    if (!statement.guard.empty() && !branches_up(kernel, i))
      changes.push_back({Change::What::unguard, {line.id}});
    const std::string to = only_destination(kernel, statement);
    if (to.empty() || is_predicate(kernel, to)) continue;
    if (is(statement, PtxFact::moves) && statement.guard.empty() &&
        kernel.registers.contains(statement.operands.back()))
      changes.push_back({Change::What::copy, {line.id}});
    if (reads_register(kernel, statement)) {
      if (!first_parameter(kernel).empty()) changes.push_back({Change::What::parameter, {line.id}});
      changes.push_back({Change::What::number, {line.id}, {}, "%tid.x"});
    } else if (statement.operands.size() > 2) {
      for (const char* value : is_address(kernel, to) ? addresses : numbers)
        changes.push_back({Change::What::number, {line.id}, {}, value});
    }
  }
  return changes;
}

}  // namespace phasebit::reduce
