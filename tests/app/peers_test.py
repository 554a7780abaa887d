"""Two peers compiled by nvcc, gated, and packed with a sweep: skipped without nvcc.

Usage: peers_test.py; PHASEBIT_HOME and PHASEBIT_PROGRAM as in all tests of the command line.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HOME = Path(os.environ["PHASEBIT_HOME"])
PROGRAM = os.environ["PHASEBIT_PROGRAM"]
KERNELS = ["cuda_ptx-specialized-st_shared-4-128-thread",
           "cuda_ptx-specialized-st_shared-4-128-warp"]


def nvcc():
    """That of tools/peers, else the machine's; None without one."""
    own = sorted((HOME / ".corpus" / "toolkit").glob("*/nvidia/cu13/bin/nvcc"))
    return str(own[-1]) if own else shutil.which("nvcc")


class Peers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.ptx = Path(cls.folder.name) / "ptx"
        command = [sys.executable, HOME / "tools" / "peering" / "make.py", "--nvcc", nvcc(),
                   "--out", cls.ptx, "--target", "sm_90a"]
        for name in KERNELS:
            command += ["--only", name]
        subprocess.run(command, check=True, capture_output=True, text=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def phasebit(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.folder.name)

    def test_the_gate_knows_roles_and_verbs(self):
        for name in KERNELS:
            file = self.ptx / f"{name}.ptx"
            passed = self.phasebit("assemble", file, "--gate", "--build", "both", "-t", "sm_90a")
            self.assertEqual(passed.returncode, 0, passed.stdout + passed.stderr)
            # A wait that asks for two tries is refused: the rules are checked on this code.
            text = file.read_text()
            broken = text.replace('{ verb = "wait", require = { "SYNCS.PHASECHK*TRYWAIT*" = 1 }',
                                  '{ verb = "wait", require = { "SYNCS.PHASECHK*TRYWAIT*" = 2 }')
            self.assertNotEqual(text, broken)
            other = Path(self.folder.name) / "broken.ptx"
            other.write_text(broken)
            refused = self.phasebit("assemble", other, "--gate", "-t", "sm_90a")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("wait (consumer): expected SYNCS.PHASECHK*TRYWAIT* x2 per item, found 1",
                          refused.stdout + refused.stderr)

    def test_sass_and_guard_take_them_as_any_file(self):
        first, second = (self.ptx / f"{name}.ptx" for name in KERNELS)
        # One lane of the other arrives, after a __syncwarp: the arrive has a predicate.
        diff = self.phasebit("sass", "diff", first, second, "-t", "sm_90a")
        self.assertEqual(diff.returncode, 0, diff.stderr)
        self.assertRegex(diff.stdout, r"\nconsumer\.release +0 +0 ")
        rules = Path(self.folder.name) / "rules.toml"
        rules.write_text('[[rule]]\nname = "tries"\nwhere = "consumer.wait"\n'
                         'must = ["SYNCS.PHASECHK*TRYWAIT*"]\nmust_not = ["NANOSLEEP*"]\n')
        held = self.phasebit("sass", "gate", rules, first, second, "-t", "sm_90a")
        self.assertEqual(held.returncode, 0, held.stdout + held.stderr)
        rules.write_text(rules.read_text().replace("NANOSLEEP*", "SYNCS*"))
        self.assertEqual(
            self.phasebit("sass", "gate", rules, first, "-t", "sm_90a").returncode, 1)
        guarded = self.phasebit("guard", first, "--json")
        self.assertEqual(guarded.returncode, 0, guarded.stderr)
        waits = [site for site in json.loads(guarded.stdout)["sites"] if site["kind"] == "parity"]
        self.assertEqual(len(waits), 2)

    def test_explain_takes_files(self):
        first, second = (self.ptx / f"{name}.ptx" for name in KERNELS)
        ring = "ring/mbarrier/st_shared/none/payload_bytes=128"
        results = HOME / "results" / "nvidia-h200" / "peers" / "peers.csv.zst"
        for pair in [(ring, first), (first, second)]:
            said = self.phasebit("explain", *pair, "--results", results)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertRegex(said.stdout, r"in the SASS:\n  (consumer|producer): [-+]")

    def test_one_bundle_holds_them_and_a_sweep(self):
        spec = Path(self.folder.name) / "one.toml"
        spec.write_text('[[sweep]]\nname = "one"\n[[sweep.block]]\nbaseline = { probe = "ring", '
                        'protocol = "mbarrier", mover = "st_shared", work = "none", '
                        'payload_bytes = 128 }\n')
        files = [self.ptx / f"{name}.ptx" for name in KERNELS]
        packed = self.phasebit("pack", *files, "--spec", spec,
                               "-t", "sm_90a", "-o", "bundle")
        self.assertEqual(packed.returncode, 0, packed.stderr)
        manifest = json.loads((Path(self.folder.name) / "bundle" / "manifest.json").read_text())
        keys = [one["key"] for one in manifest["variants"] if one["key"]["id"].startswith("ring/")]
        self.assertEqual(len(keys), 3)
        self.assertEqual(keys[0]["id"], "ring/mbarrier/st_shared/none/payload_bytes=128")
        for key in keys[1:]:
            self.assertEqual({axis for axis, _ in key["axes"]} & {"nvcc", "flags", "library"},
                             {"nvcc", "flags", "library"})
        refused = self.phasebit("pack", self.ptx / f"{KERNELS[0]}.ptx", "--spec", spec, "--limit",
                                "2", "-o", "other")
        self.assertEqual(refused.stderr, "phasebit: usage: files with a sweep: no --limit with "
                                         "it (pack them apart to choose among them)\n")


if __name__ == "__main__":
    if nvcc() is None:
        print("skipped: no nvcc: tools/peers fetches one")
        sys.exit(77)
    unittest.main()
