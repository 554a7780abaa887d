"""Tables of docs/roles.md about what the SM does: counters and samples next to measured cycles.

Usage: pipes_table.py PHASEBIT [--check]; PHASEBIT is the program, which needs no GPU. Rewrites what
is between `<!-- pipes -->` or `<!-- samples -->` and the next such comment, from
results/benchmarks/pipes.txt and samples.txt, and from the published figures of the same rings on
the same GPU. specs/pipes.txt says which rings are shown, in which order and under which name.
--check compares instead, with exit status 1 where they differ.
"""

import argparse
import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from counting import Wrong
from document import markdown, replaced, settle

ROOT = Path(__file__).resolve().parents[2]
LISTED, DOCUMENT = Path("specs/pipes.txt"), Path("docs/roles.md")
COMMAND = "tools/benchmarks/pipes_table.py"
COUNTED, SAMPLED = (Path("results/benchmarks") / name for name in ("pipes.txt", "samples.txt"))
RESULTS = ("counted/*.csv.zst",)  # of results/*: figures of these rings when they were counted
LEAST_SHARE = 0.1  # of the warps' time that goes into one thing, to be named
ISSUING = "selected"  # of the reasons: does not wait, and has a column of its own
POSITIONAL = ("probe", "protocol", "mover", "work")  # what an id begins with
ACROSS = "work"  # the axis whose value heads the column of figures


class Count(NamedTuple):
    """A line of pipes.txt; percents and warps are of `cycles`."""

    cycles: float
    issue_percent: float
    tensor_cycles: float
    waiting: list  # (reason, warps)


def labelled(text):
    """{id: (group, name)} of the rings that are shown, in their order."""
    found, label = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            group, colon, name = line[3:].partition(": ")
            if not colon:
                raise Wrong(f"{LISTED}:{number}: a row is called '## GROUP: NAME'")
            label = (group, name)
        elif line and not line.startswith("#"):
            if label:
                found[line.split()[0]] = label
            label = None
    if not found:
        raise Wrong(f"{LISTED}: no ring has a '## GROUP: NAME' before it")
    return found


def device_of(text, path):
    found = re.search(r"^# device: (.*), driver ", text, re.MULTILINE)
    if not found:
        raise Wrong(f"{path}: no line '# device: NAME, driver VERSION'")
    return found[1]


def counts_of(text):
    """{id: Count} of pipes.txt."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if not words or line.startswith("#") or words[0] == "cycles":
            continue
        cycles, issue, tensor = (float(word) for word in words[:3])
        waiting = re.findall(r"([a-z_]+) ([\d.]+)(?:,|  )", line)
        found[words[-1]] = Count(cycles, issue, tensor,
                                 [(reason, float(warps)) for reason, warps in waiting])
    return found


def shares_of(text):
    """{id: [(role, [(verb, %)])]} of samples.txt."""
    found, roles = {}, None
    for line in text.splitlines():
        if line.startswith("  ") and roles is not None:
            role, _, verbs = line.split(maxsplit=2)
            roles.append((role, [(verb, int(percent)) for verb, percent in
                                 (one.split()[:2] for one in verbs.split("; "))]))
        elif line and not line.startswith("#"):
            roles = found.setdefault(line.strip(), [])
    return found


def said_by(program, *arguments):
    run = subprocess.run([program, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"{program} {arguments[0]}: {run.stderr.strip()}")
    return run.stdout


def axes_in(names):
    """The axes that ids name, except the one whose values are columns."""
    named = {word.partition("=")[0] for name in names for word in name.split("/") if "=" in word}
    return [*(axis for axis in POSITIONAL if axis not in (ACROSS, "probe")), *sorted(named)]


def matched(values, rows):
    """The cell of the one row of a pivot whose axes have these values."""
    axes = [axis for axis in values if axis != ACROSS]
    fits = [row for row in rows
            if all(row[axis.replace("_", " ")] == (values[axis] or "-") for axis in axes)]
    if len(fits) != 1:
        raise Wrong(f"the table 'pivot' has {len(fits)} rows of it")
    cell = fits[0][f"{ACROSS}={values[ACROSS]}"]
    if not isinstance(cell, dict):
        raise Wrong(f"it has no figure: {cell or 'not measured'}")
    return cell


def measured(program, results, device, names):
    """{id: {"value", "half_width"}}: cycles an item, as `phasebit report` gives them."""
    which = [word for name in names for word in ("--id", name)]
    axes = axes_in(names)
    rows = csv.DictReader(io.StringIO(
        said_by(program, "export", *results, *which, "--format", "csv")))
    values = {row["id"]: {axis: row[f"axis.{axis}"] for axis in (*axes, ACROSS)} for row in rows}
    works = ",".join(sorted({one[ACROSS] for one in values.values()}))
    found = json.loads(said_by(
        program, "report", "--device", device, "--table", "pivot", "--format", "json",
        "--argument", "rows=" + ",".join(axes), "--argument", f"across={ACROSS}:{works}",
        "--argument", "probe=ring", "--", *results))["rows"]
    figures = {}
    for name in names:
        try:
            if name not in values:
                raise Wrong("was not measured")
            figures[name] = matched(values[name], found)
        except Wrong as reason:
            raise Wrong(f"{name}: {reason}") from None
    return figures


def named(names, labels):
    """What each row is called: a group once, at its first row."""
    called, before = [], None
    for name in names:
        group, own = labels[name]
        called.append(f"... {own}" if group == before else f"{group}: {own}")
        before = group
    return called


def cells_of(count, figure):
    """Counts an item over the cycles that an item takes without ncu."""
    item = figure["value"]
    ratio = count.cycles / item
    # Of their sum: `ncu` counts warps and what they wait for in different launches.
    all_warps = sum(warps for _, warps in count.waiting)
    waiting = [(reason, warps / all_warps) for reason, warps in count.waiting]
    return [f"{count.tensor_cycles:.0f}", f"{item:.1f} ± {figure['half_width']:.1f}",
            f"{count.tensor_cycles / item:.2f}", f"{count.issue_percent * ratio:.0f} %",
            ", ".join(f"{reason} {100 * share:.0f} %" for reason, share in waiting
                      if share >= LEAST_SHARE and reason != ISSUING)]


def pipes_block(labels, counts, figures, device):
    missing = [name for name in labels if name not in counts]
    if missing:
        raise Wrong(f"{COUNTED}: no line of {missing[0]}")
    rows = [[called, *cells_of(counts[name], figures[name])]
            for name, called in zip(labels, named(labels, labels))]
    off = [100 * (counts[name].cycles / figures[name]["value"] - 1) for name in labels]
    return [*markdown([f":{device}, products of 64 rows a warpgroup", "tensor pipe", "item", "busy",
                       "issue slots used", ":the warps' time, by what they wait for"], rows), "",
            "Tensor pipe: cycles an item in which it was active, to 1 cycle. Item: cycles an item, "
            "measured without `ncu`. Busy and issue slots: what `ncu` counted an item, over the "
            "latter. Shares of time are of the largest five under `ncu`, which replays launches: "
            "there an item's own cycles differ by "
            f"{min(off):+.0f} to {max(off):+.0f} %."]


def samples_block(labels, shares):
    unknown = [name for name in shares if name not in labels]
    if unknown:
        raise Wrong(f"{LISTED}: no '## GROUP: NAME' before {unknown[0]}")
    rows = [[": ".join(labels[name]), role, *(", ".join(
        f"`{verb}` {percent} %" if verb != "loop" else f"its loop {percent} %"
        for verb, percent in verbs),)] for name in labels for role, verbs in shares.get(name, [])]
    return markdown([":ring", ":role", ":where its warps are, share of their time"], rows)


def made(program, root):
    """The document anew."""
    labels = labelled((root / LISTED).read_text())
    counted, sampled = ((root / path).read_text() for path in (COUNTED, SAMPLED))
    device = device_of(counted, COUNTED)
    if device_of(sampled, SAMPLED) != device:
        raise Wrong(f"{SAMPLED} is of another GPU than {COUNTED}, of {device}")
    results = sorted(str(path) for name in RESULTS for path in (root / "results").glob(f"*/{name}"))
    figures = measured(program, results, device, list(labels))
    text = replaced(DOCUMENT, (root / DOCUMENT).read_text(), "pipes",
                    pipes_block(labels, counts_of(counted), figures, device))
    return replaced(DOCUMENT, text, "samples",
                    samples_block(labels, shares_of(sampled)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    try:
        text = made(given.program, ROOT)
    except Wrong as reason:
        sys.exit(f"pipes_table.py: {reason}")
    settle(ROOT, DOCUMENT, text, given.check, COMMAND)


if __name__ == "__main__":
    main()
