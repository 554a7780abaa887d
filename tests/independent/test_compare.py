#!/usr/bin/env python3
"""Tests of compare.py and check_sass.py; needs neither a GPU nor a CUDA tool."""

import contextlib
import io
import json
import os
import tempfile
import unittest

import check_sass
import compare


def row(name, value, half_width=0.0, **more):
    return {"name": name, "value": value, "half_width": half_width, **more}


class Differences(unittest.TestCase):
    def test_limits(self):
        # independent, project, differs: more than 2 % and more than 1 cycle, both
        table = [
            (100.0, 100.0, False),
            (100.0, 101.9, False),   # 1.9 %, 1.9 cycles
            (100.0, 102.0, False),   # exactly 2 %
            (100.0, 102.1, True),
            (100.0, 97.9, True),     # the sign does not matter
            (20.0, 20.9, False),     # 4.5 %, 0.9 cycle
            (20.0, 21.0, False),     # exactly 1 cycle
            (20.0, 21.1, True),
            (2000.0, 2030.0, False),  # 30 cycles, 1.5 %
            (0.0, 0.0, False),
            (0.0, 0.5, False),
            (0.0, 1.5, True),
            (-10.0, -12.0, True),
        ]
        for independent, project, differs in table:
            with self.subTest(independent=independent, project=project):
                c = compare.Comparison("x", (independent, 0), (project, 0))
                self.assertEqual(c.differs, differs)

    def test_sign_and_percent(self):
        c = compare.Comparison("x", (200.0, 0), (190.0, 0))
        self.assertAlmostEqual(c.cycles, -10.0)
        self.assertAlmostEqual(c.percent, -5.0)


class IndependentRows(unittest.TestCase):
    def test_median_and_spread_of_rows_of_one_name(self):
        rows = [row("a", 10.0, 0.1), row("a", 13.0, 0.2), row("a", 11.0, 0.1)]
        figures, refused = compare.independent_figures(rows)
        self.assertEqual(figures, {"a": (11.0, 1.5)})
        self.assertEqual(refused, {})

    def test_own_half_width_counts_when_larger(self):
        figures, _ = compare.independent_figures([row("a", 10.0, 0.7), row("a", 10.2, 0.1)])
        self.assertAlmostEqual(figures["a"][0], 10.1)
        self.assertAlmostEqual(figures["a"][1], 0.7)

    def test_pairs_of_sms(self):
        rows = [row("c", 500.0, pair=[0, 1]), row("c", 520.0, pair=[2, 3])]
        figures, _ = compare.independent_figures(rows)
        self.assertEqual(figures["c@0-1"], (500.0, 0.0))
        self.assertEqual(figures["c@2-3"], (520.0, 0.0))
        self.assertEqual(figures["c"], (510.0, 10.0))

    def test_no_value_from_what_is_no_line_or_an_error(self):
        rows = [row("a", 10.0, not_linear=True), {"name": "b", "error": "the kernel hangs"},
                row("d", 1.0), row("d", 99.0, not_linear=True), row("e", 1.0, guarded=True)]
        figures, refused = compare.independent_figures(rows)
        self.assertEqual(figures, {"d": (1.0, 0.0)})
        self.assertEqual(refused, {
            "a": "not_linear", "b": "the kernel hangs",
            "e": "measured by the guarded build, whose waits hold more"})


class Verdict(unittest.TestCase):
    def comparisons(self, count, project=10.0):
        return [compare.Comparison(str(i), (10.0, 0), (project, 0)) for i in range(count)]

    def test_holds(self):
        self.assertEqual(compare.verdict(self.comparisons(30)), [])

    def test_too_few(self):
        self.assertEqual(compare.verdict(self.comparisons(29)),
                         ["29 figures compared, at least 30 are needed"])

    def test_differs(self):
        self.assertEqual(compare.verdict(self.comparisons(30) + self.comparisons(1, 12.0)),
                         ["1 figures differ by more than 2 % and 1 cycle"])


class Files(unittest.TestCase):
    def run_main(self, rows, csv_text):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, "i.jsonl"), os.path.join(folder, "p.csv")
            with open(ours, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(r) + "\n" for r in rows))
            with open(theirs, "w", encoding="utf-8") as file:
                file.write(csv_text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                status = compare.main([ours, theirs])
            return status, out.getvalue()

    def test_all_match(self):
        rows = [row(f"f{i}", 10.0 + i) for i in range(30)]
        text = "name,value,half_width\n" + "".join(f"f{i},{10.5 + i},0.1\n" for i in range(30))
        status, out = self.run_main(rows, text)
        self.assertEqual(status, 0, out)
        self.assertIn("30 figures compared, largest difference 5.00 %", out)

    def test_names_that_do_not_match_are_named_and_too_few_fail(self):
        status, out = self.run_main([row("a", 1.0), row("b", 1.0, not_linear=True)],
                                    "name,value,half_width\nb,1,0\nc,1,0\n")
        self.assertEqual(status, 1)
        self.assertIn("not compared: b: not_linear", out)
        self.assertIn("not compared: c: the independent run has no such name", out)
        self.assertIn("not compared: a: phasebit has no such name", out)
        self.assertIn("FAILED: 0 figures compared, at least 30 are needed", out)

    def test_a_name_twice_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "a stands there twice"):
            self.run_main([], "name,value,half_width\na,1,0\na,2,0\n")


def sass(body_items, barriers, extra=(), tied=True, closed=True):
    """A made-up disassembly of the CTA barrier's kernel."""
    loop = ["BAR.SYNC.DEFER_BLOCKING 0x0"] * barriers + list(extra)
    lines = ["CS2R R8, SR_CLOCKLO", "LOP3.LUT R10, R8, UR4, RZ, 0xc0, !PT",
             f"ISETP.NE.AND P0, PT, {'R10' if tied else 'R11'}, RZ, PT", "@!P0 BRA 0x1000"]
    start = 16 * len(lines)
    lines += loop + ["UIADD3 UR4, UR4, 0x1, URZ", f"@!P0 BRA 0x{start:x}"]
    lines += ["CS2R R12, SR_CLOCKLO"] if closed else []
    lines += ["BAR.SYNC.DEFER_BLOCKING 0xf", "EXIT"]
    name = f"_ZN11independent11measure_ctaINS_10CtaBarrierELi{body_items}EEEvNS_10LaunchPlanE"
    code = "".join(f"        /*{16 * i:04x}*/   {line} ;\n" for i, line in enumerate(lines))
    return f"\t\tFunction : {name}\n{code}"


class Sass(unittest.TestCase):
    def errors(self, **what):
        kernel, = check_sass.parse(sass(4, **{"barriers": 4, **what}))
        return check_sass.check_kernel(kernel, check_sass.rule_for(kernel.name))

    def test_what_is_found(self):
        table = [
            ({}, []),
            ({"barriers": 3}, ["loop at 0x40: 3 bar_sync, expected 4"]),
            ({"extra": ["STL [R1], R2"]}, ["loop at 0x40: STL [R1], R2", "registers are spilled"]),
            ({"extra": ["S2UR UR5, SR_CgaCtaId"]}, ["loop at 0x40: S2UR UR5, SR_CgaCtaId"]),
            ({"extra": ["CS2R R2, SR_CLOCKLO"]}, ["0 timed loops, expected 1"]),
            ({"tied": False}, ["loop at 0x40: not tied to a clock read before it"]),
            ({"closed": False}, ["0 clock reads behind the loops, expected 1"]),
        ]
        for what, expected in table:
            with self.subTest(what=what):
                self.assertEqual(self.errors(**what), expected)

    def test_bodies(self):
        self.assertEqual(check_sass.check_bodies({4: [6], 8: [10]}), [])      # 1 an item, 2 loop
        self.assertEqual(check_sass.check_bodies({4: [43], 8: [83]}), [])
        self.assertEqual(len(check_sass.check_bodies({4: [6], 8: [11]})), 1)  # not a whole item
        self.assertEqual(len(check_sass.check_bodies({4: [6], 8: [14]})), 1)  # loop of -2
        self.assertEqual(len(check_sass.check_bodies({4: [30], 8: [34]})), 1)  # loop of 26
        self.assertEqual(len(check_sass.check_bodies({4: [6]})), 1)


if __name__ == "__main__":
    unittest.main()
