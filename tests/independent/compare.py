#!/usr/bin/env python3
"""Compares the figures of `independent` with those of phasebit, name by name.

usage: compare.py INDEPENDENT.jsonl PROJECT.csv

PROJECT.csv has the columns name,value,half_width (cycles). A name is one of `independent --list`.
A cluster hand-off may end in @A-B, the SMs of rank 0 and of the peer: it is then compared on that
pair of SMs alone. Without it the median over all pairs is taken.

Fails (status 1) if a figure differs by more than 2 % and by more than 1 cycle, or if fewer than 30
figures were compared.
"""

import argparse
import csv
import json
import statistics
import sys
from dataclasses import dataclass

MAX_PERCENT = 2.0
MAX_CYCLES = 1.0
MIN_COMPARED = 30


@dataclass(frozen=True)
class Comparison:
    name: str
    independent: tuple  # (value, half_width), cycles
    project: tuple

    @property
    def cycles(self):
        return self.project[0] - self.independent[0]

    @property
    def percent(self):
        """Relative to the independent value."""
        if self.independent[0] == 0:
            return 0.0 if self.cycles == 0 else float("inf")
        return 100 * self.cycles / abs(self.independent[0])

    @property
    def differs(self):
        return abs(self.percent) > MAX_PERCENT and abs(self.cycles) > MAX_CYCLES


def project_figures(path):
    """{name: (value, half_width)} of the project; the only place that knows its file."""
    with open(path, newline="", encoding="utf-8") as file:
        figures = {}
        for row in csv.DictReader(file):
            if row["name"] in figures:
                raise ValueError(f"{path}: {row['name']} stands there twice")
            figures[row["name"]] = (float(row["value"]), float(row["half_width"]))
        return figures


def independent_rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def names_of(row):
    names = [row["name"]]
    if "pair" in row:
        names.append("{}@{}-{}".format(row["name"], *row["pair"]))
    return names


def independent_figures(rows):
    """({name: (value, half_width)}, {name: why it has no value})

    Several rows of one name (SMs, launches): the median value; the half width covers the rows'
    own and half their spread. Rows that are not a line (METHOD rule 17) give no value."""
    values, refused = {}, {}
    for row in rows:
        if "error" in row:
            refused[row["name"]] = row["error"]
        elif row.get("guarded"):
            refused[row["name"]] = "measured by the guarded build, whose waits hold more"
        elif row.get("not_linear"):
            for name in names_of(row):
                refused[name] = "not_linear"
        else:
            for name in names_of(row):
                values.setdefault(name, []).append((row["value"], row["half_width"]))
    figures = {}
    for name, pairs in values.items():
        every = [value for value, _ in pairs]
        half_width = max(max(half for _, half in pairs), (max(every) - min(every)) / 2)
        figures[name] = (statistics.median(every), half_width)
    return figures, {name: why for name, why in refused.items() if name not in figures}


def compare(independent, project):
    return [Comparison(name, independent[name], project[name])
            for name in sorted(project) if name in independent]


def verdict(comparisons):
    """Texts of why the comparison fails; none if it holds."""
    reasons = []
    differing = sum(c.differs for c in comparisons)
    if differing:
        reasons.append(f"{differing} figures differ by more than {MAX_PERCENT:g} % "
                       f"and {MAX_CYCLES:g} cycle")
    if len(comparisons) < MIN_COMPARED:
        reasons.append(f"{len(comparisons)} figures compared, at least {MIN_COMPARED} are needed")
    return reasons


def table(comparisons):
    lines = [f"{'independent':>18} {'phasebit':>18} {'cycles':>9} {'%':>8}         figure"]
    for c in comparisons:
        ours = f"{c.independent[0]:.2f} +-{c.independent[1]:.2f}"
        theirs = f"{c.project[0]:.2f} +-{c.project[1]:.2f}"
        lines.append(f"{ours:>18} {theirs:>18} {c.cycles:9.2f} {c.percent:8.2f} "
                     f"{'DIFFERS' if c.differs else '':7} {c.name}")
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(description="compares two measurements of the same figures")
    parser.add_argument("independent", help="JSON lines of `independent --out`")
    parser.add_argument("project", help="CSV with the columns name,value,half_width")
    options = parser.parse_args(arguments)
    independent, refused = independent_figures(independent_rows(options.independent))
    project = project_figures(options.project)
    comparisons = compare(independent, project)
    print("\n".join(table(comparisons)))
    for name in sorted(set(project) - set(independent)):
        print(f"not compared: {name}: {refused.get(name, 'the independent run has no such name')}")
    for name in sorted(set(independent) - set(project)):
        if "@" not in name:
            print(f"not compared: {name}: phasebit has no such name")
    reasons = verdict(comparisons)
    worst = max((abs(c.percent) for c in comparisons), default=0)
    print(f"{len(comparisons)} figures compared, largest difference {worst:.2f} %")
    for reason in reasons:
        print("FAILED: " + reason)
    return 1 if reasons else 0


if __name__ == "__main__":
    sys.exit(main())
