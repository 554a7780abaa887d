"""Tests of tables as text: rows in, a command, a table out. Usage: run.py FILE|FOLDER...

A .test file is blocks that an empty line ends; a line that begins with # is a comment.

    rows [NAME]          lines of CSV with a header: what NAME (rows.csv) holds as a results file.
                         What a row leaves out has a value that changes nothing: rows.py
    file NAME            its lines, as they are: a table NAME.sql, claims NAME.toml
    table COMMAND        `phasebit COMMAND`; after a line of four hyphens the table, its cells
                         between bars. Columns that are not named are not compared, rows all are;
                         a line "> TEXT" is one of the lines below the table, a line "..." allows
                         rows whose first cell no row here has
    output COMMAND       the same, but all that it prints, letter by letter
    error COMMAND        that it ends with an error, and which

$results stands for the folder of the published results. Each file is a case of TAP.
PHASEBIT_PROGRAM and PHASEBIT_HOME name the program and its data.
"""

import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rows import Catalogue, results_csv

HOME = Path(os.environ.get("PHASEBIT_HOME", Path(__file__).parents[2]))


def blocks_of(text):
    """(line, words, lines before ----, lines after it) of each block."""
    block, line = [], 0
    for at, words in enumerate([*text.splitlines(), ""], 1):
        if words.startswith("#") and not block:
            continue
        if words:
            line = line if block else at
            block.append(words)
        elif block:
            split = block.index("----") if "----" in block else len(block)
            yield line, block[0], block[1:split], block[split + 1:]
            block = []


def cells_of(line):
    cells = re.split(r"(?<!\\)\|", line)
    return [cell.strip().replace("\\|", "|") for cell in cells]


def read_markdown(text):
    """(titles, rows, the lines below) of a table."""
    lines = text.splitlines()
    table = [cells_of(line[1:-1]) for line in lines if line.startswith("|")]
    return table[0], table[2:], [line for line in lines if line and not line.startswith("|")]


def chosen(titles, wanted):
    """Where these columns are; a title may be there twice."""
    places = []
    for title in wanted:
        places.append(next((at for at, one in enumerate(titles)
                            if one == title and at not in places), None))
        if places[-1] is None:
            raise ValueError(f"no column '{title}' (it has: {' | '.join(titles)})")
    return places


def aligned(rows):
    widths = [max(map(len, column)) for column in zip(*rows)]
    return [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in rows]


def compared(wanted, said):
    return [line.rstrip("\n") for line in
            difflib.unified_diff(wanted, said, "expected", "came", lineterm="", n=99)]


def check_table(done, wanted):
    titles, rows, below = read_markdown(done.stdout)
    notes = [line[2:] for line in wanted if line.startswith("> ")]
    table = [cells_of(line) for line in wanted if not line.startswith("> ") and line != "..."]
    odd = next((row for row in table if len(row) != len(table[0])), None)
    if odd:
        raise ValueError(f"a row of {len(odd)} cells below {len(table[0])} titles: {odd}")
    places = chosen(titles, table[0]) if table else []
    came = [[row[at] for at in places] for row in [titles, *rows]] if table else []
    if "..." in wanted:
        firsts = [row[0] for row in table]
        came = [row for row in came if row[0] in firsts]
    missing = [note for note in notes if note not in below]
    if came == table and not missing:
        return []
    said = compared(aligned(table), aligned(came)) if came != table else []
    if missing:
        said += [f"no line: {note}" for note in missing] + [f"but: {note}" for note in below]
    return said


def home_without_cache(folder):
    """Tables of these rows are made in memory; those that are kept stay for others."""
    for entry in HOME.iterdir():
        if entry.name != ".cache":
            (folder / entry.name).symlink_to(entry)
    (folder / ".cache").write_text("not a folder")
    return folder


class Case:
    """A file, its program's folder, and what did not come as it says."""

    def __init__(self, path, program, home, catalogue):
        self.path, self.program, self.home, self.catalogue = path, program, home, catalogue
        self.found, self.checks = [], 0

    def command(self, words, more=()):
        arguments = shlex.split(words.replace("$results", str(HOME / "results")))
        return subprocess.run(
            [self.program, *arguments, *more], cwd=self.folder, capture_output=True, text=True,
            check=False, env={**os.environ, "PHASEBIT_HOME": str(self.home)})

    def run_block(self, words, lines, wanted):
        kind, _, rest = words.partition(" ")
        if kind == "rows":
            self.folder.joinpath(rest or "rows.csv").write_text(results_csv(lines, self.catalogue))
            return []
        if kind == "file":
            self.folder.joinpath(rest).write_text("\n".join(lines) + "\n")
            return []
        if kind not in ("table", "output", "error") or not wanted:
            raise ValueError(f"no block '{kind}' (rows, file; table, output or error, and ----)")
        self.checks += 1
        rest = " ".join([rest, *lines])
        done = self.command(rest, ["--format", "markdown"] if kind == "table" else ())
        if kind == "error":
            said = done.stderr if done.returncode > 1 else "no error"
            return compared(wanted, said.removeprefix("phasebit: ").splitlines())
        if done.returncode > 1:
            return [done.stderr.strip()]
        if kind == "output":
            return compared(wanted, done.stdout.splitlines())
        return check_table(done, wanted)

    def run(self):
        with tempfile.TemporaryDirectory(prefix="phasebit-tables-") as folder:
            self.folder = Path(folder)
            for line, words, lines, wanted in blocks_of(self.path.read_text()):
                try:
                    said = self.run_block(words, lines, wanted)
                except ValueError as error:
                    said = [str(error)]
                if said:
                    self.found += [f"{self.path}:{line}: {words}", *("    " + one for one in said)]
        if not self.checks:
            self.found.append(f"{self.path}: nothing is compared")
        return not self.found


def main():
    program = os.path.abspath(os.environ.get("PHASEBIT_PROGRAM", "build/app/phasebit"))
    catalogue = Catalogue(HOME / "templates")
    paths = [path for name in map(Path, sys.argv[1:])
             for path in (sorted(name.glob("*.test")) if name.is_dir() else [name])]
    failed = 0
    print(f"1..{len(paths)}")
    with tempfile.TemporaryDirectory(prefix="phasebit-home-") as folder:
        home = home_without_cache(Path(folder))
        for at, path in enumerate(paths, 1):
            case = Case(path, program, home, catalogue)
            good = case.run()
            failed += not good
            print(f"{'ok' if good else 'not ok'} {at} - {path.stem}")
            for line in case.found:
                print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
