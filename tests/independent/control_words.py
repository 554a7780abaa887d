"""the control words that phasebit decodes of some cubins, for other decoders to be checked with

    control_words.py PHASEBIT CUBIN...            instructions by SM, and a digest of the stream
    control_words.py PHASEBIT CUBIN... --stream   the stream
    control_words.py PHASEBIT CUBIN... --expect results/independent/control_words.txt

Of each cubin the longest kernels are taken, of equal ones the first by name, until they have LEAST
instructions. A line of the stream is an instruction:

    SM SYMBOL ADDRESS STALL YIELD WRITE READ WAIT REUSE

ADDRESS, WAIT (a mask of scoreboards) and REUSE (a mask of operands) are hexadecimal, YIELD is 1
where the bit is 0, 7 means no scoreboard.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from collections import Counter

LEAST = 60_000


def phasebit(program, *words):
    run = subprocess.run([program, "sass", *words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"phasebit sass {' '.join(words)}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def symbols(program, cubin):
    """The longest kernels of a cubin."""
    rows = phasebit(program, "matrix", cubin, "--format", "json")["rows"]
    sizes = [(-row["cells"][0]["features"]["kernel"]["instructions"], row["kernel"])
             for row in rows]
    chosen, total = [], 0
    for size, name in sorted(sizes):
        if total < LEAST:
            chosen.append(name)
            total -= size
    return chosen


def lines(program, cubin):
    for name in symbols(program, cubin):
        shown = phasebit(program, "show", cubin, "--kernel", name, "--json")
        for one in shown["instructions"]:
            yield shown["sm"], (f"{shown['sm']} {shown['entry']} {one['address']:x} "
                                f"{one['stall_cycles']} {int(one['yield'])} "
                                f"{one['write_scoreboard']} {one['read_scoreboard']} "
                                f"{one['wait_mask']:x} {one['reuse']:x}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("phasebit")
    parser.add_argument("cubins", nargs="+")
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--expect", help="file whose lines `SM count` and `digest HEX` must be met")
    options = parser.parse_args()
    counts, digest = Counter(), hashlib.sha256()
    for cubin in sorted(options.cubins):
        for sm, line in lines(options.phasebit, cubin):
            counts[sm] += 1
            digest.update(line.encode() + b"\n")
            if options.stream:
                print(line)
    found = [f"sm_{sm} {counts[sm]}" for sm in sorted(counts)] + [f"digest {digest.hexdigest()}"]
    if not options.stream:
        print("\n".join(found))
    if options.expect:
        with open(options.expect, encoding="utf-8") as file:
            expected = [line.rstrip("\n") for line in file]
        missing = [line for line in found if line not in expected]
        if missing:
            sys.exit(f"not in {options.expect}: {', '.join(missing)}")


if __name__ == "__main__":
    main()
