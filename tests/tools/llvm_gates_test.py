"""The table of what the gate says of LLVM's variants: from a program that says what it is told.

Usage: llvm_gates_test.py TOOLS_FOLDER
"""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(sys.argv.pop()) if len(sys.argv) > 1 else Path("tools")
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS / "benchmarks"))

import llvm_gates  # noqa: E402
from llvm_gates import Counts, Wrong  # noqa: E402

# As `assemble --json` has it: 3 pass, 2 are refused by the gate, 2 are not made, 1 is not for it.
MADE = {
    "failures": [
        {"error": "gate: wait (producer): expected MEMBAR* x1 per item, found 1 in 4 items (hot: "
                  "LDS x1); release (producer): expected LDS x1 per item, found 0"},
        {"error": "gate: consumer: forbidden in the timed window: LDL*, found LDL at 0x18e0; "},
        {"error": "render: templates/movers/prefilled: no LLVM IR of it (write fill_setup.ll "
                  "next to it, or leave `-a llvm` out)"},
        {"error": "render: LLVM 22 has no PTX 9.3"},
    ],
    "skipped": {"needs sm_100": 1},
    "targets": [{"gate_passed": 3}],
}
COUNTS = Counts(3, {"MEMBAR*": 1, "LDL*": 1}, {"no IR": 1, "LLVM 22 has no PTX 9.3": 1},
                {"needs sm_100": 1})
KEPT = """# date: 2026-11-23
core.toml core 3 passed
  gate 1 MEMBAR*
  gate 1 LDL*
  not_made 1 no IR
  not_made 1 LLVM 22 has no PTX 9.3
  elsewhere 1 needs sm_100
bulk.toml stream 2 passed
"""
TABLE = """
| sweep | pass | gate refuses | by count of | not made | why |
|---|---:|---:|---|---:|---|
| `core` of core.toml | 3 | 2 | `MEMBAR*`: 1; `LDL*`: 1 | 2 | no IR: 1; LLVM 22 has no PTX 9.3: 1 |
| `stream` of bulk.toml | 2 | 0 |  | 0 |  |

"""
BEGIN, END = "<!-- llvm_gates -->\n", "<!-- /llvm_gates -->\n"


class Lines(unittest.TestCase):
    def test_each_variant_is_counted_once_by_its_first_reason(self):
        self.assertEqual(llvm_gates.counted(MADE), COUNTS)
        self.assertEqual(COUNTS.made_of(), 8)

    def test_what_is_kept_is_read_again(self):
        lines = "\n".join(llvm_gates.lines_of("core", "core", COUNTS)) + "\n"
        self.assertIn(lines, KEPT)
        self.assertEqual(llvm_gates.read(KEPT), {
            ("core", "core"): COUNTS, ("bulk", "stream"): Counts(2, {}, {}, {})})

    def test_a_count_that_none_was_expected_of_is_named_in_full(self):
        self.assertEqual(llvm_gates.gate_reason("gate: no loop"), "gate: no loop")


class Command(unittest.TestCase):
    """The whole of it, on a tree of its own and a program that lists so many variants."""

    def run_in(self, folder, *arguments, variants=(8, 2)):
        root = Path(folder)
        for name, text in {"results/benchmarks/llvm_gates.txt": KEPT,
                           "phasebit": "#!/bin/sh\ncase $* in\n"
                           f"*'specs/core.toml --sweep core '*) seq {variants[0]} ;;\n"
                           f"*'specs/bulk.toml --sweep stream '*) seq {variants[1]} ;;\n"
                           "*) echo \"phasebit: no $*\" >&2 ;;\nesac\n"}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "phasebit").chmod(0o755)
        with mock.patch.object(llvm_gates, "ROOT", root), \
                mock.patch.object(sys, "argv", ["", f"{folder}/phasebit", *arguments]):
            llvm_gates.main()

    def test_writes_the_table_that_it_then_finds_equal(self):
        with tempfile.TemporaryDirectory() as folder:
            document = Path(folder) / "docs/llvm.md"
            document.parent.mkdir()
            document.write_text("a\n" + BEGIN + END)
            self.run_in(folder, "--table")
            self.assertEqual(document.read_text(), "a\n" + BEGIN + TABLE + END)
            self.run_in(folder, "--table", "--check")
            document.write_text(document.read_text().replace("| 3 |", "| 4 |"))
            with self.assertRaises(SystemExit) as wrong:
                self.run_in(folder, "--table", "--check")
            self.assertTrue(wrong.exception.code.startswith("docs/llvm.md:6: differs from"))

    def test_another_sweep_than_was_assembled_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(SystemExit) as wrong:
                self.run_in(folder, "--table", variants=(8, 3))
            self.assertEqual(
                wrong.exception.code,
                "llvm_gates.py: results/benchmarks/llvm_gates.txt: 2 variants of bulk.toml stream, "
                "which has 3 today (tools/benchmark llvm_gates makes it again)")

    def test_a_program_that_says_nothing_is_heard(self):
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(llvm_gates, "SWEEPS", (("core", "none"),)), \
                    self.assertRaises(SystemExit) as wrong:
                self.run_in(folder)
            self.assertIn("phasebit assemble none: phasebit: no assemble", wrong.exception.code)


if __name__ == "__main__":
    unittest.main()
