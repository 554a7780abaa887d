"""Bytes that memory and L2 delivered to streams, by hardware counters, beside those they read.

Usage: counters.py PHASEBIT_BENCH BUNDLE [ARGUMENTS OF PHASEBIT_BENCH...]; on a GPU machine with
Nsight Compute (`ncu`), where the counters may be read. All streams of the bundle are counted:
`phasebit pack --variants specs/counted.txt -t sm_90a -o counted` makes one. Clocks stay as they are
and caches are not flushed. Keep its lines as results/benchmarks/counters.txt.
"""

import csv
import glob
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

DRAM, L2 = "dram__bytes_read.sum", "lts__t_bytes.sum"
# Of one batch: the first round of a batch warms up, and its samples are not kept.
ROUNDS = 7


class Wrong(Exception):
    """Why there are no counters."""


def find_ncu():
    places = [shutil.which("ncu"), *sorted(glob.glob("/usr/local/cuda*/bin/ncu")),
              *sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"))]
    for place in places:
        if place:
            return place
    raise Wrong("ncu is not installed: it comes with the CUDA toolkit, or as nsight-compute")


def streams(bundle):
    """{entry: (id, bytes of a tile, CTAs of an SM, SMs)} of the bundle's streams."""
    found = {}
    for variant in json.loads((Path(bundle) / "manifest.json").read_text())["variants"]:
        launch, name = variant["launch"], variant["key"]["id"]
        if launch.get("data") and launch.get("sms"):
            entry = next(one["entry"] for one in variant["images"] if one["build"] == "timed")
            if entry in found:
                raise Wrong(f"{name} and {found[entry][0]} are one kernel: count one of them")
            found[entry] = (name, launch["data"]["tile_bytes"], launch.get("ctas_per_sm", 1),
                            launch["sms"])
    if not found:
        raise Wrong(f"{bundle} has no variant of the probe stream")
    return found


def counted(lines):
    """{entry: [{metric: value}]} in the order of the launches, from what `ncu --csv` prints."""
    lines = list(lines)
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Wrong("ncu printed no table: " + " | ".join(lines[-3:]).strip())
    launches = {}
    for row in csv.DictReader(lines[start:]):
        if not row["ID"]:  # the units
            continue
        numbers = {name: float(row[name].replace(",", "")) for name in (DRAM, L2)}
        launches.setdefault(row["Kernel Name"].split("(")[0], []).append(numbers)
    return launches


def slope(points):
    """Of the line of least squares through (x, y)."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return (sum((x - mean_x) * (y - mean_y) for x, y in points)
            / sum((x - mean_x) ** 2 for x, _ in points))


def bytes_an_item(launches, items, metric):
    """The slope over the launches whose samples are kept: the last ones of the variant."""
    if len(launches) < len(items):
        raise Wrong(f"{len(launches)} launches were counted, {len(items)} have samples")
    return slope(list(zip(items, (one[metric] for one in launches[-len(items):]))))


def items_of(store, name):
    """Chain lengths of the variant's launches, in their order, and the SMs of the GPU."""
    row = store.execute(
        "SELECT point.samples, device.multiprocessors, point.error_message FROM point"
        " JOIN variant ON variant.id = point.variant JOIN device ON device.id = point.device"
        " WHERE point.kind = 'point' AND variant.name = ?", (name,)).fetchone()
    if row is None:
        raise Wrong(f"{name} was not measured")
    if row[2]:
        raise Wrong(f"{name}: {row[2]}")
    samples = json.loads(row[0])
    return samples["items"] * len(samples["cycles"]), row[1]


def measure(ncu, program, bundle, entries, more, folder):
    store, log = Path(folder) / "counters.sqlite", Path(folder) / "counters.csv"
    command = [ncu, "--target-processes", "all", "--clock-control", "none", "--cache-control",
               "none", "--kernel-name", f"regex:^({'|'.join(entries)})$", "--metrics",
               f"{DRAM},{L2}", "--csv", "--page", "raw", "--print-units", "base", "--log-file",
               str(log), program, "--bundle", bundle, "--store", str(store),
               "--benchmark_repetitions=1", "--no-aa", "--max-rounds", str(ROUNDS),
               "--watchdog-seconds", "120", "--ignore-anchors", *more]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0 or not log.exists():
        raise Wrong(f"ncu exited with {run.returncode}: {(run.stdout + run.stderr)[-800:]}")
    return sqlite3.connect(store), counted(log.read_text().splitlines())


def lines_of(store, launches, variants):
    for entry, (name, tile, ctas, sms) in sorted(variants.items(), key=lambda one: one[1]):
        items, multiprocessors = items_of(store, name)
        asked = tile * ctas * min(sms, multiprocessors)
        dram, l2 = (bytes_an_item(launches.get(entry, []), items, metric) for metric in (DRAM, L2))
        yield (f"{asked:>12} {dram:>14.0f} {dram / asked:>8.4f} {l2:>14.0f} {l2 / asked:>8.4f}"
               f"  {name}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, bundle, *more = sys.argv[1:]
    try:
        variants = streams(bundle)
        with tempfile.TemporaryDirectory() as folder:
            store, launches = measure(find_ncu(), program, bundle, variants, more, folder)
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
