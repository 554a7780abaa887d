#include "core/ptx/run/memory.h"

#include <algorithm>
#include <bit>

namespace phasebit::ptx::run {

// Morally strong (PTX ISA, memory consistency model): each has a scope that the other is in, and
// they overlap completely.
bool Region::are_strong(const Access& one, const Access& other) const {
  if (one.width != other.width) return false;
  const Scope least = std::min(one.scope, other.scope);
  if (least == Scope::none || least >= Scope::gpu) return least != Scope::none;
  const int first = one.thread / threads, second = other.thread / threads;
  if (least == Scope::cta) return first == second;
  return first / ctas_of_cluster == second / ctas_of_cluster;
}

Ordering Region::ordering(const Access& earlier, const Access& later, const Viewer& viewer) const {
  if (earlier.epoch.component == no_component || (earlier.bytes & later.bytes) == 0)
    return Ordering::full;
  if (!earlier.is_write && !later.is_write) return Ordering::full;
  const bool knows = viewer.knows(earlier.epoch);
  if (are_strong(earlier, later)) {
    const bool tells = !knows && (earlier.is_write || earlier.is_atomic);
    return tells ? Ordering::strong : Ordering::full;
  }
  if (!knows) {
    if (earlier.is_write && later.is_write && later.is_again) return Ordering::full;
    const bool is_one_store = earlier.is_write && later.is_write && later.is_opaque &&
                              earlier.pc == later.pc && earlier.epoch.clock == later.epoch.clock &&
                              earlier.thread / lanes_of_warp == later.thread / lanes_of_warp;
    if (earlier.is_group && viewer.knows_of_group(earlier.epoch)) return Ordering::other_warp;
    return is_one_store ? Ordering::one_store : Ordering::none;
  }
  if (earlier.is_async) return Ordering::full;
  if (!later.is_async) {
    const int from = earlier.thread / threads, to = later.thread / threads;
    const bool is_told = viewer.is_weak && earlier.is_write && !later.is_write && from != to &&
                         from / ctas_of_cluster == to / ctas_of_cluster;
    return is_told ? Ordering::weak : Ordering::full;
  }
  const Proxied where = cta < 0                           ? Proxied::global
                        : earlier.thread / threads == cta ? Proxied::own_shared
                                                          : Proxied::remote_shared;
  if (viewer.clocks->seen(where).knows(earlier.epoch)) return Ordering::full;
  return earlier.is_write ? Ordering::not_in_proxy : Ordering::read_not_in_proxy;
}

bool Viewer::knows(const Epoch& epoch) const {
  if (epoch.component == thread || clocks->memory.knows(epoch)) return true;
  if (channels != nullptr)
    for (const OwnClock& own : *channels)
      if (own.component == epoch.component) return own.clock >= epoch.clock;
  return false;
}

bool Viewer::knows_of_group(const Epoch& epoch) const {
  constexpr Component warps_of_group = 4;
  const Component first = epoch.component / warps_of_group * warps_of_group;
  for (Component one = first; one < first + warps_of_group; ++one)
    if (knows({one, epoch.clock})) return true;
  return false;
}

Region::Region(std::string name, std::uint64_t base, std::uint64_t bytes,
               const std::vector<std::uint32_t>* initial)
    : name(std::move(name)),
      base(base),
      bytes(bytes),
      initial_(initial),
      pages_(static_cast<std::size_t>(bytes / 4 / page + 1)) {}

std::uint32_t Region::initial_word(std::uint64_t index) const {
  return initial_ == nullptr || index >= initial_->size() ? 0 : (*initial_)[index];
}

Region::Word& Region::word(std::uint64_t index) {
  std::unique_ptr<Page>& at = pages_[index / page];
  if (at == nullptr) {
    at = std::make_unique<Page>();
    for (std::uint64_t n = 0; n < page && initial_ != nullptr; ++n)
      (*at)[n].value = initial_word(index / page * page + n);
    for (std::uint64_t n = 0; n < page && initial_unsure != 0; ++n) {
      (*at)[n].unsure = initial_why(index / page * page + n);
      (*at)[n].unsure_bytes = (*at)[n].unsure != 0 ? 0xf : 0;
    }
  }
  return (*at)[index % page];
}

const Region::Word* Region::known_word(std::uint64_t index) const {
  const std::unique_ptr<Page>& at = pages_[index / page];
  return at == nullptr ? nullptr : &(*at)[index % page];
}

std::uint64_t Region::read(std::uint64_t offset, int size) const {
  const auto value_at = [&](std::uint64_t index) -> std::uint64_t {
    const Word* found = known_word(index);
    return found == nullptr ? initial_word(index) : found->value;
  };
  const std::uint64_t index = offset / 4;
  if (size == 8) return value_at(index) | value_at(index + 1) << 32;
  const std::uint64_t shifted = value_at(index) >> (8 * (offset % 4));
  return size == 4 ? shifted : shifted & ((std::uint64_t{1} << (8 * size)) - 1);
}

HeldAddress Region::held(std::uint64_t offset, std::uint64_t size) const {
  if (held_.empty()) return {};
  const std::uint64_t index = offset / 4;
  const auto part_at = [&](std::uint64_t word) {
    const auto found = held_.find(word);
    return found == held_.end() ? HeldPart() : found->second;
  };
  const HeldPart first = part_at(index), second = size > 4 ? part_at(index + 1) : HeldPart();
  const bool is_whole = size == 4
                            ? first.part == Part::whole
                            : size == 8 && first.part == Part::low && second.part == Part::high &&
                                  first.address.base == second.address.base;
  if (is_whole) return first.address;
  const bool is_number =
      first.address.base == no_base && (size <= 4 || second.address.base == no_base);
  return {is_number ? no_base : made_of_address, first.address.thread};
}

void Region::hold(std::uint64_t offset, std::uint64_t size, HeldAddress address) {
  if (address.base == no_base) return;
  const std::uint64_t index = offset / 4;
  held_[index] = {address, size == 8 ? Part::low : size == 4 ? Part::whole : Part::other};
  if (size == 8) held_[index + 1] = {address, Part::high};
}

// A word of which a part is left is made of what it was.
void Region::forget_address(std::uint64_t index, std::uint64_t size) {
  if (size >= 4) {
    held_.erase(index);
    if (size == 8) held_.erase(index + 1);
  } else if (const auto found = held_.find(index); found != held_.end()) {
    found->second.part = Part::other;
  }
}

void Region::write(std::uint64_t offset, int size, std::uint64_t value) {
  const std::uint64_t index = offset / 4;
  if (!held_.empty()) forget_address(index, static_cast<std::uint64_t>(size));
  if (size >= 4) {
    word(index).value = static_cast<std::uint32_t>(value);
    if (size == 8) word(index + 1).value = static_cast<std::uint32_t>(value >> 32);
    return;
  }
  const auto shift = static_cast<unsigned>(8 * (offset % 4));
  const std::uint32_t mask = ((1U << (8 * size)) - 1) << shift;
  std::uint32_t& to = word(index).value;
  to = (to & ~mask) | (static_cast<std::uint32_t>(value << shift) & mask);
}

void Region::copy_from(const Region& from, std::uint64_t source, std::uint64_t to,
                       std::uint64_t size) {
  for (std::uint64_t done = 0; done < size; done += 4) {
    const Word* found = from.known_word((source + done) / 4);
    Word& made = word((to + done) / 4);
    made.value = found == nullptr ? from.initial_word((source + done) / 4) : found->value;
    made.unsure = found == nullptr ? from.initial_why((source + done) / 4) : found->unsure;
    made.unsure_bytes = found != nullptr ? found->unsure_bytes : made.unsure == 0 ? 0 : 0xf;
    if (!held_.empty()) held_.erase((to + done) / 4);
    if (from.held_.empty()) continue;
    if (const auto held = from.held_.find((source + done) / 4); held != from.held_.end())
      held_[(to + done) / 4] = HeldPart(held->second);
  }
}

bool Region::holds(const Region& from, std::uint64_t source, std::uint64_t to,
                   std::uint64_t size) const {
  if ((source | to | size) % 4 != 0) return false;
  for (std::uint64_t done = 0; done < size; done += 4)
    if (read(to + done, 4) != from.read(source + done, 4) || unsure(to + done, 4) != 0 ||
        from.unsure(source + done, 4) != 0)
      return false;
  return true;
}

namespace {

// Those bytes of a word, of an access of `size` bytes.
std::uint8_t bytes_of_word(std::uint64_t offset, std::uint64_t size) {
  if (size >= 4) return 0xf;
  return static_cast<std::uint8_t>(((1U << size) - 1) << (offset % 4));
}

}  // namespace

std::uint32_t Region::unsure(std::uint64_t offset, int size) const {
  const std::uint8_t bytes = bytes_of_word(offset, static_cast<std::uint64_t>(size));
  for (std::uint64_t index = offset / 4; index * 4 < offset + static_cast<std::uint64_t>(size);
       ++index) {
    const Word* found = known_word(index);
    if (found == nullptr && initial_why(index) != 0) return initial_unsure;
    if (found != nullptr && (found->unsure_bytes & bytes) != 0) return found->unsure;
  }
  return 0;
}

void Region::set_unsure(std::uint64_t offset, int size, std::uint32_t why) {
  const std::uint8_t bytes = bytes_of_word(offset, static_cast<std::uint64_t>(size));
  for (std::uint64_t index = offset / 4; index * 4 < offset + static_cast<std::uint64_t>(size);
       ++index) {
    Word& here = word(index);
    if (why != 0) here.unsure = why;
    here.unsure_bytes = static_cast<std::uint8_t>(why != 0 ? here.unsure_bytes | bytes
                                                           : here.unsure_bytes & ~bytes);
  }
}

bool Region::is_written(std::uint64_t offset, std::uint64_t size) const {
  for (std::uint64_t index = offset / 4; index * 4 < offset + size; ++index)
    if (const Word* found = known_word(index);
        found != nullptr && found->write.epoch.component != no_component)
      return true;
  return false;
}

const Access* Region::conflict(const Word& word, const Access& access, const Viewer& viewer,
                               Ordering& is) const {
  const Access* found = nullptr;
  is = Ordering::full;
  // Whichever of two such stores comes first, the same is there after both.
  const bool only_reads = access.is_again && !access.is_async && access.scope == Scope::none;
  const auto weigh = [&](const Access& earlier, const Access& later) {
    const Ordering one = ordering(earlier, later, viewer);
    if (one <= is) return;
    found = &earlier;
    is = one;
  };
  const auto look = [&](const Access& earlier) {
    if (!only_reads || !earlier.is_write) weigh(earlier, access);
  };
  look(word.write);
  if (access.is_write) look(word.read);
  for (const Access& earlier : more_[word.more]) look(earlier);
  if (!access.is_again || viewer.knows(word.write.epoch)) return found;
  // Another store of the same value does not race, but what was there before them may.
  Access other = access;
  other.is_again = false;
  weigh(word.past_write, other);
  weigh(word.past_read, other);
  for (const Access& earlier : more_[word.past]) weigh(earlier, other);
  return found;
}

void Region::note(Word& word, const Access& access, const Viewer& viewer) {
  const bool is_whole =
      access.is_write && access.scope == Scope::none && access.bytes == 0xf && !access.is_again;
  if (is_whole) {
    word.past_write = word.write;
    word.past_read = word.read;
    if (word.more != 0 || word.past != 0) {
      std::vector<Access> more = more_[word.more];
      more_for(word.past) = std::move(more);
    }
  }
  // That a thread has read it matters to the next copy, which may come without a proxy fence.
  const auto hides = [&](const Access& one) {
    return !access.is_write && access.is_async && !one.is_async;
  };
  Access& last = access.is_write ? word.write : word.read;
  const bool replaces = last.epoch.component == no_component ||
                        ((last.bytes & ~access.bytes) == 0 && viewer.knows(last.epoch) &&
                         access.scope <= last.scope && !hides(last));
  if (!replaces) {
    std::vector<Access>& more = more_for(word.more);
    // Now and then, as many may store the same: those that this one comes after.
    if (std::has_single_bit(more.size()))
      std::erase_if(more, [&](const Access& one) {
        return one.is_write == access.is_write && access.scope <= one.scope &&
               (one.bytes & ~access.bytes) == 0 && viewer.knows(one.epoch) && !hides(one);
      });
    more.push_back(last);
  }
  last = access;
  if (!is_whole) return;
  // All of the word is new: what conflicts with what was before conflicts with this write, too.
  if (viewer.knows(word.read.epoch)) word.read.epoch.component = no_component;
  if (word.more != 0)
    std::erase_if(more_[word.more], [&](const Access& one) { return viewer.knows(one.epoch); });
}

std::vector<Access>& Region::more_for(std::uint32_t& list) {
  if (list == 0) {
    list = static_cast<std::uint32_t>(more_.size());
    more_.emplace_back();
  }
  return more_[list];
}

std::optional<Conflict> Region::touch(std::uint64_t offset, std::uint64_t size, Access access,
                                      const Viewer& viewer) {
  std::optional<Conflict> found;
  const std::uint64_t first = offset / 4, end = offset + size;
  Shadow before, after;
  for (std::uint64_t index = first; index * 4 < end; ++index) {
    access.bytes = bytes_of_word(offset, size);
    Word& here = word(index);
    // A word with the past of its neighbour has its future.
    if (index > first && here == before && more_[here.more] == more_before_ &&
        more_[here.past] == past_before_) {
      static_cast<Shadow&>(here) = after;
      if (here.more != 0 || !more_after_.empty()) more_for(here.more) = more_after_;
      if (here.past != 0 || !past_after_.empty()) more_for(here.past) = past_after_;
      continue;
    }
    if (size > 4) {
      before = here;
      more_before_ = more_[here.more];
      past_before_ = more_[here.past];
    }
    Ordering is = Ordering::full;
    const Access* earlier = conflict(here, access, viewer, is);
    if (earlier != nullptr && (!found || found->is < is))
      found = Conflict{*earlier, access, index * 4, is};
    note(here, access, viewer);
    if (size > 4) {
      after = here;
      more_after_ = more_[here.more];
      past_after_ = more_[here.past];
    }
  }
  return found;
}

}  // namespace phasebit::ptx::run
