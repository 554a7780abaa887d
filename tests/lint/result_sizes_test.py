"""Tests result_sizes.py."""

import tempfile
import unittest
from pathlib import Path

import result_sizes


class ResultSizes(unittest.TestCase):
    def check(self, *sizes):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, "results", "gpu")
            folder.mkdir(parents=True)
            for number, size in enumerate(sizes):
                (folder / f"{number}.csv.zst").write_bytes(bytes(size))
            return result_sizes.check(Path(root))

    def test_a_file_may_have_four_megabytes(self):
        self.assertEqual(self.check(4_000_000, 5), (2, []))

    def test_and_no_byte_more(self):
        self.assertEqual(self.check(5, 4_000_001),
                         (2, ["results/gpu/1.csv.zst: 4000001 bytes, at most 4000000"]))

    def test_all_may_have_twenty_five(self):
        self.assertEqual(self.check(*6 * [4_000_000], 1_000_000), (7, []))
        self.assertEqual(self.check(*6 * [4_000_000], 1_000_001),
                         (7, ["results: 25000001 bytes, at most 25000000"]))


if __name__ == "__main__":
    unittest.main()
