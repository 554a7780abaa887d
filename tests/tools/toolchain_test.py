"""tools/toolchain completes a folder that an older one made, and touches nothing in it.

Usage: toolchain_test.py TOOLS_FOLDER
"""

import importlib.machinery
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(sys.argv.pop())


def load():
    loader = importlib.machinery.SourceFileLoader("toolchain", str(TOOLS / "toolchain"))
    spec = importlib.util.spec_from_loader("toolchain", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def put(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)
    path.chmod(mode)


class Completes(unittest.TestCase):
    """With a download that leaves the wheels' files and takes note of what was asked."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tool = load()
        self.asked = []
        self.tool.download = self.download

    def download(self, requirements, into):
        self.asked += requirements
        for word in requirements:
            name = word.split("=")[0].removeprefix("nvidia-cuda-")
            program = {"nvcc": "ptxas", "runtime": None}.get(name, name)
            file = f"nvidia/cu13/bin/{program}" if program else "nvidia/cu13/include/cuda.h"
            put(into / file, b"\x7fELF new")
            put(into / f"nvidia_cuda_{name}-13.5.37.dist-info" / "RECORD", b"")

    def programs(self, *names):
        for name in names:
            put(self.folder / "13.5.37/nvidia/cu13/bin" / name, b"\x7fELF old", 0o755)
        put(self.folder / "13.5.37/nvidia/cu13/include/cuda.h", b"")

    def test_a_bare_folder_gets_everything(self):
        self.tool.install("13.5.37", self.folder)
        found = sorted(p.name for p in (self.folder / "13.5.37/nvidia/cu13/bin").iterdir())
        self.assertEqual(found, ["cuobjdump", "nvdisasm", "ptxas"])
        self.assertEqual(len(self.asked), 4)

    def test_what_is_missing_is_added(self):
        self.programs("ptxas", "nvdisasm")
        self.tool.install("13.5", self.folder)
        programs = self.folder / "13.5.37/nvidia/cu13/bin"
        self.assertEqual(self.asked, ["nvidia-cuda-cuobjdump==13.5.37"])
        self.assertEqual((programs / "ptxas").read_bytes(), b"\x7fELF old")
        self.assertEqual((programs / "cuobjdump").read_bytes(), b"\x7fELF new")
        self.assertTrue((programs / "cuobjdump").stat().st_mode & 0o100)

    def test_a_whole_folder_is_left_alone(self):
        self.programs("ptxas", "nvdisasm", "cuobjdump")
        self.tool.install("13.5.37", self.folder)
        self.assertEqual(self.asked, [])

    def test_releases_without_cuobjdump(self):
        put(self.folder / "12.4.131/nvidia/cuda_nvcc/bin/ptxas", b"\x7fELF old", 0o755)
        self.tool.install("12.4", self.folder)
        self.assertEqual(self.asked, [])


class WithoutNetwork(unittest.TestCase):
    def test_says_what_to_do_and_leaves_nothing(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        tool = load()
        # pip's last words, from a command that does not wait for a network.
        tool.pip = lambda: ["sh", "-c", "echo 'no matching distribution' >&2; exit 1", "pip"]
        with self.assertRaises(SystemExit) as left:
            tool.install("12.4.131", folder)
        self.assertEqual(
            left.exception.code,
            "toolchain: pip could not install nvidia-cuda-nvcc-cu12==12.4.131: no matching "
            "distribution\nwithout a network: run this command on a machine that has one, copy the "
            f"folder it makes to {folder}, or name a ptxas that is here by --ptxas or "
            "$PHASEBIT_TOOLCHAIN")
        self.assertEqual(list(folder.iterdir()), [])


class Folder(unittest.TestCase):
    def test_is_where_the_program_looks(self):
        tool = load()
        self.assertEqual(tool.default_folder(), TOOLS.parent / ".toolchains")
        tool.INSTALLED = True
        for given, expected in (("/d", "/d/phasebit/toolchains"),
                                ("relative", "/home/u/.local/share/phasebit/toolchains"),
                                ("", "/home/u/.local/share/phasebit/toolchains")):
            with mock.patch.dict("os.environ", {"XDG_DATA_HOME": given, "HOME": "/home/u"}):
                self.assertEqual(tool.default_folder(), Path(expected))


if __name__ == "__main__":
    unittest.main()
