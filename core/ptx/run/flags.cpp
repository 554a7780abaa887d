// Words that threads poll: who stores to them, and whether a poll waits for one store alone.
#include "core/ptx/run/machine.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace phasebit::ptx::run {

Flag& Machine::flag_of(const Place& at, int size, const Access& access) {
  Flag& flag = flags_[{at.region, at.offset}];
  if (flag.versions.empty()) {
    flag.versions.emplace_back();
    flag.versions.back().value = at.region->read(at.offset, size);
    flag.versions.back().at = {access.pc, -1};
    flag.versions.back().is_known = at.region->unsure(at.offset, size) == 0;
    flag.size = size;
  }
  if (flag.size != size) {
    flag.versions.emplace_back().at = {access.pc, access.thread};
    flag.versions.back().is_known = false;
  }
  return flag;
}

void Machine::read_flag(Warp& warp, const Instruction& one, int lane, const Place& at, int size,
                        const Access& access) {
  Flag& flag = flag_of(at, size, access);
  polled_[warp.first_thread + lane] = {&flag, flag.versions.size() - 1, one.order == Order::acquire,
                                       one.scope == Scope::none ? Scope::gpu : one.scope};
}

// A store that comes neither before nor after a poll may end it, or keep it from its end.
void Machine::check_polls(const Flag& flag, const VectorClock& known, const Epoch& own,
                          RunPlace by) {
  for (const auto& [component, read] : flag.reads)
    if (component != own.component && !known.knows(read.epoch))
      outcome_.unsettled.insert(read.at.pc);
  for (const auto& [component, poll] : flag.polls)
    if (component != own.component && !known.knows(poll.epoch))
      report(FindingKind::decision, Grade::unproved, by,
             "this store may come before a poll of the value before has ended",
             {{poll.at, "the poll"}});
}

// What is stored to words that are polled, but not as they are: by a copy, or in another size.
// Which value a poll then sees is not followed. `same`: the flag that the store is one of.
void Machine::overwrite_flags(const Place& to, std::uint64_t bytes, const VectorClock& known,
                              const Access& access, const Flag* same) {
  constexpr std::uint64_t most = 8;  // bytes of one
  for (auto found = flags_.lower_bound({to.region, to.offset - std::min(to.offset, most - 1)});
       found != flags_.end() && found->first.first == to.region &&
       found->first.second < to.offset + bytes;
       ++found) {
    const std::uint64_t end = found->first.second + static_cast<unsigned>(found->second.size);
    if (&found->second == same || end <= to.offset) continue;
    check_polls(found->second, known, access.epoch, {access.pc, access.thread});
    Flag::Version& version = found->second.versions.emplace_back();
    version.at = {access.pc, access.thread};
    version.is_known = false;
  }
}

void Machine::write_flag(Warp& warp, const Instruction& one, int lane, const Place& place, int size,
                         std::uint64_t value, const Access& access, bool is_known, Base base) {
  Flag& flag = flag_of(place, size, access);
  const VectorClock& known = warp.clocks.of(lane).order;
  check_polls(flag, known, access.epoch, at(warp, access.pc, lane));
  overwrite_flags(place, static_cast<unsigned>(size), known, access, &flag);
  value &= bits_of_bytes(static_cast<std::uint64_t>(size));
  // In whatever order additions come, none but the last makes the sum.
  const bool grows = access.is_atomic && one.has(Word::add) && is_known &&
                     flag.versions.back().is_known && value > flag.versions.back().value;
  for (const auto& [component, last] : flag.writers)
    if (component != access.epoch.component &&
        !known.knows({component, grows ? last.other : last.any}))
      flag.is_contended = true;
  Flag::Writer& own = flag.writers[access.epoch.component];
  own.any = access.epoch.clock;
  if (!grows) own.other = own.any;
  Flag::Version version;
  version.value = value;
  version.is_known = is_known;
  version.base = base;
  version.written = access.epoch;
  version.at = {access.pc, access.thread};
  if (grows) version.added = value - flag.versions.back().value;
  std::erase_if(flag.latest, [&](std::size_t n) {
    Flag::Version& earlier = flag.versions[n];
    const bool is_earlier =
        earlier.written.component == access.epoch.component || known.knows(earlier.written);
    if (is_earlier) earlier.known_by = flag.versions.size();
    return is_earlier;
  });
  flag.latest.push_back(flag.versions.size());
  publish_version(warp, one, lane, flag.versions.back(), own, version);
  flag.versions.push_back(std::move(version));
}

// A thread that reads what an atomic has left reads what the releases before it in its chain have
// left, too, whether it is a release or not; those whose scope holds all of the chain. A strong
// store after a release of the same thread to that word tells what the release did (PTX ISA,
// release pattern).
void Machine::publish_version(const Warp& warp, const Instruction& one, int lane,
                              const Flag::Version& before, Flag::Writer& own,
                              Flag::Version& version) {
  constexpr std::array<Scope, 3> scopes{Scope::cta, Scope::cluster, Scope::gpu};
  const bool releases = one.order == Order::release || one.order == Order::acq_rel;
  const bool is_chain =
      (one.op == Op::atom || one.op == Op::red) && before.published.front() != nullptr;
  const std::size_t reach = place_of(one.scope == Scope::none ? Scope::gpu : one.scope);
  const std::size_t distance =
      is_chain ? place_of(scope_of(warp_of(before.at.thread).cta, warp.cta)) : 0;
  const auto n = static_cast<std::size_t>(lane);
  const bool is_alike = reach == 2 &&
                        (releases || warp.fenced.front()[n] == warp.fenced.back()[n]) &&
                        (!is_chain || before.published.front() == before.published.back()) &&
                        own.released.front() == own.released.back();
  for (std::size_t place = 0; place < scopes.size(); ++place) {
    const std::size_t far = std::max(place, distance);
    Clocks made;
    warp.publish(1U << lane, releases, made, scopes[place]);
    if (place > reach) made = {made.order, {}, {}};
    const bool tells_earlier = place <= reach && !releases && one.order != Order::weak;
    if (tells_earlier && own.released[place] != nullptr) made.join_memory(*own.released[place]);
    if (place <= reach && releases && is_chain)
      own.released[place] = std::make_shared<const Clocks>(made);
    if (is_chain && far <= reach)
      made.join(*before.published[far]);
    else if (is_chain)
      made.order.join(before.published[far]->order);
    version.published[place] = std::make_shared<const Clocks>(std::move(made));
    if (place <= reach && releases && !is_chain) own.released[place] = version.published[place];
    if (!is_alike) continue;
    if (releases) own.released.fill(own.released.front());
    return version.published.fill(version.published.front());
  }
}

// Why it is not one store alone that ends a poll; empty: it is.
std::string Machine::other_end(const RetryLoop& loop, const Wanted& wanted, const Flag& flag,
                               std::size_t seen, RunPlace& other) const {
  if (loop.comparison < 0) return "";  // the branch is a decision
  if (flag.is_contended) return "is stored to by threads in no order";
  const Instruction& setp = program_.code[static_cast<std::size_t>(loop.comparison)];
  const Type type = program_.code[loop.poll].type;
  const auto ends = [&](std::uint64_t stored) {
    const std::uint64_t value = extended(type, stored);
    return (loop.wanted == 2 ? compared(setp, value, wanted.value)
                             : compared(setp, wanted.value, value)) == loop.leaves_when;
  };
  const auto is_same = [&](const Flag::Version& version) {
    return is_same_anywhere(setp, {version.base, wanted.base}, {version.value, wanted.value});
  };
  for (std::size_t n = 0; n < flag.versions.size(); ++n) {
    const Flag::Version& version = flag.versions[n];
    other = version.at;
    if (!version.is_known || !is_same(version)) return "holds what is not known";
    if (n != seen && ends(version.value)) return "holds what it waits for more than once";
    // Additions that nothing comes after may each be the last. Sums without more of them are
    // smaller still, and what compares with a number takes those between two sums.
    const bool is_last = version.known_by == 0 || version.known_by > seen;
    if (n <= seen && is_last && version.added != 0 &&
        ends(flag.versions[seen].value - version.added))
      return "may hold what it waits for without one of the additions to it";
  }
  return "";
}

// A relaxed poll and an acquire of the same word later are an acquire pattern (PTX ISA): what was
// polled synchronises, whatever the acquire reads.
void Machine::look_before(Warp& warp, const Instruction& one, std::uint32_t pc, int lane,
                          const Place& at) {
  const std::uint64_t size = std::uint64_t{one.vector} * static_cast<unsigned>(one.type.bytes());
  note_supposed(at, size, this->at(warp, pc, lane));
  if (one.order != Order::acquire && one.order != Order::acq_rel) return;
  const auto flag = flags_.find({at.region, at.offset});
  if (flag == flags_.end()) return;
  const auto heard = flag->second.heard.find(warp.thread(lane));
  if (heard == flag->second.heard.end()) return;
  const std::size_t reach = place_of(one.scope == Scope::none ? Scope::gpu : one.scope);
  for (std::size_t place = 0; place <= reach; ++place)
    if (const auto told = std::exchange(heard->second[place], nullptr); told != nullptr)
      warp.learn(1U << lane, *told, true);
}

// The lanes have left a poll.
void Machine::end_poll(Warp& warp, const RetryLoop& loop, Mask lanes) {
  const std::uint32_t pc = loop.poll;
  tell(warp, pc, lanes);
  const auto wanted = [&](int lane) -> Wanted {
    if (loop.comparison < 0) return {};
    const Operand& operand =
        program_.code[static_cast<std::size_t>(loop.comparison)].operands[loop.wanted];
    return {warp.value(operand, lane), warp.base(operand, lane)};
  };
  const auto alike = [&](int first, int lane) {
    const Polled &a = polled_[warp.first_thread + first], &b = polled_[warp.first_thread + lane];
    return a.flag == b.flag && a.version == b.version && wanted(first) == wanted(lane);
  };
  each_group(lanes, alike, [&](int first, Mask same) {
    const Polled seen = polled_[warp.first_thread + first];
    if (seen.flag == nullptr) return;
    const Flag::Version& version = seen.flag->versions[seen.version];
    RunPlace other;
    if (const std::string why = other_end(loop, wanted(first), *seen.flag, seen.version, other);
        !why.empty())
      report(FindingKind::decision, Grade::unproved, at(warp, pc, first), "what it polls " + why,
             {{other, "a store to it"}});
    each_lane(same, [&](int lane) {
      seen.flag->polls[warp.thread(lane)] = {{warp.thread(lane), warp.time}, at(warp, pc, lane)};
    });
    const bool is_other = version.at.thread >= 0 &&
                          ctas_[static_cast<std::size_t>(warp_of(version.at.thread).cta)].cluster !=
                              cta_of(warp).cluster;
    if (is_other) other_polled_ = at(warp, pc, first);
    if (is_other && !residency_.limit.empty())
      report(FindingKind::decision, Grade::unsupported, at(warp, pc, first),
             fmt::format("it waits for another CTA, and {} CTAs may not run at once: {}",
                         ctas_.size(), residency_.limit),
             {{version.at, "stores what it waits for"}});
    if (version.published.front() == nullptr) return;
    const Scope needed = scope_of(warp_of(version.at.thread).cta, warp.cta);
    const Clocks& told = *version.published[place_of(needed)];
    Clocks order;
    order.order = told.order;
    const bool reaches = seen.scope >= needed;
    warp.learn(same, reaches ? told : order, seen.acquires || !reaches, needed);
    if (!reaches || seen.acquires) return;
    each_lane(same, [&](int lane) {
      auto& heard = seen.flag->heard[warp.thread(lane)][place_of(needed)];
      if (heard == nullptr) {
        heard = version.published[place_of(needed)];
        return;
      }
      Clocks all = *heard;
      all.join_memory(told);
      heard = std::make_shared<const Clocks>(std::move(all));
    });
  });
}

}  // namespace phasebit::ptx::run
