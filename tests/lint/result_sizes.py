"""Refuses large files of results.
"""

import argparse
import sys
from pathlib import Path

# As they lie; all of them: what a clone may cost at most.
MAX_FILE_BYTES, MAX_ALL_BYTES = 4_000_000, 25_000_000


def check(root):
    """(how many files, what is wrong) of ROOT/results."""
    sizes = {path.relative_to(root): path.stat().st_size
             for path in sorted((root / "results").rglob("*")) if path.is_file()}
    found = [f"{path}: {size} bytes, at most {MAX_FILE_BYTES}"
             for path, size in sizes.items() if size > MAX_FILE_BYTES]
    if sum(sizes.values()) > MAX_ALL_BYTES:
        found.append(f"results: {sum(sizes.values())} bytes, at most {MAX_ALL_BYTES}")
    return len(sizes), found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    count, found = check(parser.parse_args().root)
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{count} files of results checked, {len(found)} too large")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
