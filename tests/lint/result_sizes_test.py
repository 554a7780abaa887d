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

    def test_a_file_may_have_a_megabyte_and_a_half(self):
        self.assertEqual(self.check(1_500_000, 5), (2, []))

    def test_and_no_byte_more(self):
        self.assertEqual(self.check(5, 1_500_001),
                         (2, ["results/gpu/1.csv.zst: 1500001 bytes, at most 1500000"]))

    def test_all_may_have_twelve(self):
        self.assertEqual(self.check(*8 * [1_500_000]), (8, []))
        self.assertEqual(self.check(*8 * [1_500_000], 1),
                         (9, ["results: 12000001 bytes, at most 12000000"]))


if __name__ == "__main__":
    unittest.main()
