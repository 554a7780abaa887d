"""The reader that the guard is checked against (tools/corpus.d/ptx_waits.py): which loops it takes
for waits, by the PTX ISA; and that the guard bounds or notes each that it finds in nvcc's texts.

Usage: ptx_waits_test.py TOOLS_FOLDER GUARD_FIXTURES, with PHASEBIT_PROGRAM.
"""

import os
import sys
import unittest
import unittest.mock
from pathlib import Path

FIXTURES = Path(sys.argv.pop())
TOOLS = Path(sys.argv.pop())
sys.path.insert(0, str(TOOLS / "corpus.d"))

from check_ptx import check_file  # noqa: E402
from ptx_waits import waits_of  # noqa: E402

TEXT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [k_param_0];
BODY
  ret;
}
"""
TRY = "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], %r2;"
FLAG = "ld.volatile.global.u32 %r1, [%rd1];"

WAITS = (
    ("a parity", f"L: {TRY} @!%p1 bra L;"),
    ("a label of its own within braces",
     f"{{ .reg .pred P1; LAB: {TRY.replace('%p1', 'P1')} @P1 bra DONE; bra LAB; DONE: }}"),
    ("a flag", f"L: {FLAG} setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"),
    ("an ordinary load", "L: ld.global.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;"),
    ("a lock", "L: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;"),
    ("a count that the poll moves",
     f"L: {TRY} selp.u32 %r3, 1, 0, %p1; add.u32 %r4, %r4, %r3; setp.lt.u32 %p2, %r4, %r5; "
     "@%p2 bra L;"),
    ("a ballot of lanes that are done",
     f"L: {FLAG} setp.ne.u32 %p1, %r1, 0; vote.sync.ballot.b32 %r2, %p1, -1; or.b32 %r3, %r3, %r2; "
     "setp.ne.u32 %p2, %r3, -1; @%p2 bra L;"),
)
OTHERS = (
    ("a count", "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L;"),
    ("so many tries",
     f"L: {TRY} add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 5; @!%p1 bra M; ret; M: @%p2 bra L;"),
    ("until a time",
     f"mov.u64 %rd2, %globaltimer; L: {TRY} mov.u64 %rd3, %globaltimer; sub.u64 %rd3, %rd3, %rd2; "
     "setp.lt.u64 %p2, %rd3, 1000000000; @%p1 bra D; @%p2 bra L; D:"),
    ("a walk along a list", "L: ld.global.u64 %rd1, [%rd1]; setp.ne.u64 %p1, %rd1, 0; @%p1 bra L;"),
    ("a loop around a wait",
     f"L: {TRY} @!%p1 bra L; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r4; @%p2 bra M; ret; M: "
     "add.u32 %r5, %r5, 1; bra N; N: setp.lt.u32 %p3, %r5, %r4; @%p3 bra M;"),
)


class Reader(unittest.TestCase):
    def loops(self, body):
        found, _, lost = waits_of(TEXT.replace("BODY", body))
        self.assertEqual(lost, [], body)
        return [one for one in found if one.kind == "loop"]

    def test_waits(self):
        for what, body in WAITS:
            self.assertEqual(len(self.loops(body)), 1, what)

    def test_others(self):
        for what, body in OTHERS:
            self.assertEqual(len(self.loops(body)), body.count("@!%p1 bra L;"), what)

    def test_instructions_that_wait(self):
        found, _, _ = waits_of(TEXT.replace("BODY", "bar.sync 0;\nbar.arrive 1, 64;\n"
                                            "cp.async.wait_group 0;\nbarrier.cluster.arrive;\n"
                                            "barrier.cluster.wait;\n"))
        self.assertEqual([(one.line, one.kind) for one in found],
                         [(10, "bar.sync"), (12, "cp.async.wait_group"),
                          (14, "barrier.cluster.wait")])


# It doubles up to a limit, and never ends where the limit is above 2^31: the guard takes it for a
# count, the reader tries such limits.
ENDS = "loop of ends_by_sleep is"


class Guard(unittest.TestCase):
    def test_every_wait_of_nvcc_is_bounded_or_noted(self):
        waits = 0
        for name in ("barrier_sm_90", "cluster_sm_90", "memory_sm_75", "memory_debug_sm_90",
                     "pipeline_sm_80", "pipeline_sm_90", "wait_loop_sm_90", "shapes_sm_90"):
            row = check_file(FIXTURES / f"{name}.ptx", os.environ["PHASEBIT_PROGRAM"], False)
            self.assertEqual([one for one in row.failures if ENDS not in one], [], name)
            waits += row.waits
        self.assertGreater(waits, 70)

    def test_a_wait_that_is_left_out_is_found(self):
        """Against a program that lists nothing."""
        listing = '{"sites": [], "notes": []}'
        with unittest.mock.patch("check_ptx.run", lambda *words: type(
                "Done", (), {"returncode": 0, "stdout": listing, "stderr": ""})):
            row = check_file(FIXTURES / "barrier_sm_90.ptx", "phasebit", False)
        self.assertEqual(len(row.failures), row.waits)
        self.assertGreater(row.waits, 0)


if __name__ == "__main__":
    unittest.main()
