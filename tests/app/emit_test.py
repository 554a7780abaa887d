"""Headers of `phasebit emit` in a user's kernels: compiled, gated, compared, checked.

Usage: emit_test.py [--all]; PHASEBIT_HOME and PHASEBIT_PROGRAM as in all tests of the command line.
`tools/emitted --compilers` fetches the compilers; of those that are missing the tests are skipped.
--all: the rings by each nvcc for each architecture, not by the pinned one for sm_90a alone.
"""

import collections
import concurrent.futures
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HOME = Path(os.environ["PHASEBIT_HOME"])
PROGRAM = os.environ["PHASEBIT_PROGRAM"]
sys.path.insert(0, str(HOME / "tools" / "peering"))
import emitted  # noqa: E402  pylint: disable=wrong-import-position

ALL = "--all" in sys.argv
NVCC = {version: HOME / ".corpus" / "toolkit" / version / "nvidia" / "cu13" / "bin" / "nvcc"
        for version in ("13.0", "13.5")}
NVRTC = {version: HOME / ".corpus" / "nvrtc" / version / "nvidia" / "cuda_nvrtc" / "lib"
         for version in ("12.4", "12.9")}
ARCHITECTURES = ["sm_80", "sm_90a", "sm_100a", "sm_120a"]
# Where a user's kernel has no figure: that no header says more than it knows.
NO_RESULTS = HOME / "results" / "nvidia-h200" / "peers" / "peers.csv.zst"
PAIRED = ["acquire", "try_acquire", "commit", "wait", "try_wait", "release", "advance",
          "advance_lap"]
# The roles of this variant are not uniform to ptxas, those of its ring are.
NOT_UNIFORM = "ring/mbarrier/st_shared/none/producers=2/consumers=2/sharing=round_robin"


def phasebit(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def curated():
    listed = phasebit("generate", "--spec", HOME / "specs" / "curated.toml", "--list")
    return [line.split()[1] for line in listed.stdout.splitlines()]


def plain(opcode):
    """One name of what a vector or a uniform unit does, and of the adds."""
    opcode = re.sub(r"^U(?!BLK)", "", opcode)
    opcode = "MOV" if opcode.startswith(("IMAD.MOV", "MOV", "IMAD.U32")) else opcode
    return "ADD" if opcode.split(".")[0] in ("IADD3", "VIADD", "IADD") else opcode


def user_kernel(header, number):
    """Calls every function of a header, and includes nothing else."""
    lines = [f"#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= {header.least} && "
             f"__CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= {header.release})",
             f'#include "{header.path.name}"',
             f"struct Frame{number} {{ unsigned tid, lane, items; }};",
             f'extern "C" __global__ void user_{number}(unsigned items, const void* source, '
             "unsigned place, unsigned rank, unsigned unit) {",
             f"  using namespace {header.space};", "  __shared__ SharedStorage storage;",
             f"  Frame{number} frame{{threadIdx.x, threadIdx.x % 32, items}};",
             "  " + header.call("init"), "  __syncthreads();"]
    for role, verbs in emitted.VERBS.items():
        lines += [f"  if (threadIdx.x / 32 == {int(role == 'consumer')}) {{",
                  f"    auto state = {header.call(f'make_{role}_start_state')}"]
        if header.has_token(role):
            lines.append(f"    {role.capitalize()}Token token;")
        lines.append("    while (state.count() < items) {")
        for slot in range(header.stages if header.unrolled else 1):
            lines += ["      " + header.call(f"{role}_{verb}", slot) for verb in verbs[:-1]]
        lines += ["      " + ("state.next_lap();" if header.unrolled else "++state;"), "    }",
                  "    " + header.call(f"{role}_tail"), "  }"]
    return "\n".join(lines + ["}", "#endif", ""])


class Nvrtc:
    """A library of NVRTC."""

    def __init__(self, folder):
        self.library = ctypes.CDLL(str(folder / "libnvrtc.so.12"))

    def architectures(self):
        count = ctypes.c_int()
        self.library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
        found = (ctypes.c_int * count.value)()
        self.library.nvrtcGetSupportedArchs(found)
        return list(found)

    def compile(self, text, folder, target):
        """What it says, and whether it compiled."""
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"user.cu", 0, None,
                                        None)
        words = [f"-arch={target}", "-std=c++17", f"-I{folder}"]
        options = (ctypes.c_char_p * len(words))(*[word.encode() for word in words])
        status = self.library.nvrtcCompileProgram(program, len(words), options)
        size = ctypes.c_size_t()
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, log)
        return log.value.decode(), status == 0


class Emit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.holder.name)
        cls.refused, cls.paths = {}, {}
        ids = [one for one in curated() if one.startswith("ring/")]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for one, said in zip(ids, pool.map(cls.emit, ids)):
                if said.returncode == 0:
                    cls.paths[one] = cls.folder / (one.replace("/", ".") + ".cuh")
                else:
                    cls.refused[one] = said.stderr

    @classmethod
    def emit(cls, one):
        return phasebit("emit", one, "-o", cls.folder, "--results", NO_RESULTS)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def user_text(self):
        headers = [emitted.Header(path) for path in self.paths.values()]
        self.assertGreater(len(headers), 20)
        return "#define PHASEBIT_NOT_MEASURED\n" + "\n".join(
            user_kernel(header, number) for number, header in enumerate(headers))

    def test_nvcc_compiles_every_header(self):
        source = self.folder / "user.cu"
        source.write_text(self.user_text())
        for version, nvcc in NVCC.items():
            for target in ARCHITECTURES if nvcc.exists() else []:
                with self.subTest(nvcc=version, target=target):
                    done = subprocess.run(
                        [nvcc, "-std=c++17", f"-arch={target}", "-cubin", "-Werror", "all-warnings",
                         "-diag-suppress", "177,550", source, "-o", self.folder / "user.cubin"],
                        capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_nvrtc_compiles_every_header(self):
        there = {version: folder for version, folder in NVRTC.items() if folder.exists()}
        if not there:
            self.skipTest("no NVRTC")
        text = self.user_text()
        for version, folder in there.items():
            library = Nvrtc(folder)
            known = library.architectures()
            self.assertIn(90, known)
            for target in ARCHITECTURES:
                if int(re.sub(r"\D", "", target)) in known:
                    with self.subTest(nvrtc=version, target=target):
                        log, well = library.compile(text, self.folder, target)
                        self.assertTrue(well, log)

    def test_what_was_not_measured_is_said(self):
        folder = NVRTC["12.9"]
        if not folder.exists():
            self.skipTest("no NVRTC 12.9")
        path = self.paths["ring/mbarrier/st_shared/none"]
        log, well = Nvrtc(folder).compile(f'#include "{path.name}"\n', self.folder, "sm_90a")
        self.assertTrue(well, log)
        self.assertIn("ring/mbarrier/st_shared/none: measured for sm_90a by ptxas 13.5.37, not for "
                      "this architecture by this release", log)
        log, well = Nvrtc(folder).compile(f'#include "{path.name}"\n', self.folder, "sm_80")
        self.assertFalse(well)
        self.assertIn("ring/mbarrier/st_shared/none needs sm_90", log)
        other = self.paths["ring/mbarrier/st_shared/none/layout=v1"]
        log, well = Nvrtc(folder).compile(f'#include "{other.name}"\n', self.folder, "sm_90a")
        self.assertFalse(well)
        self.assertIn("needs PTX 9.3: CUDA 13.3", log)

    def test_refusals_name_the_reason(self):
        expected = {
            "ring/cta_barrier/st_shared/none": "its barrier is the CTA's own: write __syncthreads",
            "ring/flag_volatile/st_shared/none": "its waits are polls of ordinary words",
            "ring/mbarrier_multicast/st_shared/none": "its arrivals go to other CTAs",
            "ring/mbarrier/st_shared/none/consumers=2/early_exit=drop":
                "a consumer that leaves before the others",
            "ring/mbarrier/st_shared/none/num_stages=2/roles=unified/producers=4/consumers=4":
                "no warp is producer alone",
            "ring/mbarrier_bulk/bulk/wgmma/granularity=producer_warp/consumers=2"
            "/payload_bytes=24576/tile_n=64/in_flight=1/setmaxnreg=on":
                "its loop sets 'c_behind' outside of the verbs",
        }
        for one, reason in expected.items():
            self.assertIn(f"usage: {one}: no header: ", self.refused[one])
            self.assertIn(reason, self.refused[one])
        said = self.emit("handoff/mbarrier/none/none/num_stages=1")
        self.assertIn("no header: a header is made of a ring", said.stderr)
        said = self.emit("ring/mbarrier/st_shared/none/ptxas=12.4.131")
        self.assertIn("leave the compiler's axes out", said.stderr)

    def rings(self, nvcc, target):
        """{id: its ring by nvcc}"""
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            sm = 10 * int(re.sub(r"\D", "", target))
            chosen = {one: path for one, path in self.paths.items()
                      if emitted.Header(path).least <= sm and
                      emitted.Header(path).release <= emitted.release_of(nvcc)}
            made = pool.map(lambda path: emitted.compile_ring(str(nvcc), path, target),
                            chosen.values())
            return {one: path for one, path in zip(chosen, made) if isinstance(path, Path)}

    def each_build(self):
        found = [(nvcc, target) for nvcc in NVCC.values() if nvcc.exists()
                 for target in ARCHITECTURES]
        return found if ALL else [(NVCC["13.5"], "sm_90a")]

    def test_rings_are_gated_the_same_and_proved(self):
        for nvcc, target in self.each_build():
            with self.subTest(nvcc=nvcc, target=target):
                rings = self.rings(nvcc, target)
                self.assertGreater(len(rings), 2 if target == "sm_80" else 15)
                gated = phasebit("assemble", *rings.values(), "--gate", "-t", target)
                self.assertEqual(gated.returncode, 0, gated.stdout + gated.stderr)
                checked = phasebit("check", *rings.values())
                self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
                self.assertIn(f"{len(rings)} proved", checked.stdout)
                for one, ring in rings.items():
                    self.compare(one, ring, target)

    def compare(self, one, ring, target):
        """The header's verbs in the loops have the opcodes of the variant's."""
        said = phasebit("sass", "diff", one, ring, "-t", target, "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        diff = json.loads(said.stdout)
        sides = []
        for side in ("left", "right"):
            counts = collections.Counter()
            for verb in diff[side]["features"]["verbs"]:
                if verb["verb"] in PAIRED:
                    for opcode, count in verb["hot"]["opcodes"].items():
                        counts[plain(opcode)] += count
            sides.append(counts)
        other = {opcode for opcode in sides[0] | sides[1] if sides[0][opcode] != sides[1][opcode]}
        if target == "sm_90a":
            self.assertEqual(other, {"BRA.DIV", "BSSY", "BSYNC", "MOV"} if one == NOT_UNIFORM
                             else set(), one)
        elif other:
            print(f"{one} for {target}: {sorted(other)}", file=sys.stderr)

    def test_a_statement_left_out_is_found(self):
        path = self.paths["ring/mbarrier/st_shared/none"]
        whole = path.read_text()
        arrive = '      "    @c_leader mbarrier.arrive.shared.b64 _, [%0+32];\\n"\n'
        gather = '      "    bar.warp.sync 0xffffffff;\\n"\n'
        for mutant, verdict in ((whole.replace(arrive, ""), "deadlock"),
                                (whole.replace(gather, ""), "race"),
                                (whole.replace('"=r"(barrier_)', '"=r"(ring_)'), "error")):
            self.assertNotEqual(mutant, whole)
            path.write_text(mutant)
            try:
                ring = emitted.compile_ring(str(NVCC["13.5"]), path, "sm_90a")
            finally:
                path.write_text(whole)
            checked = phasebit("check", ring)
            self.assertEqual(checked.returncode, 1, checked.stdout + checked.stderr)
            self.assertIn(verdict, checked.stdout)


if __name__ == "__main__":
    if not NVCC["13.5"].exists():
        print("skipped: no nvcc: tools/emitted --compilers fetches it")
        sys.exit(77)
    unittest.main(argv=[one for one in sys.argv if one != "--all"])
