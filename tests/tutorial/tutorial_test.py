#!/usr/bin/env python3
"""docs/check-tutorial.md shows what its commands print."""
import os
import pathlib
import re
import subprocess
import unittest

HERE = pathlib.Path(__file__).parent
HOME = pathlib.Path(os.environ["PHASEBIT_HOME"])
DOCUMENT = (HOME / "docs/check-tutorial.md").read_text()


class Tutorial(unittest.TestCase):
    def test_shows_what_its_commands_print(self):
        blocks = re.findall(r"```\n\$ phasebit ((?:[^\n]*\\\n)*[^\n]*)\n(.*?)```", DOCUMENT, re.S)
        self.assertEqual(len(blocks), 3)
        for command, shown in blocks:
            words = command.replace("\\\n", " ").split()
            done = subprocess.run([os.environ["PHASEBIT_PROGRAM"], *words], cwd=HERE,
                                  capture_output=True, text=True)
            self.assertEqual(done.stdout, shown, done.stderr)
            self.assertEqual(done.returncode, 0 if ": proved" in shown else 1)

    def test_shows_the_source(self):
        self.assertIn((HERE / "ring.cu").read_text(), DOCUMENT)


if __name__ == "__main__":
    unittest.main()
