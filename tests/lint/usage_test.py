"""A check that is started without its arguments says which there are."""

import importlib.util
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent
CHECKS = [path for folder in (HERE, HERE.parent / "structure") for path in folder.glob("*.py")
          if not path.name.endswith("_test.py") and "__main__" in path.read_text(encoding="utf-8")]


class Usage(unittest.TestCase):
    def test_every_check_says_its_arguments(self):
        self.assertGreater(len(CHECKS), 10)
        for path in CHECKS:
            if path.name == "sizes.py" and importlib.util.find_spec("lizard") is None:
                continue  # skipped before it reads them
            with self.subTest(path.name):
                ran = subprocess.run([sys.executable, path], check=False, capture_output=True,
                                     text=True)
                self.assertEqual(ran.returncode, 2)
                self.assertRegex(ran.stderr, rf"^usage: {path.name} .*\n"
                                             rf"{path.name}: error: .* required: .*root")


if __name__ == "__main__":
    unittest.main()
