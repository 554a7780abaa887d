"""What the gate of the templates' PTX says of the variants that LLVM makes, sweep by sweep.

Usage: llvm_gates.py PHASEBIT [--table [--check]]; PHASEBIT is the program, made with LLVM. Without
--table it assembles every sweep, some 4 minutes on two cores; `tools/benchmark llvm_gates` keeps
its lines as results/benchmarks/llvm_gates.txt. --table puts these into docs/llvm.md; --check
compares instead, with exit status 1 where they differ. Either way a sweep that has more or fewer
variants than were assembled is refused.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from counting import Wrong
from document import markdown, replaced, settle

ROOT = Path(__file__).resolve().parents[2]
KEPT, DOCUMENT = Path("results/benchmarks/llvm_gates.txt"), Path("docs/llvm.md")
COMMAND = "tools/benchmarks/llvm_gates.py PHASEBIT --table"
TARGET = "sm_90a"
# (file of specs/, sweep)
SWEEPS = (("core", "core"), ("tensor", "tensor"), ("tensor", "copies"), ("bulk", "memory"),
          ("bulk", "bulk"), ("bulk", "stream"), ("cluster", "cluster"), ("probes", "verbs"),
          ("protocols", "protocols"))


class Counts(NamedTuple):
    """Of a sweep's variants; each but the first by reason."""

    passed: int
    gate: dict       # opcode whose count is another
    not_made: dict   # what LLVM or phasebit said
    elsewhere: dict  # that the target does not take

    def made_of(self):
        return self.passed + sum(sum(one.values()) for one in self[1:])


def asked(program, root, command, spec, sweep, *more):
    """What the program says of a sweep; that it refuses variants is its exit status."""
    run = subprocess.run([program, command, "--spec", str(root / "specs" / f"{spec}.toml"),
                          "--sweep", sweep, "-a", "llvm=22", *more],
                         capture_output=True, text=True)
    if not run.stdout:
        raise Wrong(f"{program} {command} {sweep}: {run.stderr.strip()}")
    return run.stdout


def gate_reason(said):
    """The opcodes of the first rule that is broken."""
    found = re.search(r"expected (\S+) x|forbidden in the timed window: ([^,]+),", said)
    return (found[1] or found[2]) if found else said


def reason(error):
    """Of "render: LLVM has no PTX 9.3" what follows the step, without names of files."""
    _, _, said = error.partition(": ")
    return "no IR" if "no LLVM IR of it" in said else said.split("\n")[0]


def counted(made):
    """Counts of what `assemble --json` printed."""
    target, = made["targets"]
    errors = [one["error"] for one in made["failures"]]
    gate = Counter(gate_reason(one) for one in errors if one.startswith("gate: "))
    others = Counter(reason(one) for one in errors if not one.startswith("gate: "))
    return Counts(target["gate_passed"], gate, others, made["skipped"])


def lines_of(spec, sweep, counts):
    yield f"{spec}.toml {sweep} {counts.passed} passed"
    for name in Counts._fields[1:]:
        for said, number in sorted(getattr(counts, name).items(), key=lambda one: -one[1]):
            yield f"  {name} {number} {said}"


def read(text):
    """{(spec, sweep): Counts} of the kept lines."""
    found = {}
    for line in text.splitlines():
        if line.startswith("  "):
            name, number, said = line.split(maxsplit=2)
            getattr(found[last], name)[said] = int(number)
        elif line and not line.startswith("#"):
            spec, sweep, passed, _ = line.split()
            last = spec.removesuffix(".toml"), sweep
            found[last] = Counts(int(passed), {}, {}, {})
    return found


def said_of(reasons, mark=""):
    return "; ".join(f"{mark}{said}{mark}: {number}" for said, number in reasons.items())


def table(found):
    rows = [[f"`{sweep}` of {spec}.toml", str(counts.passed), str(sum(counts.gate.values())),
             said_of(counts.gate, "`"), str(sum(counts.not_made.values())),
             said_of(counts.not_made)] for (spec, sweep), counts in found.items()]
    return markdown([":sweep", "pass", "gate refuses", ":by count of", "not made", ":why"], rows)


def check_sweeps(program, root, found):
    """A table of other sweeps than the current ones says nothing of these."""
    for (spec, sweep), counts in found.items():
        today = len(asked(program, root, "generate", spec, sweep, "--list").splitlines())
        if today != counts.made_of():
            raise Wrong(f"{KEPT}: {counts.made_of()} variants of {spec}.toml {sweep}, which has "
                        f"{today} today (tools/benchmark llvm_gates makes it again)")


def document(program, root):
    found = read((root / KEPT).read_text())
    check_sweeps(program, root, found)
    return replaced(DOCUMENT, (root / DOCUMENT).read_text(), "llvm_gates", table(found))


def measure(program):
    for spec, sweep in SWEEPS:
        made = json.loads(asked(program, ROOT, "assemble", spec, sweep, "--gate", "-t", TARGET,
                                "--json"))
        print("\n".join(lines_of(spec, sweep, counted(made))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check and not given.table:
        parser.error("--check: of the table (--table --check)")
    try:
        if not given.table:
            return measure(given.program)
        text = document(given.program, ROOT)
    except Wrong as reason:
        sys.exit(f"llvm_gates.py: {reason}")
    settle(ROOT, DOCUMENT, text, given.check, COMMAND)


if __name__ == "__main__":
    main()
