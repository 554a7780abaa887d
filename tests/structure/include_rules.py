"""Enforces the include table of docs/architecture.md: prints every violation as file:line.

The table is read from the document itself, so that the document cannot say one thing and the
program do another.
"""

import argparse
import re
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".h", ".cpp", ".cu"}
# Folders that hold the program. Tests and tools may include whatever they test.
SOURCE_FOLDERS = ["core", "gen", "analysis", "join", "bench", "app"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def read_table(document):
    """{folder: its rule} from the table whose header is folder | holds | may include."""
    table, inside = {}, False
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells == ["folder", "holds", "may include"]:
            inside = True
        elif not line.lstrip().startswith("|"):
            inside = False
        elif inside and not set(cells[0]) <= set("-: "):
            table[cells[0].strip("`")] = cells[2].replace("`", "")
    return table


def folders_of(word, folders):
    """The rows of the table that a word of its last column stands for."""
    under = [f for f in folders if f == word or f.startswith(word + "/")]
    return under or [f for f in folders if f == "core/" + word]


def allowed_folders(rule, folders):
    """Rows that a rule such as "base, isa", "core", "-" or "all but bench" names."""
    if rule == "-":
        return set()
    words, _, but = rule.partition(" but ")
    allowed = set()
    for word in re.split(r",\s*", words):
        found = list(folders) if word == "all" else folders_of(word, folders)
        if not found:
            raise ValueError(f"the table names '{word}', which is no row of it")
        allowed.update(found)
    for word in filter(None, re.split(r",\s*", but)):
        allowed.difference_update(folders_of(word, folders))
    return allowed


def row_of(path, table):
    """The row that a file belongs to: the longest folder name that its path starts with."""
    rows = [row for row in table if path.startswith(row + "/")]
    return max(rows, key=len, default=None)


def includes_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def check_quoted(root, name, where, target, table):
    row, target_row = row_of(name, table), row_of(target, table)
    if row is None:
        return f"{where}: its folder is not in the table"
    # NAME.inc is made of the data file NAME when the program is built.
    if not (root / target.removesuffix(".inc")).is_file():
        return f'{where}: "{target}" is no file of the tree; includes are written from the root'
    if target_row is None:
        return f'{where}: "{target}" is in a folder that is not in the table'
    if target_row != row and target_row not in allowed_folders(table[row], list(table)):
        return f'{where}: {row} may not include "{target}" ({row} may include: {table[row]})'
    return None


def check_single(header, places, unit, unit_of):
    """A header that one unit (folder or file) of bench alone may include."""
    units = sorted({unit_of(name) for name, _ in places if name.startswith("bench/")})
    for name, where in places:
        if not name.startswith("bench/"):
            yield f"{where}: {header} may be included in one {unit} of bench alone"
        elif len(units) > 1:
            yield f"{where}: {header} is included in {len(units)} {unit}s: {', '.join(units)}"


def check_outside(users):
    """Outside headers that must stay in one place. users: {header: [(file, where)]}."""
    # The library that is loaded before programs of others has no part of the bench in it.
    in_bench = [(name, where) for name, where in users.get("cuda.h", [])
                if not name.startswith("bench/capture/")]
    yield from check_single("cuda.h", in_bench, "folder", lambda name: name.rpartition("/")[0])
    yield from check_single("benchmark.h", users.get("benchmark/benchmark.h", []), "file",
                            lambda name: name)
    for header, places in users.items():
        for name, where in places:
            # The demangler is a library of its own, with one user: docs/decisions/names.md.
            is_demangler = (header == "llvm/Demangle/Demangle.h"
                            and name == "analysis/cubin/source/names.cpp")
            is_llvm = header.startswith(("llvm/", "llvm-c/")) and not is_demangler
            if is_llvm and not name.startswith("gen/llvm_program/"):
                yield f"{where}: LLVM may be included in gen/llvm_program alone"


def check(root):
    table = read_table((root / "docs" / "architecture.md").read_text(encoding="utf-8"))
    if not table:
        return ["docs/architecture.md: no table with the columns folder, holds, may include"]
    violations, users, scanned = [], {}, 0
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SOURCE_SUFFIXES:
                continue
            scanned += 1
            name = path.relative_to(root).as_posix()
            for number, quoted, outside in includes_of(path):
                where = f"{name}:{number}"
                target = quoted or outside
                if target == "cuda.h" or target.startswith(("benchmark/", "llvm/", "llvm-c/")):
                    users.setdefault(target, []).append((name, where))
                elif quoted:
                    violations.append(check_quoted(root, name, where, quoted, table))
    if scanned == 0:
        violations.append(f"{root}: no source files in {', '.join(SOURCE_FOLDERS)}")
    return [v for v in violations if v] + list(check_outside(users))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    violations = check(parser.parse_args().root)
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations of the include table of docs/architecture.md")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
