#include "core/ptx/flow/values.h"

#include "core/base/text.h"
#include "core/isa/opcodes.h"

#include <algorithm>
#include <set>
#include <string>

namespace phasebit::ptx::flow {

using base::starts_with_any;
using isa::PtxFact;

namespace {

bool writes_parameter(const PtxStatement& statement) {
  return is(statement, PtxFact::store) && is(statement, PtxFact::parameter) &&
         !statement.operands.empty();
}

std::vector<PtxName> resolved(const PtxFlow& flow, std::size_t statement,
                              const std::vector<std::string>& names) {
  std::vector<PtxName> out;
  const int scope = flow.scopes.of(statement);
  for (const std::string& name : names) out.emplace_back(flow.scopes.declaring(scope, name), name);
  return out;
}

std::set<int> reachable(const PtxFlow& flow, const PtxLoop& loop, int from) {
  std::set<int> found;
  std::vector<int> open = {from};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (block == loop.header || !loop.holds(block) || !found.insert(block).second) continue;
    for (const int next : flow.blocks[static_cast<std::size_t>(block)].successors)
      open.push_back(next);
  }
  return found;
}

// Whether some way leads from there to the loop's head and past the block.
bool passes_by(const PtxFlow& flow, const PtxLoop& loop, int from, int block) {
  std::set<int> seen = {block};
  std::vector<int> open = {from};
  while (!open.empty()) {
    const int here = open.back();
    open.pop_back();
    if (!loop.holds(here) || !seen.insert(here).second) continue;
    for (const int next : flow.blocks[static_cast<std::size_t>(here)].successors) {
      if (next == loop.header) return true;
      open.push_back(next);
    }
  }
  return false;
}

// What follows on a way without a choice, and on another may be left out: in a loop within, both
// come by it in some turn.
std::set<int> run_by_one(const PtxFlow& flow, const PtxLoop& loop, const std::vector<int>& ways) {
  std::set<int> found;
  for (const int way : ways)
    for (int block = way; loop.holds(block) && block != loop.header && !found.contains(block);) {
      const auto left_out = [&](int other) {
        return other != way && loop.holds(other) && passes_by(flow, loop, other, block);
      };
      if (std::none_of(ways.begin(), ways.end(), left_out)) break;
      found.insert(block);
      const auto& next = flow.blocks[static_cast<std::size_t>(block)].successors;
      if (next.size() != 1) break;
      block = next.front();
    }
  return found;
}

// By block, what a turn reads there or after it before it is sure to write it.
std::set<PtxName> carried_over(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                               const PtxLoopNames& all) {
  std::map<int, std::set<PtxName>> read;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = loop.blocks.rbegin(); block != loop.blocks.rend(); ++block) {
      std::set<PtxName> names;
      for (const int next : flow.blocks[static_cast<std::size_t>(*block)].successors)
        if (next != loop.header) names.insert(read[next].begin(), read[next].end());
      const auto& own = statements_of(flow, *block);
      for (auto i = own.rbegin(); i != own.rend(); ++i) {
        if (file.statements[*i].parsed.guard.empty())
          for (const PtxName& name : all.writes.at(*i)) names.erase(name);
        for (const PtxName& name : all.reads.at(*i)) names.insert(name);
      }
      changed = changed || names.size() != read[*block].size();
      read[*block] = std::move(names);
    }
  }
  return read[loop.header];
}

}  // namespace

std::set<int> decided_by(const PtxFlow& flow, const PtxLoop& loop, const PtxJump& jump) {
  std::vector<int> ways = jump.targets;
  if (jump.falls_to >= 0) ways.push_back(jump.falls_to);
  std::vector<std::set<int>> reached;
  for (const int way : ways)
    if (loop.holds(way)) reached.push_back(reachable(flow, loop, way));
  std::set<int> decided = run_by_one(flow, loop, ways);
  for (const std::set<int>& one : reached)
    for (const int block : one)
      if (!std::all_of(reached.begin(), reached.end(),
                       [&](const std::set<int>& other) { return other.contains(block); }))
        decided.insert(block);
  return decided;
}

std::vector<PtxName> written_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement) {
  const PtxStatement& parsed = file.statements[statement].parsed;
  if (is(parsed, PtxFact::store))
    if (const auto own = flow.locals.find(statement); own != flow.locals.end()) return own->second;
  if (!call_of(parsed).callee.empty()) {
    std::vector<PtxName> names = resolved(flow, statement, call_of(parsed).results);
    if (const auto lent = flow.lent.find(statement); lent != flow.lent.end())
      names.insert(names.end(), lent->second.begin(), lent->second.end());
    return names;
  }
  if (writes_parameter(parsed)) return resolved(flow, statement, names_in(parsed.operands.front()));
  return resolved(flow, statement, written_names(parsed));
}

bool writes(const PtxFile& file, const PtxFlow& flow, std::size_t statement, const PtxName& name) {
  const std::vector<PtxName> written = written_by(file, flow, statement);
  return std::find(written.begin(), written.end(), name) != written.end();
}

std::vector<PtxName> read_by(const PtxFile& file, const PtxFlow& flow, std::size_t statement) {
  const PtxStatement& parsed = file.statements[statement].parsed;
  if (call_of(parsed).callee.empty()) {
    std::vector<PtxName> names = resolved(flow, statement, read_names(parsed));
    const auto own = flow.locals.find(statement);
    if (own != flow.locals.end() && is(parsed, PtxFact::load))
      names.insert(names.end(), own->second.begin(), own->second.end());
    return names;
  }
  std::vector<std::string> names = call_of(parsed).arguments;
  for (std::string& name : names_in(parsed.guard)) names.push_back(std::move(name));
  return resolved(flow, statement, names);
}

PtxDependence dependent_on(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                           const std::function<bool(std::size_t)>& is_source,
                           const std::function<bool(std::size_t)>& stops) {
  PtxDependence found;
  const auto depends = [&](const std::vector<PtxName>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const PtxName& name) { return found.names.contains(name); });
  };
  for (bool changed = true; changed;) {
    const std::size_t names = found.names.size(), blocks = found.blocks.size();
    for (const int block : loop.blocks)
      for (const std::size_t i : statements_of(flow, block)) {
        const bool carries =
            !stops(i) && (found.blocks.contains(block) || depends(read_by(file, flow, i)));
        if (!is_source(i) && !carries) continue;
        for (PtxName& name : written_by(file, flow, i)) found.names.insert(std::move(name));
      }
    for (const PtxJump& jump : flow.jumps)
      if (loop.holds(jump.block) && depends(read_by(file, flow, jump.statement)))
        found.blocks.merge(decided_by(flow, loop, jump));
    changed = names != found.names.size() || blocks != found.blocks.size();
  }
  return found;
}

PtxLoopNames::PtxLoopNames(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                           std::vector<PtxName> results) {
  for (const int block : loop.blocks) {
    std::map<PtxName, std::size_t> latest;
    for (const std::size_t i : statements_of(flow, block)) {
      block_of[i] = block;
      for (const PtxName& name : reads[i] = read_by(file, flow, i))
        if (const auto writer = latest.find(name); writer != latest.end())
          writers[i][name] = writer->second;
      for (const PtxName& name : writes[i] = written_by(file, flow, i)) {
        ++written[name];
        last[{block, name}] = i;
        latest[name] = i;
      }
    }
  }
  from_before = carried_over(file, flow, loop, *this);
  for (const PtxJump& jump : flow.jumps)
    if (loop.holds(jump.block)) {
      decided[jump.statement] = decided_by(flow, loop, jump);
      deciding.insert(jump.statement);
      const auto& read = reads.at(jump.statement);
      results.insert(results.end(), read.begin(), read.end());
    }
  std::map<PtxName, std::vector<std::size_t>> writing;
  for (const auto& [statement, names] : writes)
    for (const PtxName& name : names) writing[name].push_back(statement);
  while (!results.empty()) {
    const PtxName name = std::move(results.back());
    results.pop_back();
    for (const std::size_t i : writing[name])
      if (deciding.insert(i).second)
        results.insert(results.end(), reads.at(i).begin(), reads.at(i).end());
  }
}

namespace {

// Of the names that nothing declares: variables of the module, and registers of the hardware that
// stay for a thread's life.
bool stays(const std::string& name) {
  return !name.starts_with('%') ||
         starts_with_any(name, {"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid", "%lanemask",
                                "%cluster", "%nclusterid", "%gridid", "%dynamic_smem_size",
                                "%total_smem_size", "%envreg", "%is_explicit_cluster"});
}

}  // namespace

PtxSteady::PtxSteady(const PtxFile& file, const PtxFlow& flow, const PtxLoop& loop,
                     std::function<bool(std::size_t)> steady)
    : file_(file), flow_(flow), loop_(loop), steady_(std::move(steady)) {
  for (const std::size_t i : statements_of(flow, loop)) {
    const PtxStatement& one = file.statements[i].parsed;
    for (PtxName& name : written_by(file, flow, i)) writes_[std::move(name)].push_back(i);
    if (is(one, PtxFact::call) || (is(one, PtxFact::anywhere) && !flow.locals.contains(i)))
      writes_anywhere_ = true;
  }
}

bool PtxSteady::operands(std::size_t statement) const {
  std::vector<PtxName> names = read_by(file_, flow_, statement);
  if (writes_parameter(file_.statements[statement].parsed)) {
    const auto written = written_by(file_, flow_, statement);
    std::erase_if(names, [&](const PtxName& name) {
      return std::find(written.begin(), written.end(), name) != written.end();
    });
  }
  return std::all_of(names.begin(), names.end(),
                     [&](const PtxName& one) { return name(one, statement); });
}

bool PtxSteady::name(const PtxName& name, std::size_t reader) const {
  if (writes_anywhere_ && name.second.ends_with(']')) return false;
  const auto written = writes_.find(name);
  if (written == writes_.end()) return name.first >= 0 || stays(name.second);
  // A register that is written again and again: what comes before the reader counts.
  std::size_t last = 0;
  if (!name.second.ends_with(']'))
    for (const std::size_t i : written->second)
      if (i < reader && flow_.block_of(i) == flow_.block_of(reader)) last = std::max(last, i);
  if (last != 0) return result(last);
  return written->second.size() == 1 && always_before(written->second.front(), reader) &&
         result(written->second.front());
}

bool PtxSteady::result(std::size_t statement) const {
  // While it is being asked for, it is not: a value that is made of itself changes.
  const auto [known, first] = results_.emplace(statement, false);
  if (!first) return known->second;
  const PtxStatement& made = file_.statements[statement].parsed;
  const bool steady =
      made.guard.empty() &&
      (is(made, PtxFact::pure) || flow_.locals.contains(statement) || steady_(statement)) &&
      operands(statement);
  return results_[statement] = steady;
}

// Whether no way from the loop's head comes to the second but through the first.
bool PtxSteady::always_before(std::size_t first, std::size_t second) const {
  const int through = flow_.block_of(first), to = flow_.block_of(second);
  if (through == to) return first < second;
  std::set<int> seen = {through};
  std::vector<int> open = {loop_.header};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (!loop_.holds(block) || !seen.insert(block).second) continue;
    if (block == to) return false;
    for (const int next : flow_.blocks[static_cast<std::size_t>(block)].successors)
      open.push_back(next);
  }
  return true;
}

}  // namespace phasebit::ptx::flow
