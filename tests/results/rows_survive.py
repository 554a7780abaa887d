#!/usr/bin/env python3
"""Holds the published results against what was published before, row by row.

    rows_survive.py [COMMIT]        (default: the last commit whose results had a line a point)

Reads both forms by itself and makes every figure anew from the raw samples. Exit status 77 where
the history is not at hand.
"""
import collections
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys

LAST_OLD_COMMIT = "1b893af"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAME = "same_class:"
# What was called otherwise then, by hand: part of an id, and what it is today.
RENAMED = {
    r"^neighbour/": "interference/", r"/neighbour_work=": "/victim_work=",
    r"/bystanders=": "/victims=", r"^word/": "barrier_word/", r"/unit=": "/granularity=",
    r"/granularity=parity": "/granularity=even_odd_lanes", r"/chain=": "/measure=",
    r"/measure=issue": "/measure=throughput", r"/sharing=turns": "/sharing=round_robin",
    r"/tuned=deferred_fold": "/tuned=deferred_checksum", r"^anchor/fold_": "anchor/checksum_"}
RENAMED_FILES = {"neighbour.jsonl": "interference.jsonl", "word.jsonl": "barrier_word.jsonl"}


def id_today(text):
    for before, today in RENAMED.items():
        text = re.sub(before + (r"(?=/|$)" if before[-1] not in "/=_" else ""), today, text)
    return text


def flag_today(flag):
    return SAME + id_today(flag.removeprefix(SAME)) if flag.startswith(SAME) else flag


def old_rows(text):
    """The points of a file of version 1 or 2, with their devices' and runs' lines."""
    lines = [json.loads(line) for line in text.splitlines()]
    named = {line["uuid" if line["type"] == "device" else "id"]: line
             for line in lines[1:] if line["type"] in ("device", "run")}
    for line in lines[1:]:
        if line["type"] != "point":
            continue
        line["device"], line["run"] = named[line["device"]], named[line["run"]]
        yield {
            "kind": line.get("kind", "point"), "id": id_today(line["id"]), "was": line["id"],
            "hash": line["hash"], "unit": line["unit"],
            "repetition": line["repetition"],
            "aa_control": line.get("aa_control", False), "sm": line["sm"],
            "first_warp": line["first_warp"], "megahertz": float(line["megahertz"]),
            "flags": [flag_today(flag) for flag in line.get("flags", [])],
            "error": line.get("error"),
            "error_step": line.get("error_step"), "items": line.get("items"),
            "cycles": line.get("cycles"), "readings": line.get("readings", []),
            "sass_class": line["sass_class"], "text_hash": line["text_hash"],
            "ptx_hash": line["ptx_hash"], "module": line["module"], "device": line["device"],
            "run": line["run"]}


def new_rows(path):
    """The points of a file of version 3, with their figures and axes."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    header, at = lines[0], 2
    assert path.stat().st_size <= 1_000_000, path
    kinds = {}
    for kind, count in header["counts"].items():
        if kind != "samples":
            kinds[kind] = lines[at:at + count]
            at += count
    assert at == len(lines), f"{path}: {len(lines)} lines, {at} expected"
    samples = {}
    for name in header["sample_files"]:
        assert (path.parent / name).stat().st_size <= 1_000_000, name
        for line in gzip.open(path.parent / name, "rt"):
            one = json.loads(line)
            samples[one["point"]] = one
    assert len(samples) == header["counts"]["samples"], path

    def identity(series, variant, image):
        known = kinds["series"][series]
        defaults, named, *given = kinds["variants"][variant]
        axes = dict(kinds["defaults"][defaults])
        leading = ("probe", "protocol", "mover", "work")
        made = "/".join(axes[axis] for axis in leading if axis in axes)
        made += "".join(f"/{axis}={value}" for axis, value in named.items())
        axes.update(named)
        code, module, ptx_hash = kinds["images"][image]
        text_hash, sass_class = kinds["codes"][code]
        return {
            "id": given[0] if given else made, "hash": given[1] if given else None, "axes": axes,
            "kind": known["kind"], "unit": known["unit"],
            "device": kinds["devices"][known["device"]], "run": kinds["runs"][known["run"]],
            "sass_class": sass_class, "text_hash": text_hash,
            "ptx_hash": ptx_hash, "module": kinds["modules"][module]}

    for number, line in enumerate(kinds["points"]):
        (series, variant, image, repetition, control, sm, warp, megahertz, flags, error,
         figures) = line
        row = identity(series, variant, image)
        sample = samples.get(number, {})
        names = kinds["series"][series]["readings"]
        readings = [{"name": name, "unit": unit, "sums": sums}
                    for (name, unit), sums in zip(names, sample.get("readings", []))]
        yield row | {
            "repetition": repetition, "aa_control": control, "sm": sm, "first_warp": warp,
            "megahertz": float(megahertz), "flags": flags, "error_step": error and error[0],
            "error": error and error[1], "items": sample.get("items"),
            "cycles": sample.get("cycles"), "readings": readings, "figures": figures}
    for series, other, sm, warp, megahertz, flags, repetitions, members in kinds["same_code"]:
        measured = identity(series, other, 0)["id"]
        for repetition in repetitions:
            for variant, image in members:
                yield identity(series, variant, image) | {
                    "repetition": repetition, "aa_control": False, "sm": sm, "first_warp": warp,
                    "megahertz": float(megahertz), "flags": flags + [SAME + measured],
                    "error": None, "error_step": None, "items": None, "cycles": None,
                    "readings": [], "figures": None}


def parts_of(path):
    """NAME.jsonl, NAME-2.jsonl and so on, as the header of the first says how many there are."""
    def part(file):
        with open(file, encoding="utf-8") as text:
            return json.loads(text.readline()).get("part", [1, 1])
    number, count = part(path)
    assert number == 1, path
    files = [path] + [path.with_name(f"{path.stem}-{n}.jsonl") for n in range(2, count + 1)]
    for n, file in enumerate(files, 1):
        assert part(file) == [n, count], file
    return files


def median(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def interval(values):
    """Order statistics: the largest rank whose binomial tail is at most 2.5 %."""
    values, tail, rank = sorted(values), 0, 0
    while rank < len(values):
        tail += math.comb(len(values), rank)
        if tail / 2 ** len(values) > 0.025:
            break
        rank += 1
    if rank == 0:
        return values[0], values[-1], False
    return values[rank - 1], values[-rank], True


def slope(items, sums):
    x, y = sum(items) / len(items), sum(sums) / len(sums)
    return sum((a - x) * (b - y) for a, b in zip(items, sums)) / sum((a - x) ** 2 for a in items)


def near(a, b):
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-7)


def wrong_figures(row):
    """What of the stored figures does not follow from the samples; "" for nothing."""
    figures = row["figures"]
    if row["cycles"] is None or len(row["items"]) < 4:
        return "" if figures is None else "figures without samples"
    if figures is None:
        return "no figures"
    rounds, cycles, low, high, reached, all_slope, intercept = figures[:7]
    slopes = [slope(row["items"], sums) for sums in row["cycles"]]
    want = interval(slopes)
    flat = [c for sums in row["cycles"] for c in sums]
    items = row["items"] * len(row["cycles"])
    line = slope(items, flat)
    pairs = [(rounds, len(slopes)), (cycles, median(slopes)), (low, want[0]), (high, want[1]),
             (reached, want[2]), (all_slope, line),
             (intercept, sum(flat) / len(flat) - line * sum(items) / len(items))]
    for reading, stored in zip(row["readings"], figures[10]):
        slopes = [slope(row["items"], sums) for sums in reading["sums"]]
        pairs += zip(stored, (median(slopes), *interval(slopes)))
    if len(row["readings"]) != len(figures[10]):
        return "readings without figures"
    wrong = [f"{a} is stored where the samples give {b}" for a, b in pairs if not near(a, b)]
    return wrong[0] if wrong else ""


def fingerprint(row):
    beside = ("axes", "figures", "hash", "was")
    fields = {key: value for key, value in row.items() if key not in beside}
    return json.dumps(fields, sort_keys=True)


def git(*arguments):
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def check_file(name, commit):
    before = list(old_rows(git("show", f"{commit}:{name}")))
    path = ROOT / name
    path = path.with_name(RENAMED_FILES.get(path.name, path.name))
    after = [row for file in parts_of(path) for row in new_rows(file)]
    lost = collections.Counter(map(fingerprint, before))
    lost.subtract(map(fingerprint, after))
    problems = [f"{name}: {count:+} of {text[:160]}" for text, count in lost.items() if count]
    hashes = {row["id"]: row["hash"] for row in before if row["id"] == row["was"]}
    for row in after:
        if row["id"] in hashes and row["hash"] not in (None, hashes[row["id"]]):
            problems.append(f"{name}: {row['id']}: hash {row['hash']}")
        for part in row["id"].split("/")[4:] if row["kind"] != "anchor" else []:
            axis, value = part.split("=", 1)
            if row["axes"].get(axis) != value:
                problems.append(f"{name}: {row['id']}: axis {axis} is {row['axes'].get(axis)}")
        if wrong := wrong_figures(row):
            problems.append(f"{name}: {row['id']}: {wrong}")
    print(f"{name}: {len(before)} rows before, {len(after)} now")
    return len(before), len(after), problems


def main():
    commit = sys.argv[1] if len(sys.argv) > 1 else LAST_OLD_COMMIT
    listed = git("ls-tree", "-r", "--name-only", commit, "results")
    if listed is None:
        print(f"the history does not reach {commit}: not compared")
        return 77
    names = [name for name in listed.split() if name.endswith(".jsonl")]
    found = [check_file(name, commit) for name in names]
    problems = [problem for one in found for problem in one[2]]
    print(f"{len(names)} files, {sum(one[0] for one in found)} rows before, "
          f"{sum(one[1] for one in found)} now, {len(problems)} problems")
    print("\n".join(problems[:20]))
    return 1 if problems or not names else 0


if __name__ == "__main__":
    sys.exit(main())
