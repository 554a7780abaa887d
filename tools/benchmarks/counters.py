"""Bytes that memory and L2 delivered to streams, by hardware counters, next to those they read.

Usage: counters.py PHASEBIT_BENCH BUNDLE [ARGUMENTS OF PHASEBIT_BENCH...]; on a GPU machine with
Nsight Compute (`ncu`), where the counters may be read. All streams of the bundle are counted:
`phasebit pack --variants specs/counted.txt -t sm_90a -o counted` makes one. Clocks stay as they are
and caches are not flushed. Keep its lines as results/benchmarks/counters.txt.
"""

import sys
import tempfile

from counting import Wrong, an_item, counted, find_ncu, items_of, measure, timed_entries

DRAM, L2 = "dram__bytes_read.sum", "lts__t_bytes.sum"
METRICS = (DRAM, L2)
# Of one batch: the first round of a batch warms up, and its samples are not kept.
ROUNDS = 7


def streams(bundle):
    """{entry: (id, bytes of a tile, CTAs of an SM, SMs)} of the bundle's streams."""
    found = {}
    for entry, variants in timed_entries(bundle).items():
        for name, variant in variants:
            launch = variant["launch"]
            if not launch.get("data") or not launch.get("sms"):
                continue
            if entry in found:
                raise Wrong(f"{name} and {found[entry][0]} are one kernel: count one of them")
            found[entry] = (name, launch["data"]["tile_bytes"], launch.get("ctas_per_sm", 1),
                            launch["sms"])
    if not found:
        raise Wrong(f"{bundle} has no variant of the probe stream")
    return found


def lines_of(store, launches, variants):
    for entry, (name, tile, ctas, sms) in sorted(variants.items(), key=lambda one: one[1]):
        items, multiprocessors = items_of(store, name)
        asked = tile * ctas * min(sms, multiprocessors)
        dram, l2 = (an_item(launches.get(entry, []), items, metric) for metric in METRICS)
        yield (f"{asked:>12} {dram:>14.0f} {dram / asked:>8.4f} {l2:>14.0f} {l2 / asked:>8.4f}"
               f"  {name}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, bundle, *more = sys.argv[1:]
    try:
        variants = streams(bundle)
        with tempfile.TemporaryDirectory() as folder:
            store, launches = measure(find_ncu(), program, bundle, variants, METRICS, ROUNDS, more,
                                      folder)
            device, driver = store.execute("SELECT name, driver FROM device").fetchone()
            print(f"# device: {device}, driver {driver}")
            print(f"# bytes an item (a tile for each CTA): read by the kernel; {DRAM}; {L2}")
            print(f"{'read':>12} {'memory':>14} {'/ read':>8} {'L2':>14} {'/ read':>8}  variant")
            for line in lines_of(store, launches, variants):
                print(line)
    except Wrong as reason:
        sys.exit(f"counters.py: {reason}")


if __name__ == "__main__":
    main()
