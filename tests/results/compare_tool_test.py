"""Google Benchmark's compare.py reads what `phasebit compare` and `phasebit export` give as JSON.

Exit code 77 (skipped) where Debian's libbenchmark-tools or python3-scipy is not installed.
"""

import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = Path("/usr/share/benchmark/compare.py")
SIDES = [str(ROOT / "results" / model / "barrier_unit.csv.zst")
         for model in ("nvidia-h100", "nvidia-h200")]


def phasebit(*words, code=0):
    made = subprocess.run([os.environ["PHASEBIT_PROGRAM"], *words], capture_output=True, text=True,
                          check=False)
    if made.returncode != code:
        raise AssertionError(f"{words}: exit code {made.returncode}: {made.stderr}")
    return made.stdout


def compare_tool(*words):
    made = subprocess.run([sys.executable, str(TOOL), "--no-color", *map(str, words)],
                          capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise AssertionError(made.stderr)
    return made.stdout


def changes(text, name):
    """What compare.py says of the repetitions of a benchmark: (change of time, old, new)."""
    line = re.compile(re.escape(name) + r" +([-+][\d.]+) +[-+][\d.]+ +(\d+) +(\d+) ")
    return [tuple(map(float, found)) for found in line.findall(text)]


class Readable(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def test_compare(self):
        text = phasebit("compare", *SIDES, "--json")
        made = json.loads(text)
        said = compare_tool("filters", self.write("both.json", text), "^A/", "^B/")
        self.assertIn("OVERALL_GEOMEAN", said)
        values = {}
        for one in made["benchmarks"]:
            values.setdefault(one["name"], []).append(one["real_time"])
        named = [pair["variant"] for pair in made["comparisons"] if "percent" in pair]
        self.assertTrue(named)
        for name in named:
            shown = changes(said, f"[^A/ vs. ^B/]{name}")
            before, after = values[f"A/{name}"], values[f"B/{name}"]
            self.assertEqual(len(shown), min(len(before), len(after)), name)
            for column, side in ((1, before), (2, after)):
                self.assertAlmostEqual(statistics.median(row[column] for row in shown),
                                       statistics.median(side), delta=0.51, msg=name)

    def test_export(self):
        files = [self.write(f"{n}.json", phasebit("export", side, "--format", "json"))
                 for n, side in enumerate(SIDES)]
        self.assertRegex(compare_tool("benchmarks", *files), r"verb/mbarrier\S+_pvalue +[\d.]+")

    def test_exit_code(self):
        sides = [side.replace("barrier_unit", "core") for side in reversed(SIDES)]
        slowest = max(pair["percent"] for pair in
                      json.loads(phasebit("compare", *sides, "--json"))["comparisons"]
                      if pair["verdict"] == "SLOWER")
        phasebit("compare", *sides, "--fail-over", str(slowest + 0.01))
        phasebit("compare", *sides, "--fail-over", str(slowest - 0.01), code=1)


if __name__ == "__main__":
    if not TOOL.exists() or importlib.util.find_spec("scipy") is None:
        print("skipped: no", TOOL, "or no scipy", file=sys.stderr)
        sys.exit(77)
    unittest.main()
