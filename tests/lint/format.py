"""Holds every C++ file against .clang-format."""

import argparse
import subprocess
import sys
from pathlib import Path

from files import CPP_SUFFIXES, require_program, tracked_files


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clang_format")
    parser.add_argument("root", type=Path)
    given = parser.parse_args()
    program, root = given.clang_format, str(given.root.resolve())
    require_program(program)
    files = [name for name in tracked_files(root) if Path(name).suffix in CPP_SUFFIXES]
    if not files:
        print(f"no C++ files in {root}")
        return 1
    checked = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=root, check=False)
    print(f"{len(files)} files checked; to mend: {program} -i FILE")
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
