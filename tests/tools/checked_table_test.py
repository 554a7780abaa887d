"""The tables that are made of files under results/benchmarks, from small ones.

Usage: checked_table_test.py TOOLS_FOLDER
"""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "benchmarks"))

import checked_table  # noqa: E402

BLOCKS = "".join(f"<!-- {name} -->\n<!-- /{name} -->\n"
                 for name in ("messages", "deadlocks", "handed_back"))
MESSAGES = """# NVIDIA H200, driver 580
family,place,writer,reader,section,check,messages,stale,given_up,pairs_of_two_sms
flags,grid,"st.global, st.release.gpu",ld.acquire.gpu,8.9.2,ordered,1000,0,0,12
flags,grid,"st.global, st.relaxed.gpu",ld.acquire.gpu,"8.5, 8.9.2",race,1000,3,0,12
flags,grid,"st.global, st.weak",ld.acquire.gpu,8.9.2,race,1000,0,0,12
flags,CTA,"st.global, st.release.cta",ld.acquire.cta,8.9.2,ordered,2000,1,0,0
"""
DEADLOCKS = """# NVIDIA H200, driver 580
mutant,mistake,check,items,waits,gpu,agrees
checked/deadlock/1,"a.ptx:7: next_slot: mbarrier.arrive",deadlock,1,"warp 1",guard: it,yes
checked/deadlock/2,"b.ptx:7: dropped: bar.sync 0;",deadlock,1,"warp 1",verified,no
checked/proved/1,"b.ptx:9: dropped: bar.sync 0;",proved,0,"",verified,yes
"""
HANDED_BACK = """# phasebit-bench --bundle handed_back
gpu,driver,ptxas,commit,fence,stages,consumers,payload_bytes,points,wrong
NVIDIA H200,580,13.5.37,abc,none,2,4,4096,3,0
NVIDIA H200,580,13.5.37,abc,none,4,8,8192,3,2
NVIDIA H200,580,13.5.37,abc,release,4,8,8192,3,0
"""
SCALE_PEERS = """# scale_peers 3 16777216
gpu,peer,stages,tile,ctas,elements,repetition,ns
NVIDIA H200,memcpy,0,0,0,16777216,0,35000
NVIDIA H200,memcpy,0,0,0,16777216,1,34000
NVIDIA H200,memcpy,0,0,0,16777216,2,39000
NVIDIA H200,cuda_pipeline block,2,4096,8,16777216,0,40000
NVIDIA H200,cuda_pipeline block,4,4096,8,16777216,0,37120
"""


class CheckedTable(unittest.TestCase):
    def run_in(self, folder, *arguments):
        with mock.patch.object(checked_table, "ROOT", Path(folder)), \
                mock.patch.object(sys, "argv", ["", *arguments]):
            checked_table.main()
        return "".join((Path(folder) / name).read_text() for name in checked_table.DOCUMENTS)

    def tree(self, folder, with_results):
        for name, text in {"docs/checker.md": BLOCKS,
                           "docs/workloads.md": "<!-- scale_peers -->\n<!-- /scale_peers -->\n",
                           "results/benchmarks/scale_peers.txt": SCALE_PEERS,
                           "results/benchmarks/messages.txt": MESSAGES,
                           "results/benchmarks/deadlocks.txt": DEADLOCKS,
                           "results/benchmarks/handed_back.txt": HANDED_BACK}.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if with_results or name.startswith("docs"):
                path.write_text(text)

    def test_says_that_nothing_was_run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tree(folder, False)
            self.assertEqual(self.run_in(folder).count("No GPU has run them yet."), 4)

    def test_counts_what_was_run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tree(folder, True)
            with self.assertRaisesRegex(SystemExit, "docs/checker.md:2: differs"):
                self.run_in(folder, "--check")
            text = self.run_in(folder)
            self.run_in(folder, "--check")
        self.assertIn("| flags | grid | 1 | 1,000 | 0 | 2 | 1 | 8.5, 8.9.2 |", text)
        self.assertIn("| flags | CTA | 1 | 2,000 | 1 | 0 | 0 | 8.9.2 |", text)
        self.assertIn("| next slot | 1 | 1 | 0 | 0 |", text)
        self.assertIn("| dropped | 1 | 0 | 1 | 1 |", text)
        self.assertIn("| all | 2 | 1 | 1 | 1 |", text)
        self.assertIn("| NVIDIA H200 | none | 2 | 6 | 2 | 1 |", text)
        self.assertIn("| NVIDIA H200 | release | 1 | 3 | 0 | 0 |", text)
        self.assertIn("| NVIDIA H200 | 16,777,216 | 35.00 | - | - | - | 37.12 | - |", text)
        self.assertIn("NVIDIA H200, driver 580. "
                      "[Each of them](../results/benchmarks/messages.txt).", text)


if __name__ == "__main__":
    unittest.main()
