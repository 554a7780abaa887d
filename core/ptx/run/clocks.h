// Vector clocks: which thread knows of which event. A component is a thread, or the completions of
// an asynchronous channel: an mbarrier's phases, a thread's groups of copies, a warp's groups of
// wgmma. An epoch (c, n) has happened before an event whose clock has at least n at c.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace phasebit::ptx::run {

using Component = std::uint32_t;
inline constexpr Component no_component = 0xffffffffU;

struct Epoch {
  Component component = no_component;
  std::uint32_t clock = 0;
  bool operator==(const Epoch&) const = default;
};

class VectorClock {
 public:
  std::uint32_t of(Component component) const {
    return component < at_.size() ? at_[component] : 0;
  }
  bool knows(const Epoch& epoch) const { return of(epoch.component) >= epoch.clock; }
  void raise(Component component, std::uint32_t clock);
  void join(const VectorClock& other);
  // The same without the components from `first` to before `last`.
  void join_outside(const VectorClock& other, Component first, Component last);
  // All that the other knows, `but` one component.
  bool covers(const VectorClock& other, Component but) const;
  void clear() { at_.clear(); }
  bool is_empty() const { return at_.empty(); }

 private:
  std::vector<std::uint32_t> at_;
};

// What a proxy fence makes visible to copies and wgmma: shared memory that threads of its own CTA
// wrote to, shared memory that those of another CTA did, global memory.
enum class Proxied : std::uint8_t { own_shared, remote_shared, global };

// Three views of one event. `order`: what has run before it whatever the memory model says, by
// which barriers count. `memory`: whose accesses its thread sees. `async`: those of them that a
// proxy fence made visible to the asynchronous proxy, by where they are.
struct Clocks {
  VectorClock order, memory;
  std::array<VectorClock, 3> async;
  const VectorClock& seen(Proxied where) const { return async[static_cast<std::size_t>(where)]; }
  void join(const Clocks& other);
  // All but the order.
  void join_memory(const Clocks& other);
  void clear();
  // Completions of a channel.
  void raise(Component component, std::uint32_t clock);
};

// The clocks of a warp's lanes. Lanes that know the same share one, without what each knows of
// itself: WarpTime says that.
class LaneClocks {
 public:
  LaneClocks() { lanes_[0] = 0xffffffffU; }
  const Clocks& of(int lane) const { return slots_[slot_of_[static_cast<std::size_t>(lane)]]; }

  // Calls visit(clocks, lanes) for each set of lanes of `mask` that share one, which it may change.
  template <typename Visit>
  void each(std::uint32_t mask, const Visit& visit) {
    for (std::size_t slot = 0; slot < lanes_.size() && mask != 0; ++slot) {
      const std::uint32_t here = lanes_[slot] & mask;
      if (here == 0) continue;
      mask &= ~here;
      visit(slots_[here == lanes_[slot] ? slot : split(slot, here)], here);
    }
  }
  // The same for a reader.
  template <typename Visit>
  void look(std::uint32_t mask, const Visit& visit) const {
    for (std::size_t slot = 0; slot < lanes_.size() && mask != 0; ++slot) {
      const std::uint32_t here = lanes_[slot] & mask;
      mask &= ~here;
      if (here != 0) visit(slots_[slot], here);
    }
  }
  // One clock for all of them, which knows what each knew. False: they had one.
  bool unite(std::uint32_t mask);

 private:
  std::size_t split(std::size_t slot, std::uint32_t lanes);

  std::array<std::uint8_t, 32> slot_of_{};
  std::array<std::uint32_t, 32> lanes_{};
  std::array<Clocks, 32> slots_;
};

}  // namespace phasebit::ptx::run
