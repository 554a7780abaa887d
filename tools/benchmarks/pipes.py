"""What an SM does while a ring runs, by hardware counters.

Issue slots used, cycles of the tensor pipes, warps, bytes from L2, and what the warps wait for.

Usage: pipes.py PHASEBIT_BENCH BUNDLE [--only REGEX] [--samples FOLDER] [ARGUMENTS OF
PHASEBIT_BENCH...]; on a GPU machine with Nsight Compute (`ncu`). All figures are slopes over the
items, as the cycles are, so what comes before and after the loop is not in them. They are of the
variants of one CTA an SM whose ids have the regular expression in them.

--samples FOLDER also keeps, a file a variant, at which instruction the warps were (PC sampling):
`samples.py` says of it which role waits in which verb.

ncu counts some metrics in one replay of a launch and some in another, whose cycles differ. So a
share of cycles is as good as these; a count an item, as of the tensor pipes, is not touched.
Keep the lines as results/benchmarks/pipes.txt; `pipes_table.py` puts them into docs/roles.md.
"""

import argparse
import csv
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from counting import (Wrong, an_item, bench_command, find_ncu, items_of, measure, run_under,
                      timed_entries)

CYCLES = "sm__cycles_active.sum"
ISSUE = "smsp__issue_active.sum"
TENSOR = "sm__pipe_tensor_cycles_active.sum"
WARPS = "smsp__warps_active.sum"
COPIED = "l1tex__m_xbar2l1tex_read_bytes.sum"
STALL = "smsp__warps_issue_stalled_{}.sum"
# In the words of ncu; `selected` issues, `not_selected` could.
REASONS = ("barrier", "branch_resolving", "dispatch_stall", "gmma", "lg_throttle",
           "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc",
           "no_instruction", "not_selected", "selected", "short_scoreboard", "sleeping", "wait")
METRICS = (CYCLES, ISSUE, TENSOR, WARPS, COPIED, *(STALL.format(one) for one in REASONS))
SCHEDULERS = 4  # of an SM; each has a tensor pipe
ROUNDS = 3
SHOWN = 5  # reasons of a line


def wanted(bundle, only):
    """{entry: id}: kernels of one CTA on one SM; of variants with the same kernel the first."""
    found = {}
    for entry, variants in timed_entries(bundle).items():
        for name, variant in variants:
            launch = variant["launch"]
            one = launch.get("ctas_per_sm", 1) == 1 and not launch.get("sms")
            if one and launch.get("cluster_size", 1) == 1 and re.search(only, name):
                found.setdefault(entry, name)
    if not found:
        raise Wrong(f"{bundle} has no variant of one CTA with '{only}' in its id")
    return found


def filter_of(names):
    """Google Benchmark puts words of its own after an id."""
    return "--benchmark_filter=^(" + "|".join(names) + ")(/iterations.*)?$"


def figures_of(launches, items):
    """Cycles an item, of the SM and of a tensor pipe; issue slots; warps, by what they wait for."""
    slopes = {metric: an_item(launches, items, metric) for metric in METRICS}
    cycles = slopes[CYCLES]
    waiting = {reason: slopes[STALL.format(reason)] / cycles for reason in REASONS}
    return {"cycles": cycles, "issue": slopes[ISSUE] / cycles / SCHEDULERS,
            "tensor": slopes[TENSOR] / SCHEDULERS,
            "warps": slopes[WARPS] / cycles, "bytes": slopes[COPIED] / cycles, "waiting": waiting}


def line_of(name, one):
    most = sorted(one["waiting"].items(), key=lambda kept: -kept[1])[:SHOWN]
    stalls = ", ".join(f"{reason} {warps:.2f}" for reason, warps in most if warps >= 0.005)
    return (f"{one['cycles']:>9.1f} {100 * one['issue']:>7.1f} {one['tensor']:>8.1f}"
            f" {one['warps']:>6.2f} {one['bytes']:>7.1f}  {stalls:<96}  {name}")


def standing(lines):
    """[(instruction, {reason: samples})] of a source page, summed over its launches."""
    code, reasons, at = [], [], 0
    for row in csv.reader(lines):
        if row and row[0] == "Address":
            reasons = [(n, name) for n, name in enumerate(row)
                       if name.startswith("stall_") and "Not Issued" not in name]
            at = 0
        elif reasons and len(row) > reasons[-1][0] and row[0] != "Kernel Name":
            if at == len(code):
                code.append((row[1].strip(), {}))
            for n, name in reasons:
                if row[n] not in ("", "0"):
                    kept = code[at][1]
                    kept[name[6:]] = kept.get(name[6:], 0) + int(row[n])
            at += 1
    if not code:
        raise Wrong("ncu printed no source page")
    return code


def keep_samples(ncu, program, bundle, entry, name, more, folder):
    """A line for each instruction at which warps were: its number, samples by reason, SASS."""
    with tempfile.TemporaryDirectory() as work:
        report = Path(work) / "samples.ncu-rep"
        run_under(ncu, ["--kernel-name", f"regex:^{entry}$", "--section", "SourceCounters",
                        "--warp-sampling-interval", "0", "--launch-skip", "8",
                        "--launch-count", "8", "-f", "-o", str(report)],
                  bench_command(program, bundle, Path(work) / "s.sqlite", 2,
                                [filter_of([name]), *more]), "samples")
        page = subprocess.run([ncu, "--import", str(report), "--page", "source", "--csv",
                               "--print-source", "sass"], capture_output=True, text=True)
    if page.returncode != 0:
        raise Wrong(f"ncu read no samples: {(page.stdout + page.stderr)[-400:]}")
    lines = [f"# {name}"]
    for number, (sass, reasons) in enumerate(standing(page.stdout.splitlines())):
        if reasons:
            by = " ".join(f"{reason}={count}" for reason, count in sorted(reasons.items()))
            lines.append(f"{number}\t{by}\t{sass}")
    (Path(folder) / f"{entry}.txt").write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("bundle")
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=Path)
    given, more = parser.parse_known_args()
    try:
        ncu, variants = find_ncu(), wanted(given.bundle, given.only)
        with tempfile.TemporaryDirectory() as folder:
            store, launches = measure(ncu, given.program, given.bundle, variants, METRICS, ROUNDS,
                                      [filter_of(variants.values()), *more], folder)
            device, driver = store.execute("SELECT name, driver FROM device").fetchone()
            print(f"# device: {device}, driver {driver}")
            print("# cycles an item; issue slots used, %; cycles an item in which a tensor pipe was"
                  " active; warps on the SM; bytes a cycle from L2; warps by what they wait for")
            print(f"{'cycles':>9} {'issue':>7} {'tensor':>8} {'warps':>6} {'bytes':>7}  "
                  f"{'warps that wait for':<96}  variant")
            for entry, name in sorted(variants.items(), key=lambda one: one[1]):
                print(line_of(name, figures_of(launches.get(entry, []), items_of(store, name)[0])))
        if given.samples:
            given.samples.mkdir(parents=True, exist_ok=True)
            for entry, name in variants.items():
                keep_samples(ncu, given.program, given.bundle, entry, name, more, given.samples)
    except Wrong as reason:
        sys.exit(f"pipes.py: {reason}")


if __name__ == "__main__":
    main()
