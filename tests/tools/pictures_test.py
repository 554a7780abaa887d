"""The data of the pictures: from rows of tables, against what was worked out by hand.

Usage: pictures_test.py TOOLS_FOLDER
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop())
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "picturing"))

import comparisons
import copies
import drawing
import labels
import make
import roles
import shapes
from reports import LeftOut, Reports, ends, value


def figure(number, half=0):
    return {"value": number, "half_width": half}


class Tables:
    """In the place of Reports: rows by table, where a row has the values that were asked for."""

    def __init__(self, **tables):
        self.of = tables

    def table(self, name, *arguments):
        asked = [word.split("=") for word in arguments if word.split("=")[0] not in
                 ("rows", "across", "probe")]
        rows = [row for row in self.of.get(name, [])
                if all(row.get(axis, word) == word for axis, word in asked)]
        if not rows:
            raise LeftOut("no measured variant is in this table")
        return rows

    tables = Reports.tables


class Values(unittest.TestCase):
    def test_a_cell_is_a_figure_a_number_or_nothing(self):
        for cell, number in ((figure(3, 1), 3), (2.5, 2.5), ("not linear", None), ("", None),
                             (None, None)):
            self.assertEqual(value(cell), number)
        self.assertEqual(ends(figure(10, 2)), (8, 12))


class Labels(unittest.TestCase):
    def test_they_keep_their_distance_and_their_order(self):
        for wanted, gap, positions in (
                ([10, 50, 30], 5, [10, 50, 30]),       # apart already
                ([10, 10], 6, [7, 13]),                # around their mean
                ([10, 12, 14], 4, [8, 12, 16]),
                ([0, 1, 100], 10, [-4.5, 5.5, 100]),
                ([0, 9, 10], 8, [-1.666667, 6.333333, 14.333333])):  # the pair meets the first
            for got, expected in zip(labels.apart(wanted, gap), positions, strict=True):
                self.assertAlmostEqual(got, expected, places=5)

    def test_they_stand_at_the_last_point_and_move_only_where_lines_end_together(self):
        points = [{"line": "a", "x": 1, "y": 5}, {"line": "a", "x": 4, "y": 7},
                  {"line": "b", "x": 4, "y": 8}, {"line": "c", "x": 2, "y": 7}]
        self.assertEqual(labels.end_labels(points, "line", "x", "y", 3),
                         [{"line": "a", "x": 4, "y": 6.0}, {"line": "b", "x": 4, "y": 9.0},
                          {"line": "c", "x": 2, "y": 7.0}])

    def test_on_a_logarithmic_axis_the_gap_is_a_factor(self):
        points = [{"line": "a", "x": 1, "y": 100}, {"line": "b", "x": 1, "y": 100}]
        heights = [label["y"] for label in labels.end_labels(points, "line", "x", "y", 2, log=True)]
        self.assertEqual(heights, [10, 1000])


class Fanin(unittest.TestCase):
    def rows(self, loop):
        return [{"loop": loop, "protocol": "mbarrier", "arrival": "thread",
                 "1": figure(46), "32": figure(197, 3)},
                {"loop": loop, "protocol": "mbarrier", "arrival": "warp_count", "1": figure(53)},
                {"loop": loop, "protocol": "cta_barrier", "arrival": "-", "1": figure(14),
                 "2": "failed: launch"}]

    def test_shows_operations_alone_where_there_are_any(self):
        both = self.rows("with") + self.rows("subtracted")
        both[0] = dict(both[0], **{"1": figure(66)})
        shape = shapes.fanin(Tables(fanin=both))
        self.assertEqual(shape["points"], [
            {"line": "mbarrier, every thread arrives", "cycles": 46, "low": 46, "high": 46,
             "warps": 1},
            {"line": "mbarrier, every thread arrives", "cycles": 197, "low": 194, "high": 200,
             "warps": 32},
            {"line": "CTA barrier", "cycles": 14, "low": 14, "high": 14, "warps": 1}])
        self.assertTrue(shape["subtitle"][0].startswith("without its loop"))

    def test_says_when_there_are_none(self):
        shape = shapes.fanin(Tables(fanin=self.rows("with")))
        self.assertEqual(len(shape["points"]), 3)
        self.assertTrue(shape["subtitle"][0].startswith("with its loop"))


class Stages(unittest.TestCase):
    def test_names_loop_unrolled_and_looking_ahead(self):
        def row(protocol, addressing, token, ahead, **figures):
            return dict({"protocol": protocol, "addressing": addressing, "early token": token,
                         "ahead": ahead}, **figures)
        shape = shapes.stages(Tables(pivot=[
            row("mbarrier", "runtime", "off", "0", **{"1 stage": figure(240), "2 stages":
                                                      figure(147), "4 stages": "not linear"}),
            row("mbarrier", "runtime", "on", "0", **{"2 stages": figure(166)}),
            row("mbarrier", "unrolled", "on", "1", **{"8 stages": figure(97.63, 1)}),
            row("mbarrier", "runtime", "on", "3", **{"8 stages": figure(147)}),
            row("cta_barrier", "unrolled", "-", "-", **{"1 stage": figure(92)})]))
        self.assertEqual([(p["line"], p["stages"], p["cycles"]) for p in shape["points"]],
                         [("mbarrier, loop", 1, 240), ("mbarrier, loop", 2, 147),
                          ("mbarrier, unrolled, looks 1 ahead", 8, 97.63),
                          ("CTA barrier, unrolled", 1, 92)])
        self.assertEqual(shape["bound"][:4], [{"stages": n, "cycles": 240 / n}
                                              for n in (1, 2, 3, 4)])


class Wakeup(unittest.TestCase):
    def test_has_a_line_for_each_wait_that_was_measured(self):
        common = {"operand": "parity", "semantics": "implicit", "counting": "off"}
        shape = shapes.wakeup(Tables(response=[
            dict(common, protocol="mbarrier", wait="try_wait", hint_ns="none", **{
                "0": figure(75), "16384": figure(85, 90), "1048576": figure(85)}),
            dict(common, protocol="mbarrier", wait="test_wait", backoff_ns="100", hint_ns="x",
                 **{"0": figure(215), "16384": ""})]))
        self.assertEqual([(p["line"], p["delay"], p["cycles"], p["low"]) for p in shape["points"]],
                         [("try_wait", 0, 75, 75), ("try_wait", 1, 85, 1),  # a logarithmic axis
                          ("test_wait, back-off 100 ns", 0, 215, 215)])
        self.assertEqual(shape["params"]["delays"], ["0", "16 Ki"])

    def test_is_left_out_when_none_was(self):
        with self.assertRaisesRegex(LeftOut, "no measured variant"):
            shapes.wakeup(Tables())


class Ptxas(unittest.TestCase):
    def test_percents_are_above_the_fastest_version(self):
        for figures, percents in (([100, 110, 100], [0, 10, 0]), ([104, 100], [0, 0]),
                                  ([None, 200, 100.4], [None, 99, 0])):
            self.assertEqual(comparisons.above_best(figures), percents)

    def test_neighbours_with_one_figure_are_one_cell(self):
        self.assertEqual(comparisons.runs_of([0, 0, 7, None, 7]),
                         [[0, 2, 0], [2, 3, 7], [3, 4, None], [4, 5, 7]])

    def test_rows_stand_by_their_worst_and_quiet_ones_are_counted(self):
        def row(name, *figures):
            return {"variant": name, "11.8.89": figures[0], "12.0.140": figures[1]}
        shape = comparisons.ptxas(Tables(history=[
            row("ring/a/none/none", figure(100), figure(110)), row("quiet", figure(99), figure(99)),
            row("handoff/b/none/none/num_stages=1", "failed: assemble", figure(5)),
            row("ring/c/st_shared/none", figure(150), figure(100))]))
        self.assertEqual(shape["params"]["rows"], ["ring c st_shared", "ring a"])
        self.assertEqual(shape["params"]["versions"], ["11.8", "12.0"])
        self.assertEqual(shape["cells"][0], {"row": "ring c st_shared", "from": 0, "to": 1,
                                             "percent": 50, "text": "+50"})
        self.assertIn("2 other texts", shape["subtitle"][0])


def prediction(kind, variant, predicted, measured, is_open=""):
    return {"kind": kind, "variant": variant, "predicted": figure(predicted),
            "measured": figure(measured), "percent": 100 * (1 - predicted / measured),
            "open": is_open}


class Closure(unittest.TestCase):
    def test_counts_equal_ratios_and_names_the_farthest(self):
        shape = comparisons.closure(Tables(closure=[
            prediction("hand-off: its verbs", "handoff/a/none/none/num_stages=1", 100, 100.1),
            prediction("hand-off: its verbs", "handoff/b/none/none/num_stages=1", 50, 50),
            prediction("hand-off: its verbs", "handoff/c/none/none/num_stages=1", 100, 200, "open"),
            prediction("hand-off: its verbs", "handoff/d/none/none/num_stages=1", 100, 120, "open"),
            prediction("meeting: its verb", "fanin/a/none/none", 47, 47)]))
        self.assertEqual([(d["ratio"], d["count"], d["state"]) for d in shape["dots"]],
                         [(1.0, 1, "closed"), (1.0, 2, "closed"), (1.2, 1, "open"),
                          (2.0, 1, "open")])
        self.assertEqual(shape["shares"], [
            {"kind": "fan-in of one warp, from its verb", "text": "1 of 1 within 10 %"},
            {"kind": "hand-off, from its verbs", "text": "2 of 4 within 10 %"}])
        self.assertEqual(shape["names"],
                         [{"kind": "hand-off, from its verbs", "ratio": 2, "text": "c"}])


class Devices(unittest.TestCase):
    def row(self, name, scope, gpu="NVIDIA H100 80GB HBM3", ratios=(1, 1, 1)):
        return {"GPU": gpu, "beside": "NVIDIA H200", "class": name, "scope": scope,
                "figures": "12", "agree": "10", "lowest": ratios[0], "median": ratios[1],
                "highest": ratios[2]}

    def test_classes_of_one_scope_stand_together(self):
        shape = comparisons.devices(Tables(devices=[
            self.row("ring/b", "cluster or GPU", ratios=(1, 2, 4)), self.row("ring/b", "CTA"),
            self.row("ring/a", "CTA")]))
        self.assertEqual([one["class"] for one in shape["ranges"]],
                         ["ring/a, CTA", "ring/b, CTA", "ring/b, cluster or GPU"])
        self.assertEqual(shape["ranges"][2]["text"], "10 of 12 agree")
        self.assertEqual((shape["params"]["there"], shape["params"]["here"]), ("H100", "H200"))
        self.assertEqual(shape["params"]["lowest"], 0.8)
        self.assertAlmostEqual(shape["params"]["highest"], 4.2)

    def test_three_gpus_are_too_many(self):
        with self.assertRaisesRegex(LeftOut, "NVIDIA B200, NVIDIA H100"):
            comparisons.devices(Tables(devices=[self.row("a", "CTA", "NVIDIA B200"),
                                                self.row("a", "CTA")]))


class Drawing(unittest.TestCase):
    def test_every_colour_of_a_specification_is_known_in_the_dark(self):
        known = set(drawing.DARK)
        # The heat map's cells and the words on them are the same on both.
        both = {"#d9dee5", "#f6d59a", "#a63603", "#fefefe", "#111111"}
        for path in sorted((TOOLS.parent / "docs" / "pictures").glob("*.vl.json")):
            used = set(re.findall(r"#[0-9a-f]{6}", path.read_text()))
            self.assertLessEqual(used, known | both, path.name)
            self.assertIn(path.name.removesuffix(".vl.json"), make.PICTURES)

    def test_numbers_in_drawings_are_short_and_words_are_whole(self):
        tidy = drawing.tidy('<svg width="1"><g class="x" role="y"><path d="M0.123456,7"/></g>'
                            '<g></g><text>driver 580.159.04</text></svg>')
        self.assertIn('<path d="M0.12,7"/>', tidy)
        self.assertIn(">driver 580.159.04<", tidy)
        self.assertNotIn("<g></g>", tidy)
        self.assertNotIn("class", tidy.split("</style>")[1])

    def test_data_and_parameters_are_filled_in(self):
        spec = {"title": {"text": "t"}, "params": [{"name": "delays", "value": []}]}
        filled = drawing.filled(spec, ["H200"], {"points": [1], "subtitle": ["s"],
                                                 "params": {"delays": [3]}})
        self.assertEqual(filled["datasets"], {"points": [1]})
        self.assertEqual(filled["params"][0]["value"], [3])
        self.assertEqual(filled["title"]["subtitle"], ["H200", "s"])
        self.assertEqual(spec["title"], {"text": "t"})


class Check(unittest.TestCase):
    def test_names_the_first_line_that_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.svg"
            self.assertIn("is missing", make.compared(path, "x"))
            path.write_text("one\ntwo\n")
            self.assertIsNone(make.compared(path, "one\ntwo\n"))
            self.assertIn("a.svg:2: differs", make.compared(path, "one\n2\n"))
            self.assertIn("a.svg:3: differs", make.compared(path, "one\ntwo\nthree\n"))


class Roles(unittest.TestCase):
    def test_varying_work_is_over_the_deepest_ring(self):
        def row(delayed, kind, spread, **cells):
            return {"protocol": "mbarrier", "mover": "st_shared", "delayed": delayed,
                    "jitter": kind, "spread": spread, **cells}
        rows = [row("both", "uniform", "14", **{"2": figure(150), "32": figure(100)}),
                row("both", "uniform", "7", **{"2": figure(120), "32": figure(100)}),
                row("both", "none", "7", **{"2": figure(90), "32": figure(90)}),
                row("producer", "uniform", "14", **{"2": figure(1), "32": figure(1)}),
                row("both", "bimodal", "14", **{"2": figure(150), "32": "not linear"})]
        points = roles.jitter(Tables(jitter=rows))["points"]
        self.assertEqual([(p["line"], p["x"], p["ratio"]) for p in points],
                         [("both, uniform", 2, 1.5), ("both, uniform", 32, 1),
                          ("both roles, no variation", 2, 1),
                          ("both roles, no variation", 32, 1)])

    def test_where_warps_sit_is_in_percent(self):
        class Pivot:
            tables = Reports.tables

            def table(self, name, *arguments):
                if "protocol=named_barrier" not in arguments:
                    raise LeftOut("no measured variant is in this table")
                return [{"num stages": "4", "sub_partitions=together": figure(55),
                         "sub_partitions=apart": figure(50)},
                        {"num stages": "2", "sub_partitions=together": figure(55),
                         "sub_partitions=apart": "not linear"}]
        self.assertEqual(roles.sub_partitions(Pivot())["points"],
                         [{"line": "named barriers, unrolled", "x": 4, "percent": 10}])

    def test_shapes_are_lines_by_stages(self):
        rows = [{"product": "64 x 64 x 64", "in flight": 1, "mover": "bulk", "arrival": "warp",
                 "3 stages": 872, "4 stages": 1306, "5 stages": None},
                {"product": "64 x 64 x 64", "in flight": 0, "mover": "bulk", "arrival": "warp",
                 "3 stages": 1024}]
        self.assertEqual(roles.shapes(Tables(shapes=rows))["points"],
                         [{"line": "64 x 64 x 64", "x": 3, "rate": 872},
                          {"line": "64 x 64 x 64", "x": 4, "rate": 1306}])


class Multicast(unittest.TestCase):
    def test_one_cta_copies_for_one_cluster_and_for_all(self):
        rows = [{"clusters": clusters, "CTAs": 4, "tile": 16384, "split": split, "4 stages": ratio,
                 "read": "first"}
                for clusters, split, ratio in (("one", "one", 1.25), ("every", "one", 0.75),
                                               ("every", "slices", 0.9))]
        self.assertEqual(copies.multicast(Tables(multicast=rows))["points"],
                         [{"line": "16 KiB, all SMs", "x": 4, "ratio": 0.75},
                          {"line": "16 KiB, one cluster", "x": 4, "ratio": 1.25}])


class Origins(unittest.TestCase):
    def test_a_bar_says_what_the_ring_has_beside_the_others(self):
        rows = [{"origin": "template", "protocol": "mbarrier", "roles": "specialized",
                 "mover": "st_shared",
                 "at": "4 stages, addressing=unrolled, arrival=thread", "cycles": figure(58.4, 3)},
                {"origin": "tuned", "protocol": "mbarrier", "roles": "specialized",
                 "mover": "st_shared",
                 "at": "4 stages, tuned=test_ahead", "cycles": figure(115)},
                {"origin": "nvcc", "protocol": "theirs", "roles": "unified",
                 "mover": "memcpy_async",
                 "at": "4 stages, joining=by_role, scope=block", "cycles": figure(377)}]
        made = comparisons.origins(Tables(origins=rows))
        self.assertEqual([(bar["origin"], bar["row"], bar["text"]) for bar in made["bars"]],
                         [("templates", "mbarrier, unrolled, by threads", "58"),
                          ("forks by hand", "mbarrier, test_ahead", "115"),
                          ("nvcc, other libraries",
                           "theirs, one warp, memcpy_async, scope block", "377")])

    def test_two_bars_of_one_name_would_be_one(self):
        row = {"origin": "nvcc", "protocol": "theirs", "roles": "specialized",
               "mover": "st_shared", "at": "4 stages", "cycles": figure(1)}
        with self.assertRaisesRegex(ValueError, "two bars .*theirs"):
            comparisons.origins(Tables(origins=[row, row]))


if __name__ == "__main__":
    unittest.main()
