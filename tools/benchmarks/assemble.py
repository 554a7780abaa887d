"""1,000 variants of the core sweep for 12 architectures: cold, cached, gated, guarded, linearity.

Usage: assemble.py PHASEBIT
"""

import json
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measure import Run, show, stop

ROOT = Path(__file__).resolve().parent.parent.parent
TARGETS = Path(__file__).with_suffix(".targets").read_text().split()
VARIANTS = 1000


def assemble(cache, variants=VARIANTS, targets=None, build="timed", gate=False):
    """Runs `phasebit assemble`; an image that is refused is a figure, not a stop."""
    command = [sys.argv[1], "assemble", "--spec", ROOT / "specs" / "core.toml", "--sweep", "core",
               "--limit", str(variants), "--target", ",".join(targets or TARGETS), "--build",
               build, "--cache", cache, "--json"] + (["--gate"] if gate else [])
    run = Run([str(word) for word in command])
    try:
        run.rows = json.loads(run.out)["targets"]
    except (json.JSONDecodeError, KeyError):
        stop(f"phasebit assemble exited with {run.status}: {run.err.strip()[-500:]}")
    return run


def total(run, key):
    return sum(row[key] for row in run.rows)


def cold(**what):
    with tempfile.TemporaryDirectory() as cache:
        return assemble(cache, **what)


def cold_and_cached(name, **what):
    """Figures of a run with an empty cache and of the median of three with a full one."""
    cache = tempfile.mkdtemp()
    first = assemble(cache, **what)
    again = [assemble(cache, **what) for _ in range(3)]
    shutil.rmtree(cache)
    show(f"{name}_cold", first.seconds, "s")
    show(f"{name}_cold_cores", first.core_seconds, "core_s")
    show(f"{name}_cached", statistics.median(run.seconds for run in again), "s")
    show(f"{name}_images", total(first, "assembled"), "images")
    show(f"{name}_refused", total(first, "refused"), "images")
    show(f"{name}_peak_memory", first.peak_bytes / 2**20, "MiB")
    return first


def linearity(full):
    """Cost of one image in smaller runs, against the full one; 1 is linear. A start-up cost of its
    own makes the small runs dearer."""
    per_image = full.seconds / total(full, "assembled")
    for variants in (250, 500):
        run = cold(variants=variants)
        show(f"timed_cold_{variants}_variants", run.seconds, "s")
        show(f"cost_per_image_{variants}_variants",
             run.seconds / total(run, "assembled") / per_image, "of_full")
    for count in (3, 6):
        targets = TARGETS[len(TARGETS) // count - 1::len(TARGETS) // count]
        run = cold(targets=targets)
        show(f"timed_cold_{count}_targets", run.seconds, "s")
        show(f"cost_per_image_{count}_targets",
             run.seconds / total(run, "assembled") / per_image, "of_full")


def main():
    show("variants", VARIANTS, "variants")
    show("targets", len(TARGETS), "targets")
    full = cold_and_cached("timed")
    linearity(full)
    cold_and_cached("guarded", build="guarded")
    gated = cold_and_cached("gated", gate=True)
    for key in ("gate_passed", "gate_failed", "ungated"):
        show(key, total(gated, key), "images")


if __name__ == "__main__":
    main()
