#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

// Addresses of shared memory: a CTA's own from 0 on; those of a cluster have 1 + rank above them,
// and generic ones a window above that.
constexpr unsigned rank_shift = 24;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << rank_shift) - 1;
constexpr std::uint64_t shared_window = std::uint64_t{0x7f} << 40;

std::uint64_t cluster_address(int rank, std::uint64_t offset) {
  return (static_cast<std::uint64_t>(rank) + 1) << rank_shift | (offset & offset_mask);
}

bool is_in_window(std::uint64_t address) {
  return (address & ~std::uint64_t{0xffffffffU}) == shared_window;
}

int size_of(const Instruction& one) {
  return one.type.bytes();
}

std::uint64_t changed(const Instruction& one, std::uint64_t old, std::uint64_t value,
                      std::uint64_t other) {
  const unsigned bits = one.type.bits;
  const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const auto is_less = [&](std::uint64_t a, std::uint64_t b) {
    if (one.type.kind != Type::Kind::signed_) return (a & mask) < (b & mask);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return ((a & mask) ^ sign) < ((b & mask) ^ sign);
  };
  if (one.has(Word::add)) return (old + value) & mask;
  if (one.has(Word::and_)) return old & value;
  if (one.has(Word::or_)) return old | value;
  if (one.has(Word::xor_)) return (old ^ value) & mask;
  if (one.has(Word::exch)) return value & mask;
  if (one.has(Word::cas)) return old == (value & mask) ? other & mask : old;
  if (one.has(Word::min)) return is_less(value, old) ? value & mask : old;
  if (one.has(Word::max)) return is_less(old, value) ? value & mask : old;
  if (one.has(Word::inc)) return old >= (value & mask) ? 0 : old + 1;
  return old == 0 || old > (value & mask) ? value & mask : old - 1;
}

}  // namespace

Region* Machine::region_of(const Warp& warp, Space space, std::uint64_t address, Place& found) {
  const Cta& own = ctas_[static_cast<std::size_t>(warp.cta)];
  if (space == Space::generic && is_in_window(address)) {
    space = Space::cluster;
    address &= 0xffffffffU;
  }
  if (space == Space::shared || space == Space::cluster) {
    const std::uint64_t rank = (address & 0xffffffffU) >> rank_shift;
    const auto size = static_cast<std::uint64_t>(launch_.ctas_of_cluster());
    if (rank > size) return nullptr;
    const int first = clusters_[static_cast<std::size_t>(own.cluster)].first_cta;
    found.cta = rank == 0 ? warp.cta : first + static_cast<int>(rank) - 1;
    if (space == Space::shared && found.cta != warp.cta) return nullptr;
    found.offset = address & offset_mask;
    return ctas_[static_cast<std::size_t>(found.cta)].shared.get();
  }
  const std::uint64_t buffer = address >> 36;
  const bool is_variable = buffer > first_variable && buffer <= first_variable + variables_.size();
  if (buffer == 0 || (buffer > buffers_.size() && !is_variable)) return nullptr;
  found.cta = -1;
  found.offset = address - address_of_buffer(buffer - 1);
  return is_variable ? variables_[buffer - 1 - first_variable].get() : buffers_[buffer - 1].get();
}

std::optional<Place> Machine::place(const Warp& warp, const Instruction& one, std::uint32_t pc,
                                    int lane, Space space, const Operand& operand,
                                    std::uint64_t size, std::uint64_t align) {
  std::uint64_t address = warp.value(operand, lane) + static_cast<std::uint64_t>(operand.offset);
  if (space == Space::shared || space == Space::cluster) address &= 0xffffffffU;
  Place found;
  if (space == Space::local || (space == Space::generic && address >> 40 == local_window >> 40)) {
    std::unique_ptr<Region>& own = local_[warp.first_thread + lane];
    if (own == nullptr) {
      own = std::make_unique<Region>("local memory", 0, program_.local_bytes);
      own->initial_unsure = unwritten_memory_;
    }
    found = {own.get(), -2, address & 0xffffffffU};
  } else {
    found.region = region_of(warp, space, address, found);
  }
  if (found.region == nullptr) {
    stop(FindingKind::bounds, Grade::error, at(warp, pc, lane),
         fmt::format("address {:#x} is in no buffer and no shared memory of the launch", address));
    return std::nullopt;
  }
  const std::uint64_t first = found.cta < 0 ? 0 : reserved_shared_bytes;
  if (found.offset < first || found.offset > found.region->bytes ||
      size > found.region->bytes - found.offset) {
    stop(FindingKind::bounds, Grade::error, at(warp, pc, lane),
         fmt::format("{} bytes at {} of {}, which has {}", size,
                     static_cast<std::int64_t>(found.offset - first), found.region->name,
                     found.region->bytes - first));
    return std::nullopt;
  }
  if (const Base base = warp.base(operand, lane);
      !check_base(base, found, size, at(warp, pc, lane)) ||
      !check_constant(one, base, found, at(warp, pc, lane)))
    return std::nullopt;
  if (align > 1 && address % align != 0) {
    stop(FindingKind::misaligned, Grade::error, at(warp, pc, lane),
         fmt::format("address {:#x} is not a multiple of {}", address, align));
    return std::nullopt;
  }
  if (found.cta >= 0 && found.cta != warp.cta &&
      live_warps(ctas_[static_cast<std::size_t>(found.cta)]) == 0)
    report(FindingKind::left, Grade::error, at(warp, pc, lane),
           fmt::format("shared memory of CTA {}, which has left", found.cta));
  // st.async and copies end later: land() notes them.
  if (found.cta >= 0 && found.cta != warp.cta && one.op < Op::cp_async)
    note_visit(found, {warp.thread(lane), warp.time}, at(warp, pc, lane));
  return found;
}

Access Machine::access_of(const Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                          bool writes) const {
  Access made;
  made.epoch = {warp.thread(lane), warp.time};
  made.pc = pc;
  made.thread = warp.first_thread + lane;
  made.is_write = writes;
  made.width = static_cast<std::uint8_t>(one.type.bytes());
  made.is_atomic = one.op == Op::atom || one.op == Op::red;
  // Atomics are of the GPU's scope where they name none (PTX ISA, atom).
  if (one.order != Order::weak || made.is_atomic)
    made.scope = one.scope == Scope::none ? Scope::gpu : one.scope;
  return made;
}

void Machine::note_visit(const Place& at, const Epoch& epoch, RunPlace by) {
  if (at.cta < 0) return;
  auto& kept = ctas_[static_cast<std::size_t>(at.cta)].visits[epoch.component];
  if (epoch.clock >= kept.first) kept = {epoch.clock, by};
}

bool Machine::touch(const Place& at, std::uint64_t size, Access access, Viewer viewer) {
  viewer.is_weak = relies_on_cta_scope_;
  const auto found = at.region->touch(at.offset, size, access, viewer);
  if (!found) return true;
  const Access &first = found->earlier, &second = found->later;
  const auto verb = [](const Access& one) { return one.is_write ? "writes" : "reads"; };
  const std::uint64_t reserved = at.cta < 0 ? 0 : reserved_shared_bytes;
  const std::string where = fmt::format("byte {} of {}", found->offset - reserved, at.region->name);
  if (found->is == Ordering::strong) return false;
  if (found->is == Ordering::weak && cluster_orders(first, second)) return true;
  if (found->is == Ordering::weak)
    report(FindingKind::race, Grade::unproved, {second.pc, second.thread},
           fmt::format("{} {}: where a wait at CTA scope orders it, that does not hold for another "
                       "CTA's stores",
                       verb(second), where),
           {{{first.pc, first.thread}, fmt::format("{} it", verb(first))}});
  else if (found->is == Ordering::one_store)
    report(FindingKind::race, Grade::note, {second.pc, second.thread},
           "lanes store to one word with one instruction: whose value stays is not specified",
           {{{first.pc, first.thread}, "stores there, too"}});
  else if (found->is == Ordering::other_warp)
    report(FindingKind::race, Grade::note, {second.pc, second.thread},
           fmt::format("{} {} after one warp of a warpgroup has waited for its wgmma: the manual "
                       "does not say that the other warps' reads have ended, too",
                       verb(second), where),
           {{{first.pc, first.thread}, "another warp reads it"}});
  else if (found->is == Ordering::read_not_in_proxy)
    report(FindingKind::proxy, Grade::unproved, {second.pc, second.thread},
           fmt::format("overwrites {} in the asynchronous proxy without a fence.proxy.async after "
                       "a read: the manual asks for one, and GPUs read wrong words without it",
                       at.cta < 0 ? at.region->name : std::string("what it holds")),
           {{{first.pc, first.thread}, "reads it in the generic proxy"}});
  else if (found->is == Ordering::not_in_proxy)
    report(FindingKind::proxy, Grade::error, {second.pc, second.thread},
           fmt::format("{} {} in the asynchronous proxy without a fence.proxy.async", verb(second),
                       where),
           {{{first.pc, first.thread}, fmt::format("{} it in the generic proxy", verb(first))}});
  else
    report(FindingKind::race, Grade::error, {second.pc, second.thread},
           fmt::format("{} {}, not ordered with another access", verb(second), where),
           {{{first.pc, first.thread}, fmt::format("{} it", verb(first))}});
  return true;
}

// Whether the cluster's barrier orders them, in which each thread of both CTAs has taken part.
bool Machine::cluster_orders(const Access& first, const Access& second) {
  const Warp& warp = warp_of(second.thread);
  const auto lane = static_cast<std::size_t>(second.thread % lanes_of_warp);
  const Cluster& cluster = clusters_[static_cast<std::size_t>(cta_of(warp).cluster)];
  return warp.cluster_phase[lane] == 0 && cluster.last.memory.knows(first.epoch);
}

// The words of a place, by which atomics are known whose order with other accesses decides.
void Machine::note_contended(const Place& at, std::uint64_t size) {
  for (std::uint64_t offset = at.offset / 4 * 4; offset < at.offset + size; offset += 4)
    if (const std::uint64_t key = key_of(at, offset); !options_.contended.contains(key))
      outcome_.contended.insert(key);
}

std::uint64_t Machine::key_of(const Place& at, std::uint64_t offset) {
  return (at.region->base + offset / 4 * 4) ^ static_cast<std::uint64_t>(at.cta + 1) << 48;
}

Scope Machine::scope_of(int from_cta, int to_cta) const {
  if (from_cta == to_cta) return Scope::cta;
  const bool is_near = ctas_[static_cast<std::size_t>(from_cta)].cluster ==
                       ctas_[static_cast<std::size_t>(to_cta)].cluster;
  return is_near ? Scope::cluster : Scope::gpu;
}

std::vector<int> Machine::ctas_of(const Warp& warp, std::uint64_t mask, RunPlace by) {
  const int first = clusters_[static_cast<std::size_t>(cta_of(warp).cluster)].first_cta;
  std::vector<int> ctas;
  for (int rank = 0; mask != 0; ++rank, mask >>= 1) {
    if ((mask & 1) == 0) continue;
    if (rank >= launch_.ctas_of_cluster()) {
      stop(FindingKind::range, Grade::error, by, fmt::format("the cluster has no CTA {}", rank));
      return {};
    }
    ctas.push_back(first + rank);
  }
  return ctas;
}

// The barrier that has one of these bytes.
Mbarrier* Machine::overlapped(const Place& at, std::uint64_t size) {
  if (at.cta < 0) return nullptr;
  const Cta& cta = ctas_[static_cast<std::size_t>(at.cta)];
  if (at.offset >= cta.last_barrier + 8 || at.offset + size <= cta.first_barrier) return nullptr;
  for (const auto& [offset, number] : cta.barriers) {
    Mbarrier* barrier = barriers_[static_cast<std::size_t>(number)].get();
    if (barrier->is_valid && offset < at.offset + size && at.offset < offset + 8ULL) return barrier;
  }
  return nullptr;
}

void Machine::check_overwrite(const Place& at, std::uint64_t size, RunPlace by) {
  if (const Mbarrier* barrier = overlapped(at, size))
    report(FindingKind::overwritten, Grade::error, by,
           fmt::format("writes to barrier {}", name_of(*barrier)),
           {{{barrier->init_pc, static_cast<std::int32_t>(barrier->init.component)},
             "initialises it"}});
}

void Machine::load_parameter(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const Operand& from = one.operands[one.results];
  const auto size = static_cast<std::uint64_t>(size_of(one));
  for (std::size_t n = 0; n < one.results; ++n) warp.set_unsure(one.operands[n], lanes, {});
  each_lane(lanes, [&](int lane) {
    std::uint64_t offset = warp.value(from, lane) + static_cast<std::uint64_t>(from.offset);
    for (std::size_t n = 0; n < one.results; ++n, offset += size) {
      if (offset + size > launch_.parameters.size()) {
        stop(FindingKind::bounds, Grade::unsupported, at(warp, pc, lane),
             fmt::format("parameter byte {} has no value in this launch", offset));
        return;
      }
      warp.set_lane(one.operands[n], lane, extended(one.type, parameter(offset, size)));
      warp.set_base(one.operands[n], lane, base_of_parameter(offset, size));
    }
  });
}

void Machine::load(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  if (one.space == Space::param) return load_parameter(warp, one, pc, lanes);
  const Operand& from = one.operands[one.results];
  const auto size = static_cast<std::uint64_t>(size_of(one));
  const bool is_poll = one.order != Order::weak;
  if (one.retry >= 0)
    mark_turns(warp, pc, program_.retries[static_cast<std::size_t>(one.retry)], lanes);
  for (std::size_t n = 0; n < one.results; ++n) warp.set_unsure(one.operands[n], lanes, {});
  const bool may_be_known = is_poll && one.results == 1 && may_settle(one, pc);
  Mask known = 0;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const auto found =
        place(warp, one, pc, lane, one.space, from, size * one.results, size * one.results);
    if (!found) return;
    const Access access = access_of(warp, one, pc, lane, false);
    if (one.has(Word::nc) && found->region->is_written(found->offset, size * one.results))
      report(FindingKind::race, Grade::error, at(warp, pc, lane),
             "reads by the path that is not coherent what this kernel writes");
    look_before(warp, one, pc, lane, *found);
    const bool is_ordered = touch(*found, size * one.results, access, warp.viewer(lane));
    if (may_be_known && is_ordered) {
      known |= 1U << lane;
      Flag& flag = flag_of(*found, static_cast<int>(size), access);
      flag.reads[warp.thread(lane)] = {access.epoch, at(warp, pc, lane)};
    }
    for (std::size_t n = 0; n < one.results; ++n) {
      const std::uint64_t offset = found->offset + n * size;
      std::uint64_t value = found->region->read(offset, static_cast<int>(size));
      if (options_.watch != nullptr)
        value ^= options_.watch->lie(warp, one, lane, value) & bits_of_bytes(size);
      warp.set_lane(one.operands[n], lane, extended(one.type, value));
      if (std::uint32_t why = found->region->unsure(offset, static_cast<int>(size)); why != 0) {
        if (why == unwritten_memory_) why = reason(Reason::Kind::unwritten_memory, pc);
        warp.set_unsure(one.operands[n], 1U << lane, {1U << lane, why});
      }
      warp.set_base(one.operands[n], lane,
                    base_in_thread(found->region->held(offset, size), warp, lane));
      // What a barrier's word holds is not modelled.
      if (Mbarrier* barrier = overlapped({found->region, found->cta, offset}, size)) {
        look_at(*barrier, warp, pc, lane);
        outcome_.has_unfollowed = true;
        warp.set_unsure(one.operands[n], 1U << lane,
                        {1U << lane, reason(Reason::Kind::unfollowed, pc)});
      }
    }
    if (is_poll) read_flag(warp, one, lane, *found, static_cast<int>(size), access);
  });
  const Mask open = is_poll ? lanes & ~known : 0;
  for (std::size_t n = 0; n < one.results && open != 0; ++n)
    warp.set_unsure(one.operands[n], open, {open, reason(Reason::Kind::flag, pc)});
}

// Whether it stores what is there, or what is not known. A sum of atomics may have been another
// one.
void Machine::describe_store(const Warp& warp, const Instruction& one, int lane, const Place& at,
                             Access& access) const {
  const int size = size_of(one);
  const auto bytes = static_cast<std::uint64_t>(size);
  const std::uint64_t bits = bits_of_bytes(bytes);
  access.is_again = true;
  std::uint64_t offset = at.offset;
  for (std::size_t n = 1; n < one.operands.size();
       ++n, offset += static_cast<std::uint64_t>(size)) {
    const Operand& data = one.operands[n];
    const bool is_unsure = (warp.unsure(data).lanes >> lane & 1) != 0;
    access.is_opaque = access.is_opaque || is_unsure;
    const auto combined = combined_.find(key_of(at, offset));
    const bool is_sum = combined != combined_.end() && combined->second.way != Word::exch;
    access.is_again = access.is_again && !is_unsure && !is_sum &&
                      at.region->unsure(offset, size) == 0 &&
                      at.region->held(offset, bytes).base == warp.base(data, lane) &&
                      at.region->read(offset, size) == (warp.value(data, lane) & bits);
  }
}

void Machine::store(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const auto size = static_cast<std::uint64_t>(size_of(one));
  const std::size_t parts = one.operands.size() - 1;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const auto found =
        place(warp, one, pc, lane, one.space, one.operands[0], size * parts, size * parts);
    if (!found) return;
    Access access = access_of(warp, one, pc, lane, true);
    describe_store(warp, one, lane, *found, access);
    const bool is_ordered = touch(*found, size * parts, access, warp.viewer(lane));
    if (!is_ordered) note_contended(*found, size * parts);
    check_overwrite(*found, size * parts, at(warp, pc, lane));
    for (std::size_t n = 0; n < parts; ++n) {
      const Operand& data = one.operands[n + 1];
      const Unsure& unsure = warp.unsure(data);
      const std::uint64_t offset = found->offset + n * size, value = warp.value(data, lane);
      const Place part{found->region, found->cta, offset};
      if (one.order != Order::weak)
        combined_[key_of(*found, offset)] = {Word::exch, one.type.kind, one.type.bits};
      if (one.order != Order::weak || flags_.contains({found->region, offset}))
        write_flag(warp, one, lane, part, static_cast<int>(size), value, access,
                   (unsure.lanes >> lane & 1) == 0, warp.base(data, lane));
      else
        overwrite_flags(part, size, warp.clocks.of(lane).order, access);
      found->region->write(offset, static_cast<int>(size), value);
      found->region->hold(offset, size, {warp.base(data, lane), warp.first_thread + lane});
      std::uint32_t why = (unsure.lanes >> lane & 1) != 0 ? unsure.why : 0;
      // Another store may come after it.
      if (why == 0 && !is_ordered && !access.is_again) why = reason(Reason::Kind::flag, pc);
      found->region->set_unsure(offset, static_cast<int>(size), why);
    }
  });
  if (one.order != Order::weak) ++warp.time;
}

// Whether a value that an atomic reads or makes is known.
std::uint32_t Machine::reason_of_change(const Warp& warp, const Instruction& one, std::uint32_t pc,
                                        int lane, const Place& at) {
  for (std::size_t n = one.results + 1U; n < one.operands.size(); ++n)
    if (const Unsure& data = warp.unsure(one.operands[n]); (data.lanes >> lane & 1) != 0)
      return data.why;
  const auto size = static_cast<std::uint64_t>(size_of(one)) * one.vector;
  for (std::uint64_t offset = 0; offset < size; offset += 4)
    if (options_.contended.contains(key_of(at, at.offset + offset)))
      return reason(Reason::Kind::atomic, pc);
  // Sums of floats are not computed.
  return one.type.kind == Type::Kind::float_ ? reason(Reason::Kind::unfollowed, pc) : 0;
}

// Whether the atomics on a word, in no order, leave the same in each order: integers that are all
// added, or all combined in one other way, and no strong store. A load that does not race with them
// comes after the same ones of them in each schedule.
bool Machine::adds_up(const Instruction& one, std::uint64_t key) {
  if (one.type.kind == Type::Kind::float_ || one.vector > 1) return false;
  for (const Word way : {Word::add, Word::and_, Word::or_, Word::xor_, Word::min, Word::max})
    if (one.has(way)) {
      const Combined now{way, one.type.kind, one.type.bits};
      return combined_.emplace(key, now).first->second == now;
    }
  return false;
}

namespace {

// Whether an atomic makes its word of an address and something else.
bool mixes_addresses(const Warp& warp, const Instruction& one, int lane, Base held, Base given) {
  if (one.has(Word::exch)) return false;
  const std::size_t other = one.results + 2U;
  return held != no_base || given != no_base ||
         (one.has(Word::cas) && warp.base(one.operands[other], lane) != no_base);
}

}  // namespace

// Atomics: what they give back is sure where all that others do there comes before or after them.
void Machine::change(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const auto size = static_cast<std::uint64_t>(size_of(one));
  const int bytes = size_of(one);
  const std::uint64_t parts = one.vector;
  const std::size_t in = one.results;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const auto found =
        place(warp, one, pc, lane, one.space, one.operands[in], size * parts, size * parts);
    if (!found) return;
    look_before(warp, one, pc, lane, *found);
    Access access = access_of(warp, one, pc, lane, false);
    bool is_ordered = touch(*found, size * parts, access, warp.viewer(lane));
    access.is_write = true;
    is_ordered = touch(*found, size * parts, access, warp.viewer(lane)) && is_ordered;
    if (!is_ordered) note_contended(*found, size * parts);
    check_overwrite(*found, size * parts, at(warp, pc, lane));
    const std::uint32_t why = reason_of_change(warp, one, pc, lane, *found);
    const bool is_float = one.type.kind == Type::Kind::float_;
    const auto is_atomic = [&](std::uint32_t one) {
      return reasons_[one].kind == Reason::Kind::atomic;
    };
    const auto is_sure_of = [&](std::size_t operand) {
      return (warp.unsure(one.operands[operand]).lanes >> lane & 1) == 0;
    };
    outcome_.has_unfollowed = outcome_.has_unfollowed || is_float;
    for (std::uint64_t n = 0; n < parts; ++n) {
      const Place part{found->region, found->cta, found->offset + n * size};
      const std::uint64_t old = part.region->read(part.offset, bytes);
      const std::uint32_t before = part.region->unsure(part.offset, bytes);
      const HeldAddress held = part.region->held(part.offset, size);
      const std::uint64_t value = warp.value(one.operands[in + 1 + n], lane);
      const std::uint64_t other = one.has(Word::cas) ? warp.value(one.operands[in + 2], lane) : 0;
      const std::uint64_t now = is_float ? 0 : changed(one, old, value, other);
      // An addend that is another atomic's answer is one of several.
      const bool is_sure = is_sure_of(in + 1 + n) && (!one.has(Word::cas) || is_sure_of(in + 2));
      const bool adds =
          is_sure && before == 0 && is_atomic(why) && adds_up(one, key_of(part, part.offset));
      const Base base = warp.base(one.operands[in + 1 + n], lane);
      const bool mixes = mixes_addresses(warp, one, lane, held.base, base);
      const std::uint32_t after = mixes  ? reason(Reason::Kind::address, pc)
                                  : adds ? 0
                                  : why != 0 || one.has(Word::exch) ? why
                                                                    : before;
      const bool is_known = is_sure && !is_float && !mixes && (why == 0 || is_atomic(why)) &&
                            (before == 0 || is_atomic(before));
      write_flag(warp, one, lane, part, bytes, now, access, is_known, base);
      part.region->write(part.offset, bytes, now);
      if (one.has(Word::exch))
        part.region->hold(part.offset, size, {base, warp.first_thread + lane});
      part.region->set_unsure(part.offset, bytes, after);
      if (in == 0) continue;
      const std::uint32_t read = before != 0 ? before : why;
      warp.set_lane(one.operands[n], lane, old);
      warp.set_unsure(one.operands[n], 1U << lane, {read != 0 ? 1U << lane : 0, read});
      warp.set_base(one.operands[n], lane, base_in_thread(held, warp, lane));
    }
  });
  ++warp.time;
}

// What was there is there no more.
void Machine::discard(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const std::uint64_t size = warp.value(one.operands[1], lane);
    const auto found = place(warp, one, pc, lane, one.space, one.operands[0], size, size);
    if (!found) return;
    touch(*found, size, access_of(warp, one, pc, lane, true), warp.viewer(lane));
    found->region->set_unsure(found->offset, static_cast<int>(size),
                              reason(Reason::Kind::unwritten_memory, pc));
  });
}

void Machine::store_matrix(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const int rows = one.has(Word::x4) ? 32 : one.has(Word::x2) ? 16 : 8;
  outcome_.has_unfollowed = true;
  each_lane(lanes, [&](int lane) {
    if (lane >= rows || stopped_) return;
    const auto found = place(warp, one, pc, lane, one.space, one.operands[0], 16, 16);
    if (!found) return;
    touch(*found, 16, access_of(warp, one, pc, lane, true), warp.viewer(lane));
    check_overwrite(*found, 16, at(warp, pc, lane));
    for (std::uint64_t n = 0; n < 16; n += 4)
      found->region->set_unsure(found->offset + n, 4, reason(Reason::Kind::unfollowed, pc));
  });
}

// Row n of matrix m is the 16 bytes that lane 8 m + n names.
void Machine::load_matrix(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const int rows = 8 * one.results;
  each_lane(lanes, [&](int lane) {
    if (lane >= rows || stopped_) return;
    const auto found = place(warp, one, pc, lane, one.space, one.operands[one.results], 16, 16);
    if (found) touch(*found, 16, access_of(warp, one, pc, lane, false), warp.viewer(lane));
  });
  compute_unfollowed(warp, one, pc, lanes);
}

void Machine::convert_address(Warp& warp, const Instruction& one, Mask lanes) {
  const int rank = ctas_[static_cast<std::size_t>(warp.cta)].rank;
  const bool is_shared = one.space == Space::shared || one.space == Space::cluster;
  each_lane(lanes, [&](int lane) {
    std::uint64_t address =
        warp.value(one.operands[1], lane) + static_cast<std::uint64_t>(one.operands[1].offset);
    if (is_shared && one.has(Word::to)) {
      address &= 0xffffffffU;
      if (address >> rank_shift == static_cast<std::uint64_t>(rank) + 1) address &= offset_mask;
    } else if (is_shared) {
      address &= 0xffffffffU;
      if (address >> rank_shift == 0) address = cluster_address(rank, address);
      address |= shared_window;
    } else if (one.space == Space::param || one.space == Space::local) {
      address &= 0xffffffffU;
      if (!one.has(Word::to))
        address |= one.space == Space::param ? parameter_window : local_window;
    }
    warp.set_lane(one.operands[0], lane, address);
  });
  // Generic ones are those of global memory.
  const bool in_space = one.has(Word::to) && one.space != Space::global;
  const LaneBases bases = bases_in_form(warp, one.operands[1], lanes, in_space);
  warp.set_unsure(one.operands[0], lanes, warp.unsure(one.operands[1]));
  warp.set_bases(one.operands[0], lanes, bases);
}

void Machine::execute_memory(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  if (!require_sure(warp, one, pc, lanes)) return;
  switch (one.op) {
    case Op::ld: load(warp, one, pc, lanes); break;
    case Op::st: store(warp, one, pc, lanes); break;
    case Op::atom:
    case Op::red: change(warp, one, pc, lanes); break;
    case Op::discard: discard(warp, one, pc, lanes); break;
    case Op::ld_matrix: load_matrix(warp, one, pc, lanes); break;
    case Op::st_matrix: store_matrix(warp, one, pc, lanes); break;
    case Op::fence:
      if (one.order != Order::release) warp.acquire(lanes, one.scope);
      if (one.order != Order::acquire) warp.release(lanes, one.scope);
      break;
    case Op::fence_proxy:
      warp.fence_proxy(lanes, one.space,
                       launch_.ctas_of_cluster() > 1
                           ? static_cast<Component>(warps_.size() / ctas_.size()) * lanes_of_warp
                           : 0);
      break;
    case Op::fence_init:
      for (const auto& barrier : barriers_)
        each_lane(lanes, [&](int lane) {
          if (barrier->init.component == warp.thread(lane))
            barrier->init_fence = {warp.thread(lane), warp.time};
        });
      ++warp.time;
      break;
    default:
      const LaneBases bases =
          bases_in_form(warp, one.operands[1], lanes, one.space != Space::generic);
      each_lane(lanes, [&](int lane) {
        const auto rank = static_cast<int>(warp.value(one.operands[2], lane));
        if (rank < 0 || rank >= launch_.ctas_of_cluster())
          stop(FindingKind::range, Grade::error, at(warp, pc, lane),
               fmt::format("the cluster has no CTA {}", rank));
        const std::uint64_t offset = warp.value(one.operands[1], lane) & offset_mask;
        const std::uint64_t window = one.space == Space::generic ? shared_window : 0;
        warp.set_lane(one.operands[0], lane, window | cluster_address(rank, offset));
      });
      warp.set_unsure(one.operands[0], lanes, {});
      warp.set_bases(one.operands[0], lanes, bases);
  }
}

}  // namespace phasebit::ptx::run
