// A device without a GPU, for tests: it does what a right kernel of the bundle would do, or what
// fake.json in the bundle says instead.
//
// fake.json: {"device": {"name", "sm", "multiprocessors", "error", "busy", "max_cluster",
//                        "refused_map", "passes", "no_counters", "counted_fault"},
//             "kernels": {ENTRY: {"cycles", "intercept", "noise", "hang", "die", "launch_error",
//                                 "by_first_warp", "fault", "faulty_launches", "at", "timer_step",
//                                 "throttled", "readings", "reading_noise"}}}
// cycles: of an item; noise: launches differ by up to so many cycles; by_first_warp: more cycles an
// item for each; fault: one of wrong_checksum, no_checksum, wrong_stored, wrong_items, no_record,
// wrong_role, wrong_phase, bad_status, no_ticket, no_load, backwards, other_sm, report, crumbs
// (both of a guarded kernel: what it leaves in its block; with crumbs it never ends); readings: of
// an item; at: the thread it happens to. passes: that counters need; no_counters: why there are
// none; counted_fault: the fault of launches that are counted. hang: the launch never ends; die:
// the process ends.
#pragma once

#include "bench/device/device.h"

namespace phasebit::test {

Result<std::unique_ptr<bench::device::Device>> open_fake_device(
    const bench::device::DeviceRequest& request);

}  // namespace phasebit::test
