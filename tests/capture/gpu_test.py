"""`phasebit capture` on a GPU: a program of the static runtime, one of the driver, one of Triton.

What was written down is compared with what the programs' sources say.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PHASEBIT = os.environ.get("PHASEBIT_PROGRAM", "phasebit")


def has_gpu():
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False)
        return listed.returncode == 0
    except FileNotFoundError:
        return False


@unittest.skipUnless(has_gpu() and shutil.which("nvcc"), "no GPU, or no nvcc")
class Capture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(os.environ.get("PHASEBIT_KEEP") or tempfile.mkdtemp())
        cls.program = cls.folder / "programs"
        source = str(HERE / "programs.cu")
        target = ["-arch=sm_90a", "-std=c++17"]
        subprocess.run(["nvcc", *target, "-cudart", "static", "-o", cls.program, source],
                       check=True)
        subprocess.run(["nvcc", *target, "-ptx", "-o", cls.folder / "programs.ptx", source],
                       check=True)

    def launches(self, name, *program, options=()):
        out = self.folder / f"{name}.toml"
        ended = subprocess.run(
            [PHASEBIT, "capture", *options, "-o", out, "--", *map(str, program)],
            capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return tomllib.loads(out.read_text(encoding="utf-8"))["launch"]

    def check_programs(self, launches, times):
        axpy, tiles = [next(one for one in launches if one["kernel"] == name)
                       for name in ("axpy", "tiles")]
        self.assertEqual((axpy["grid"], axpy["block"], axpy["times"]),
                         ([8, 1, 1], [128, 1, 1], times))
        self.assertEqual(axpy["parameter_bytes"], 32)
        scale, _, to, source = axpy["parameters"]
        self.assertTrue(scale["raw"].startswith("e8030000"), scale)  # n = 1000
        self.assertEqual(scale["raw"][32:40], "00002040")  # 2.5
        self.assertEqual((to["offset"], to["at"], to["buffer"]["bytes"] >= 8192),
                         (8, 1024, True))
        self.assertEqual(source["offset"], 24)
        self.assertEqual((tiles["cluster"], tiles["shared_bytes"]), ([2, 1, 1], 1024))
        found = [one for one in tiles["parameters"] if one["kind"] == "tensor_map"]
        self.assertEqual(len(found), 1, tiles)
        self.assertEqual(found[0]["offset"], tiles["starts"][0])
        self.assertEqual(found[0]["map"]["sizes"], [32, 16])
        self.assertEqual(found[0]["map"]["element"], "f32")
        self.assertEqual(found[0]["map"]["swizzle"], "128B")

    def test_static_runtime(self):
        self.check_programs(self.launches("runtime", self.program), 3)

    def test_contents(self):
        """What the program wrote there, from where the parameters point to."""
        options = ("--contents", "--most-bytes", "4096")
        launches = self.launches("held", self.program, options=options)
        axpy = next(one for one in launches if one["kernel"] == "axpy")
        self.assertEqual(axpy["times"], 3)
        self.assertGreater(axpy["registers"], 0)
        to, source = [(self.folder / one["file"]).read_bytes() for one in axpy["contents"]]
        self.assertEqual(axpy["contents"][0]["at"], axpy["parameters"][2]["at"])
        self.assertEqual(to, bytes(4096))
        self.assertEqual(source, struct.pack("<1024f", *range(1024)))

    def test_driver(self):
        self.check_programs(self.launches("driver", self.program, "driver"), 1)

    def test_triton(self):
        python = shutil.which("python3")
        if subprocess.run([python, "-c", "import triton, torch"], capture_output=True,
                          check=False).returncode != 0:
            self.skipTest("no Triton")
        launches = self.launches("triton", python, HERE / "triton_program.py", self.folder)
        own = [one for one in launches if one["kernel"] == "add_rows"]
        self.assertEqual(len(own), 1)
        self.assertEqual((own[0]["grid"], own[0]["block"]), ([5, 1, 1], [256, 1, 1]))
        pointers = [one for one in own[0]["parameters"] if one["kind"] == "buffer"]
        self.assertEqual([one["offset"] for one in pointers], [0, 8])
        self.assertEqual(own[0]["parameters"][2]["raw"], "88130000")  # n = 5000


if __name__ == "__main__":
    sys.exit(unittest.main())
