"""tools/edits against a phasebit that prints what is here. Usage: edits_test.py TOOLS_FOLDER"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop())

LISTING = {"instructions": [
    {"address": 0x40, "opcode": "MEMBAR.ALL.GPU", "heat": ""},
    {"address": 0x100, "opcode": "ERRBAR", "heat": "hot"},
    {"address": 0x80, "opcode": "MEMBAR.ALL.GPU", "heat": "hot"},
    {"address": 0x200, "opcode": "MEMBAR.ALL.GPU", "heat": "cold"},
    {"address": 0x210, "opcode": "MEMBAR.ALL.GPU", "heat": "beside"}]}


class Edits(unittest.TestCase):
    def edits(self, *words, status=0):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "phasebit")
            text = json.dumps(LISTING)
            program.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {status}\n",
                               encoding="utf-8")
            program.chmod(0o755)
            return subprocess.run([TOOLS / "edits", *words], capture_output=True, text=True,
                                  check=False, env={**os.environ, "PHASEBIT_PROGRAM": program})

    def test_each_opcode_then_all(self):
        done = self.edits("ring/a", "MEMBAR.ALL.GPU", "ERRBAR")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[1:], [
            "ring/a", "ring/a/edit=0x80.NOP+0x200.NOP", "ring/a/edit=0x100.NOP",
            "ring/a/edit=0x80.NOP+0x100.NOP+0x200.NOP"])

    def test_one_opcode_is_one_edit(self):
        self.assertEqual(self.edits("ring/a", "ERRBAR").stdout.splitlines()[1:],
                         ["ring/a", "ring/a/edit=0x100.NOP"])

    def test_an_opcode_that_is_not_timed(self):
        done = self.edits("ring/a", "YIELD")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr,
                         "edits: no timed YIELD in ring/a; there are ERRBAR MEMBAR.ALL.GPU\n")

    def test_a_variant_that_is_none(self):
        self.assertEqual(self.edits("ring/a", "YIELD", status=2).returncode, 1)


if __name__ == "__main__":
    unittest.main()
