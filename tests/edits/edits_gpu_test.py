#!/usr/bin/env python3
"""Every edit that the gate leaves, on a real GPU: the guard or the verification refuses it.

Needs PHASEBIT_EDITS_BUNDLE, a folder that pack_edits.py made; skips, saying so, without one and
without a GPU. PHASEBIT_EDITS_OUTCOMES names a file that gets what became of each.
"""
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import unittest

import left_list

ROWS = """SELECT variant.name, coalesce(error_step, ''), coalesce(error_message, ''), verdict,
          same_as FROM point JOIN variant ON variant.id = point.variant WHERE kind = 'point'"""


def skip(why):
    print("skipped:", why, flush=True)
    os._exit(77)  # of Meson; unittest would call it a success


def outcomes(store):
    """{variant: "guard: ...", or "measured"}"""
    with sqlite3.connect(store) as opened:
        rows = opened.execute(ROWS).fetchall()
    return {name: f"{step}: {message}" if step else f"{verdict} {same_as}".strip()
            for name, step, message, verdict, same_as in rows}


class EditsOnTheGpu(unittest.TestCase):
    def test_are_refused(self):
        bundle = os.environ["PHASEBIT_EDITS_BUNDLE"]
        names = json.loads((pathlib.Path(bundle) / "edits.json").read_text())
        listed = left_list.read()
        with tempfile.TemporaryDirectory() as folder:
            store = pathlib.Path(folder) / "store.sqlite"
            done = subprocess.run([os.environ["PHASEBIT_BENCH"], "--bundle", bundle, "--store",
                                   store, "--no-aa", "--ignore-anchors", "--same-conditions",
                                   "--point-seconds=0.05", "--watchdog-seconds=5",
                                   "--benchmark_repetitions=1"],
                                  capture_output=True, text=True)
            if "no usable GPU" in done.stderr or "no CUDA driver" in done.stderr:
                skip(done.stderr)
            self.assertTrue(store.exists(), done.stderr)
            found = {names[variant]: outcome for variant, outcome in outcomes(store).items()}
        if out := os.environ.get("PHASEBIT_EDITS_OUTCOMES"):
            pathlib.Path(out).write_text(json.dumps(found, indent=1) + "\n")
        self.assertEqual(sorted(set(names.values()) - set(found)), [], done.stderr[-2000:])
        measured = [name for name, outcome in found.items()
                    if not outcome.startswith(("guard:", "verify:", "launch:"))
                    and not left_list.may_pass(listed[name])]
        self.assertEqual(measured, [], "was measured as if it were sound")


if __name__ == "__main__":
    if "PHASEBIT_EDITS_BUNDLE" not in os.environ:
        skip("PHASEBIT_EDITS_BUNDLE names no folder")
    unittest.main()
