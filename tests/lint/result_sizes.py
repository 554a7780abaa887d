"""Refuses files of results over a megabyte: `phasebit export` splits what is larger.

Usage: result_sizes.py ROOT
"""

import sys
import zlib
from pathlib import Path

# All of them: what a clone should cost nobody more than. 12 MB held two GPUs without LLVM's origins
# and without products on the second.
MAX_FILE_BYTES, MAX_ALL_BYTES = 1_000_000, 12_500_000


def stored_bytes(path):
    """What git keeps of the file: text is compressed."""
    content = path.read_bytes()
    return len(content) if path.suffix == ".gz" else len(zlib.compress(content))


def check(root):
    """(how many files, what is wrong) of ROOT/results."""
    sizes = {path.relative_to(root): path.stat().st_size
             for path in sorted((root / "results").rglob("*")) if path.is_file()}
    found = [f"{path}: {size} bytes, at most {MAX_FILE_BYTES}"
             for path, size in sizes.items() if size > MAX_FILE_BYTES]
    stored = sum(stored_bytes(root / path) for path in sizes)
    if stored > MAX_ALL_BYTES:
        found.append(f"results: {stored} bytes as stored, at most {MAX_ALL_BYTES}")
    return len(sizes), found


def main():
    count, found = check(Path(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{count} files of results checked, {len(found)} too large")
    return 1 if found or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
