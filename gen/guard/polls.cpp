#include "gen/guard/polls.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace phasebit::guard {

using image::WaitKind;
using ptx::PtxStatement;

namespace {

bool is_instruction(const PtxStatement& statement) {
  return statement.part == PtxStatement::Part::instruction;
}

bool is(const PtxStatement& statement, std::string_view opcode) {
  return is_instruction(statement) && statement.name.starts_with(opcode) &&
         (statement.name.size() == opcode.size() || statement.name[opcode.size()] == '.' ||
          opcode.ends_with('.'));
}

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
  if (is(statement, "mbarrier.test_wait") || is(statement, "mbarrier.try_wait"))
    return has(statement, ".parity") ? WaitKind::parity : WaitKind::state;
  if (is(statement, "atom") && !statement.operands.empty() && statement.operands.front() != "_")
    return WaitKind::atomic;
  if (is(statement, "activemask")) return WaitKind::flag;
  const bool load = is(statement, "ld") || is(statement, "multimem.ld_reduce");
  if (!load || stays_with_thread(statement)) return std::nullopt;
  for (const std::string_view way : {".volatile", ".acquire", ".relaxed", ".mmio", ".cv"})
    if (has(statement, way)) return WaitKind::flag;
  return std::nullopt;
}

bool loads_weakly(const PtxStatement& statement) {
  for (const std::string_view stem : {"ldu", "suld", "tex", "tld4", "ldmatrix"})
    if (is(statement, stem)) return true;
  if (is(statement, "multimem.ld_reduce")) return !polls(statement);
  return is(statement, "ld") && !stays_with_thread(statement) && !polls(statement);
}

bool may_poll(const PtxStatement& statement) {
  if (is(statement, "wmma.load")) return true;
  if (is(statement, "mbarrier.arrive") || is(statement, "mbarrier.arrive_drop"))
    return statement.operands.size() > 1 && statement.operands.front() != "_";
  if (!is(statement, "mov") || statement.operands.size() != 2) return false;
  for (const std::string_view name : {"%warpid", "%smid", "%pm"})
    if (statement.operand(1).starts_with(name)) return true;
  return false;
}

bool loads(const PtxStatement& statement) {
  for (const std::string_view stem : {"ldu", "suld", "ldmatrix", "tex", "tld4", "tcgen05.ld",
                                      "multimem.ld_reduce", "istypep", "txq", "suq"})
    if (is(statement, stem)) return true;
  return is(statement, "ld") && space_of(statement) != ".param" && space_of(statement) != ".const";
}

bool may_write(const PtxStatement& statement) {
  if (is(statement, "st") && stays_with_thread(statement)) return false;
  if (is(statement, "multimem.ld_reduce")) return false;
  for (const std::string_view stem : {"st", "red", "atom", "cp", "stmatrix", "sust", "sured",
                                      "multimem", "discard", "tensormap", "clusterlaunchcontrol"})
    if (is(statement, stem)) return true;
  return false;
}

bool may_meet(const PtxStatement& writer, const PtxStatement& load) {
  // What copies names two spaces, and a surface lies in memory that no address shows.
  const bool plain = is(writer, "st") || is(writer, "red") || is(writer, "atom");
  if (!plain || !is(load, "ld")) return true;
  const auto space = [](const PtxStatement& statement) {
    const std::string name = space_of(statement);
    return name.substr(0, name.find(':'));
  };
  return space(writer).empty() || space(load).empty() || space(writer) == space(load);
}

bool reads_timer(const PtxStatement& statement) {
  return is(statement, "mov") && statement.operands.size() == 2 &&
         (statement.operand(1).starts_with("%globaltimer") ||
          statement.operand(1).starts_with("%clock"));
}

std::optional<BarrierUse> uses_barrier(const PtxStatement& statement) {
  const bool short_form = is(statement, "bar"), long_form = is(statement, "barrier");
  if ((!short_form && !long_form) || has(statement, ".warp") || has(statement, ".cluster"))
    return std::nullopt;
  const auto& operands = statement.operands;
  BarrierUse use;
  use.waits = !has(statement, ".arrive");
  use.aligned = short_form || has(statement, ".aligned");
  // bar.red.popc d, a{, b}, p: the count is there when a fourth operand is.
  const bool reduces = has(statement, ".red");
  const std::size_t first = reduces ? 1 : 0, last = operands.size() - (reduces ? 1 : 0);
  if (operands.size() <= first) return std::nullopt;
  use.id = operands[first];
  if (first + 1 < last) use.count = operands[first + 1];
  return use;
}

ClusterUse uses_cluster_barrier(const PtxStatement& statement) {
  if (is(statement, "barrier.cluster.arrive")) return ClusterUse::arrive;
  return is(statement, "barrier.cluster.wait") ? ClusterUse::wait : ClusterUse::none;
}

bool waits_unseen(const PtxStatement& statement) {
  static constexpr auto opcodes = std::to_array<std::string_view>(
      {"cp.async.wait_group", "cp.async.wait_all", "cp.async.bulk.wait_group", "wgmma.wait_group",
       "griddepcontrol.wait", "tcgen05.wait::ld", "tcgen05.wait::st", "tcgen05.alloc",
       "bar.warp.sync"});
  return std::any_of(opcodes.begin(), opcodes.end(),
                     [&](std::string_view opcode) { return is(statement, opcode); });
}

bool ends_thread(const PtxStatement& statement) {
  return is(statement, "exit");
}

bool returns(const PtxStatement& statement) {
  return is(statement, "ret");
}

std::string space_of(const PtxStatement& statement) {
  for (const char* space : {".shared::cluster", ".shared", ".global", ".const", ".local", ".param"})
    if (statement.name.find(space) != std::string::npos) return space;
  return "";
}

}  // namespace phasebit::guard
