// What ends later than its instruction: copies, stores and products that are asynchronous. In the
// order that the text says they end at once; a schedule that is drawn ends them at any later time.
#include "core/ptx/run/machine.h"

#include <algorithm>

#include <fmt/format.h>

namespace phasebit::ptx::run {
namespace {

// Products after the last commit are in no group that was waited for.
bool is_any_after(const Warp& warp, std::uint32_t done) {
  const auto is_after = [&](std::uint32_t product) { return product > done; };
  return std::any_of(warp.row_products.begin(), warp.row_products.end(), is_after) ||
         std::any_of(warp.row_reads.begin(), warp.row_reads.end(), is_after);
}

// Which register of an accumulator an operand is, and of which shape and type.
std::uint64_t place_in_product(const Instruction& one, std::size_t operand) {
  return std::uint64_t{one.target} << 32 | std::uint64_t{one.results} << 16 |
         std::uint64_t{one.type.bits} << 8 | (operand + 1);
}

constexpr std::uint64_t copy_grain = 16;

}  // namespace

Component Machine::component_of(Warp::Groups& groups) {
  if (groups.component == no_component) groups.component = new_component();
  return groups.component;
}

// What a thread knows of its own copies, others learn when it publishes.
void Machine::set_channel(Warp& warp, int lane, Component component, std::uint32_t clock) {
  std::vector<OwnClock>& channels = warp.channels[static_cast<std::size_t>(lane)];
  for (OwnClock& own : channels)
    if (own.component == component) {
      own.clock = std::max(own.clock, clock);
      return;
    }
  channels.push_back({component, clock});
}

void Machine::issue(Transfer transfer) {
  if (options_.seed == 0)
    land(transfer);
  else
    pending_.push_back(std::move(transfer));
}

void Machine::land(Transfer& transfer) {
  const Viewer viewer{&transfer.issued, no_component, nullptr};
  Mbarrier* barrier = nullptr;
  if (transfer.barrier >= 0) {
    barrier = barriers_[static_cast<std::size_t>(transfer.barrier)].get();
    transfer.access.epoch = {barrier->component, barrier->phase + 1};
  }
  Access access = transfer.access;
  if (transfer.is_reduction) access.scope = transfer.access.scope = Scope::gpu;
  // A copy onto itself does not race with itself.
  const bool is_onto_itself =
      transfer.from.region == transfer.to.region && transfer.from.offset == transfer.to.offset;
  if (transfer.from.region != nullptr && !is_onto_itself) {
    access.is_write = false;
    if (transfer.source_read.component != no_component)
      access.epoch = {transfer.source_read.component, transfer.source_read.clock};
    touch(transfer.from, transfer.bytes, access, viewer);
  }
  if (access.is_async) note_visit(transfer.from, access.epoch, {access.pc, access.thread});
  access = transfer.access;
  access.is_write = true;
  const bool is_tensor_store = transfer.tile != nullptr && transfer.to.region == nullptr;
  if (is_tensor_store) return land_tile(transfer, access, viewer, true);
  const bool is_out = transfer.to.cta == -1 && transfer.from.region != nullptr;
  access.is_again = is_out && !transfer.is_reduction &&
                    transfer.to.region->holds(*transfer.from.region, transfer.from.offset,
                                              transfer.to.offset, transfer.bytes);
  // Of sums and atomics, the other order gives another answer.
  if (!touch(transfer.to, transfer.bytes, access, viewer))
    note_contended(transfer.to, transfer.bytes);
  if (barrier != nullptr || access.is_async)
    note_visit(transfer.to, access.epoch, {access.pc, access.thread});
  check_overwrite(transfer.to, transfer.bytes, {access.pc, access.thread});
  overwrite_flags(transfer.to, transfer.bytes, transfer.issued.order, access);
  Region& to = *transfer.to.region;
  if (transfer.tile != nullptr) {
    access.is_write = false;
    land_tile(transfer, access, viewer, false);
  } else if (transfer.is_reduction) {
    outcome_.has_unfollowed = true;
    for (std::uint64_t n = 0; n < transfer.bytes; n += 4)
      to.set_unsure(transfer.to.offset + n, 4, reason(Reason::Kind::unfollowed, access.pc));
  } else if (transfer.from.region != nullptr) {
    to.copy_from(*transfer.from.region, transfer.from.offset, transfer.to.offset, transfer.bytes);
  } else {
    for (std::size_t n = 0; n < transfer.words.size(); ++n) {
      to.write(transfer.to.offset + 4 * n, 4, transfer.words[n]);
      to.set_unsure(transfer.to.offset + 4 * n, 4, transfer.unsure[n]);
    }
  }
  if (barrier == nullptr) return;
  barrier->has_bytes = true;
  complete_bytes(*barrier, transfer.issued, {access.pc, access.thread},
                 static_cast<std::int64_t>(transfer.bytes));
}

// "cp.async.cg.shared.global [to], [from], 16, bytes": after `bytes` it writes zeros.
void Machine::copy_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const std::uint64_t size = warp.value(one.operands[2], lane);
    // After the size: how much of it is copied, whether nothing is.
    std::uint64_t kept = size;
    for (std::size_t n = 3; n < one.operands.size(); ++n) {
      const bool is_predicate = one.operands[n].kind == Operand::Kind::predicate;
      if (!is_predicate) kept = std::min(size, warp.value(one.operands[n], lane) & 0xffffffffU);
      if (is_predicate && (warp.mask_of(one.operands[n]) >> lane & 1) != 0) kept = 0;
    }
    const auto to = place(warp, one, pc, lane, Space::shared, one.operands[0], size, size);
    const auto from = to && kept > 0
                          ? place(warp, one, pc, lane, Space::global, one.operands[1], kept, size)
                          : to;
    if (!to || !from) return;
    Warp::Groups& groups = warp.copies[static_cast<std::size_t>(lane)];
    Transfer transfer;
    transfer.to = *to;
    transfer.bytes = size;
    transfer.issued = warp.issued_by(lane);
    transfer.access = access_of(warp, one, pc, lane, true);
    transfer.access.epoch = {component_of(groups), ++groups.issued};
    for (std::uint64_t n = 0; n < size; n += 4) {
      const bool is_kept = n < kept;
      const std::uint32_t bytes = kept - n >= 4 ? ~0U : (1U << (8 * (kept - n))) - 1;
      transfer.words.push_back(
          is_kept ? static_cast<std::uint32_t>(from->region->read(from->offset + n, 4)) & bytes
                  : 0);
      const std::uint32_t why = is_kept ? from->region->unsure(from->offset + n, 4) : 0;
      const bool is_address = is_kept && from->region->held(from->offset + n, 4).base != no_base;
      transfer.unsure.push_back(why == 0 && is_address ? reason(Reason::Kind::address, pc) : why);
    }
    if (kept > 0) {
      Access read = transfer.access;
      read.is_write = false;
      touch(*from, kept, read, {&transfer.issued, no_component, nullptr});
    }
    land(transfer);
  });
}

// An arrival that comes when the thread's copies so far are done.
void Machine::arrive_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[0], one.space);
    if (barrier == nullptr) return;
    const RunPlace here = at(warp, pc, lane);
    check_phase(*barrier, warp, pc, lane, "arrives on");
    Warp::Groups& groups = warp.copies[static_cast<std::size_t>(lane)];
    warp.publish(1U << lane, false, barrier->current);
    if (groups.component != no_component) {
      barrier->current.order.raise(groups.component, groups.issued);
      barrier->current.memory.raise(groups.component, groups.issued);
    }
    const Epoch epoch{warp.thread(lane), warp.time};
    if (!one.has(Word::noinc)) {
      // It raises the count now and lowers it later: both in the phase of an arrival after it.
      barrier->needs_later.push_back({epoch, here});
      return;
    }
    barrier->arrived.push_back({epoch, here});
    barrier->arrivals.join(warp.clocks.of(lane).order);
    barrier->arrivals.raise(epoch.component, epoch.clock);
    if (barrier->pending == 0)
      stop(FindingKind::counts, Grade::error, here,
           fmt::format("one arrival more than barrier {} waits for", name_of(*barrier)));
    else
      --barrier->pending;
    try_complete(*barrier);
  });
  ++warp.time;
}

void Machine::land_groups(std::int32_t thread, std::uint32_t last) {
  for (std::size_t n = 0; n < pending_.size();) {
    Transfer& one = pending_[n];
    const bool is_waited = one.access.thread == thread &&
                           one.source_read.component != no_component &&
                           one.source_read.clock <= last;
    if (!is_waited) {
      ++n;
      continue;
    }
    Transfer landed = std::move(one);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(n));
    land(landed);
  }
}

// Of all groups but the last so many, the thread knows that they are done.
void Machine::end_groups(Warp& warp, const Instruction& one, Mask lanes) {
  const auto end = [&](Warp::Groups& groups, int lane, std::uint64_t left, bool all) {
    if (groups.component == no_component) return;
    if (all) {
      set_channel(warp, lane, groups.component, groups.issued);
    } else if (groups.ends.size() > left) {
      set_channel(warp, lane, groups.component, groups.ends[groups.ends.size() - left - 1]);
    }
  };
  each_lane(lanes, [&](int lane) {
    const auto n = static_cast<std::size_t>(lane);
    const bool all = one.has(Word::all);
    const std::uint64_t left = all ? 0 : warp.value(one.operands[0], lane);
    if (one.op == Op::cp_async_wait) return end(warp.copies[n], lane, left, all);
    if (const auto& ends = warp.bulk_reads[n].ends; ends.size() > left)
      land_groups(warp.first_thread + lane, ends[ends.size() - left - 1]);
    end(warp.bulk_reads[n], lane, left, false);
    if (!one.has(Word::read)) end(warp.bulk_writes[n], lane, left, false);
  });
}

void Machine::copy_bulk(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const std::uint64_t size = warp.value(one.operands[2], lane) & 0xffffffffU;
    if (size == 0 || size % copy_grain != 0)
      return stop(
          FindingKind::range, Grade::error, at(warp, pc, lane),
          fmt::format("a bulk copy of {} bytes: a multiple of {} is possible", size, copy_grain));
    const auto to = place(warp, one, pc, lane, one.space, one.operands[0], size, copy_grain);
    const auto from = place(warp, one, pc, lane, one.source, one.operands[1], size, copy_grain);
    if (!to || !from) return;
    Transfer transfer;
    transfer.from = *from;
    transfer.to = *to;
    transfer.bytes = size;
    transfer.is_reduction = one.has(Word::reduction);
    send(warp, one, pc, lane, std::move(transfer), 3, 4);
  });
}

void Machine::send(Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                   Transfer transfer, std::size_t barrier_operand, std::size_t mask_operand) {
  transfer.issued = warp.issued_by(lane);
  transfer.access = access_of(warp, one, pc, lane, true);
  transfer.access.is_async = true;
  if (one.has(Word::group)) {
    const auto n = static_cast<std::size_t>(lane);
    Warp::Groups &reads = warp.bulk_reads[n], &writes = warp.bulk_writes[n];
    transfer.access.epoch = {component_of(writes), ++writes.issued};
    transfer.source_read = {component_of(reads), ++reads.issued};
    return issue(std::move(transfer));
  }
  Mbarrier* barrier = barrier_at(warp, one, pc, lane, one.operands[barrier_operand], one.space);
  if (barrier == nullptr) return;
  check_init_in_proxy(*barrier, transfer.issued, at(warp, pc, lane));
  if (!one.has(Word::multicast)) {
    // PTX ISA, cp.async.bulk.tensor: the barrier is in the CTA of the destination, as none but
    // .cta_group::2 says otherwise; cp.async.bulk does not say.
    if (barrier->cta != transfer.to.cta)
      return stop(FindingKind::range, one.op == Op::tensor_copy ? Grade::error : Grade::unsupported,
                  at(warp, pc, lane), "a copy to one CTA with the barrier of another");
    transfer.barrier = barrier->number;
    return issue(std::move(transfer));
  }
  const std::uint64_t mask = warp.value(one.operands[mask_operand], lane) & 0xffffU;
  for (const int cta : ctas_of(warp, mask, at(warp, pc, lane))) {
    if (stopped_) return;
    Mbarrier* other = barrier_in(cta, barrier->offset, at(warp, pc, lane));
    if (other == nullptr) return;
    check_init(*other, warp, pc, lane);
    check_init_in_proxy(*other, transfer.issued, at(warp, pc, lane));
    Transfer copy = transfer;
    copy.barrier = other->number;
    copy.to.cta = cta;
    copy.to.region = ctas_[static_cast<std::size_t>(cta)].shared.get();
    issue(std::move(copy));
  }
}

void Machine::store_async(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const auto size = static_cast<std::uint64_t>(one.type.bytes());
  const std::size_t parts = one.operands.size() - 2;
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const std::uint64_t bytes = size * parts;
    const auto to = place(warp, one, pc, lane, one.space, one.operands[0], bytes, bytes);
    Mbarrier* barrier =
        to ? barrier_at(warp, one, pc, lane, one.operands.back(), one.space) : nullptr;
    if (barrier == nullptr) return;
    if (barrier->cta != to->cta)
      return stop(FindingKind::range, Grade::error, at(warp, pc, lane),
                  "st.async to one CTA with the barrier of another");
    Transfer transfer;
    transfer.to = *to;
    transfer.bytes = bytes;
    transfer.barrier = barrier->number;
    transfer.issued = warp.issued_by(lane);
    transfer.access = access_of(warp, one, pc, lane, true);
    for (std::size_t n = 1; n <= parts; ++n) {
      const std::uint64_t value = warp.value(one.operands[n], lane);
      transfer.words.push_back(static_cast<std::uint32_t>(value));
      if (size == 8) transfer.words.push_back(static_cast<std::uint32_t>(value >> 32));
      const Unsure& unsure = warp.unsure(one.operands[n]);
      const std::uint32_t made_of =
          warp.base(one.operands[n], lane) != no_base ? reason(Reason::Kind::address, pc) : 0;
      transfer.unsure.resize(transfer.words.size(),
                             (unsure.lanes >> lane & 1) != 0 ? unsure.why : made_of);
    }
    issue(std::move(transfer));
  });
  ++warp.time;
}

// The answer, 16 bytes, is opaque.
void Machine::ask_for_cluster(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  each_lane(lanes, [&](int lane) {
    if (stopped_) return;
    const auto to =
        place(warp, one, pc, lane, Space::shared, one.operands[0], copy_grain, copy_grain);
    Mbarrier* barrier =
        to ? barrier_at(warp, one, pc, lane, one.operands[1], Space::shared) : nullptr;
    if (barrier == nullptr) return;
    Transfer transfer;
    transfer.to = *to;
    transfer.bytes = copy_grain;
    transfer.barrier = barrier->number;
    transfer.issued = warp.issued_by(lane);
    transfer.access = access_of(warp, one, pc, lane, true);
    transfer.access.is_async = true;
    check_init_in_proxy(*barrier, transfer.issued, at(warp, pc, lane));
    transfer.words.resize(4);
    transfer.unsure.resize(4, reason(Reason::Kind::answer, pc));
    issue(std::move(transfer));
  });
}

// The chunks of 16 bytes that rows of a matrix have in shared memory, K-major (PTX ISA, matrix
// descriptor): a row has two, and eight rows are a core matrix.
void Machine::touch_matrix(Warp& warp, std::uint32_t pc, std::uint64_t descriptor, int first_row,
                           int rows, int row_bytes, const Access& access) {
  const std::uint64_t start = (descriptor & 0x3fff) << 4;
  const std::uint64_t leading = (descriptor >> 16 & 0x3fff) << 4;
  const std::uint64_t stride = (descriptor >> 32 & 0x3fff) << 4;
  const auto swizzle =
      static_cast<unsigned>(descriptor >> 62);  // 0 none, 1 to 3: 128, 64, 32 bytes
  const std::uint64_t width = swizzle == 0 ? 0 : std::uint64_t{256} >> swizzle;
  Place place{cta_of(warp).shared.get(), warp.cta, 0};
  for (int row = first_row; row < first_row + rows; ++row) {
    const auto group = static_cast<std::uint64_t>(row / 8),
               in_group = static_cast<std::uint64_t>(row % 8);
    for (std::uint64_t chunk = 0; chunk < static_cast<std::uint64_t>(row_bytes) / copy_grain;
         ++chunk) {
      place.offset = start + group * stride;
      if (swizzle == 0) {
        place.offset += chunk * leading + in_group * copy_grain;
      } else {
        place.offset += in_group * width + chunk * copy_grain;
        place.offset ^= (place.offset >> 7 & (width / copy_grain - 1)) << 4;
      }
      if (place.offset < reserved_shared_bytes || place.offset + copy_grain > place.region->bytes)
        return stop(FindingKind::bounds, Grade::error, at(warp, pc, 0),
                    fmt::format("the matrix has byte {} of shared memory, which has {}",
                                place.offset - reserved_shared_bytes,
                                place.region->bytes - reserved_shared_bytes));
      touch(place, copy_grain, access, warp.viewer(0));
    }
  }
}

bool Machine::is_known(const Warp& warp, const Operand& operand, std::uint32_t pc) {
  if ((warp.unsure(operand).lanes & 1) == 0) return true;
  report_decision(warp, operand, pc, 1, "the place of a matrix");
  return !stopped_;
}

// Of 16-bit elements (PTX ISA, matrix descriptor): 8 columns of as many bytes of rows as the
// swizzle spans lie together, whatever their order there is; 16 columns are two of them.
void Machine::touch_columns(Warp& warp, std::uint64_t descriptor, int rows, const Access& access) {
  const std::uint64_t start = (descriptor & 0x3fff) << 4;
  const std::uint64_t leading = (descriptor >> 16 & 0x3fff) << 4;
  const std::uint64_t stride = (descriptor >> 32 & 0x3fff) << 4;
  const auto swizzle = static_cast<unsigned>(descriptor >> 62);
  const std::uint64_t width = swizzle == 0 ? copy_grain : std::uint64_t{256} >> swizzle;
  const std::uint64_t size = 8 * width;
  const auto blocks = (static_cast<std::uint64_t>(rows) * 2 + width - 1) / width;
  Place place{cta_of(warp).shared.get(), warp.cta, 0};
  for (std::uint64_t block = 0; block < blocks; ++block)
    for (std::uint64_t columns = 0; columns < 2; ++columns) {
      place.offset = start + block * (swizzle == 0 ? stride : leading) +
                     columns * (swizzle == 0 ? leading : stride);
      if (place.offset < reserved_shared_bytes || place.offset + size > place.region->bytes)
        return stop(FindingKind::bounds, Grade::error, {access.pc, access.thread},
                    fmt::format("the matrix has byte {} of shared memory, which has {}",
                                place.offset - reserved_shared_bytes,
                                place.region->bytes - reserved_shared_bytes));
      touch(place, size, access, warp.viewer(0));
    }
}

// Nothing but the next product of its shape may touch an accumulator before its group has ended,
// and that as its accumulator, each register in its place; nothing may write to a matrix in
// registers (PTX ISA, wgmma.fence).
void Machine::check_accumulators(const Warp& warp, const Instruction& one, std::uint32_t pc) {
  if (one.op == Op::wgmma_wait) return;
  for (std::size_t n = 0; n < one.operands.size(); ++n) {
    const Operand& operand = one.operands[n];
    if (operand.kind != Operand::Kind::row) continue;
    const bool is_written = n < one.results;
    const bool is_next = one.op == Op::wgmma && is_written &&
                         warp.row_places[operand.row] == place_in_product(one, n);
    if (!is_next && warp.row_products[operand.row] > warp.products_done)
      report(FindingKind::race, Grade::error, at(warp, pc, 0),
             one.op == Op::wgmma
                 ? "takes an accumulator of a wgmma that has not ended as another operand, or as "
                   "one of another shape"
                 : "touches an accumulator of wgmma before its group has ended");
    if (is_written && warp.row_reads[operand.row] > warp.products_done)
      report(FindingKind::race, Grade::error, at(warp, pc, 0),
             "writes to a register that wgmma reads before its group has ended");
  }
}

// The components of a warpgroup's warps follow one another, the first is a multiple of four.
Component Machine::products_of(Warp& warp) {
  constexpr Component warps = 4;
  if (warp.products.component == no_component) {
    next_component_ = (next_component_ + warps - 1) / warps * warps;
    Warp* const first = &warp - warp.number % static_cast<int>(warps);
    for (Component n = 0; n < warps; ++n) first[n].products.component = new_component();
  }
  return warp.products.component;
}

void Machine::multiply(Warp& warp, const Instruction& one, std::uint32_t pc, Mask lanes) {
  const bool in_registers = one.has(Word::group);
  const std::size_t in = one.results, b = in + (in_registers ? 4 : 1);
  constexpr int warps_of_group = 4;
  if (warp.number / warps_of_group >= launch_.warps() / warps_of_group)
    return stop(FindingKind::early_exit, Grade::error, at(warp, pc, 0),
                fmt::format("wgmma in a CTA of {} warps: {} run it together", launch_.warps(),
                            warps_of_group));
  // After the scales come flags for matrices that are not K-major: of A, where it is in shared
  // memory, and of B.
  const std::size_t flags = b + 4;
  const auto is_set = [&](std::size_t n) {
    return n < one.operands.size() && warp.value(one.operands[n], 0) != 0;
  };
  const bool a_columns = !in_registers && is_set(flags);
  const bool b_columns = is_set(in_registers ? flags : flags + 1);
  if (!is_known(warp, one.operands[b], pc) ||
      (!in_registers && !is_known(warp, one.operands[in], pc)))
    return;
  constexpr int row_bytes = 32, rows_of_warp = 16;
  Access access = access_of(warp, one, pc, 0, false);
  access.epoch = {products_of(warp), warp.products.issued + 1};
  access.is_async = access.is_group = true;
  if (a_columns)
    touch_columns(warp, warp.value(one.operands[in], 0), 4 * rows_of_warp, access);
  else if (!in_registers)
    touch_matrix(warp, pc, warp.value(one.operands[in], 0), rows_of_warp * (warp.number % 4),
                 rows_of_warp, row_bytes, access);
  if (b_columns)
    touch_columns(warp, warp.value(one.operands[b], 0), static_cast<int>(one.target), access);
  else
    touch_matrix(warp, pc, warp.value(one.operands[b], 0), 0, static_cast<int>(one.target),
                 row_bytes, access);
  compute_unfollowed(warp, one, pc, lanes);
  warp.has_products = true;
  warp.row_products.resize(program_.rows);
  warp.row_reads.resize(program_.rows);
  warp.row_places.resize(program_.rows);
  for (std::size_t n = in; in_registers && n < b; ++n)
    warp.row_reads[one.operands[n].row] = warp.products.issued + 1;
  for (std::size_t n = 0; n < one.results; ++n) {
    warp.row_products[one.operands[n].row] = warp.products.issued + 1;
    warp.row_places[one.operands[n].row] = place_in_product(one, n);
  }
}

Machine::Went Machine::execute_copy(Warp& warp, const Instruction& one, std::uint32_t pc,
                                    Mask lanes) {
  if (one.op == Op::query_cancel) {
    const Unsure unsure = warp.unsure(one.operands[1]);
    each_lane(lanes, [&](int lane) { warp.set_lane(one.operands[0], lane, 0); });
    warp.set_mask(one.operands[0], lanes, 0);
    warp.set_unsure(one.operands[0], lanes, unsure);
    return Went::on;
  }
  if (one.op == Op::tcgen05_mma) {
    multiply_in_tensor_memory(warp, one, pc, lanes);
    return Went::on;
  }
  if (one.op != Op::wgmma && !require_sure(warp, one, pc, lanes)) return Went::on;
  const auto each_groups = [&](std::array<Warp::Groups, lanes_of_warp>& groups) {
    each_lane(lanes, [&](int lane) {
      Warp::Groups& own = groups[static_cast<std::size_t>(lane)];
      own.ends.push_back(own.issued);
    });
  };
  if (one.op >= Op::wgmma && one.op <= Op::wgmma_wait) note_group(warp, pc, pc);
  switch (one.op) {
    case Op::cp_async: copy_async(warp, one, pc, lanes); break;
    case Op::cp_async_commit: each_groups(warp.copies); break;
    case Op::cp_async_arrive: arrive_async(warp, one, pc, lanes); break;
    case Op::bulk_copy: copy_bulk(warp, one, pc, lanes); break;
    case Op::tensor_copy: copy_tensor(warp, one, pc, lanes); break;
    case Op::map_replace: replace_in_map(warp, one, pc, lanes); break;
    case Op::map_publish: return publish_map(warp, one, pc, lanes);
    case Op::bulk_commit:
      each_groups(warp.bulk_reads);
      each_groups(warp.bulk_writes);
      break;
    case Op::cp_async_wait:
    case Op::bulk_wait: end_groups(warp, one, lanes); break;
    case Op::st_async: store_async(warp, one, pc, lanes); break;
    case Op::try_cancel: ask_for_cluster(warp, one, pc, lanes); break;
    case Op::wgmma: multiply(warp, one, pc, lanes); break;
    case Op::wgmma_commit: ++warp.products.issued; break;
    case Op::wgmma_wait: {
      const std::uint64_t left = warp.value(one.operands[0], 0);
      if (warp.products.component == no_component || warp.products.issued <= left) break;
      const auto done = static_cast<std::uint32_t>(warp.products.issued - left);
      warp.products_done = done;
      warp.has_products = left > 0 || is_any_after(warp, done);
      warp.clocks.each(lanes,
                       [&](Clocks& known, Mask) { known.raise(warp.products.component, done); });
      break;
    }
    case Op::tcgen05_alloc:
    case Op::tcgen05_dealloc: allocate_columns(warp, one, pc, lanes); break;
    case Op::tcgen05_relinquish: cta_of(warp).has_relinquished = true; break;
    case Op::tcgen05_commit: commit_tensor_memory(warp, one, pc, lanes); break;
    default: break;
  }
  return Went::on;
}

}  // namespace phasebit::ptx::run
