"""Holds every C++ file against .clang-format. Usage: format.py CLANG_FORMAT ROOT"""

import subprocess
import sys
from pathlib import Path

from files import CPP_SUFFIXES, require_program, tracked_files


def main():
    require_program(sys.argv[1])
    program, root = sys.argv[1], str(Path(sys.argv[2]).resolve())
    files = [name for name in tracked_files(root) if Path(name).suffix in CPP_SUFFIXES]
    if not files:
        print(f"no C++ files in {root}")
        return 1
    checked = subprocess.run([program, "--dry-run", "-Werror", *files], cwd=root, check=False)
    print(f"{len(files)} files checked; to mend: {program} -i FILE")
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
