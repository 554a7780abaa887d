"""The wheel in a fresh environment, the source tree out of sight: ptxas from PyPI, the main job.

Takes minutes and needs PyPI, so it is a command of its own. A build folder that it made before is
used again. Usage: wheel_test.py [BUILD_FOLDER], by default build-wheel in the source tree.
"""

import re
import subprocess
import sys
import tempfile
import time
import unittest
import venv
from pathlib import Path

from place import HIDE, can_hide

SOURCE = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop() if len(sys.argv) > 1 else SOURCE / "build-wheel").resolve()
VARIANT = "ring/mbarrier/st_shared/none"
PTXAS = re.search(r'nvidia-cuda-nvcc==([0-9.]+)"', (SOURCE / "pyproject.toml").read_text()).group(1)


def pip(python, *words):
    subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check", *words],
                   check=True)


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="phasebit-wheel-")
        cls.addClassCleanup(cls.holder.cleanup)
        cls.root = Path(cls.holder.name)
        for name in ("home", "here", "empty"):
            (cls.root / name).mkdir()
        cls.bin = cls.root / "environment" / "bin"
        venv.create(cls.root / "environment", with_pip=True)
        began = time.monotonic()
        pip(cls.bin / "python", "wheel", "--no-deps", "--wheel-dir", cls.root / "wheels",
            f"-Cbuild-dir={BUILD}", SOURCE)
        wheel = next((cls.root / "wheels").glob("*.whl"))
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, "
              f"{time.monotonic() - began:.0f} s")
        pip(cls.bin / "python", "install", f"{wheel}[toolchain]")
        cls.hides = can_hide()
        if not cls.hides:
            print("no namespaces here: the source tree stays in sight")

    def says(self, program, *words, status=0):
        command = [str(self.bin / program), *map(str, words)]
        if self.hides:
            command = ["unshare", "-rmn", "sh", "-c", HIDE, "sh", str(self.root / "empty"),
                       str(SOURCE), str(BUILD), "", *command]
        done = subprocess.run(command, cwd=self.root / "here", capture_output=True, text=True,
                              check=False, timeout=300,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.root / "home")})
        self.assertEqual(done.returncode, status, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def test_assemble_and_gate_by_the_ptxas_of_pypi(self):
        said = self.says("phasebit", "assemble", "--gate", "-t", "sm_90a", "--id", VARIANT)
        self.assertRegex(said, r"sm_90a +timed +" + re.escape(PTXAS) + r" +1 ")
        self.assertIn("SYNCS", self.says("phasebit", "sass", "show", VARIANT, "-t", "sm_90a"))

    def test_report(self):
        said = self.says("phasebit", "report", "--table", "core", "--argument", "mover=st_shared",
                         "--device", "H200")
        self.assertGreater(said.count("mbarrier"), 5)

    def test_a_bundle_that_the_bench_reads(self):
        self.says("phasebit", "pack", "-t", "sm_90a", "--id", VARIANT, "--out", "bundle")
        said = self.says("phasebit-bench", "--bundle", "bundle", "--dry-run")
        self.assertRegex(said, r"1 variants?")

    def test_capture_finds_its_library(self):
        said = self.says("phasebit", "capture", "--", "/bin/true", status=20)
        self.assertIn("/bin/true: no launch of a kernel was seen", said)

    def test_both_say_their_version(self):
        for program in ("phasebit", "phasebit-bench"):
            self.assertRegex(self.says(program, "--version"), rf"^{program} \d")


if __name__ == "__main__":
    unittest.main()
