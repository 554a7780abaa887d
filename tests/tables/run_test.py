"""The runner of .test files finds what did not come, and takes rows apart as the templates say."""

import csv
import io
import stat
import tempfile
import unittest
from pathlib import Path

import run
from rows import Catalogue, expand, results_csv

TEMPLATES = Path(__file__).parents[2] / "templates"
SAYS = "| a | b |\n| --- | ---: |\n| x | 1 |\n| y \\| z | 2 |\n\nbelow\n"


class Runner(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = Path(self.holder.name)

    def found(self, test, says=SAYS, status=0):
        said, program, path = (self.folder / name for name in ("said", "program", "one.test"))
        said.write_text(says)
        program.write_text(f"#!/bin/sh\ncat '{said}' >&{2 if status else 1}\nexit {status}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        path.write_text(test)
        case = run.Case(path, str(program), self.folder, Catalogue(TEMPLATES))
        self.assertEqual(case.run(), not case.found)
        return "\n".join(case.found)

    def test_a_table_is_compared_by_the_columns_that_are_named(self):
        for good in ("a | b\nx | 1\ny \\| z | 2", "b\n1\n2\n> below", "a | b\nx | 1\n..."):
            self.assertEqual(self.found(f"table report\n----\n{good}\n"), "")

    def test_what_differs_is_named_with_its_line(self):
        rows = (("a | b\nx | 1\ny \\| z | 3", "-y | z | 3\n    +y | z | 2"),
                ("a\nx", "+y | z"), ("a\nx\ny \\| z\nw", "-w"), ("c\n1", "no column 'c'"),
                ("b\n1\n2\n> above", "no line: above"), ("a | b\nx", "a row of 1 cells"))
        for wanted, said in rows:
            found = self.found(f"# a comment\n\ntable report\n----\n{wanted}\n")
            self.assertIn("one.test:3: table report", found)
            self.assertIn(said, found)

    def test_errors_and_output(self):
        self.assertEqual(self.found("error report\n----\nno\n", "phasebit: no\n", 2), "")
        self.assertIn("-yes", self.found("error report\n----\nyes\n", "phasebit: no\n", 2))
        self.assertIn("no error", self.found("error report\n----\nyes\n"))
        self.assertIn("phasebit: no", self.found("table x\n----\na\n", "phasebit: no\n", 2))
        self.assertEqual(self.found("output x\n----\none\ntwo\n", "one\ntwo\n"), "")

    def test_a_test_of_nothing_fails(self):
        self.assertIn("nothing is compared", self.found("# all is well\n"))
        self.assertIn("no block 'tabel'", self.found("tabel report\n----\na\n"))


class Rows(unittest.TestCase):
    def made(self, *lines):
        text = results_csv(lines, Catalogue(TEMPLATES))
        return list(csv.DictReader(io.StringIO(text)))

    def test_a_range_is_a_line_for_each_number(self):
        self.assertEqual(list(expand(["a", "n={5..7},{1..3}"])), ["a", "n=5,1", "n=6,2", "n=7,3"])

    def test_a_key_is_that_of_the_templates(self):
        name = "ring/mbarrier/none/none/num_stages=8/ptxas=12.4.131"
        row = self.made("id,cycles,half", f"{name},40,1")[0]
        self.assertEqual((row["axis.num_stages"], row["axis.wait"]), ("8", "try_wait"))
        self.assertEqual(row["named"], "num_stages=4 ptxas")
        self.assertEqual((row["ci_low"], row["cycles"], row["ci_high"]), ("39", "40", "41"))

    def test_yesterdays_words_are_errors(self):
        for name, error in (("ring/mbarier/none/none", "no protocol"),
                            ("ring/mbarrier/none/none/stages=8", "no axis 'stages'")):
            with self.assertRaisesRegex(ValueError, error):
                self.made("id,cycles", f"{name},1")

    def test_errors_and_same_code(self):
        rows = self.made("id,cycles,error,same_as", "ring/mbarrier/none/none,40,,",
                         "ring/mbarrier/none/none/wait=test_wait,,,ring/mbarrier/none/none",
                         "ring/mbarrier/none/none/num_stages=2,,launch: died,")
        self.assertEqual([row["verdict"] for row in rows], ["measured", "same_code", "failed"])
        self.assertEqual((rows[1]["figure_point"], rows[1]["cycles"]), ("0", ""))
        self.assertEqual((rows[2]["error_step"], rows[2]["error"]), ("launch", "died"))


if __name__ == "__main__":
    unittest.main()
