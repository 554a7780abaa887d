#include "core/ptx/flow/steady.h"

#include "core/base/text.h"

#include <algorithm>
#include <set>
#include <string>

namespace phasebit::ptx::flow {

using base::starts_with_any;

namespace {

// Makes the same of the same operands each time.
bool is_function_of_operands(const PtxStatement& statement) {
  static constexpr std::string_view stems =
      " mov cvt cvta add sub mul mad mul24 mad24 shl shr shf and or xor not neg cnot abs min max "
      "selp slct setp set lop3 prmt bfe bfi bfind brev clz popc mapa szext bmsk div rem ";
  return base::is_listed(stems, stem_of(statement)) ||
         starts_with_any(statement.name, {"ld.param", "st.param", "ld.const"});
}

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
    const std::string& opcode = file.statements[i].parsed.name;
    for (PtxName& name : written_by(file, flow, i)) writes_[std::move(name)].push_back(i);
    const bool elsewhere = starts_with_any(opcode, {"st.param", "st.shared", "st.global"});
    if (opcode == "call" || opcode.starts_with("call.") ||
        (starts_with_any(opcode, {"st.", "atom.", "red."}) && !elsewhere &&
         !flow.locals.contains(i)))
      writes_anywhere_ = true;
  }
}

bool PtxSteady::operands(std::size_t statement) const {
  std::vector<PtxName> names = read_by(file_, flow_, statement);
  if (file_.statements[statement].parsed.name.starts_with("st.param")) {
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
  // A register that is written again and again: what stands in front of the reader counts.
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
      (is_function_of_operands(made) || flow_.locals.contains(statement) || steady_(statement)) &&
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
