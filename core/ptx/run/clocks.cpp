#include "core/ptx/run/clocks.h"

#include <algorithm>
#include <bit>

namespace phasebit::ptx::run {

void VectorClock::raise(Component component, std::uint32_t clock) {
  if (component >= at_.size()) at_.resize(component + 1);
  at_[component] = std::max(at_[component], clock);
}

void VectorClock::join(const VectorClock& other) {
  if (other.at_.size() > at_.size()) at_.resize(other.at_.size());
  const std::uint32_t* from = other.at_.data();
  std::uint32_t* to = at_.data();
  for (std::size_t n = 0; n < other.at_.size(); ++n) to[n] = std::max(to[n], from[n]);
}

void VectorClock::join_outside(const VectorClock& other, Component first, Component last) {
  for (std::size_t n = 0; n < other.at_.size(); ++n)
    if ((n < first || n >= last) && other.at_[n] > 0)
      raise(static_cast<Component>(n), other.at_[n]);
}

bool VectorClock::covers(const VectorClock& other, Component but) const {
  for (std::size_t n = 0; n < other.at_.size(); ++n)
    if (n != but && other.at_[n] > of(static_cast<Component>(n))) return false;
  return true;
}

void Clocks::join(const Clocks& other) {
  order.join(other.order);
  join_memory(other);
}

void Clocks::join_memory(const Clocks& other) {
  memory.join(other.memory);
  for (std::size_t n = 0; n < async.size(); ++n) async[n].join(other.async[n]);
}

void Clocks::clear() {
  order.clear();
  memory.clear();
  for (VectorClock& one : async) one.clear();
}

void Clocks::raise(Component component, std::uint32_t clock) {
  order.raise(component, clock);
  memory.raise(component, clock);
}

std::size_t LaneClocks::split(std::size_t slot, std::uint32_t lanes) {
  const auto free = std::find(lanes_.begin(), lanes_.end(), 0U);
  const auto made = static_cast<std::size_t>(free - lanes_.begin());
  slots_[made] = slots_[slot];
  lanes_[slot] &= ~lanes;
  lanes_[made] = lanes;
  for (; lanes != 0; lanes &= lanes - 1)
    slot_of_[static_cast<std::size_t>(std::countr_zero(lanes))] = static_cast<std::uint8_t>(made);
  return made;
}

bool LaneClocks::unite(std::uint32_t mask) {
  if (mask == 0) return false;
  const std::size_t first = slot_of_[static_cast<std::size_t>(std::countr_zero(mask))];
  if ((lanes_[first] & mask) == mask) return false;
  const std::size_t made =
      lanes_[first] == (lanes_[first] & mask) ? first : split(first, lanes_[first] & mask);
  for (std::size_t slot = 0; slot < lanes_.size(); ++slot) {
    const std::uint32_t here = lanes_[slot] & mask;
    if (slot == made || here == 0) continue;
    slots_[made].join(slots_[slot]);
    lanes_[slot] &= ~here;
    lanes_[made] |= here;
  }
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
    slot_of_[static_cast<std::size_t>(std::countr_zero(rest))] = static_cast<std::uint8_t>(made);
  return true;
}

}  // namespace phasebit::ptx::run
