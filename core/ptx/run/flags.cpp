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

// A store that comes neither before nor after a poll may end it, or keep it from its end. An
// addition that comes after all that a count waits for does neither.
void Machine::check_polls(const Flag& flag, const VectorClock& known, const Epoch& own, RunPlace by,
                          std::size_t after) {
  for (const auto& [component, read] : flag.reads)
    if (component != own.component && !known.knows(read.epoch))
      outcome_.unsettled.insert(read.at.pc);
  for (const auto& [component, poll] : flag.polls) {
    if (component == own.component || known.knows(poll.epoch)) continue;
    const auto counted = flag.counted.find(component);
    if (counted == flag.counted.end() || after < counted->second)
      report(FindingKind::decision, Grade::unproved, by,
             "this store may come before a poll of the value before has ended",
             {{poll.at, "the poll"}});
  }
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
  const auto is_before = [&](const Flag::Version& one) {
    return one.written.component == access.epoch.component || known.knows(one.written);
  };
  while (own.after + 1 < flag.versions.size() && is_before(flag.versions[own.after + 1]))
    ++own.after;
  check_polls(flag, known, access.epoch, at(warp, access.pc, lane), grows ? own.after : 0);
  own.any = access.epoch.clock;
  if (!grows) own.other = own.any;
  Flag::Version version;
  version.value = value;
  version.is_known = is_known;
  version.base = base;
  version.written = access.epoch;
  version.at = {access.pc, access.thread};
  if (grows) version.added = value - flag.versions.back().value;
  version.after = own.after;
  version.is_addition = grows && (one.scope == Scope::none || one.scope >= Scope::gpu);
  std::erase_if(flag.latest, [&](std::size_t n) {
    Flag::Version& earlier = flag.versions[n];
    const bool is_earlier = is_before(earlier);
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
  version.is_chain = is_chain;
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

bool Machine::ends(const RetryLoop& loop, const Wanted& wanted, std::uint64_t stored) const {
  const Instruction& setp = program_.code[static_cast<std::size_t>(loop.comparison)];
  const std::uint64_t value = extended(program_.code[loop.poll].type, stored);
  return (loop.wanted == 2 ? compared(setp, value, wanted.value)
                           : compared(setp, wanted.value, value)) == loop.leaves_when;
}

// A poll by < or >= of a word that only grows: the version by which it must have ended. Each of the
// additions up to there is needed, and each later one comes after all of them: so whatever sum it
// reads, they have been. 0: there is no such one.
std::size_t Machine::counted_end(const RetryLoop& loop, const Wanted& wanted,
                                 const Flag& flag) const {
  if (loop.comparison < 0 || flag.is_contended || wanted.base != no_base) return 0;
  const Instruction& setp = program_.code[static_cast<std::size_t>(loop.comparison)];
  const Type type = program_.code[loop.poll].type;
  const std::uint64_t most = flag.versions.back().value;
  const bool is_by_order = !setp.has(Word::eq) && !setp.has(Word::ne);
  if (!is_by_order || setp.type.kind == Type::Kind::float_ || setp.type.bits != type.bits ||
      (most >> (type.bits - 1)) != 0 || !flag.versions.front().is_known ||
      ends(loop, wanted, flag.versions.front().value))
    return 0;
  std::size_t end = 0;
  for (std::size_t n = 1; n < flag.versions.size(); ++n) {
    const Flag::Version& one = flag.versions[n];
    if (!one.is_known || !one.is_addition || (end != 0 && one.after < end)) return 0;
    if (end == 0 && ends(loop, wanted, one.value)) end = n;
  }
  for (std::size_t n = 1; n <= end; ++n)
    if (ends(loop, wanted, flag.versions[end].value - flag.versions[n].added)) return 0;
  return end;
}

// Why it is not one store alone that ends a poll; empty: it is.
std::string Machine::other_end(const RetryLoop& loop, const Wanted& wanted, const Flag& flag,
                               std::size_t seen, RunPlace& other) const {
  if (loop.comparison < 0) return "";  // the branch is a decision
  if (flag.is_contended) return "is stored to by threads in no order";
  const Instruction& setp = program_.code[static_cast<std::size_t>(loop.comparison)];
  const auto is_same = [&](const Flag::Version& version) {
    return is_same_anywhere(setp, {version.base, wanted.base}, {version.value, wanted.value});
  };
  for (std::size_t n = 0; n < flag.versions.size(); ++n) {
    const Flag::Version& version = flag.versions[n];
    other = version.at;
    if (!version.is_known || !is_same(version)) return "holds what is not known";
    if (n != seen && ends(loop, wanted, version.value))
      return "holds what it waits for more than once";
    // Additions that nothing comes after may each be the last. Sums without more of them are
    // smaller still, and what compares with a number takes those between two sums.
    const bool is_last = version.known_by == 0 || version.known_by > seen;
    if (n <= seen && is_last && version.added != 0 &&
        ends(loop, wanted, flag.versions[seen].value - version.added))
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
    Polled seen = polled_[warp.first_thread + first];
    if (seen.flag == nullptr) return;
    const std::size_t counted = counted_end(loop, wanted(first), *seen.flag);
    if (counted != 0) seen.version = counted;
    const Flag::Version& version = seen.flag->versions[seen.version];
    RunPlace other;
    const std::string why =
        counted != 0 ? "" : other_end(loop, wanted(first), *seen.flag, seen.version, other);
    if (!why.empty())
      report(FindingKind::decision, Grade::unproved, at(warp, pc, first), "what it polls " + why,
             {{other, "a store to it"}});
    each_lane(same, [&](int lane) {
      seen.flag->polls[warp.thread(lane)] = {{warp.thread(lane), warp.time}, at(warp, pc, lane)};
      if (counted != 0)
        seen.flag->counted[warp.thread(lane)] = counted;
      else
        seen.flag->counted.erase(warp.thread(lane));
    });
    const auto [needed, is_other] = writers_of(*seen.flag, seen.version, warp);
    if (is_other) other_polled_ = at(warp, pc, first);
    if (is_other && !residency_.limit.empty())
      report(FindingKind::decision, Grade::unsupported, at(warp, pc, first),
             fmt::format("it waits for another CTA, and {} CTAs may not run at once: {}",
                         ctas_.size(), residency_.limit),
             {{version.at, "stores what it waits for"}});
    if (version.published.front() == nullptr) return;
    hear(warp, seen, same, needed);
  });
}

// The greatest scope that the poller shares with one of those whose stores it may wait for: all of
// a chain of atomics up to a version. And whether one of them is in another cluster.
std::pair<Scope, bool> Machine::writers_of(const Flag& flag, std::size_t version,
                                           const Warp& warp) const {
  Scope needed = Scope::cta;
  const int cluster = ctas_[static_cast<std::size_t>(warp.cta)].cluster;
  bool is_other = false;
  for (std::size_t n = version;; --n) {
    const Flag::Version& one = flag.versions[n];
    if (one.at.thread >= 0) {
      const int cta = warps_[static_cast<std::size_t>(one.at.thread / lanes_of_warp)].cta;
      needed = std::max(needed, scope_of(cta, warp.cta));
      is_other = is_other || ctas_[static_cast<std::size_t>(cta)].cluster != cluster;
    }
    if (!one.is_chain) return {needed, is_other};
  }
}

// Lanes learn what the version tells that they have polled.
void Machine::hear(Warp& warp, const Polled& seen, Mask lanes, Scope needed) {
  const auto& published = seen.flag->versions[seen.version].published[place_of(needed)];
  const Clocks& told = *published;
  Clocks order;
  order.order = told.order;
  const bool reaches = seen.scope >= needed;
  warp.learn(lanes, reaches ? told : order, seen.acquires || !reaches, needed);
  if (!reaches || seen.acquires) return;
  each_lane(lanes, [&](int lane) {
    auto& heard = seen.flag->heard[warp.thread(lane)][place_of(needed)];
    if (heard == nullptr) {
      heard = published;
      return;
    }
    Clocks all = *heard;
    all.join_memory(told);
    heard = std::make_shared<const Clocks>(std::move(all));
  });
}

}  // namespace phasebit::ptx::run
