"""What the checks of this folder look at, and with what."""

import shutil
import subprocess
import sys
from pathlib import Path

CPP_SUFFIXES = {".h", ".cpp", ".cu"}


def tracked_files(root):
    # Files that git does not ignore: the tracked ones and those about to be.
    listed = subprocess.run(
        ["git", "-C", root, "-c", f"safe.directory={root}", "ls-files", "-z", "--cached",
         "--others", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and Path(root, name).is_file()]


def require_program(name):
    """Leaves with meson's exit status for a skipped test when a program is missing."""
    if shutil.which(name) is None:
        print(f"skipped: {name} is not installed")
        sys.exit(77)
