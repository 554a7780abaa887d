#include "gen/guard/polls.h"

#include "core/isa/opcodes.h"
#include "core/ptx/flow/values.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace phasebit::guard {

using isa::PtxFact;
using launch::WaitKind;
using ptx::PtxFunction;
using ptx::PtxStatement;
using ptx::flow::PtxFlow;
using ptx::flow::PtxJump;
using ptx::flow::PtxLoop;
using ptx::flow::PtxName;

namespace {

bool has(const PtxStatement& statement, std::string_view modifier) {
  const std::size_t at = statement.name.find(modifier);
  const std::size_t end = at + modifier.size();
  return at != std::string::npos && (end == statement.name.size() || statement.name[end] == '.');
}

bool stays_with_thread(const PtxStatement& statement) {
  const std::string space = space_of(statement);
  return space == ".local" || space == ".param" || space == ".const";
}

}  // namespace

std::optional<WaitKind> polls(const PtxStatement& statement) {
  if (is(statement, PtxFact::phase))
    return has(statement, ".parity") ? WaitKind::parity : WaitKind::state;
  if (is(statement, PtxFact::atomic) && !statement.operands.empty() &&
      statement.operands.front() != "_")
    return WaitKind::atomic;
  if (is(statement, PtxFact::active)) return WaitKind::flag;
  if (!is(statement, PtxFact::polled) || stays_with_thread(statement)) return std::nullopt;
  for (const std::string_view way : {".volatile", ".acquire", ".relaxed", ".mmio", ".cv"})
    if (has(statement, way)) return WaitKind::flag;
  return std::nullopt;
}

bool loads_weakly(const PtxStatement& statement) {
  if (is(statement, PtxFact::weak)) return true;
  const bool is_elsewhere = !stays_with_thread(statement) || space_of(statement) == ".const";
  return is(statement, PtxFact::polled) && is_elsewhere && !polls(statement);
}

bool may_poll(const PtxStatement& statement) {
  if (is(statement, PtxFact::news)) return true;
  if (is(statement, PtxFact::state))
    return statement.operands.size() > 1 && statement.operands.front() != "_";
  if (!is(statement, PtxFact::moves) || statement.operands.size() != 2) return false;
  for (const std::string_view name : {"%warpid", "%smid", "%pm"})
    if (statement.operand(1).starts_with(name)) return true;
  return false;
}

bool loads(const PtxStatement& statement) {
  if (!is(statement, PtxFact::load)) return is(statement, PtxFact::loads);
  const std::string space = space_of(statement);
  return space != ".param" && space != ".const";
}

bool may_write(const PtxStatement& statement) {
  return is(statement, PtxFact::writes) &&
         !(is(statement, PtxFact::store) && stays_with_thread(statement));
}

bool may_meet(const PtxStatement& writer, const PtxStatement& load) {
  if (is(load, PtxFact::load) && space_of(load) == ".const") return false;
  // What copies names two spaces, and a surface lies in memory that no address shows.
  const bool plain = is(writer, PtxFact::store, PtxFact::reduction, PtxFact::atomic);
  if (!plain || !is(load, PtxFact::load)) return true;
  const auto space = [](const PtxStatement& statement) {
    const std::string name = space_of(statement);
    return name.substr(0, name.find(':'));
  };
  return space(writer).empty() || space(load).empty() || space(writer) == space(load);
}

bool reads_timer(const PtxStatement& statement) {
  return is(statement, PtxFact::moves) && statement.operands.size() == 2 &&
         (statement.operand(1).starts_with("%globaltimer") ||
          statement.operand(1).starts_with("%clock"));
}

std::optional<BarrierUse> uses_barrier(const PtxStatement& statement) {
  if (!is(statement, PtxFact::numbered_barrier)) return std::nullopt;
  const auto& operands = statement.operands;
  BarrierUse use;
  use.waits = !has(statement, ".arrive");
  use.aligned = is(statement, PtxFact::aligned) || has(statement, ".aligned");
  // bar.red.popc d, a{, b}, p: the count is there when a fourth operand is.
  const bool reduces = has(statement, ".red");
  const std::size_t first = reduces ? 1 : 0, last = operands.size() - (reduces ? 1 : 0);
  if (operands.size() <= first) return std::nullopt;
  use.id = operands[first];
  if (first + 1 < last) use.count = operands[first + 1];
  return use;
}

ClusterUse uses_cluster_barrier(const PtxStatement& statement) {
  if (is(statement, PtxFact::cluster_arrive)) return ClusterUse::arrive;
  return is(statement, PtxFact::cluster_wait) ? ClusterUse::wait : ClusterUse::none;
}

std::string space_of(const PtxStatement& statement) {
  for (const char* space : {".shared::cluster", ".shared", ".global", ".const", ".local", ".param"})
    if (statement.name.find(space) != std::string::npos) return space;
  return "";
}

namespace {

// Dependence of the whole function, as if it were one loop.
PtxLoop whole(const PtxFlow& flow) {
  PtxLoop all;
  all.header = -1;
  for (std::size_t b = 0; b < flow.blocks.size(); ++b) all.blocks.push_back(static_cast<int>(b));
  return all;
}

bool gives_back(const PtxFunction& function, const ptx::flow::PtxDependence& dependence) {
  return std::any_of(function.returns.begin(), function.returns.end(), [&](const auto& result) {
    return dependence.names.contains({0, result.name});
  });
}

template <class Function>
bool any_statement(const PtxFlow& flow, const Function& function) {
  return std::any_of(flow.blocks.begin(), flow.blocks.end(), [&](const auto& block) {
    return std::any_of(block.statements.begin(), block.statements.end(), function);
  });
}

// Somewhere it stores what depends on a poll, itself or by a call.
bool stores_any(const ptx::PtxFile& file, const PtxFlow& flow, const Sources& sources,
                const ptx::flow::PtxDependence& polled) {
  return any_statement(flow, [&](std::size_t i) {
    const PtxStatement& one = file.statements[i].parsed;
    if (sources.stores_polled(i)) return true;
    if (!is(one, PtxFact::store) || is(one, PtxFact::parameter) || flow.locals.contains(i))
      return false;
    if (polled.blocks.contains(flow.block_of(i))) return true;
    const auto read = ptx::flow::read_by(file, flow, i);
    return std::any_of(read.begin(), read.end(),
                       [&](const auto& name) { return polled.names.contains(name); });
  });
}

// By `exit` or `trap`, here or in what it calls.
bool ends_as_told(const ptx::PtxFile& file, const PtxFlow& flow, const Sources& sources,
                  const ptx::flow::PtxDependence& told) {
  return any_statement(flow, [&](std::size_t i) {
    if (sources.ends(i)) return true;
    if (!is(file.statements[i].parsed, PtxFact::exits, PtxFact::traps)) return false;
    const auto read = ptx::flow::read_by(file, flow, i);
    return told.blocks.contains(flow.block_of(i)) ||
           std::any_of(read.begin(), read.end(),
                       [&](const auto& name) { return told.names.contains(name); });
  });
}

CallSummary summary_of(const ptx::PtxFile& file, const PtxFunction& function, const PtxFlow& flow,
                       const CallSummaries& summaries) {
  const Sources sources(file, flow, summaries);
  const PtxLoop all = whole(flow);
  const auto is_poll = [&](std::size_t i) { return sources.poll(i).has_value(); };
  const auto is_timer = [&](std::size_t i) { return sources.timer(i); };
  const auto is_load = [&](std::size_t i) { return sources.loads_weakly(i); };
  CallSummary made;
  made.known = true;
  made.writes = any_statement(flow, [&](std::size_t i) { return sources.writes(i); });
  const auto polled =
      ptx::flow::dependent_on(file, flow, all, is_poll, [](std::size_t) { return false; });
  made.stores = stores_any(file, flow, sources, polled);
  made.ends =
      ends_as_told(file, flow, sources,
                   ptx::flow::dependent_on(
                       file, flow, all, [&](std::size_t i) { return is_poll(i) || is_load(i); },
                       [](std::size_t) { return false; }));
  for (const auto& block : flow.blocks)
    for (const std::size_t i : block.statements)
      if (const std::string callee = ptx::call_of(file.statements[i].parsed).callee;
          !callee.empty()) {
        made.calls.insert(callee);
        if (const auto more = summaries.find(callee); more != summaries.end())
          made.calls.insert(more->second.calls.begin(), more->second.calls.end());
      }
  if (function.returns.empty()) return made;
  made.polls = gives_back(function, polled);
  made.loads = gives_back(function, ptx::flow::dependent_on(file, flow, all, is_load, is_poll));
  made.times = gives_back(function, ptx::flow::dependent_on(file, flow, all, is_timer, is_poll));
  return made;
}

std::string indirect(std::size_t results, std::size_t arguments) {
  return fmt::format("*{},{}", results, arguments);
}

// Functions that a register may hold: some variable or some mov names them.
std::set<std::string> functions_by_address(const ptx::PtxFile& file) {
  std::set<std::string> bodies, found;
  for (const PtxFunction& function : file.functions)
    if (function.has_body && !function.entry) bodies.insert(function.name);
  const auto take = [&](std::string_view text) {
    for (std::string& name : ptx::names_in(text))
      if (bodies.contains(name)) found.insert(std::move(name));
  };
  for (const std::size_t i : file.globals) take(file.statements[i].text);
  for (const ptx::PlacedStatement& one : file.statements)
    if (is(one.parsed, PtxFact::moves) && one.parsed.operands.size() == 2)
      take(one.parsed.operand(1));
  return found;
}

// What any of those with as many results and arguments may do.
void add_indirect(const ptx::PtxFile& file, const std::set<std::string>& by_address,
                  CallSummaries& summaries) {
  CallSummaries all;
  for (const PtxFunction& function : file.functions) {
    if (!function.has_body || !by_address.contains(function.name)) continue;
    const CallSummary& one = summaries[function.name];
    CallSummary& any = all[indirect(function.returns.size(), function.parameters.size())];
    any = {any.known || one.known,   any.polls || one.polls,
           any.stores || one.stores, any.loads || one.loads,
           any.times || one.times,   true,
           any.ends || one.ends,     {}};
  }
  for (const auto& [name, summary] : all) summaries[name] = summary;
}

std::vector<int> ways_of(const ptx::flow::PtxJump& jump) {
  std::vector<int> ways = jump.targets;
  if (jump.falls_to >= 0) ways.push_back(jump.falls_to);
  return ways;
}

std::set<std::size_t> statements_from(const PtxFlow& flow, int from) {
  std::set<std::size_t> found;
  std::set<int> seen;
  std::vector<int> open = {from};
  while (!open.empty()) {
    const int block = open.back();
    open.pop_back();
    if (!seen.insert(block).second) continue;
    const auto& one = flow.blocks[static_cast<std::size_t>(block)];
    found.insert(one.statements.begin(), one.statements.end());
    open.insert(open.end(), one.successors.begin(), one.successors.end());
  }
  return found;
}

}  // namespace

std::optional<launch::WaitKind> Sources::poll(std::size_t i) const {
  if (flow_.locals.contains(i)) return std::nullopt;
  if (const auto kind = polls(at(i))) return kind;
  const bool news = summary(i).polls || (flow_.lent.contains(i) && summary(i).stores);
  return news ? std::optional(launch::WaitKind::call) : std::nullopt;
}

bool Sources::loads_weakly(std::size_t i) const {
  if (flow_.locals.contains(i)) return false;
  return guard::loads_weakly(at(i)) || (summary(i).loads && !poll(i));
}

bool Sources::timer(std::size_t i) const {
  return reads_timer(at(i)) || summary(i).times;
}

bool Sources::writes(std::size_t i) const {
  return may_write(at(i)) || (calls(i) && summary(i).writes);
}

bool Sources::calls(std::size_t i) const {
  return !ptx::call_of(at(i)).callee.empty();
}

bool Sources::calls_unknown(std::size_t i) const {
  const ptx::PtxCall call = ptx::call_of(at(i));
  return !call.callee.empty() && !summary(i).known &&
         (!call.results.empty() || flow_.lent.contains(i));
}

bool Sources::stores_polled(std::size_t i) const {
  return summary(i).stores;
}

bool Sources::ends(std::size_t i) const {
  return summary(i).ends;
}

CallSummary Sources::summary(std::size_t i) const {
  const ptx::PtxCall call = ptx::call_of(at(i));
  if (call.callee.empty()) return {};
  const bool by_register = flow_.scopes.declaring(flow_.scopes.of(i), call.callee) >= 0;
  const auto found = summaries_.find(
      by_register ? indirect(call.results.size(), call.arguments.size()) : call.callee);
  return found == summaries_.end() ? CallSummary{} : found->second;
}

namespace {

// An ordinary load at the address that a parameter is, where the function hands on to itself what
// it was given.
bool loads_for_ever(const ptx::PtxFile& file, const PtxFunction& function, const PtxFlow& flow,
                    const Sources& sources, std::size_t load) {
  if (!sources.loads_weakly(load) || sources.calls(load)) return false;
  std::map<std::string, std::string> given;  // name -> the parameter that it is
  for (const auto& parameter : function.parameters) given[parameter.name] = parameter.name;
  bool same = true;
  const auto take = [&](std::size_t i) {
    const ptx::PtxStatement& one = file.statements[i].parsed;
    const bool handed = is(one, PtxFact::moves) || one.name.find(".param") != one.name.npos;
    const bool stores = is(one, PtxFact::store) && is(one, PtxFact::parameter);
    const auto source = ptx::names_in(one.operand(1)), target = ptx::names_in(one.operand(0));
    const auto known = source.empty() ? given.end() : given.find(source.front());
    if (handed && one.guard.empty() && target.size() == 1 && known != given.end())
      given[target.front()] = std::string(known->second);
    else if (!one.operands.empty() && (stores || !ptx::written_names(one).empty()))
      for (const std::string& name : target) given.erase(name);
    const ptx::PtxCall call = ptx::call_of(one);
    if (call.callee != function.name) return false;
    for (std::size_t n = 0; n < call.arguments.size(); ++n) {
      const auto found = given.find(call.arguments[n]);
      same = same && found != given.end() && n < function.parameters.size() &&
             found->second == function.parameters[n].name;
    }
    return false;
  };
  any_statement(flow, take);
  const auto address = ptx::flow::address_of(file.statements[load].parsed.operand(1));
  return same && address && given.contains(address->base);
}

}  // namespace

std::optional<std::size_t> polled_recursion(const ptx::PtxFile& file, const PtxFunction& function,
                                            const PtxFlow& flow, const CallSummaries& summaries) {
  const auto comes_back = [&](std::size_t i) {
    const std::string callee = ptx::call_of(file.statements[i].parsed).callee;
    const auto found = summaries.find(callee);
    return callee == function.name ||
           (found != summaries.end() && found->second.calls.contains(function.name));
  };
  const auto own = summaries.find(function.name);
  if (own == summaries.end() || !own->second.calls.contains(function.name)) return std::nullopt;
  const Sources sources(file, flow, summaries);
  const auto looks_again = [&](std::size_t i) {
    return sources.poll(i).has_value() || loads_for_ever(file, function, flow, sources, i);
  };
  const auto polled = ptx::flow::dependent_on(
      file, flow, whole(flow), [&](std::size_t i) { return looks_again(i) && !comes_back(i); },
      [](std::size_t) { return false; });
  for (const ptx::flow::PtxJump& jump : flow.jumps) {
    const auto read = ptx::flow::read_by(file, flow, jump.statement);
    if (std::none_of(read.begin(), read.end(),
                     [&](const auto& name) { return polled.names.contains(name); }))
      continue;
    std::vector<std::set<std::size_t>> ways;
    for (const int way : ways_of(jump)) ways.push_back(statements_from(flow, way));
    if (jump.leaves) ways.emplace_back();
    for (const auto& way : ways)
      for (const std::size_t i : way)
        if (comes_back(i) && std::any_of(ways.begin(), ways.end(),
                                         [&](const auto& other) { return !other.contains(i); }))
          return i;
  }
  return std::nullopt;
}

CallSummaries summaries_of(const ptx::PtxFile& file) {
  CallSummaries summaries;
  std::vector<std::pair<const PtxFunction*, PtxFlow>> bodies;
  for (const PtxFunction& function : file.functions)
    if (function.has_body && !function.entry)
      bodies.emplace_back(&function, ptx::flow::flow_of(file, function));
  const std::set<std::string> by_address = functions_by_address(file);
  // A function may call one that is below it: as often as something changes.
  for (bool changed = true; changed;) {
    const CallSummaries before = summaries;
    for (const auto& [function, flow] : bodies)
      summaries[function->name] = summary_of(file, *function, flow, summaries);
    add_indirect(file, by_address, summaries);
    changed = summaries != before;
  }
  return summaries;
}

namespace {

bool any_of(const std::vector<PtxName>& names, const std::set<PtxName>& those) {
  return std::any_of(names.begin(), names.end(),
                     [&](const PtxName& name) { return those.contains(name); });
}

// Statements that make the predicates of the exits, but for loads.
std::set<std::size_t> deciding(const ptx::flow::PtxFlow& flow, const ptx::flow::PtxLoopNames& names,
                               const std::vector<PtxJump>& exits,
                               const std::set<std::size_t>& loads) {
  std::set<std::size_t> found;
  std::vector<std::size_t> open;
  for (const PtxJump& exit : exits) open.push_back(exit.statement);
  while (!open.empty()) {
    const std::size_t reader = open.back();
    open.pop_back();
    if (!found.insert(reader).second) continue;
    for (const PtxName& name : names.reads.at(reader)) {
      if (flow.scopes.type_of(name.first, name.second) != ".pred") continue;
      for (const auto& [writer, written] : names.writes)
        if (!loads.contains(writer) &&
            std::find(written.begin(), written.end(), name) != written.end())
          open.push_back(writer);
    }
  }
  return found;
}

}  // namespace

std::optional<RoundLoad> round_load(const ptx::PtxFile& file, const ptx::flow::PtxFlow& flow,
                                    const ptx::flow::PtxLoop& loop,
                                    const ptx::flow::PtxLoopNames& names, const Sources& sources,
                                    const ptx::flow::PtxSteady& steady,
                                    const ptx::flow::PtxOnce& once,
                                    const std::vector<PtxJump>& exits) {
  std::set<std::size_t> loads;
  for (const std::size_t i : statements_of(flow, loop)) {
    // What it writes or calls may change what it loads, and a poll or a clock decides otherwise.
    if (sources.writes(i) || sources.calls(i) || sources.poll(i) || sources.timer(i))
      return std::nullopt;
    if (sources.loads_weakly(i)) loads.insert(i);
  }
  if (loads.empty()) return std::nullopt;
  const auto is_load = [&](std::size_t i) { return loads.contains(i); };
  const auto loaded =
      ptx::flow::dependent_on(file, flow, loop, is_load, [](std::size_t) { return false; });
  const ptx::flow::PtxStuck any(file, flow, loop, names, is_load, {0, false, 0, false}, {});
  const auto named = [&](std::size_t i, std::size_t operand) {
    return flow.name_at(i, file.statements[i].parsed.operand(operand));
  };
  const ptx::flow::PtxStrict strict{
      [](std::size_t) { return false; },
      [&](std::size_t i, std::size_t operand) { return steady.name(named(i, operand), i); },
      [&](std::size_t i, std::size_t operand) { return once.positive(named(i, operand)); },
      [&](std::size_t i, std::size_t operand) {
        const auto known = any.number_at(i, operand);
        return known ? known : once.number(named(i, operand));
      }};
  const ptx::flow::PtxCounts counts(file, flow, loop, names, is_load, &any, &strict);
  // Whatever is added, the place goes on, and as if no step were 0.
  ptx::flow::PtxStrict lenient = strict;
  lenient.positive = [](std::size_t, std::size_t) { return true; };
  const ptx::flow::PtxCounts searches(file, flow, loop, names, is_load, &any, &lenient);
  bool leaves = false;
  for (const PtxJump& exit : exits) {
    const auto read = names.reads.at(exit.statement);
    if (steady.operands(exit.statement)) continue;
    if (!any_of(read, loaded.names)) return std::nullopt;
    leaves = true;
  }
  // A sum of what it loaded goes on as the loads say.
  const auto goes_on_by_itself = [&](const PtxName& name) {
    return !loaded.names.contains(name) || counts.moves(name);
  };
  for (const std::size_t i : deciding(flow, names, exits, loads)) {
    const std::vector<PtxName> carried = counts.carried(i);
    if (std::any_of(carried.begin(), carried.end(), goes_on_by_itself)) return std::nullopt;
  }
  RoundLoad found{*loads.begin(), false};
  for (const std::size_t load : loads) {
    const std::vector<PtxName> moving = searches.moving(load);
    const auto goes_on = [&](const PtxName& name) { return counts.moves(name); };
    if (std::any_of(moving.begin(), moving.end(), goes_on) ||
        any_of(counts.carried(load), loaded.names))
      return std::nullopt;
    if (!moving.empty()) found = {load, true};
  }
  return leaves ? std::optional(found) : std::nullopt;
}

}  // namespace phasebit::guard
