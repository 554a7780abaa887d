"""Installs into a fresh prefix and uses it with the source tree hidden and without a network.

Where the kernel gives no namespaces the source tree stays in sight; that the programs do not name
it is held all the same. Usage: install_test.py SOURCE BUILD MESON
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from place import Place, files_below

MESON, BUILD, SOURCE = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
VARIANT = "ring/mbarrier/st_shared/none"
PTXAS = re.search(r'nvidia-cuda-nvcc==([0-9.]+)"',
                  Path(SOURCE, "pyproject.toml").read_text()).group(1)
VERSION = re.search(r"version: '([0-9.]+)'", Path(SOURCE, "meson.build").read_text()).group(1)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place(SOURCE, BUILD, MESON)
        if not cls.place.hides:
            print("no namespaces here: the source tree stays in sight")

    @classmethod
    def tearDownClass(cls):
        cls.place.holder.cleanup()

    def says(self, *words, **options):
        done = self.place.run(*words, **options)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def refuses(self, *words, **options):
        done = self.place.run(*words, **options)
        self.assertGreater(done.returncode, 1, f"{words}: {done.stdout}{done.stderr}")
        return done.stderr


class Works(Installed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.has_toolchain = cls.place.give_toolchain(PTXAS)

    def need_toolchain(self):
        if not self.has_toolchain:
            self.skipTest(f"no ptxas {PTXAS} in .toolchains")

    def test_the_source_tree_is_out_of_sight(self):
        if not self.place.hides:
            self.skipTest("no namespaces here")
        self.assertEqual(self.says("-A", SOURCE, program="/bin/ls"), "")
        program = Path(BUILD, "app", "phasebit")
        self.assertTrue(program.is_file())
        self.says("!", "-e", program, program="/usr/bin/test")

    def test_no_program_asks_for_the_source_tree(self):
        for name in ("app/phasebit", "bench/phasebit-bench"):
            symbols = subprocess.run(["nm", "-C", Path(BUILD, name)], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout
            self.assertNotIn("source_root", symbols, name)
            self.assertTrue("program_version" in symbols or "no symbols" in symbols, name)

    def test_all_data_is_there(self):
        data = self.place.share / "phasebit"
        for folder in ("templates", "specs", "ptx", "results", "claims"):
            self.assertEqual(files_below(data / folder), files_below(Path(SOURCE, folder)))
        names = files_below(data / "results")
        self.assertTrue(any(name.endswith(".samples.csv.zst") for name in names))

    def test_both_say_their_version(self):
        bench = self.place.prefix / "bin" / "phasebit-bench"
        self.assertEqual(self.says("--version"), f"phasebit {VERSION}\n")
        self.assertEqual(self.says("--version", program=bench), f"phasebit-bench {VERSION}\n")
        self.assertIn("Examples:\n  phasebit-bench ", self.says("--help", program=bench))

    def commands(self, path=()):
        """Every command, by what --help lists, with all that is below it."""
        help_text = self.says(*path, "--help")
        below = help_text.partition("Subcommands:\n")[2].partition("\nExample")[0]
        yield path
        for name in re.findall(r"^  ([\w-]+)", below, re.MULTILINE):
            yield from self.commands((*path, name))

    def test_every_command_has_help(self):
        found = {" ".join(path) for path in self.commands()}
        self.assertLessEqual({"", "generate", "assemble", "sass show", "report"}, found)
        self.assertGreater(len(found), 18)

    def test_show_and_generate(self):
        self.assertIn(f'//@ id = "{VARIANT}"', self.says("show", VARIANT))
        self.assertIn("try_wait", self.says("show", VARIANT, "--build", "guarded"))
        self.says("generate", "--sweep", "core", "--limit", 3, "--out", "ptx-made")
        self.assertEqual(len(list((self.place.here / "ptx-made").rglob("*.ptx"))), 3)
        self.says("generate", "--curated", "--check")
        self.assertIn(VARIANT, self.says("generate", "--list", "--sweep", "curated",
                                         "--spec", "specs/curated.toml"))

    def test_assemble_gate_and_show_code(self):
        self.need_toolchain()
        text = self.says("assemble", "--filter", VARIANT, "--limit", 2, "-t", "sm_90a", "--gate")
        self.assertRegex(text, r"sm_90a +timed +" + re.escape(PTXAS) + r" +2 ")
        self.assertIn("SYNCS", self.says("sass", "show", VARIANT, "-t", "sm_90a"))
        self.assertTrue((self.place.home / ".cache/phasebit/assembly/index.sqlite").is_file())

    def test_a_bundle_that_the_other_program_reads(self):
        self.need_toolchain()
        self.says("pack", "-t", "sm_90a", "--limit", 2, "--out", "bundle")
        bench = self.place.prefix / "bin" / "phasebit-bench"
        self.assertRegex(self.says("--bundle", "bundle", "--dry-run", program=bench),
                         r"^2 variants")

    def test_a_fork_goes_into_the_current_folder(self):
        self.need_toolchain()
        self.says("fork", VARIANT, "--name", "mine")
        self.assertTrue((self.place.here / "ptx/tuned/mine.ptx").is_file())
        self.says("assemble", "--tuned", "-t", "sm_90a", "--gate")

    def test_report_of_the_published_results(self):
        text = self.says("report", "--table", "core", "--argument", "mover=none")
        self.assertGreater(text.count("mbarrier"), 5)
        self.assertEqual(text, subprocess.run(
            [Path(BUILD, "app/phasebit"), "report", "--table", "core", "--argument", "mover=none"],
            env={"PHASEBIT_HOME": SOURCE}, stdout=subprocess.PIPE, text=True, check=True).stdout)

    def test_manual_pages(self):
        for name in ("phasebit", "phasebit-bench"):
            page = self.place.share / "man" / "man1" / f"{name}.1"
            done = self.place.run("-ww", "-man", "-Tascii", page, program="/usr/bin/groff")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(name, re.sub(".\b", "", done.stdout))

    def test_completions(self):
        bash = self.place.share / "bash-completion" / "completions"
        script = ('source "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1; "$4"; '
                  'echo "${COMPREPLY[@]}"')
        for name, word, whole in (("phasebit", "sho", "show"),
                                  ("phasebit-bench", "--watch", "--watchdog-seconds")):
            function = "_" + name.replace("-", "_")
            offered = self.says("-c", script, "bash", bash / name, name, word, function,
                                program="/bin/bash")
            self.assertEqual(offered.strip(), whole)
            zsh = self.place.share / "zsh" / "site-functions" / f"_{name}"
            self.assertEqual(zsh.read_text().splitlines()[0], f"#compdef {name}")
            self.says("-n", zsh, program="/usr/bin/zsh")
            fish = self.place.share / "fish" / "vendor_completions.d" / f"{name}.fish"
            self.says("-n", fish, program="/usr/bin/fish")


class SaysWhatToDo(Installed):
    def test_a_prefix_without_data(self):
        program = self.place.bare_prefix("bare")
        self.assertIn("data is missing", self.refuses("show", VARIANT, program=program))
        self.assertIn("meson install", self.refuses("report", program=program))
        self.says("--help", program=program)

    def test_data_of_another_version(self):
        program = self.place.bare_prefix("older")
        data = program.parent.parent / "share" / "phasebit"
        (data / "templates").mkdir(parents=True)
        (data / "templates" / "README.md").write_text("")
        (data / "VERSION").write_text("0.0.1\n")
        error = self.refuses("show", VARIANT, program=program)
        self.assertIn(f"{data} is of version '0.0.1', this program of {VERSION}", error)
        self.assertIn("meson install", error)

    def test_no_ptxas(self):
        error = self.refuses("assemble", "-t", "sm_90a", XDG_DATA_HOME=str(self.place.root / "x"))
        command = self.place.share / "phasebit" / "tools" / "toolchain"
        self.assertIn(f"run {command} {PTXAS}", error)
        self.assertIn("into", self.says("--help", program=command))

    def test_no_network_for_the_toolchain(self):
        command = self.place.share / "phasebit" / "tools" / "toolchain"
        done = self.place.run(PTXAS, program=command, PIP_INDEX_URL="http://127.0.0.1:9/",
                              XDG_DATA_HOME=str(self.place.root / "y"))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stderr, "without a network|apt-get install python3-pip")
        self.assertEqual(list((self.place.root / "y").rglob("ptxas")), [])

    def test_a_cache_that_cannot_be_written(self):
        if not self.place.give_toolchain(PTXAS):
            self.skipTest(f"no ptxas {PTXAS} in .toolchains")
        cache = self.place.home / ".cache"
        if not self.place.hides:
            cache.rmdir()
            cache.write_text("no folder")
        words = ["assemble", "--limit", 1, "-t", "sm_90a"]
        done = self.place.run(*words, read_only=cache)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^note: .*\.cache/phasebit.*--cache FOLDER names another")
        error = self.refuses(*words, "--cache", cache / "mine", read_only=cache)
        self.assertIn("cannot make the folder", error)
        self.assertIn("(--cache FOLDER names another, --no-cache keeps nothing)", error)


if __name__ == "__main__":
    unittest.main()
