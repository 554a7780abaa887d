"""Every tool says what it does without doing it, and none deletes what it did not make.

Each runs in a copy of tools/ with nothing else, so that what it makes is seen.
Usage: help_test.py TOOLS_FOLDER
"""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop())
PINNED = Path("pyproject.toml")


class Tools(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(TOOLS, self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(TOOLS.parent / PINNED, self.root / PINNED)

    def run_there(self, *words):
        # Without a home, sudo or a compiler's settings: whatever it did would be seen or fail.
        return subprocess.run(list(map(str, words)), cwd=self.root, capture_output=True, text=True,
                              check=False, timeout=60,
                              env={"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"})

    def files(self):
        return sorted(path.relative_to(self.root) for path in self.root.rglob("*"))

    def test_help_makes_nothing(self):
        before = self.files()
        tools = [path for path in sorted((self.root / "tools").iterdir())
                 if path.is_file() and path.name != "common.sh"]
        self.assertGreater(len(tools), 8)
        for tool in tools:
            for word in ("--help", "-h"):
                start = [sys.executable] if tool.suffix == ".py" else []
                done = self.run_there(*start, tool, word)
                said = f"{tool.name} {word}: {done.stdout}{done.stderr}"
                self.assertEqual(done.returncode, 0, said)
                self.assertGreater(len(done.stdout), 60, said)
                self.assertNotIn("==", done.stdout, said)
                self.assertEqual(self.files(), before, said)

    def configured_for(self, source):
        info = self.root / "build" / "meson-info" / "meson-info.json"
        info.parent.mkdir(parents=True)
        info.write_text(json.dumps({"directories": {"source": str(source)}}))
        (self.root / "build" / "build.ninja").write_text("")
        return self.run_there("bash", "-c", ". tools/common.sh; configure && echo taken")

    def test_a_build_folder_of_this_place_is_taken(self):
        self.assertEqual(self.configured_for(self.root).stdout, "taken\n")

    def test_a_build_folder_of_another_place_is_left_and_named(self):
        done = self.configured_for("/elsewhere")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(f"build/ was configured for another place; to begin it anew: rm -r "
                      f"'{self.root}/build'", done.stderr)
        self.assertTrue((self.root / "build" / "build.ninja").is_file())


if __name__ == "__main__":
    unittest.main()
