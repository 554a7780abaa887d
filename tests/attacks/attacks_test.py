#!/usr/bin/env python3
"""Edits of the templates that would publish another figure than the id says: the gate refuses each.

attacks.toml says what each edit does and what the refusal must name, or that ptxas makes the same
code of it. The edits are made in a copy of the templates, with the real ptxas and nvdisasm; the
same variants pass unedited. What the edited templates make is gated in one run for each set of
targets: nvdisasm takes longer to start than to read all of them. open.toml has those that the
gate does not refuse yet.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest

HOME = pathlib.Path(os.environ["PHASEBIT_HOME"])
ALL = tomllib.loads((pathlib.Path(__file__).parent / "attacks.toml").read_text())["attack"]
OPEN = tomllib.loads((pathlib.Path(__file__).parent / "open.toml").read_text())["attack"]
ATTACKS = [one for one in ALL if not one.get("leaves_text")]
# Refused with a line of a template in the words, or by what a run of it executes; a file is refused
# with its own lines, or (`check = "file"`) by what it executes otherwise than the template of its
# key.
BY_TEMPLATE = [one for one in ATTACKS
               if "templates/" in one["refused"] or one.get("check") is True]
BY_FILE = [one for one in ATTACKS if one not in BY_TEMPLATE]
HARMLESS = [one for one in ALL if one.get("leaves_text")]


def targets_of(attack):
    return tuple(attack.get("targets", ["sm_90a"]))


def how_of(attack):
    return "--check" if attack.get("check") else "--gate"


def said(*words):
    done = subprocess.run([os.environ["PHASEBIT_PROGRAM"], *words], capture_output=True, text=True)
    if not done.stdout:
        raise AssertionError(done.stderr)
    return done.stdout


def ids_of(attack):
    return [word for one in attack["variants"] for word in ("--id", one)]


def failures(targets, *what, how="--gate"):
    """{(variant, target): why it is refused}"""
    output = said("assemble", how, "--json", "--target", ",".join(targets), *what)
    return {(one["variant"], one["target"]): one["error"]
            for one in json.loads(output)["failures"]}


def generated(templates, attack, number):
    """The PTX of each variant, under names that no other attack's have."""
    made = templates.parent / f"ptx{number}"
    said("generate", "--templates", templates, "--out", made, *ids_of(attack))
    return [path.rename(made / f"attack{number}_{n}.ptx")
            for n, path in enumerate(sorted(made.rglob("*.ptx")))]


def texts(templates, attack):
    """{(variant, target): the hash of its .text}"""
    found = {}
    for variant in attack["variants"]:
        for target in targets_of(attack):
            found[variant, target] = json.loads(
                said("sass", "show", "--json", "--templates", templates, "--target", target,
                     variant))["text_hash"]
    return found


class Attacks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.templates = pathlib.Path(cls.folder.name) / "templates"
        shutil.copytree(HOME / "templates", cls.templates)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @contextlib.contextmanager
    def edited(self, attack):
        """The copy of the templates, edited until the end of the block."""
        try:
            for edit in attack["edit"]:
                path = self.templates / edit["file"]
                text = path.read_text()
                self.assertEqual(text.count(edit["find"]), 1, f"{edit['file']}: {edit['find']}")
                path.write_text(text.replace(edit["find"], edit["put"]))
            yield self.templates
        finally:
            for edit in attack["edit"]:
                shutil.copy(HOME / "templates" / edit["file"], self.templates / edit["file"])

    def test_are_refused(self):
        files, refused = {}, {}
        for number, attack in enumerate(BY_FILE):
            with self.edited(attack) as templates:
                files[number] = generated(templates, attack, number)
        for targets, how in set((targets_of(one), how_of(one)) for one in BY_FILE):
            some = [file for number, attack in enumerate(BY_FILE)
                    if (targets_of(attack), how_of(attack)) == (targets, how)
                    for file in files[number]]
            for (variant, target), why in failures(targets, *some, how=how).items():
                refused[re.search("/file=(.*)@", variant)[1], target] = why
        for number, attack in enumerate(BY_FILE):
            self.assertEqual(len(files[number]), len(attack["variants"]), attack["name"])
            self.expect_refused(attack, [file.stem for file in files[number]], refused)

    def test_are_refused_at_their_template(self):
        for attack in BY_TEMPLATE:
            with self.edited(attack) as templates:
                refused = failures(targets_of(attack), "--templates", templates, *ids_of(attack),
                                   how=how_of(attack))
            self.expect_refused(attack, attack["variants"], refused)

    def expect_refused(self, attack, variants, refused):
        for variant in variants:
            for target in targets_of(attack):
                with self.subTest(attack["name"], variant=variant, target=target):
                    refusal = refused.get((variant, target), "")
                    self.assertIn("gate: ", refusal)
                    self.assertIn(attack["refused"], refusal)

    def test_leave_the_text(self):
        for attack in HARMLESS:
            with self.subTest(attack["name"]), self.edited(attack) as templates:
                self.assertEqual(texts(templates, attack), texts(HOME / "templates", attack))

    def test_open_ones_fit_the_templates(self):
        for attack in OPEN:
            texts = {}
            for edit in attack["edit"]:
                text = texts.get(edit["file"]) or (HOME / "templates" / edit["file"]).read_text()
                self.assertEqual(text.count(edit["find"]), 1, f"{attack['name']}: {edit['find']}")
                texts[edit["file"]] = text.replace(edit["find"], edit["put"])

    def test_pass_unedited(self):
        variants = {}
        for attack in ALL:
            variants.setdefault(targets_of(attack), set()).update(attack["variants"])
        for targets, of_these in variants.items():
            unedited = {"variants": sorted(of_these)}
            self.assertEqual(failures(targets, "--templates", HOME / "templates",
                                      *ids_of(unedited), how="--check"), {})


if __name__ == "__main__":
    unittest.main()
