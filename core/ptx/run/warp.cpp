#include "core/ptx/run/warp.h"

#include <algorithm>

namespace phasebit::ptx::run {

void Warp::publish(Mask lanes, bool released, Clocks& to, Scope reach) {
  clocks.look(lanes, [&](const Clocks& known, Mask here) {
    to.order.join(known.order);
    if (released) {
      to.memory.join(known.memory);
      to.async.join(known.async);
    }
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
    const Fenced& ready = fenced[static_cast<std::size_t>(lane)];
    if (ready.clocks == nullptr || ready.scope < reach) return;
    if (ready.clocks.get() != last) {
      to.memory.join(ready.clocks->memory);
      to.async.join(ready.clocks->async);
    }
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

void Warp::learn(Mask lanes, const Clocks& from, bool acquires) {
  clocks.each(lanes, [&](Clocks& known, Mask) {
    known.order.join(from.order);
    if (!acquires) return;
    known.memory.join(from.memory);
    known.async.join(from.async);
  });
  if (acquires) return;
  auto seen = std::make_shared<Clocks>(from);
  each_lane(lanes, [&](int lane) {
    std::shared_ptr<Clocks>& kept = unacquired[static_cast<std::size_t>(lane)];
    if (kept != nullptr) {
      kept = std::make_shared<Clocks>(*kept);
      kept->join(from);
    } else {
      kept = seen;
    }
  });
}

void Warp::acquire(Mask lanes) {
  each_lane(lanes, [&](int lane) {
    const std::shared_ptr<Clocks> seen = unacquired[static_cast<std::size_t>(lane)];
    if (seen == nullptr) return;
    Mask same = 0;
    each_lane(lanes, [&](int other) {
      std::shared_ptr<Clocks>& kept = unacquired[static_cast<std::size_t>(other)];
      if (kept != seen) return;
      same |= 1U << other;
      kept = nullptr;
    });
    clocks.each(same, [&](Clocks& known, Mask) {
      known.memory.join(seen->memory);
      known.async.join(seen->async);
    });
  });
}

void Warp::release(Mask lanes, Scope scope) {
  clocks.look(lanes, [&](const Clocks& known, Mask here) {
    const auto ready = std::make_shared<const Clocks>(known);
    each_lane(here,
              [&](int lane) { fenced[static_cast<std::size_t>(lane)] = {ready, time, scope}; });
  });
  ++time;
}

void Warp::fence_proxy(Mask lanes) {
  clocks.each(lanes, [&](Clocks& known, Mask here) {
    known.async.join(known.memory);
    each_lane(here, [&](int lane) {
      known.async.raise(thread(lane), time);
      for (const OwnClock& own : channels[static_cast<std::size_t>(lane)])
        known.async.raise(own.component, own.clock);
    });
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
