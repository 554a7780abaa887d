#!/usr/bin/env python3
"""Edits of the templates that would publish another figure than the id says: the gate refuses each.

attacks.toml says what each edit does and what the refusal must name, or that ptxas makes the same
code of it. The edits are made in a copy of the templates, with the real ptxas and nvdisasm;
the same variants pass unedited. open.toml has those that the gate does not refuse yet.
"""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import tomllib
import unittest

HOME = pathlib.Path(os.environ["PHASEBIT_HOME"])
ALL = tomllib.loads((pathlib.Path(__file__).parent / "attacks.toml").read_text())["attack"]
OPEN = tomllib.loads((pathlib.Path(__file__).parent / "open.toml").read_text())["attack"]
ATTACKS = [one for one in ALL if not one.get("leaves_text")]
HARMLESS = [one for one in ALL if one.get("leaves_text")]


def refusals(templates, attack):
    """[why each variant is refused for each target, "" where it passes]"""
    targets = attack.get("targets", ["sm_90a"])
    ids = [word for one in attack["variants"] for word in ("--id", one)]
    # What only a run shows is found by its counts.
    how = "--check" if attack.get("check") else "--gate"
    done = subprocess.run([os.environ["PHASEBIT_PROGRAM"], "assemble", how, "--json",
                           "--templates", templates, "--target", ",".join(targets), *ids],
                          capture_output=True, text=True)
    if not done.stdout:
        raise AssertionError(done.stderr)
    failures = {(one["variant"], one["target"]): one["error"]
                for one in json.loads(done.stdout)["failures"]}
    expected = [(variant, target) for variant in attack["variants"] for target in targets]
    return [failures.pop(one, "") for one in expected] + list(failures)


def texts(templates, attack):
    """{(variant, target): the hash of its .text}"""
    found = {}
    for variant in attack["variants"]:
        for target in attack.get("targets", ["sm_90a"]):
            done = subprocess.run([os.environ["PHASEBIT_PROGRAM"], "sass", "show", "--json",
                                   "--templates", templates, "--target", target, variant],
                                  capture_output=True, text=True)
            if not done.stdout:
                raise AssertionError(done.stderr)
            found[variant, target] = json.loads(done.stdout)["text_hash"]
    return found


class Attacks(unittest.TestCase):
    def edited(self, folder, attack):
        templates = pathlib.Path(folder) / "templates"
        shutil.copytree(HOME / "templates", templates)
        for edit in attack["edit"]:
            path = templates / edit["file"]
            text = path.read_text()
            self.assertEqual(text.count(edit["find"]), 1, f"{edit['file']}: {edit['find']}")
            path.write_text(text.replace(edit["find"], edit["put"]))
        return templates

    def test_are_refused(self):
        for attack in ATTACKS:
            with self.subTest(attack["name"]), tempfile.TemporaryDirectory() as folder:
                for refusal in refusals(self.edited(folder, attack), attack):
                    self.assertIn("gate: ", refusal)
                    self.assertIn(attack["refused"], refusal)

    def test_leave_the_text(self):
        for attack in HARMLESS:
            with self.subTest(attack["name"]), tempfile.TemporaryDirectory() as folder:
                self.assertEqual(texts(self.edited(folder, attack), attack),
                                 texts(HOME / "templates", attack))

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
            targets = tuple(attack.get("targets", ["sm_90a"]))
            variants.setdefault(targets, set()).update(attack["variants"])
        for targets, of_these in variants.items():
            unedited = {"variants": sorted(of_these), "targets": targets, "check": True}
            self.assertEqual(set(refusals(HOME / "templates", unedited)), {""})


if __name__ == "__main__":
    unittest.main()
