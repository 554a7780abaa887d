"""Rows of a test as a results file: what a row does not say has a value by which nothing changes.

A row names its variant, `ring/mbarrier/none/none/num_stages=8`, and what was measured. The axes of
the variant come from the templates; docs of the columns: results/README.md.
"""

import csv
import io
import itertools
import re
import tomllib
from pathlib import Path

KINDS = ("protocol", "mover", "work", "probe")  # in the order of their axes in a key
# What follows the axes of the templates in a key, without a default: these and the compilers' axes.
LATER = {"nvcc", "flags", "library", "file", "tuned", "anchor"}
USUAL = {
    "kind": "point", "verdict": "measured", "unit": "cycles per item", "clock_ok": "true",
    "throttled": "false", "several_modes": "false", "items_only": "false",
    "outputs_verified": "true", "padded": "true", "first_use": "false", "repetition": "0",
    "aa_control": "false", "sm": "7", "first_warp": "1", "start_offset": "0", "padding": "0",
    "gap_after": "0", "gap_warps": "0", "module": "module", "device": "GPU-1",
    "device_name": "NVIDIA H200", "device_driver": "580.1", "device_target": "sm_90",
    "device_multiprocessors": "132", "device_l2_bytes": "62914560",
    "device_max_clock_khz": "1980000", "run": "run-1", "run_started": "2026-01-02T03:04:05Z",
    "run_command": "phasebit-bench --bundle b", "run_commit": "abc123", "run_ptxas": "13.5.37",
    "run_driver": "580.1", "run_target": "sm_90a", "run_sweep": "core", "run_order_seed": "1",
    "run_timer_tick_ns": "32.1",
}
MEASURED = {"megahertz": "1979.9", "interval_ok": "true", "ci_reached": "true",
            "intercept_cycles": "100", "r2": "1", "worst_residual_cycles": "0", "rounds": "7"}
# The unit of a probe's figures where it is not that of USUAL.
UNITS = {"handoff": "cycles per round trip", "form": "cycles per 1 operations",
         "stream": "ns per item", "interference": "cycles per block", "fanin": "cycles per phase",
         "entangle": "cycles per phase", "barrier_word": "cycles per operation"}
READING = ("", "_unit", "_value", "_ci_low", "_ci_high", "_ci_reached", "_interval_ok")


class Catalogue:
    """Axes of the templates with their defaults, and how tables name what a protocol waits on."""

    def __init__(self, templates):
        self.templates = Path(templates)
        self.common, read = self.axes_in(self.templates / "axes.toml")
        self.later = LATER | {axis["name"] for axis in read["axis"] if "compiler" in axis}
        self.known = {}

    @staticmethod
    def axes_in(path):
        read = tomllib.loads(path.read_text())
        return {axis["name"]: str(axis["default"]) for axis in read.get("axis", [])
                if "compiler" not in axis}, read

    def component(self, kind, name):
        """(axes, waits_on); None where the templates have no such component."""
        if (kind, name) not in self.known:
            folder = self.templates / ("work" if kind == "work" else kind + "s")
            path = folder / name / f"{kind}.toml"
            self.known[kind, name] = self.read(kind, path) if path.is_file() else None
        return self.known[kind, name]

    def read(self, kind, path):
        own, read = self.axes_in(path)
        axes, waits_on = self.component(kind, read["uses"]) if "uses" in read else ({}, "")
        return {**axes, **own}, read.get("waits_on", waits_on)

    def key(self, name):
        """(defaults, named, waits_on) of an id."""
        words = name.split("/")
        if words[0] == "anchor":
            return {"probe": "anchor"}, {"anchor": "/".join(words[1:])}, ""
        first = dict(zip(("probe", "protocol", "mover", "work"), words))
        named = dict(word.split("=", 1) for word in words[4:])
        parts = [self.component(kind, first.get(kind, "")) for kind in KINDS]
        if None in parts and "nvcc" in named:  # another library's
            return {**first, **self.common}, named, ""
        if None in parts:
            raise ValueError(f"{name}: no {KINDS[parts.index(None)]} of that name")
        defaults = {**first, **self.common}
        for axes, _ in parts:
            defaults.update(axes)
        for axis in named:
            if axis not in defaults and axis not in self.later and not axis.startswith("snippet."):
                raise ValueError(f"{name}: no axis '{axis}' in this variant")
        return defaults, named, parts[0][1]


def expand(lines):
    """A line with {A..B} is a line for each of these numbers; several count together."""
    for line in lines:
        ranges = [range(int(low), int(high) + 1)
                  for low, high in re.findall(r"\{(\d+)\.\.(\d+)\}", line)]
        for numbers in zip(*ranges) if ranges else [()]:
            left = iter(numbers)
            yield re.sub(r"\{\d+\.\.\d+\}", lambda _, left=left: str(next(left)), line)


def escaped(word):
    return word.replace("%", "%25").replace(" ", "%20").replace("=", "%3D")


def number(value):
    return f"{value:.10g}"


def add_error(row, text):
    step, message = text.split(": ", 1)
    verdict = "failed"
    if step == "gate":
        verdict = "ungated" if message.startswith("not gated: ") else "refused"
    row.update(verdict=verdict, error_step=step, error=message)


def add_figures(row, given):
    cycles, half = float(given["cycles"]), float(given.get("half") or 0)
    row.update(MEASURED, cycles=number(cycles), slope=number(cycles),
               ci_low=number(cycles - half), ci_high=number(cycles + half))
    for reading in ("reading_1", "reading_2"):
        if given.get(reading):
            value = given[f"{reading}_value"]
            row.update({f"{reading}_unit": "cycles", f"{reading}_ci_low": value,
                        f"{reading}_ci_high": value, f"{reading}_ci_reached": "true",
                        f"{reading}_interval_ok": "true"})


def whole_row(given, place, others):
    """The columns of a row but for its axes. `others`: the rows before it, as they were given."""
    name = given["id"]
    unit = UNITS.get(name.split("/")[0], USUAL["unit"])
    row = {**USUAL, "unit": unit, "point": str(place), "text_hash": f"text {name}",
           "ptx_hash": f"ptx {name}", "sass_class": f"class {name}"}
    if given.get("error"):
        add_error(row, given["error"])
    elif given.get("same_as"):
        at = next(at for at, other in enumerate(others) if other["id"] == given["same_as"] and
                  other.get("device") == given.get("device"))
        row.update(others[at]["whole"], id=name, verdict="same_code", figure_point=str(at),
                   point=str(place))
        for column in (*MEASURED, "cycles", "slope", "ci_low", "ci_high", "counters"):
            row.pop(column, None)
    else:
        add_figures(row, given)
    row.update({column: value for column, value in given.items()
                if value and column not in ("cycles", "half", "error", "whole")})
    return row


def results_csv(lines, catalogue):
    """The file of results that `lines` (CSV with a header) stand for."""
    rows = []
    read = expand(line for line in lines if not line.startswith("#"))
    for given in csv.DictReader(read, strict=True):
        if None in given or None in given.values():
            raise ValueError(f"{given['id']}: too few or too many fields")
        given["whole"] = whole_row(given, len(rows), rows)
        rows.append(given)
    made = []
    for given in rows:
        defaults, named, waits_on = catalogue.key(given["id"])
        row = given["whole"]
        row.update({f"axis.{axis}": value for axis, value in {**defaults, **named}.items()})
        row["named"] = " ".join(
            escaped(axis) + ("=" + escaped(defaults[axis]) if axis in defaults else "")
            for axis in named)
        row.update(axis_order=" ".join(defaults), waits_on=waits_on)
        made.append(row)
    columns = list(dict.fromkeys(itertools.chain(
        ["cycles"], *([*(f"{name}{end}" for name in ("reading_1", "reading_2") for end in READING)],
                      *made))))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(made)
    return text.getvalue()
