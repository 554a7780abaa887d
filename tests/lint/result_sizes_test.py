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
                (folder / f"{number}.jsonl").write_bytes(bytes(size))
            return result_sizes.check(Path(root))

    def test_a_file_may_have_a_megabyte(self):
        self.assertEqual(self.check(1_000_000, 5), (2, []))

    def test_and_no_byte_more(self):
        self.assertEqual(self.check(5, 1_000_001),
                         (2, ["results/gpu/1.jsonl: 1000001 bytes, at most 1000000"]))

    def test_text_counts_as_it_is_stored(self):
        self.assertEqual(self.check(*20 * [1_000_000]), (20, []))

    def test_samples_count_as_they_are(self):
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root, "results", "gpu")
            folder.mkdir(parents=True)
            for number in range(18):
                (folder / f"{number}.jsonl.gz").write_bytes(bytes(1_000_000))
            self.assertEqual(result_sizes.check(Path(root)), (18, [
                "results: 18000000 bytes as stored, at most 12500000"]))


if __name__ == "__main__":
    unittest.main()
