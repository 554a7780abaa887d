"""Tables of counters and samples: from small files and a program that only says what it is told.

Usage: pipes_table_test.py TOOLS_FOLDER
"""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "benchmarks"))

import document  # noqa: E402
import pipes  # noqa: E402
import pipes_table  # noqa: E402
from pipes_table import Count, Wrong  # noqa: E402

A = "ring/none/prefilled/wgmma/num_stages=3/tile_n=256"
B = "ring/mbarrier_bulk/bulk/wgmma/issue=elect_once"
LISTED = f"# all\n## two: without waits\n{A}\n## two: one slot\n{B}\nring/not/shown/wgmma\n"
LABELS = {A: ("two", "without waits"), B: ("two", "one slot")}
DEVICE = "# device: NVIDIA H200, driver 580\n"


def counted(name, cycles, issue, tensor, **waiting):
    """A line as pipes.py prints it."""
    return pipes.line_of(name, {"cycles": cycles, "issue": issue, "tensor": tensor, "warps": 9,
                                "bytes": 7.5, "waiting": waiting})


class Files(unittest.TestCase):
    def test_rows_are_rings_behind_a_label(self):
        self.assertEqual(list(pipes_table.labelled(LISTED).items()), list(LABELS.items()))
        for text, said in (
                ("ring/a\n", "specs/pipes.txt: no ring has a '## GROUP: NAME' before it"),
                ("# x\n## two\nring/a\n", "specs/pipes.txt:2: a row is called '## GROUP: NAME'")):
            with self.assertRaises(Wrong) as wrong:
                pipes_table.labelled(text)
            self.assertEqual(str(wrong.exception), said)

    def test_counts_are_those_that_pipes_prints(self):
        text = DEVICE + "   cycles issue\n" + counted(A, 500, 0.08, 512, barrier=3, wait=0.5)
        self.assertEqual(pipes_table.counts_of(text),
                         {A: Count(500, 8, 512, [("barrier", 3), ("wait", 0.5)])})
        self.assertEqual(pipes_table.device_of(text, "x"), "NVIDIA H200")
        with self.assertRaisesRegex(Wrong, "x: no line '# device: NAME, driver VERSION'"):
            pipes_table.device_of("# date", "x")

    def test_shares_are_those_that_samples_prints(self):
        text = (f"{DEVICE}{A}\n  consumer     7508  work_done 58 (barrier 58); loop 10\n"
                "  producer      812  acquire 93 (long_sb 88, drain 4)\n")
        self.assertEqual(pipes_table.shares_of(text),
                         {A: [("consumer", [("work_done", 58), ("loop", 10)]),
                              ("producer", [("acquire", 93)])]})


class Figures(unittest.TestCase):
    AXES = {"protocol": "none", "mover": "prefilled", "issue": "", "num_stages": "3",
            "work": "wgmma"}

    def row(self, cell, **changed):
        return {"protocol": "none", "mover": "prefilled", "issue": "-", "num stages": "3",
                "work=wgmma": cell, "flags": "", **changed}

    def test_the_row_of_all_axes_has_the_figure(self):
        cell = {"value": 5.0, "half_width": 0.1}
        rows = [self.row(cell), self.row("", **{"num stages": "4"}), self.row("", issue="elect")]
        self.assertEqual(pipes_table.matched(self.AXES, rows), cell)
        for wrong, said in (([], "the table 'pivot' has 0 rows of it"),
                            (rows + rows, "the table 'pivot' has 2 rows of it"),
                            ([self.row("not linear")], "it has no figure: not linear"),
                            ([self.row("")], "it has no figure: not measured")):
            with self.assertRaises(Wrong) as reason:
                pipes_table.matched(self.AXES, wrong)
            self.assertEqual(str(reason.exception), said)

    def test_axes_are_those_that_an_id_names(self):
        self.assertEqual(pipes_table.axes_in([A, B]),
                         ["protocol", "mover", "issue", "num_stages", "tile_n"])


class Tables(unittest.TestCase):
    # Under ncu 500 cycles an item, 40 of each scheduler's slots used; of 7.8 warps 4 at a barrier.
    # Without 1000: 4 % of the slots, and 512 of 1000 cycles of the pipe.
    def test_counts_of_an_item_are_over_its_measured_cycles(self):
        count = Count(500, 8, 512, [("barrier", 4.0), ("selected", 2.0), ("wait", 1.8)])
        self.assertEqual(pipes_table.cells_of(count, {"value": 1000.0, "half_width": 2.26}),
                         ["512", "1000.0 ± 2.3", "0.51", "4 %", "barrier 51 %, wait 23 %"])

    def test_a_group_is_named_once_and_the_note_says_how_far_ncu_is_off(self):
        counts = {A: Count(550, 8, 512, []), B: Count(900, 8, 512, [])}
        figures = {A: {"value": 500.0, "half_width": 0}, B: {"value": 1000.0, "half_width": 0}}
        lines = pipes_table.pipes_block(LABELS, counts, figures, "NVIDIA H200")
        self.assertEqual([line.split(" | ")[0] for line in lines[2:4]],
                         ["| two: without waits", "| ... one slot"])
        self.assertTrue(lines[-1].endswith("differ by -10 to +10 %."))
        with self.assertRaisesRegex(Wrong, f"results/benchmarks/pipes.txt: no line of {B}"):
            pipes_table.pipes_block(LABELS, {A: counts[A]}, figures, "NVIDIA H200")

    def test_roles_of_a_ring_have_a_row_each(self):
        shares = {A: [("consumer", [("wait", 48), ("loop", 10)]), ("producer", [("fill", 5)])]}
        self.assertEqual(pipes_table.samples_block(LABELS, shares)[2:],
                         ["| two: without waits | consumer | `wait` 48 %, its loop 10 % |",
                          "| two: without waits | producer | `fill` 5 % |"])
        with self.assertRaisesRegex(Wrong, "specs/pipes.txt: no '## GROUP: NAME' before ring/z"):
            pipes_table.samples_block(LABELS, {"ring/z": []})


class Document(unittest.TestCase):
    TEXT = "a\n<!-- pipes -->\nold\n<!-- /pipes -->\nb\n"

    def test_what_stands_between_the_comments_is_replaced(self):
        new = document.replaced("d.md", self.TEXT, "pipes", ["x", "y"])
        self.assertEqual(new, "a\n<!-- pipes -->\n\nx\ny\n\n<!-- /pipes -->\nb\n")
        self.assertEqual(document.replaced("d.md", new, "pipes", ["x", "y"]), new)
        with self.assertRaises(Wrong) as wrong:
            document.replaced("d.md", self.TEXT, "samples", [])
        self.assertEqual(str(wrong.exception), "d.md: not one '<!-- samples -->' with a "
                                               "'<!-- /samples -->' behind it")

    def test_the_first_line_that_differs_is_named(self):
        def compared(old, new):
            return document.compared("d.md", old, new, "tools/x")
        self.assertIsNone(compared("a\nb\n", "a\nb\n"))
        self.assertEqual(compared("a\nb\n", "a\nc\n"), "d.md:2: differs from the results: 'b' "
                         "would be 'c'; tools/x makes it")
        self.assertIn("d.md:2:", compared("a\n", "a\nc\n"))
        self.assertIn("d.md:2:", compared("a\nb\n", "a\n"))


class Command(unittest.TestCase):
    """The whole of it, on a tree of its own and a program that answers two commands."""

    def tree(self, folder):
        axes = ("protocol", "mover", "work", "issue", "num_stages", "tile_n")
        values = {A: "none,prefilled,wgmma,,3,256", B: "mbarrier_bulk,bulk,wgmma,elect_once,4,128"}
        exported = "\n".join(["id," + ",".join(f"axis.{axis}" for axis in axes),
                              *(f"{name},{value}" for name, value in values.items())])
        rows = [dict(zip((axis.replace("_", " ") for axis in axes),
                         (word or "-" for word in value.split(","))),
                     **{"work=wgmma": {"value": cycles, "half_width": 1}})
                for value, cycles in zip(values.values(), (512, 1024))]
        files = {"specs/pipes.txt": LISTED, "docs/roles.md": "<!-- pipes -->\n<!-- /pipes -->\n"
                 "<!-- samples -->\n<!-- /samples -->\n", "exported": exported,
                 "reported": json.dumps({"rows": rows}),
                 "results/benchmarks/pipes.txt": DEVICE + counted(A, 512, 0.1, 512) + "\n"
                 + counted(B, 512, 0.1, 512, barrier=2), "results/gpu/roles.csv.zst": "",
                 "results/benchmarks/samples.txt": f"{DEVICE}{B}\n  consumer  9  wait 48\n",
                 "phasebit": f'#!/bin/sh\ncat "{folder}/${{1}}ed"\n'}
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (Path(folder) / "phasebit").chmod(0o755)

    def run_in(self, folder, *arguments):
        with mock.patch.object(pipes_table, "ROOT", Path(folder)), \
                mock.patch.object(sys, "argv", ["", f"{folder}/phasebit", *arguments]):
            pipes_table.main()

    def test_writes_what_it_then_finds_equal(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tree(folder)
            with self.assertRaisesRegex(SystemExit, "docs/roles.md:2: differs"):
                self.run_in(folder, "--check")
            self.run_in(folder)
            self.run_in(folder, "--check")
            text = (Path(folder) / "docs/roles.md").read_text()
        self.assertIn("| ... one slot | 512 | 1024.0 ± 1.0 | 0.50 | 5 % | barrier 100 % |", text)
        self.assertIn("| two: one slot | consumer | `wait` 48 % |", text)

    def test_says_what_the_program_said(self):
        with tempfile.TemporaryDirectory() as folder:
            self.tree(folder)
            (Path(folder) / "phasebit").write_text("#!/bin/sh\necho no such id >&2\nexit 1\n")
            with self.assertRaises(SystemExit) as stopped:
                self.run_in(folder)
        self.assertEqual(str(stopped.exception),
                         f"pipes_table.py: {folder}/phasebit export: no such id")


if __name__ == "__main__":
    unittest.main()
