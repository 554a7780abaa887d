"""Goes over every file of the corpus with phasebit: nothing may be lost without a reason.

Of each file: `sass list` names its kernels or says why there are none; `sass matrix` and `sass
classes` read every kernel of the list, or say of which they could not; `sass show` prints some of
them, with as many instructions as the list says. A command that ends by a signal, says more than a
line in an error, or leaves a kernel out without a note fails the check.

Of all kernels of an SM together: no pair may be called identical whose classes differ. Those with
one text and several classes, and two builds of a library, are compared by `sass diff`.

Usage: check.py FOLDER PHASEBIT [--target TARGET] [FILE...]
"""

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path

# What is not a part of the corpus, but what it is built with.
TOOLS = ("toolkit", "cutlass-headers", "flashinfer-source")
CODE = re.compile(r"\.(cubin|fatbin|o|a|so(\.\d+)*)$")
BIG_BYTES = 100 << 20  # of one architecture alone
BIG_TARGET = "sm_90"
MOST_SHOWN = 12  # kernels of a file that are shown one by one
SECONDS = 900


class Check:
    def __init__(self, program):
        self.program = program
        self.failures = []
        self.kernels = self.instructions = self.shown = self.files = self.named = 0
        self.pairs = self.left_out = 0
        self.images = set()
        self.targets = set()
        self.codes = {}  # by SM and text: kernels of each class, as `sass diff` takes them

    def run(self, *words):
        try:
            return subprocess.run([self.program, "sass", *map(str, words)], capture_output=True,
                                  text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(words, -14, "", f"no end in {SECONDS} s")

    def failed(self, path, what):
        self.failures.append(f"{path}: {what}")

    def reason(self, path, done, command):
        """The one line in which a command says why it has nothing; "" where it does not."""
        lines = [line for line in done.stderr.splitlines() if not line.startswith("note: ")]
        if 0 < done.returncode < 64 and len(lines) == 1 and lines[0].startswith("phasebit: "):
            return lines[0]
        self.failed(path, f"{command}: exit status {done.returncode}: {done.stderr[-300:]}")
        return ""

    def compare(self, path, command, names, listed, left_out):
        """Every kernel of the list is in what a command printed, or a note counts it."""
        missing = set(listed) - set(names)
        if len(missing) > left_out:
            self.failed(path, f"{command}: {len(missing)} kernels are missing without a note, "
                              f"such as {sorted(missing)[0][:80]}")

    def read_all(self, path, limits, listed):
        for command, words in (("matrix", ["--format", "json"]), ("classes", ["--json"])):
            # Of one target where the file has several: `classes` compares within one.
            done = self.run(command, path, *limits, *words)
            if done.returncode != 0:
                if self.reason(path, done, command):
                    self.named += 1
                continue
            left_out = sum(int(count or 1) for count in
                           re.findall(r"left out: \S+: (?:(\d+) kernels: )?", done.stderr))
            said = json.loads(done.stdout)
            names = ([row["kernel"] for row in said["rows"]] if command == "matrix" else
                     [one["kernel"] for row in said for one in row["kernels"]])
            self.compare(path, command, names, listed, left_out)
            if command == "matrix":
                self.check_cells(path, said)

    def check_cells(self, path, matrix):
        """Of one SM nothing is identical to the reference that is of another class."""
        for row in matrix["rows"]:
            of_sm = {}
            for column, cell in zip(matrix["columns"], row["cells"]):
                if cell is None:
                    continue
                sm = re.search(r"sm_\d+", column)[0]
                one = {"file": path, "kernel": row["kernel"], "target": column.split()[-1]}
                classes = self.codes.setdefault((sm, cell["text_hash"]), {})
                classes.setdefault(cell["code_class"], one)
                of_sm.setdefault(sm, []).append(cell)
            for cells in of_sm.values():
                self.pairs += len(cells) - 1
                same = {cell["code_class"] for cell in cells
                        if cell["change"] == "identical" or cell["difference"] == "reference"}
                if any(cell["difference"] == "reference" for cell in cells) and len(same) > 1:
                    self.failed(path, f"{row['kernel'][:80]}: identical, of several classes")

    def check_one_text(self):
        """Kernels of one text and several classes."""
        for classes in self.codes.values():
            first, *others = classes.values()
            for other in others:
                self.check_pair(first, other)

    def check_pair(self, one, other):
        done = self.run("diff", one["file"], other["file"], "--kernel", one["kernel"], "--kernel",
                        other["kernel"], "--target", f"{one['target']},{other['target']}", "--json")
        self.pairs += 1
        where = f"{one['kernel'][:60]} -> {other['kernel'][:60]}"
        if done.returncode not in (0, 1) or not done.stdout:
            self.failed(one["file"], f"diff {where}: {done.stderr[-300:]}")
        elif json.loads(done.stdout)["change"] == "identical":
            self.failed(one["file"], f"diff {where}: identical, of two classes")

    def check_builds(self, files):
        """Libraries of one folder, each against the next."""
        big = [path for path in files if path.suffix == ".so" and path.stat().st_size > 1 << 20]
        for old, new in zip(big, big[1:]):
            if old.parent != new.parent:
                continue
            done = self.run("diff", old, new, "--target", BIG_TARGET, "--json")
            if done.returncode not in (0, 1) or not done.stdout:
                self.reason(new, done, "diff")
                continue
            for pair in json.loads(done.stdout)["kernels"]:
                if pair["left"] is None or pair["right"] is None:
                    continue
                self.pairs += 1
                if pair["change"] == "identical" and (pair["left"]["code_class"] !=
                                                      pair["right"]["code_class"]):
                    self.failed(new, f"diff {pair['kernel'][:80]}: identical, of two classes")

    def show_some(self, path, rows):
        step = max(1, len(rows) // MOST_SHOWN)
        for row in rows[::step]:
            # A number counts within a target.
            same = [one for one in rows if one["target"] == row["target"]]
            number = same.index(row) + 1
            done = self.run("show", path, "--kernel", number, "--target", row["target"], "--json")
            if done.returncode != 0:
                self.failed(path, f"show {row['kernel'][:80]}: {done.stderr[-300:]}")
                continue
            printed = len(json.loads(done.stdout)["instructions"])
            if printed != int(row["code bytes"]) // 16:
                self.failed(path, f"show {row['kernel'][:80]}: {printed} instructions of "
                                  f"{row['code bytes']} bytes")
            self.shown += 1

    def file(self, path, target):
        began = time.monotonic()
        self.files += 1
        limits = ["--target", target] if target else []
        if not target and path.stat().st_size > BIG_BYTES:
            limits = ["--target", BIG_TARGET]
        done = self.run("list", path, *limits, "--json")
        if done.returncode != 0:
            why = self.reason(path, done, "list")
            self.named += 1 if why else 0
            print(f"{path.name}: {why or 'FAILED'}", flush=True)
            return
        self.left_out += sum(int(count or 1) for count in
                             re.findall(r"left out: [^\n]*?: (?:(\d+) images: )?", done.stderr))
        rows = json.loads(done.stdout)["rows"]
        for row in rows:
            self.images.add((path, row["image"]))
            self.targets.add(row["target"])
        self.kernels += len(rows)
        self.instructions += sum(int(row["code bytes"]) // 16 for row in rows)
        self.read_all(path, limits, [row["kernel"] for row in rows])
        self.show_some(path, rows)
        notes = done.stderr.count("note: ")
        print(f"{path.name}: {len(rows)} kernels, {notes} notes, "
              f"{time.monotonic() - began:.1f} s", flush=True)


def code_files(folder):
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        if inside[0] in TOOLS or inside[0].startswith(("venv-", ".")):
            continue
        # Libraries for other makers' GPUs hold none of this code.
        if CODE.search(path.name) and path.is_file() and (
                inside[0] != "bitsandbytes" or "cuda" in path.name):
            yield path


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("program")
    parser.add_argument("--target", default="")
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    files = given.files or (list(code_files(given.folder)) if given.folder.is_dir() else [])
    if not files:
        print(f"skipped: no corpus in {given.folder} (tools/corpus makes it)")
        sys.exit(77)
    check = Check(given.program)
    for path in files:
        check.file(path, given.target)
    check.check_one_text()
    check.check_builds(files)
    print(f"{check.files} files, {len(check.images)} images read, {check.left_out} left out with a "
          f"reason, {check.kernels} kernels of {len(check.targets)} targets, "
          f"{check.instructions} instructions, {check.shown} kernels shown one by one, "
          f"{check.pairs} pairs compared; {check.named} times nothing, with a reason; "
          f"{len(check.failures)} failures")
    print(*check.failures, sep="\n")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
