#!/usr/bin/env python3
"""Edits of every verb of every protocol and mover: what the gate does not refuse is listed.

An edit is refused by the gate, by ptxas or by the reader of the file, leaves the code as it is, or
is left to guard and verification. left.txt lists these, with what each comes to on a GPU
(edits_gpu_test.py). CI judges a fixed part of all edits: PHASEBIT_EDITS=all judges every one, and
PHASEBIT_ACCEPT=1 with it writes left.txt anew.
"""
import hashlib
import os
import pathlib
import tempfile
import unittest

import judge
import left_list
import ptx_edits

HOME = pathlib.Path(os.environ["PHASEBIT_HOME"])
PART = 1 if os.environ.get("PHASEBIT_EDITS") == "all" else 16


def says_something(template):
    """Not only which others it takes over, and when"""
    lines = [one.strip() for one in template.read_text().splitlines()]
    return any(one and not one.startswith(("//", "{{> ", "{{#", "{{^", "{{/")) for one in lines)


def is_of_part(edit):
    return int(hashlib.sha256(edit.name.encode()).hexdigest(), 16) % PART == 0


class Edits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.texts = judge.render(pathlib.Path(cls.folder.name) / "sound")
        cls.edits = judge.all_edits(cls.texts)
        cls.listed = left_list.read()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_speak_of_every_verb(self):
        have = {line.template for text in self.texts.values()
                for line in ptx_edits.read_lines(text)}
        for path in sorted([*(HOME / "templates/protocols").glob("*/*.ptx"),
                            *(HOME / "templates/movers").glob("*/*.ptx")]):
            name = str(path.relative_to(HOME / "templates").with_suffix(""))
            if says_something(path):
                self.assertIn(name, have, "files.toml needs a variant with it")

    def test_are_of_their_own_names(self):
        names = [edit.name for _, _, edit in self.edits]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(sorted(set(self.listed) - set(names)), [], "left.txt has what is no edit")

    def test_that_are_left_are_listed(self):
        part = [one for one in self.edits if is_of_part(one[2])]
        verdicts = judge.judge(self.texts, part, self.folder.name)
        left = {one[2].name for one, (verdict, _) in zip(part, verdicts) if verdict == judge.LEFT}
        if PART == 1 and os.environ.get("PHASEBIT_ACCEPT"):
            names = [edit.name for _, _, edit in self.edits if edit.name in left]
            return left_list.write(names, self.listed)
        known = {one[2].name for one in part} & set(self.listed)
        self.assertEqual(sorted(left - known), [], "passes the gate, and left.txt does not have it")
        self.assertEqual(sorted(known - left), [], "is refused, and left.txt has it")


if __name__ == "__main__":
    unittest.main()
