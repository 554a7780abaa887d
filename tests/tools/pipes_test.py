"""Counters and samples of rings: from what ncu prints, against what was worked out by hand.

Usage: pipes_test.py TOOLS_FOLDER
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "benchmarks"))

import counting  # noqa: E402
import pipes  # noqa: E402
import samples  # noqa: E402


def variant(name, entry, **launch):
    return {"key": {"id": name}, "images": [{"build": "timed", "entry": entry}], "launch": launch}


class Pipes(unittest.TestCase):
    def test_kernels_of_one_cta_whose_ids_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "manifest.json").write_text(json.dumps({"variants": [
                variant("ring/a", "pb_a"), variant("ring/a2", "pb_a"), variant("ring/b", "pb_b"),
                variant("ring/c", "pb_c", ctas_per_sm=2), variant("stream/a", "pb_d", sms=4),
                variant("cluster/a", "pb_e", cluster_size=2)]}))
            self.assertEqual(pipes.wanted(folder, ""), {"pb_a": "ring/a", "pb_b": "ring/b"})
            self.assertEqual(pipes.wanted(folder, "b$"), {"pb_b": "ring/b"})
            with self.assertRaisesRegex(counting.Wrong, "no variant of one CTA with 'x'"):
                pipes.wanted(folder, "x")

    # 1000 cycles an item: 200 of 4 x 1000 issue slots, 3,600 cycles of four tensor pipes, 9 warps,
    # of which 6 wait at a barrier.
    def test_figures_are_slopes_over_the_items(self):
        rates = dict.fromkeys(pipes.METRICS, 0)
        rates.update({pipes.CYCLES: 1000, pipes.ISSUE: 200, pipes.TENSOR: 3600,
                      pipes.WARPS: 9000, pipes.COPIED: 48000, pipes.STALL.format("barrier"): 6000})
        items = [4, 8, 12, 16]
        launches = [{name: 77 + rate * n for name, rate in rates.items()} for n in items]
        one = pipes.figures_of(launches, items)
        self.assertAlmostEqual(one["cycles"], 1000)
        self.assertAlmostEqual(one["issue"], 0.05)
        self.assertAlmostEqual(one["tensor"], 900)
        self.assertAlmostEqual(one["warps"], 9)
        self.assertAlmostEqual(one["bytes"], 48)
        self.assertEqual(pipes.line_of("ring/a", one).split(),
                         ["1000.0", "5.0", "900.0", "9.00", "48.0", "barrier", "6.00", "ring/a"])

    def test_samples_of_a_source_page_are_added_over_its_launches(self):
        page = ['"Kernel Name","pb_a"', '"Address","Source","# Samples","stall_barrier",'
                '"stall_wait","stall_wait (Not Issued)"', '"0x10","  NOP","3","1","2","9"',
                '"0x20","  @P0 BRA 0x10","0","0","0","9"']
        self.assertEqual(pipes.standing(page + page),
                         [("NOP", {"barrier": 2, "wait": 4}), ("@P0 BRA 0x10", {})])
        with self.assertRaisesRegex(counting.Wrong, "no source page"):
            pipes.standing(["==ERROR=="])


class Samples(unittest.TestCase):
    def test_roles_and_verbs_of_the_timed_loop(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pb_a.txt"
            path.write_text("# ring/a\n0\twait=50\tNOP\n1\tlong_sb=90 wait=6\t@P0 BRA 0x10\n"
                            "2\tbarrier=4\tBAR.SYNC 0\n")
            name, kept = samples.samples_of(path)
        self.assertEqual(name, "ring/a")
        code = [{"opcode": "NOP", "heat": "beside", "window": "consumer", "verb": ""},
                {"opcode": "BRA", "heat": "cold", "window": "consumer", "verb": "wait"},
                {"opcode": "BAR.SYNC", "heat": "hot", "window": "consumer", "verb": "release"}]
        found = samples.by_role(name, kept, code)
        self.assertEqual(samples.line_of("consumer", found["consumer"]),
                         "consumer      100  wait 96 (long_sb 90, wait 6); release 4 (barrier 4)")
        code[1]["opcode"] = "EXIT"
        with self.assertRaisesRegex(samples.Wrong, "ring/a: instruction 1 is another"):
            samples.by_role(name, kept, code)


if __name__ == "__main__":
    unittest.main()
