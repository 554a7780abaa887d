"""What tests of checkers share: a small tree of files, made for one question."""

import tempfile
import unittest
from pathlib import Path


class TreeTest(unittest.TestCase):
    """For a `check(root)` that yields problems."""

    def problems(self, check, tree):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(check(Path(folder)))
