#include "core/ptx/run/warp.h"

#include <algorithm>

namespace phasebit::ptx::run {

void Warp::publish(Mask lanes, bool released, Clocks& to, Scope reach) const {
  clocks.look(lanes, [&](const Clocks& known, Mask here) {
    to.order.join(known.order);
    if (released) to.join_memory(known);
    each_lane(here, [&](int lane) {
      to.order.raise(thread(lane), time);
      if (released) to.memory.raise(thread(lane), time);
      for (const OwnClock& own : channels[static_cast<std::size_t>(lane)]) {
        to.order.raise(own.component, own.clock);
        if (released) to.memory.raise(own.component, own.clock);
      }
    });
  });
  if (released) return;
  const Clocks* last = nullptr;
  each_lane(lanes, [&](int lane) {
    const Fenced& ready = fenced[place_of(reach)][static_cast<std::size_t>(lane)];
    if (ready.clocks == nullptr) return;
    if (ready.clocks.get() != last) to.join_memory(*ready.clocks);
    last = ready.clocks.get();
    to.memory.raise(thread(lane), ready.time);
  });
}

Clocks Warp::issued_by(int lane) const {
  Clocks made = clocks.of(lane);
  made.order.raise(thread(lane), time);
  made.memory.raise(thread(lane), time);
  for (const OwnClock& own : channels[static_cast<std::size_t>(lane)]) {
    made.order.raise(own.component, own.clock);
    made.memory.raise(own.component, own.clock);
  }
  return made;
}

void Warp::learn(Mask lanes, const Clocks& from, bool acquires, Scope needed) {
  clocks.each(lanes, [&](Clocks& known, Mask) {
    known.order.join(from.order);
    if (acquires) known.join_memory(from);
  });
  if (acquires) return;
  auto seen = std::make_shared<Clocks>(from);
  Unacquired& all = unacquired[place_of(needed)];
  each_lane(lanes, [&](int lane) {
    std::shared_ptr<Clocks>& kept = all[static_cast<std::size_t>(lane)];
    if (kept != nullptr) {
      kept = std::make_shared<Clocks>(*kept);
      kept->join(from);
    } else {
      kept = seen;
    }
  });
}

void Warp::acquire(Mask lanes, Scope scope) {
  for (std::size_t reach = 0; reach <= place_of(scope); ++reach) {
    Unacquired& all = unacquired[reach];
    each_lane(lanes, [&](int lane) {
      const std::shared_ptr<Clocks> seen = all[static_cast<std::size_t>(lane)];
      if (seen == nullptr) return;
      Mask same = 0;
      each_lane(lanes, [&](int other) {
        std::shared_ptr<Clocks>& kept = all[static_cast<std::size_t>(other)];
        if (kept != seen) return;
        same |= 1U << other;
        kept = nullptr;
      });
      clocks.each(same, [&](Clocks& known, Mask) { known.join_memory(*seen); });
    });
  }
}

void Warp::release(Mask lanes, Scope scope) {
  clocks.look(lanes, [&](const Clocks& known, Mask here) {
    const auto ready = std::make_shared<const Clocks>(known);
    for (std::size_t place = 0; place <= place_of(scope); ++place)
      each_lane(here,
                [&](int lane) { fenced[place][static_cast<std::size_t>(lane)] = {ready, time}; });
  });
  ++time;
}

// ".shared::cta" covers the CTA's own shared memory: what its threads wrote elsewhere it does not,
// what others wrote there it does.
void Warp::fence_proxy(Mask lanes, Space space, Component threads) {
  const auto first = static_cast<Component>(cta) * threads;
  clocks.each(lanes, [&](Clocks& known, Mask here) {
    VectorClock made = known.memory;
    each_lane(here, [&](int lane) {
      made.raise(thread(lane), time);
      for (const OwnClock& own : channels[static_cast<std::size_t>(lane)])
        made.raise(own.component, own.clock);
    });
    const auto seen = [&](Proxied where) -> VectorClock& {
      return known.async[static_cast<std::size_t>(where)];
    };
    if (space == Space::generic || space == Space::global) seen(Proxied::global).join(made);
    if (space == Space::global) return;
    seen(Proxied::own_shared).join(made);
    if (threads == 0) return;
    if (space == Space::shared)
      seen(Proxied::remote_shared).join_outside(made, first, first + threads);
    else
      seen(Proxied::remote_shared).join(made);
  });
  ++time;
}

void Warp::meet(Mask lanes) {
  clocks.unite(lanes);
  clocks.each(lanes, [&](Clocks& known, Mask here) {
    each_lane(here, [&](int lane) {
      known.order.raise(thread(lane), time);
      known.memory.raise(thread(lane), time);
      for (const OwnClock& own : channels[static_cast<std::size_t>(lane)]) {
        known.order.raise(own.component, own.clock);
        known.memory.raise(own.component, own.clock);
      }
    });
  });
  ++time;
}

}  // namespace phasebit::ptx::run
