#!/usr/bin/env python3
"""The tutorials in docs show what their commands print; "..." stands for anything."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent
HOME = pathlib.Path(os.environ["PHASEBIT_HOME"])
NVCC = HOME / ".corpus/toolkit/13.5/nvidia/cu13/bin"


class Tutorial(unittest.TestCase):
    def blocks(self, name):
        found = re.findall(r"^```\n\$ ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)^```",
                           (HOME / "docs" / name).read_text(), re.S | re.M)
        for block in found:
            yield from self.commands(*block)

    def commands(self, command, rest):
        """Of a block of several commands each with what follows it."""
        parts = re.split(r"^\$ ((?:[^\n]*\\\n)*[^\n]*)\n", rest, flags=re.M)
        yield command, parts[0]
        yield from zip(parts[1::2], parts[2::2])

    def run_all(self, name, count):
        blocks = list(self.blocks(name))
        self.assertEqual(len(blocks), count)
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder) / "files"
            shutil.copytree(HERE, place)
            programs = pathlib.Path(folder) / "bin"
            programs.mkdir()
            (programs / "phasebit").symlink_to(os.environ["PHASEBIT_PROGRAM"])
            path = f"{programs}:{NVCC}:{os.environ['PATH']}"
            for command, shown in blocks:
                if command.startswith("nvcc") and not (NVCC / "nvcc").exists():
                    self.skipTest("no nvcc: tools/emitted --compilers fetches it")
                with self.subTest(command=command):
                    done = subprocess.run(["bash", "-c", command], cwd=place, text=True,
                                          check=False, capture_output=True,
                                          env={**os.environ, "PATH": path})
                    wrong = "phasebit: usage" in shown or ": error, " in shown
                    said = done.stderr if shown.startswith("phasebit: ") else done.stdout
                    pattern = ".*?".join(map(re.escape, shown.split("...")))
                    self.assertRegex(said, re.compile(rf"\A{pattern}\Z", re.S), done.stderr)
                    self.assertEqual(done.returncode != 0, wrong, done.stderr)
                    if ": error, " in shown:
                        self.assertEqual(done.returncode, 1)

    def test_check_tutorial(self):
        self.run_all("check-tutorial.md", 3)

    def test_tutorial(self):
        self.run_all("tutorial.md", 7)

    def test_shows_the_sources(self):
        for name, source in (("check-tutorial.md", "ring.cu"), ("tutorial.md", "sum.cu")):
            self.assertIn((HERE / source).read_text(), (HOME / "docs" / name).read_text())


if __name__ == "__main__":
    unittest.main()
