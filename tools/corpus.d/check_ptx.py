"""Goes over every PTX text of the corpus with phasebit: each wait must be bounded or noted, and
each kernel go into a bundle or be refused for a reason.

Waits are those that ptx_waits.py finds by running the loops. A loop is covered where a place that
`phasebit guard` lists is one of its polls, or a note names a line of it; so is a barrier or another
instruction that waits, by its line. `--pack` makes a bundle of every kernel, its guarded build with
it, with the launch facts that the text gives and one CTA; what is refused is counted by the reason.

Usage: check_ptx.py FOLDER PHASEBIT [--pack] [--jobs N] [FILE...]
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ptx_text import functions_of
from ptx_waits import waits_of

SECONDS = 900
TOOLS = ("toolkit", "cutlass-headers", "flashinfer-source")
BUFFER_BYTES = 1 << 20


@dataclass
class Row:
    """What came of one file."""
    path: Path
    kernels: int = 0
    waits: int = 0
    loops: int = 0
    noted: int = 0
    lost: int = 0  # loops of which the reader cannot say
    seconds: float = 0
    failures: list = field(default_factory=list)
    packed: int = 0
    refused: list = field(default_factory=list)  # reasons


def without_lines(text):
    """Places of a guard are those of `.loc` where there are any: here those of the PTX."""
    return re.sub(r"^[ \t]*\.loc\b[^\n]*", "", text, flags=re.M)


def run(*words):
    try:
        return subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              errors="replace", check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -14, "", f"no end in {SECONDS} s")


def check_guard(row, text, program, folder):
    """Of each wait whether the guard bounds it, or says why not."""
    plain = folder / "plain.ptx"
    plain.write_text(text, encoding="utf-8")
    done = run(program, "guard", plain, "--json", "-o", folder / "guarded.ptx")
    if done.returncode != 0:
        row.failures.append(f"guard: exit status {done.returncode}: {done.stderr[-300:]}")
        return
    said = json.loads(done.stdout)
    bounded = {site["line"] for site in said["sites"]}
    notes = [int(found[1]) for note in said["notes"]
             if (found := re.match(r".*?\.ptx:(\d+):\d+: ", note))]
    waits, row.loops, lost = waits_of(text)
    row.lost = len(lost)
    row.waits = len(waits)
    for wait in waits:
        if bounded & set(wait.lines):
            continue
        if any(wait.body[0] <= line <= wait.body[1] for line in notes):
            row.noted += 1
            continue
        row.failures.append(f"line {wait.line}: {wait.kind} of {wait.function[:60]} is neither "
                            f"bounded nor noted")


def facts_of(function):
    """What the text says of a launch, and one CTA of it."""
    words = ["--no-figure", "--grid", "1"]
    directives = " ".join(function.directives)
    cluster = re.search(r"\.reqnctapercluster\s+([\d, ]+)", directives)
    if cluster:
        words[-1] = cluster[1].replace(" ", "").rstrip(",")
    threads = re.search(r"\.maxntid\s+([\d, ]+)", directives)
    if ".reqntid" not in directives:
        words += ["--block", threads[1].replace(" ", "").rstrip(",") if threads else "128"]
    for n, one in enumerate(function.parameters):
        if size := re.search(r"\[(\d+)\]", one):
            words += ["--param", f"{n}=bytes:{'00' * int(size[1])}"]
        elif re.search(r"\.[usb]64\b", one):
            words += ["--param", f"{n}=buffer:{BUFFER_BYTES}"]
        else:
            kind = re.search(r"\.(f32|f64|[usb]\d+)\b", one)
            float_type = kind and kind[1].startswith("f")
            words += ["--param", f"{n}={kind[1]}:1" if float_type else f"{n}=1"]
    return words


def check_pack(row, target, functions, program, folder):
    for function in functions:
        done = run(program, "pack", row.path, "--kernel", function.name, "-t", target,
                   "--no-anchors", "-o", folder / "bundle", "--json", *facts_of(function))
        if done.returncode == 0 and '"refused": []' in done.stdout:
            row.packed += 1
        else:
            row.refused.append(reason_of(done))


def reason_of(done):
    """Without names and numbers, so that equal reasons are counted together."""
    said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
    return said[-1][:400]


def check_file(path, program, pack):
    began = time.monotonic()
    row = Row(path)
    text = without_lines(path.read_text(encoding="utf-8", errors="replace").rstrip("\0"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        entries = [one for one in functions_of(text) if one.entry]
        row.kernels = len(entries)
        check_guard(row, text, program, folder)
        target = re.search(r"^\s*\.target\s+(\w+)", text, re.M)
        if pack and target:
            check_pack(row, target[1], entries, program, folder)
    row.seconds = time.monotonic() - began
    return row


def ptx_files(folder):
    for path in sorted(folder.rglob("*.ptx")):
        inside = path.relative_to(folder).parts
        if inside[0] not in TOOLS and not inside[0].startswith(("venv", ".")):
            yield path


def report(rows, folder, pack):
    """A line for each part, then the reasons and the failures."""
    parts = collections.defaultdict(list)
    for row in rows:
        inside = row.path.relative_to(folder).parts if folder in row.path.parents else (".",)
        parts[inside[-2] if len(inside) > 1 else "."].append(row)
    for part, own in sorted(parts.items()):
        print(f"{part:18} {len(own):4} texts {sum(one.kernels for one in own):5} kernels "
              f"{sum(one.loops for one in own):6} loops {sum(one.waits for one in own):6} waits "
              f"{sum(one.noted for one in own):4} noted "
              f"{sum(one.lost for one in own):3} not judged "
              f"{sum(len(one.failures) for one in own):3} failures" +
              (f" {sum(one.packed for one in own):5} packed" if pack else ""))
    reasons = collections.Counter(reason for row in rows for reason in row.refused)
    for reason, count in reasons.most_common():
        print(f"{count:5} refused: {reason}")
    failures = [f"{row.path}: {one}" for row in rows for one in row.failures]
    print(f"{len(rows)} texts, {len(failures)} failures")
    print(*failures, sep="\n")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("program")
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    files = given.files or (list(ptx_files(given.folder)) if given.folder.is_dir() else [])
    if not files:
        print(f"skipped: no PTX in {given.folder} (tools/corpus makes it)")
        sys.exit(77)
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = []
        for row in pool.map(check_file, files, [given.program] * len(files),
                            [given.pack] * len(files)):
            rows.append(row)
            print(f"{row.path.name}: {row.waits} waits, {len(row.failures)} failures, "
                  f"{row.seconds:.1f} s", flush=True)
    sys.exit(1 if report(rows, given.folder, given.pack) else 0)


if __name__ == "__main__":
    main()
