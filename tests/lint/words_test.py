"""The word check counts dialect in prose, and neither names nor code."""

import unittest

import words


def found(name, text):
    return [(place, pattern) for place, pattern, _ in words.count_text(name, text)]


# File, its text, what is counted.
CASES = [
    ("docs/a.md", "A ring beside a queue.\n", [("docs", "beside")]),
    ("docs/a.md", "The column `beside`, and beside.sql.\n", []),
    ("docs/a.md", "```\nphasebit report --table beside x\n```\n", []),
    ("docs/a.md", "<!-- phasebit:claim a -->\nIt stands\n<!-- /phasebit -->\nIt stands.\n",
     [("docs", "stands")]),
    ("docs/a.md", "A kernel in\nfront of it; a letter stands for a word.\n",
     [("docs", "in front of")]),
    ("docs/a.md", "The user who asks; a warp who waits. Whoever asks.\n",
     [("docs", "who"), ("docs", "who")]),
    ("docs/a.md", "There is no ring; that is no longer so; this is no ring, it has none.\n",
     [("docs", "is no"), ("docs", "has none")]),
    ("docs/a.md", "It takes 30 cycles and takes no argument. It takes a file.\n",
     [("docs", "takes"), ("docs", "takes")]),
    ("app/a.cpp", 'say("what stands "\n    "behind it", "beside");  // as of before\n',
     [("comments", "of today"), ("help and errors", "behind"), ("help and errors", "stands")]),
    ("app/a.cpp", "// Rows are held\n// against text, for\n\n// ever\n",
     [("comments", "held against")]),
    ("app/a.cpp", "int beside = behind(x);  /* once for\n all */\n",
     [("comments", "once for all")]),
    ("tests/a.cpp", 'EXPECT_EQ(error, "it stands there");\n', []),
    ("claims/a.toml", '# Beside it.\nsays = "A copy takes {a} cycles."\nkind = "beside"\n',
     [("claims", "takes"), ("comments", "beside")]),
    ("specs/a.toml", 'doc = "verbs beside load"\n', [("help and errors", "beside")]),
    ("a.sql", "/*\ndoc = \"rows beside rows\"\n*/\n-- It stands.\nSELECT 'who asks', beside;\n",
     [("comments", "stands"), ("help and errors", "beside"), ("help and errors", "who")]),
    ("a.py", '"""Whoever asks."""\ntext = "it stands there"  # for ever\n',
     [("comments", "for ever"), ("comments", "who")]),
    ("a.ptx", "mov.u32 a, b; // behind it\n", [("comments", "behind")]),
    ("a.ll", "; nobody reads\n", [("comments", "somebody's")]),
    ("tools/a", "#!/bin/bash\n# behind it\nbeside=1\n", [("comments", "behind")]),
]


class Words(unittest.TestCase):
    def test_prose_is_counted_and_nothing_else(self):
        for name, text, expected in CASES:
            with self.subTest(name=name, text=text):
                self.assertEqual(sorted(found(name, text)), sorted(expected))

    def test_every_pattern_has_a_first_count(self):
        self.assertEqual(list(words.BASELINE), list(words.PATTERNS))
        self.assertTrue(all(len(row) == len(words.PLACES) for row in words.BASELINE.values()))


if __name__ == "__main__":
    unittest.main()
