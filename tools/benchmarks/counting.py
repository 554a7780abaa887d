"""Hardware counters of a bundle's kernels, by `ncu`: launches counted, slopes over the items."""

import csv
import glob
import json
import shutil
import sqlite3
import subprocess
from pathlib import Path


class Wrong(Exception):
    """Why there is no figure."""


def find_ncu():
    places = [shutil.which("ncu"), *sorted(glob.glob("/usr/local/cuda*/bin/ncu")),
              *sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"))]
    for place in places:
        if place:
            return place
    raise Wrong("ncu is not installed: it comes with the CUDA toolkit, or as nsight-compute")


def timed_entries(bundle):
    """[(entry of the timed kernel, the variant's part of the manifest)] of a bundle."""
    found = {}
    for variant in json.loads((Path(bundle) / "manifest.json").read_text())["variants"]:
        name = variant["key"]["id"]
        entry = next(one["entry"] for one in variant["images"] if one["build"] == "timed")
        found.setdefault(entry, []).append((name, variant))
    return found


def counted(lines, metrics):
    """{entry: [{metric: value}]} in the order of the launches, from what `ncu --csv` prints."""
    lines = list(lines)
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise Wrong("ncu printed no table: " + " | ".join(lines[-3:]).strip())
    launches = {}
    for row in csv.DictReader(lines[start:]):
        if not row["ID"]:  # the units
            continue
        numbers = {name: float(row[name].replace(",", "")) for name in metrics if row.get(name)}
        launches.setdefault(row["Kernel Name"].split("(")[0], []).append(numbers)
    return launches


def slope(points):
    """Of the line of least squares through (x, y)."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return (sum((x - mean_x) * (y - mean_y) for x, y in points)
            / sum((x - mean_x) ** 2 for x, _ in points))


def an_item(launches, items, metric):
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


def run_under(ncu, arguments, bench, what):
    """Runs phasebit-bench under ncu; clocks stay as they are, and caches are not flushed."""
    command = [ncu, "--target-processes", "all", "--clock-control", "none", "--cache-control",
               "none", *arguments, *bench]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"ncu exited with {run.returncode} ({what}): "
                    f"{(run.stdout + run.stderr)[-800:]}")


def bench_command(program, bundle, store, rounds, more):
    return [program, "--bundle", str(bundle), "--store", str(store), "--benchmark_repetitions=1",
            "--no-aa", "--max-rounds", str(rounds), "--watchdog-seconds", "120",
            "--ignore-anchors", *more]


def measure(ncu, program, bundle, entries, metrics, rounds, more, folder):
    """The store of a run in which each launch of `entries` was counted, and what was counted."""
    store, log = Path(folder) / "counters.sqlite", Path(folder) / "counters.csv"
    run_under(ncu, ["--kernel-name", f"regex:^({'|'.join(entries)})$", "--metrics",
                    ",".join(metrics), "--csv", "--page", "raw", "--print-units", "base",
                    "--log-file", str(log)],
              bench_command(program, bundle, store, rounds, more), "counters")
    if not log.exists():
        raise Wrong("ncu left no log")
    return sqlite3.connect(store), counted(log.read_text().splitlines(), metrics)
