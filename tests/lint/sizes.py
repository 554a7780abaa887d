"""Refuses files over 600 lines, functions over 60 lines and lines over 100 columns.

A template's line may be longer: alternatives of one PTX statement are on one line. Functions of
C++ and Python are found by lizard, for which a lambda is a part of the function that it is in.
"""

import argparse
import re
import sys
from pathlib import Path

from files import CPP_SUFFIXES, tracked_files

try:
    import lizard
except ImportError:
    print("skipped: lizard is not installed (tools/test installs it in .venv)")
    sys.exit(77)

MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_COLUMNS = 600, 60, 100
SOURCE_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".ptx"}
# Made by a command, not written: no limits on them.
GENERATED_FOLDERS = ("ptx/", "results/", "tests/gen/guard/")


def lizard_functions(name, text):
    """(name, first line, last line) of every function of a C++ or Python file."""
    for one in lizard.analyze_file.analyze_source_code(name, text).function_list:
        yield one.name.split("::")[-1], one.start_line, one.end_line


def shell_functions(_, text):
    start = name = None
    for number, line in enumerate(text.splitlines(), 1):
        opened = re.match(r"(\w+)\(\) \{$", line)
        if opened:
            name, start = opened.group(1), number
        elif line in ("}", ")") and start:
            yield name, start, number
            start = None


def language(name, text):
    suffix = Path(name).suffix
    if suffix in CPP_SUFFIXES | {".py"}:
        return lizard_functions
    if suffix == ".sh" or text.startswith(("#!/bin/bash", "#!/usr/bin/env bash")):
        return shell_functions
    return None


def check_text(name, text):
    """The violations of one file, as `file:line: what`."""
    functions, lines = language(name, text), text.splitlines()
    if functions is None and Path(name).suffix not in SOURCE_SUFFIXES:
        if Path(name).name != "meson.build":
            return []
    found = []
    if len(lines) > MAX_FILE_LINES:
        found.append(f"{name}:{len(lines)}: {len(lines)} lines, at most {MAX_FILE_LINES}")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS and not name.endswith(".ptx"):
            found.append(f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
    for function, first, last in functions(name, text) if functions else []:
        if last - first + 1 > MAX_FUNCTION_LINES:
            found.append(f"{name}:{first}: {function} has {last - first + 1} lines, "
                         f"at most {MAX_FUNCTION_LINES}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    root = str(parser.parse_args().root.resolve())
    found, checked = [], 0
    for name in tracked_files(root):
        if name.startswith(GENERATED_FOLDERS):
            continue
        try:
            text = Path(root, name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        found += check_text(name, text)
    for violation in found:
        print(violation)
    print(f"{checked} files checked, {len(found)} violations")
    return 1 if found or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
