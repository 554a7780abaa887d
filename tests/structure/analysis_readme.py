"""The table of analysis/README.md names what is there: every file that it names exists, and every
header of a room below analysis is in its row.
"""

import argparse
import re
import sys
from pathlib import Path


def named_files(text):
    """(room, name) of each name in backticks in the first two columns of the table."""
    room = ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 5 or cells[1] == "room" or set(cells[1]) == {"-"}:
            continue
        room = cells[1].strip("`") or room
        for name in re.findall(r"`([^`]+)`", cells[2]):
            yield room, name.rstrip("/")


def problems(root):
    rooms = Path(root, "analysis")
    named = set(named_files((rooms / "README.md").read_text(encoding="utf-8")))
    for room, name in sorted(named):
        if not any((rooms / room / (name + end)).exists() for end in ("", ".h", ".cpp")):
            yield f"analysis/README.md: analysis/{room}/{name} is not there"
    for room in sorted({room for room, _ in named} - {"report"}):
        for header in sorted((rooms / room).glob("*.h")):
            if (room, header.stem) not in named:
                yield f"analysis/README.md: nothing about analysis/{room}/{header.name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    found = list(problems(parser.parse_args().root))
    print("\n".join(found + [f"{len(found)} names to mend"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
