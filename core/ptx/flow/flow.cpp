#include "core/ptx/flow/flow.h"

#include "core/graph/graph.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::ptx::flow {

using graph::index_of;

namespace {

using isa::PtxFact;
using Part = PtxStatement::Part;

bool ends_thread_or_function(const PtxStatement& statement) {
  return is(statement, PtxFact::returns, PtxFact::exits, PtxFact::traps);
}

std::string predicate_of(const PtxStatement& statement) {
  const std::size_t name = statement.guard.find_first_not_of("@!");
  return name == std::string::npos ? std::string() : statement.guard.substr(name);
}

class FlowMaker {
 public:
  FlowMaker(const PtxFile& file, const PtxFunction& function) : file_(file), function_(function) {
    flow_.scopes = scopes_of(file, function);
    PtxLocalUses uses = locals_of(file, function, flow_.scopes);
    flow_.locals = std::move(uses.own);
    flow_.lent = std::move(uses.lent);
  }

  PtxFlow make() {
    split();
    for (std::size_t i = 0; i < flow_.blocks.size(); ++i) join(static_cast<int>(i));
    return std::move(flow_);
  }

 private:
  const PtxStatement& at(std::size_t statement) const { return file_.statements[statement].parsed; }

  // A block begins at each label and after each jump.
  void split() {
    bool begin = true;
    for (std::size_t i = function_.open + 1; i < function_.close; ++i) {
      const PtxStatement& statement = at(i);
      if (statement.part != Part::label && statement.part != Part::instruction) continue;
      if (!file_.statements[i].known) flow_.not_understood.push_back(i);
      const bool label = statement.part == Part::label;
      if (label && !flow_.blocks.empty() && !only_labels(flow_.blocks.back())) begin = true;
      if (begin) flow_.blocks.emplace_back();
      begin = false;
      flow_.blocks.back().statements.push_back(i);
      block_of_[i] = static_cast<int>(flow_.blocks.size()) - 1;
      begin = is(statement, PtxFact::branch) || ends_thread_or_function(statement);
    }
    if (flow_.blocks.empty()) flow_.blocks.emplace_back();
  }

  bool only_labels(const PtxBasicBlock& block) const {
    return std::all_of(block.statements.begin(), block.statements.end(),
                       [&](std::size_t i) { return at(i).part == Part::label; });
  }

  void join(int block) {
    const bool last = block + 1 == static_cast<int>(flow_.blocks.size());
    const int next = last ? -1 : block + 1;
    const PtxBasicBlock& here = flow_.blocks[static_cast<std::size_t>(block)];
    const std::size_t end = here.statements.empty() ? 0 : here.statements.back();
    const bool branches = end != 0 && is(at(end), PtxFact::branch);
    if (!branches && (end == 0 || !ends_thread_or_function(at(end)))) {
      if (next >= 0) connect(block, next);
      return;
    }
    PtxJump jump{end, block,     predicate_of(at(end)),         {}, {},
                 -1,  !branches, is(at(end), PtxFact::by_index)};
    if (branches) take_targets(jump);
    for (const int target : jump.targets) connect(block, target);
    if (!jump.predicate.empty()) jump.falls_to = next;
    if (jump.falls_to >= 0) connect(block, jump.falls_to);
    flow_.jumps.push_back(std::move(jump));
  }

  void take_targets(PtxJump& jump) {
    const PtxStatement& branch = at(jump.statement);
    std::vector<std::string> names;
    if (jump.by_index)
      names = listed_targets(jump.statement);
    else if (!branch.operands.empty())
      names = {branch.operands.front()};
    std::set<int> targets;
    for (const std::string& name : names) {
      const auto label = flow_.scopes.label(flow_.scopes.of(jump.statement), name);
      if (label) targets.insert(block_of_.at(*label));
      if (jump.by_index) jump.table.push_back(label ? block_of_.at(*label) : -1);
    }
    if (targets.empty()) flow_.not_understood.push_back(jump.statement);
    jump.targets = {targets.begin(), targets.end()};
  }

  // Of `brx.idx index, table;` what is in `table: .branchtargets A, B;`.
  std::vector<std::string> listed_targets(std::size_t statement) const {
    const PtxStatement& branch = at(statement);
    if (branch.operands.size() < 2) return {};
    const auto table = flow_.scopes.label(flow_.scopes.of(statement), branch.operand(1));
    if (!table || *table + 1 >= file_.statements.size()) return {};
    const PtxStatement& list = at(*table + 1);
    return list.name == ".branchtargets" ? list.operands : std::vector<std::string>();
  }

  void connect(int from, int to) {
    flow_.blocks[static_cast<std::size_t>(from)].successors.push_back(to);
    flow_.blocks[static_cast<std::size_t>(to)].predecessors.push_back(from);
  }

  const PtxFile& file_;
  const PtxFunction& function_;
  std::map<std::size_t, int> block_of_;
  PtxFlow flow_;
};

}  // namespace

int PtxFlow::block_of(std::size_t statement) const {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (std::binary_search(blocks[i].statements.begin(), blocks[i].statements.end(), statement))
      return static_cast<int>(i);
  return -1;
}

PtxName PtxFlow::name_at(std::size_t statement, const std::string& name) const {
  return {scopes.declaring(scopes.of(statement), name), name};
}

const std::vector<std::size_t>& statements_of(const PtxFlow& flow, int block) {
  return flow.blocks[static_cast<std::size_t>(block)].statements;
}

PtxFlow flow_of(const PtxFile& file, const PtxFunction& function) {
  return FlowMaker(file, function).make();
}

namespace {

std::vector<int> dominators_of(const PtxFlow& flow) {
  return graph::immediate_dominators(flow.blocks, graph::reverse_postorder(flow.blocks));
}

// What reaches `from` without passing `header`.
void collect(const PtxFlow& flow, const std::vector<int>& dominators, int header, int from,
             std::set<int>& body) {
  const std::vector<bool> loop = graph::natural_loop(flow.blocks, dominators, from, header);
  for (std::size_t b = 0; b < loop.size(); ++b)
    if (loop[b]) body.insert(static_cast<int>(b));
}

// Ways back to where they came by that are not a loop's.
class EntryFinder {
 public:
  explicit EntryFinder(const PtxFlow& flow)
      : flow_(flow), dominators_(dominators_of(flow)), states_(flow.blocks.size()) {}

  std::set<int> find() {
    open(0);
    while (!stack_.empty()) {
      auto& [block, way] = stack_.back();
      const std::vector<int>& ways = flow_.blocks[index_of(block)].successors;
      if (way == ways.size()) {
        states_[index_of(block)] = State::done;
        stack_.pop_back();
        continue;
      }
      const int next = ways[way++];
      if (states_[index_of(next)] == State::open && !graph::dominates(dominators_, next, block))
        entries_.insert(next);
      if (states_[index_of(next)] == State::fresh) open(next);
    }
    return std::move(entries_);
  }

 private:
  enum class State { fresh, open, done };
  void open(int block) {
    states_[index_of(block)] = State::open;
    stack_.emplace_back(block, 0);
  }

  const PtxFlow& flow_;
  std::vector<int> dominators_;
  std::vector<State> states_;
  std::vector<std::pair<int, std::size_t>> stack_;  // and the way that is next
  std::set<int> entries_;
};

}  // namespace

bool PtxLoop::holds(int block) const {
  return std::binary_search(blocks.begin(), blocks.end(), block);
}

std::vector<std::size_t> statements_of(const PtxFlow& flow, const PtxLoop& loop) {
  std::vector<std::size_t> found;
  for (const int block : loop.blocks) {
    const auto& own = statements_of(flow, block);
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

std::vector<PtxLoop> loops_within(const PtxFlow& flow, const PtxLoop& loop) {
  const std::vector<int> dominators = dominators_of(flow);
  std::vector<std::set<int>> bodies;
  for (const int back : flow.blocks[index_of(loop.header)].predecessors)
    if (loop.holds(back)) collect(flow, dominators, loop.header, back, bodies.emplace_back());
  std::stable_sort(bodies.begin(), bodies.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  std::vector<PtxLoop> found;
  std::set<int> joined;
  for (const std::set<int>& body : bodies) {
    joined.insert(body.begin(), body.end());
    const bool more = found.empty() || joined.size() > found.front().blocks.size();
    if (more && joined.size() < loop.blocks.size())
      found.insert(found.begin(), {loop.header, {joined.begin(), joined.end()}});
  }
  return found;
}

std::vector<std::size_t> second_entries_of(const PtxFlow& flow) {
  std::vector<std::size_t> statements;
  for (const int block : EntryFinder(flow).find())
    statements.push_back(flow.blocks[index_of(block)].statements.front());
  return statements;
}

std::vector<PtxLoop> loops_of(const PtxFlow& flow) {
  const std::vector<int> dominators = dominators_of(flow);
  std::map<int, std::set<int>> bodies;  // by header
  for (std::size_t b = 0; b < flow.blocks.size(); ++b)
    for (const int header : flow.blocks[b].successors)
      if (graph::dominates(dominators, header, static_cast<int>(b)))
        collect(flow, dominators, header, static_cast<int>(b), bodies[header]);
  std::vector<PtxLoop> loops;
  for (const auto& [header, body] : bodies) loops.push_back({header, {body.begin(), body.end()}});
  std::stable_sort(loops.begin(), loops.end(), [](const PtxLoop& a, const PtxLoop& b) {
    return a.blocks.size() < b.blocks.size();
  });
  return loops;
}

}  // namespace phasebit::ptx::flow
