"""Counted bytes of streams: from what ncu and a store say, against what was worked out by hand.

Usage: counters_test.py TOOLS_FOLDER
"""

import json
import sqlite3
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "benchmarks"))

import counters  # noqa: E402


def variant(name, entry, **launch):
    return {"key": {"id": name}, "images": [{"build": "timed", "entry": entry}],
            "launch": launch}


def stream(name, entry, sms=1024):
    return variant(name, entry, data={"tile_bytes": 512}, ctas_per_sm=2, sms=sms)


def bundle(folder, variants):
    (Path(folder) / "manifest.json").write_text(json.dumps({"variants": variants}))
    return folder


def table(rows):
    """As ncu prints it: a line of its own before the names, the units after them."""
    lines = ["==PROF== Connected", '"ID","Kernel Name","dram__bytes_read.sum","lts__t_bytes.sum"',
             '"","","byte","byte"']
    return lines + [f'"{n}","{name}(int)","{dram:,}","{l2}"'
                    for n, (name, dram, l2) in enumerate(rows)]


def store(samples, error=None):
    rows = sqlite3.connect(":memory:")
    rows.executescript("""
        CREATE TABLE device(id INTEGER PRIMARY KEY, multiprocessors INTEGER);
        CREATE TABLE variant(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE point(kind TEXT, variant INTEGER, device INTEGER, samples TEXT,
                           error_message TEXT);
        INSERT INTO device VALUES(1, 132);
        INSERT INTO variant VALUES(1, 'stream/a');""")
    rows.execute("INSERT INTO point VALUES('point', 1, 1, ?, ?)", (json.dumps(samples), error))
    return rows


class Counters(unittest.TestCase):
    def test_streams_of_a_bundle_by_their_kernel(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle(folder, [stream("stream/a", "pb_a"), variant("anchor", "pb_b"),
                            variant("issue/a", "pb_c", data={"tile_bytes": 512}, sms=0)])
            self.assertEqual(counters.streams(folder), {"pb_a": ("stream/a", 512, 2, 1024)})

    def test_one_kernel_of_two_variants_cannot_be_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            bundle(folder, [stream("stream/a", "pb_a"), stream("stream/b", "pb_a", 1)])
            with self.assertRaisesRegex(counters.Wrong, "stream/b and stream/a are one kernel"):
                counters.streams(folder)
            bundle(folder, [variant("anchor", "pb_b")])
            with self.assertRaisesRegex(counters.Wrong, "has no variant of the probe stream"):
                counters.streams(folder)

    def test_launches_of_a_kernel_in_their_order(self):
        launches = counters.counted(table([("a", 1000, 2), ("b", 5, 6), ("a", 3000, 4)]),
                                    counters.METRICS)
        self.assertEqual([one[counters.DRAM] for one in launches["a"]], [1000, 3000])
        self.assertEqual([one[counters.L2] for one in launches["b"]], [6])
        with self.assertRaisesRegex(counters.Wrong, "no table: .*ERR_NVGPUCTRPERM"):
            counters.counted(["==ERROR== ERR_NVGPUCTRPERM"], counters.METRICS)

    # 100 bytes before the first item, 270336 of each: 2 x 132 tiles of 512 bytes, and twice that.
    def test_bytes_an_item_are_a_slope_over_the_kept_launches(self):
        items = [4, 8, 12, 16]
        asked = 2 * 132 * 512
        warm_up = [("pb_a", 7, 7)] * 4
        kept = [("pb_a", 100 + asked * n, 2 * asked * n) for n in items]
        launches = counters.counted(table(warm_up + kept), counters.METRICS)
        lines = list(counters.lines_of(store({"items": items, "cycles": [[1, 2, 3, 4]]}), launches,
                                       {"pb_a": ("stream/a", 512, 2, 1024)}))
        self.assertEqual(lines, [f"{asked:>12} {asked:>14} {1:>8.4f} {2 * asked:>14} {2:>8.4f}"
                                 "  stream/a"])

    def test_what_is_missing_is_said(self):
        variants = {"pb_a": ("stream/a", 512, 2, 1)}
        samples = {"items": [1, 2], "cycles": [[1, 2], [1, 2]]}
        with self.assertRaisesRegex(counters.Wrong, "0 launches were counted, 4 have samples"):
            list(counters.lines_of(store(samples), {}, variants))
        with self.assertRaisesRegex(counters.Wrong, "stream/a: no SM"):
            list(counters.lines_of(store(samples, "no SM"), {}, variants))
        with self.assertRaisesRegex(counters.Wrong, "stream/c was not measured"):
            list(counters.lines_of(store(samples), {}, {"pb_c": ("stream/c", 512, 2, 1)}))


if __name__ == "__main__":
    unittest.main()
