"""Runs the Python examples of docs/results-format.md on the published results.

Exit code 77 (skipped) where pandas, zstandard or duckdb is neither in this Python nor in .venv.
"""

import importlib.util
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "results-format.md"
NEEDED = ("pandas", "zstandard", "duckdb")


def examples():
    """{title: code}."""
    found = {}
    for section in DOCUMENT.read_text().split("\n## ")[1:]:
        for code in re.findall(r"```python\n(.*?)```", section, re.S):
            found[section.splitlines()[0]] = code
    return found


def said_by(code):
    made = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    if made.returncode:
        raise AssertionError(made.stderr)
    return made.stdout


class Examples(unittest.TestCase):
    def test_there_are_two(self):
        self.assertEqual(sorted(examples()), ["DuckDB", "pandas"])

    def test_pandas_groups_figures_and_counts_rounds(self):
        said = said_by(examples()["pandas"])
        for word in ("try_wait", "test_wait", "mean", "Name: round"):
            self.assertIn(word, said)

    def test_duckdb_reads_all_files(self):
        said = said_by(examples()["DuckDB"])
        for word in ("NVIDIA H100", "NVIDIA H200", "ring", "13.5.37"):
            self.assertIn(word, said)

    def test_both_count_the_same_rows(self):
        path = "results/nvidia-h200/core.csv.zst"
        pandas = said_by("import pandas as pd\n"
                         f"rows = pd.read_csv('{path}', low_memory=False)\n"
                         "print(len(rows), rows['cycles'].count(), rows['axis.wait'].count())")
        query = ("SELECT count(*), count(cycles), count(\"axis.wait\") "
                 f"FROM read_csv('{path}', sample_size = -1)")
        duckdb = said_by(f"import duckdb\nprint(*duckdb.sql({query!r}).fetchall()[0])")
        self.assertEqual(pandas, duckdb)


def main():
    if not all(importlib.util.find_spec(name) for name in NEEDED):
        other = ROOT / ".venv" / "bin" / "python"
        if other.exists() and Path(sys.prefix) != other.parents[1]:
            os.execv(other, [str(other), *sys.argv])
        print(f"skipped: {', '.join(NEEDED)} are not installed (tools/test installs them)")
        return 77
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
