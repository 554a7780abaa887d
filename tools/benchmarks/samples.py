"""Which role waits in which verb: samples that `pipes.py --samples` kept, and the code's listing.

Usage: samples.py PHASEBIT FOLDER; PHASEBIT is the program, which needs no GPU. A line a variant and
role: where its warps were during the timed loop, in % of the role's samples there, and what held
them in each verb, in the words of ncu. Keep the lines as results/benchmarks/samples.txt.
"""

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from counting import Wrong

LEAST = 2  # % of a role's samples that a verb must have to be shown


def samples_of(path):
    """The variant's id, {number of the instruction: ({reason: samples}, its SASS)}."""
    first, *lines = path.read_text().splitlines()
    kept = {}
    for line in lines:
        number, reasons, sass = line.split("\t")
        kept[int(number)] = ({name: int(count) for name, count in
                              (one.split("=") for one in reasons.split())}, sass)
    return first.removeprefix("# "), kept


def instructions_of(program, name):
    run = subprocess.run([program, "sass", "show", name, "--target", "sm_90a", "--json"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        raise Wrong(f"{name}: {run.stderr.strip()}")
    return json.loads(run.stdout)["instructions"]


def opcode_of(sass):
    """Of "@P0 BRA 0x7f" BRA."""
    words = sass.split()
    return words[1] if words[0].startswith("@") else words[0]


def by_role(name, kept, instructions):
    """{role: {verb: Counter of reasons}} of the timed loops, without what is outside them."""
    found = defaultdict(lambda: defaultdict(Counter))
    for number, (reasons, sass) in kept.items():
        if number >= len(instructions) or opcode_of(sass) != instructions[number]["opcode"]:
            raise Wrong(f"{name}: instruction {number} is another in this listing: {sass}")
        one = instructions[number]
        if one.get("heat") in ("hot", "cold") and one["window"]:
            found[one["window"]][one["verb"] or "loop"].update(reasons)
    return found


def line_of(role, verbs):
    all_of_role = sum(sum(reasons.values()) for reasons in verbs.values())
    parts = []
    for verb, reasons in sorted(verbs.items(), key=lambda one: -sum(one[1].values())):
        share = 100 * sum(reasons.values()) / all_of_role
        if share < LEAST:
            continue
        most = ", ".join(f"{reason} {100 * count / all_of_role:.0f}"
                         for reason, count in reasons.most_common(2)
                         if 100 * count / all_of_role >= LEAST)
        parts.append(f"{verb} {share:.0f} ({most})" if most else f"{verb} {share:.0f}")
    return f"{role:<9} {all_of_role:>7}  {'; '.join(parts)}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = sys.argv[1], Path(sys.argv[2])
    try:
        print("# role, samples in its timed loop, % of them by verb (and by what holds most)")
        for path in sorted(folder.glob("*.txt")):
            name, kept = samples_of(path)
            print(name)
            for role, verbs in sorted(by_role(name, kept, instructions_of(program, name)).items()):
                print("  " + line_of(role, verbs))
    except Wrong as reason:
        sys.exit(f"samples.py: {reason}")


if __name__ == "__main__":
    main()
