#include "analysis/protocol/record.h"

#include "core/launch/abi.h"

#include <algorithm>
#include <string_view>

namespace phasebit::protocol {

using launch::SampleRecord;
using ptx::run::Instruction;
using ptx::run::Mask;
using ptx::run::Op;
using ptx::run::Operand;
using ptx::run::Space;
using ptx::run::Warp;

namespace {

constexpr const char* fields[] = {"clock_start", "clock_end", "timer_start", "timer_end"};
constexpr std::uint64_t clock_bytes = 8;
static_assert(offsetof(SampleRecord, clock_end) == clock_bytes &&
              offsetof(SampleRecord, timer_start) == 2 * clock_bytes &&
              offsetof(SampleRecord, timer_end) == 3 * clock_bytes);

// Of what may write to global memory.
const Operand* written_address(const Instruction& one) {
  const bool reaches = one.space == Space::global || one.space == Space::generic;
  switch (one.op) {
    case Op::st: return reaches ? &one.operands[0] : nullptr;
    case Op::atom:
    case Op::red: return reaches ? &one.operands[one.results] : nullptr;
    case Op::bulk_copy: return &one.operands[0];
    default: return nullptr;
  }
}

}  // namespace

Records::Records(const ptx::PtxFile& file, const ptx::run::RunLaunch& launch, Complain complain)
    : file_(file), complain_(std::move(complain)) {
  for (std::size_t n = 0; n < launch.buffers.size(); ++n) {
    if (launch.buffers[n].name != "samples") continue;
    begin_ = ptx::run::address_of_buffer(n);
    end_ = begin_ + launch.buffers[n].bytes;
    stored_.resize(launch.buffers[n].bytes);
  }
}

std::optional<std::uint64_t> Records::offset_of(std::uint64_t address) const {
  if (address < begin_ || address >= end_) return std::nullopt;
  return address - begin_;
}

void Records::take_reads(const Warp& warp) {
  const auto found = reads_.find(warp.first_thread);
  if (found == reads_.end()) return;
  for (const Read& one : found->second)
    ptx::run::each_lane(one.lanes, [&](int lane) {
      clocks_[warp.first_thread + lane][one.field] = warp.value(one.to, lane);
    });
  reads_.erase(found);
}

void Records::read(const Warp& warp, const Instruction& one, Mask lanes) {
  const ptx::PlacedStatement& statement = file_.statements[one.statement];
  if (statement.heading < 0) return;
  const std::string& verb = file_.headings[static_cast<std::size_t>(statement.heading)].verb;
  if (verb != "clock_start" && verb != "clock_end") return;
  const bool is_timer = statement.parsed.operand(1).starts_with("%globaltimer");
  const std::size_t field = (is_timer ? 2U : 0U) + (verb == "clock_end" ? 1U : 0U);
  ptx::run::each_lane(lanes, [&](int lane) {
    if (clocks_[warp.first_thread + lane][field]) complain_(one, "reads its clock once more");
  });
  reads_[warp.first_thread].push_back({one.operands[0], lanes, field});
}

void Records::executed(const Warp& warp, const Instruction& one, Mask lanes, const Chains& chains) {
  take_reads(warp);
  if (one.op == Op::clock) return read(warp, one, lanes);
  const Operand* to = end_ == 0 ? nullptr : written_address(one);
  if (to == nullptr) return;
  ptx::run::each_lane(lanes, [&](int lane) {
    const auto offset = offset_of(warp.value(*to, lane) + static_cast<std::uint64_t>(to->offset));
    if (offset && one.op == Op::st) store(warp, one, lane, *offset, chains);
    if (offset && one.op != Op::st) complain_(one, "may change a record");
  });
}

void Records::store(const Warp& warp, const Instruction& one, int lane, std::uint64_t offset,
                    const Chains& chains) {
  const auto size = static_cast<std::uint64_t>(one.type.bytes());
  for (std::size_t n = 1; n < one.operands.size(); ++n, offset += size) {
    store_word(warp, one, lane, offset, warp.value(one.operands[n], lane));
    if (offset % sizeof(SampleRecord) == offsetof(SampleRecord, items))
      steps_of_items_ += chains.steps_of(warp, one.operands[n], lane);
  }
}

void Records::store_word(const Warp& warp, const Instruction& one, int lane, std::uint64_t offset,
                         std::uint64_t value) {
  const auto size = static_cast<std::uint64_t>(one.type.bytes());
  bool is_again = false;
  for (std::uint64_t n = offset; n < std::min<std::uint64_t>(offset + size, stored_.size()); ++n) {
    is_again = is_again || stored_[n];
    stored_[n] = true;
  }
  if (is_again) complain_(one, "stores to a record once more");
  const std::uint64_t field = offset % sizeof(SampleRecord) / clock_bytes;
  if (field >= std::size(fields)) return;
  // A role that is not timed leaves zeros.
  const std::uint64_t wanted = clocks_[warp.first_thread + lane][field].value_or(0);
  const std::uint64_t there = wanted >> 8 * (offset % clock_bytes);
  if (((value ^ there) & ptx::run::bits_of_bytes(size)) != 0)
    complain_(one, fmt::format("stores another {} than its verb has read", fields[field]));
}

}  // namespace phasebit::protocol
