#include "core/ptx/flow/flow.h"

#include <algorithm>
#include <map>
#include <set>

namespace phasebit::ptx::flow {
namespace {

using Part = PtxStatement::Part;

bool is_branch(std::string_view stem) {
  return stem == "bra" || stem == "brx";
}

bool ends_thread_or_function(std::string_view stem) {
  return stem == "ret" || stem == "exit" || stem == "trap";
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

  // A block begins at each label and behind each jump.
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
      const std::string_view stem = stem_of(statement);
      begin = !label && (is_branch(stem) || ends_thread_or_function(stem));
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
    const std::string_view stem = end == 0 ? std::string_view() : stem_of(at(end));
    const bool jumps = end != 0 && at(end).part == Part::instruction &&
                       (is_branch(stem) || ends_thread_or_function(stem));
    if (!jumps) {
      if (next >= 0) connect(block, next);
      return;
    }
    PtxJump jump{end, block, predicate_of(at(end)),         {},
                 {},  -1,    ends_thread_or_function(stem), stem == "brx"};
    if (is_branch(stem)) take_targets(jump);
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

  // Of `brx.idx index, table;` what stands in `table: .branchtargets A, B;`.
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

}  // namespace phasebit::ptx::flow
