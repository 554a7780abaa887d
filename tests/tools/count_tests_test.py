"""What tools/test says at its end is what happened. Usage: count_tests_test.py TOOLS_FOLDER"""

import sys
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, sys.argv.pop(1))
import count_tests  # noqa: E402

# As meson 1.12 writes it: a suite for each GoogleTest suite, and one for all other programs.
JUNIT = ElementTree.fromstring("""<testsuites>
  <testsuite name="phasebit.core - phasebit:file.Reading">
    <testcase name="a" status="run"/>
    <testcase name="b" status="run"><failure message="no"/></testcase>
  </testsuite>
  <testsuite name="phasebit.core - phasebit:file.Writing">
    <testcase name="c" status="run"><skipped message="no disk"/></testcase>
    <testcase name="d" status="notrun"/>
  </testsuite>
  <testsuite name="phasebit.core - phasebit:file_more.Writing">
    <testcase name="e" status="run"/>
    <testcase name="f" status="run"/>
  </testsuite>
  <testsuite name="phasebit">
    <testcase name="lint - phasebit:sizes"/>
    <testcase name="lint - phasebit:tidy"><skipped/></testcase>
  </testsuite>
</testsuites>""")
FILE, MORE = "core - phasebit:file", "core - phasebit:file_more"
SIZES, TIDY = "lint - phasebit:sizes", "lint - phasebit:tidy"

# Programs with meson's results, then (passed, failed, skipped).
TABLE = [
    ([(MORE, "OK")], (2, 0, 0)),
    ([(FILE, "FAIL")], (1, 1, 2)),
    ([(FILE, "FAIL"), (MORE, "OK"), (SIZES, "OK"), (TIDY, "SKIP")], (4, 1, 3)),
    # It exited with an error after its last case.
    ([(MORE, "ERROR")], (2, 1, 0)),
    # It died before it could write a case.
    ([("core - phasebit:crash", "FAIL")], (0, 1, 0)),
    ([(SIZES, "TIMEOUT"), (TIDY, "INTERRUPT")], (0, 2, 0)),
    ([], (0, 0, 0)),
]


class Count(unittest.TestCase):
    def test_table(self):
        for programs, expected in TABLE:
            with self.subTest(programs=programs):
                counts = count_tests.count(programs, JUNIT)
                self.assertEqual((counts["passed"], counts["failed"], counts["skipped"]), expected)

    def test_skips_without_a_gpu_are_named(self):
        programs = [(FILE, "OK"), (MORE, "OK"), (TIDY, "SKIP"), ("gpu - phasebit:bench", "SKIP")]
        self.assertEqual(count_tests.unexpected_skips(programs, JUNIT),
                         [f"{FILE}: Writing.c", f"{FILE}: Writing.d", TIDY])


if __name__ == "__main__":
    unittest.main()
