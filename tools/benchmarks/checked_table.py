"""Tables of docs that are made of files under results/benchmarks: `phasebit check` against a GPU
in docs/checker.md, the workload scale by other libraries in docs/workloads.md.

Usage: checked_table.py [--check]. Rewrites what is between `<!-- NAME -->` and `<!-- /NAME -->`
from results/benchmarks/NAME.txt, which tests on the GPU machine write, or commands that they name.
--check compares instead, with exit status 1 where they differ.
"""

import argparse
import csv
import statistics
import sys
from pathlib import Path

from counting import Wrong
from document import markdown, replaced, settle

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("results/benchmarks")
COMMAND = "tools/benchmarks/checked_table.py"


def rows_of(path):
    """(what its comments say, its rows), or None where there is no such file."""
    if not path.is_file():
        return None
    lines = path.read_text().splitlines()
    notes = [line[1:].strip() for line in lines if line.startswith("#")]
    return "; ".join(notes), list(csv.DictReader(line for line in lines
                                                 if not line.startswith("#")))


def counts(values):
    """A number of rows of each key, in the order in which they come: {key: [row]}."""
    found = {}
    for key, row in values:
        found.setdefault(key, []).append(row)
    return found


def messages_table(rows):
    made = []
    for (family, place), some in counts(((row["family"], row["place"]), row)
                                        for row in rows).items():
        ordered = [row for row in some if row["check"] == "ordered"]
        others = [row for row in some if row["check"] != "ordered"]
        made.append([family, place, str(len(ordered)),
                     f"{sum(int(row['messages']) for row in ordered):,}",
                     str(sum(int(row["stale"]) for row in ordered)), str(len(others)),
                     str(sum(int(row["stale"]) > 0 for row in others)),
                     ", ".join(sorted({one for row in some
                                       for one in row["section"].split(", ")}))])
    return markdown([":messages", ":reader and writer share a", "ordered", "messages", "stale",
                     "not ordered", "of these seen stale", ":sections of the PTX ISA"], made)


def deadlocks_table(rows):
    made = []
    for mistake, some in sorted(counts((row["mistake"].split(": ")[1], row)
                                       for row in rows).items()):
        cells = [mistake.replace("_", " ")]
        for verdict in ("deadlock", "proved"):
            of_it = [row for row in some if row["check"] == verdict]
            cells += [str(len(of_it)), str(sum(row["agrees"] == "yes" for row in of_it))]
        made.append(cells)
    made.append(["all", *(str(sum(int(cells[n]) for cells in made)) for n in range(1, 5))])
    return markdown([":mistake", "deadlocks", "time out there", "proved", "verified"], made)


def handed_back_table(rows):
    made = []
    for (gpu, fence), some in counts(((row["gpu"], row["fence"]), row) for row in rows).items():
        wrong = [row for row in some if int(row["wrong"]) > 0]
        made.append([gpu, fence, str(len(some)), str(sum(int(row["points"]) for row in some)),
                     str(sum(int(row["wrong"]) for row in wrong)), str(len(wrong))])
    return markdown([":GPU", ":fence", "rings", "points", "wrong points", "rings with one"], made)


# Columns: the fastest of the shapes of each way to write it.
WAYS = {"memcpy": "cudaMemcpy", "cub DeviceTransform": "CUB",
        "plain loads: a vector a thread": "a thread a vector",
        "plain loads: grid stride": "threads stay",
        "cuda_pipeline block": "pipeline, block", "cuda_pipeline thread": "pipeline, thread"}


def peers_table(rows):
    made = []
    for (gpu, elements), some in counts(((row["gpu"], int(row["elements"])), row)
                                        for row in rows).items():
        shapes = counts(((row["peer"], row["stages"], row["tile"], row["ctas"]), float(row["ns"]))
                        for row in some)
        cells = [gpu, f"{elements:,}"]
        for way in WAYS:
            fastest = min((statistics.median(ns) for shape, ns in shapes.items()
                           if shape[0] == way), default=None)
            cells.append("-" if fastest is None else f"{fastest / 1000:.2f}")
        made.append(cells)
    return markdown([":GPU", "elements", *WAYS.values()], made)


# {document: {block: (table, whether the comments of its file are said)}}
DOCUMENTS = {"docs/checker.md": {"messages": (messages_table, True),
                                 "deadlocks": (deadlocks_table, True),
                                 "handed_back": (handed_back_table, False)},
             "docs/workloads.md": {"scale_peers": (peers_table, False)}}


def block_of(root, name, table, says_notes):
    path = FOLDER / f"{name}.txt"
    found = rows_of(root / path)
    if found is None:
        return ["No GPU has run them yet."]
    notes, rows = found
    notes = f"{notes}. " if says_notes else ""
    return [*table(rows), "", f"{notes}[Each of them](../{path})."]


def made(root, document):
    text = (root / document).read_text()
    for name, (table, says_notes) in DOCUMENTS[document].items():
        text = replaced(document, text, name, block_of(root, name, table, says_notes))
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    for document in DOCUMENTS:
        try:
            text = made(ROOT, document)
        except Wrong as reason:
            sys.exit(f"checked_table.py: {reason}")
        settle(ROOT, document, text, given.check, COMMAND)


if __name__ == "__main__":
    main()
