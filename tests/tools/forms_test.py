"""tools/forms: operands in their places, and a sample of the committed cells."""

import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path

TOOLS = Path(sys.argv.pop())
# One of each class of what they accept.
TARGETS = ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_107a"]
SAMPLE = 60


def load_tool():
    loader = importlib.machinery.SourceFileLoader("forms", str(TOOLS / "forms"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("forms", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


forms = load_tool()


class Statement(unittest.TestCase):
    def test_places_operands(self):
        operands = forms.Operands()
        for family, form, expected in [
                ("mbarrier.arrive", "mbarrier.arrive.shared.b64 state, [addr], #count;",
                 "mbarrier.arrive.shared.b64 f_state, [f_bar], 1;"),
                ("bar.red", "bar.red.and.pred p, bar, !c;", "bar.red.and.pred f_p, f_id, !f_c;"),
                ("sreg", "mov.u32 d, %cluster_ctaid.x;", "mov.u32 f_d, %cluster_ctaid.x;"),
                ("cp.async.group", "cp.async.wait_group #8;", "cp.async.wait_group 8;"),
                ("membar", "membar.cta;", "membar.cta;")]:
            self.assertEqual(forms.statement(operands, family, form)[0], expected)

    def test_every_form_of_the_table(self):
        operands = forms.Operands()
        rows, targets = forms.read_table()
        self.assertEqual(len(targets), 17)
        for row in rows:
            self.assertNotIn("#", forms.entry_text(operands, row, 0))


class Bisection(unittest.TestCase):
    class Fake(forms.Assembler):
        """Refuses texts with "bad", naming the line; dies on "crash"."""

        def __init__(self):
            self.calls = 0

        def run(self, target, entries):
            self.calls += 1
            if any("crash" in text for text in entries):
                return False, set()
            refused = {i for i, text in enumerate(entries) if "bad" in text}
            return not refused, refused

    def test_finds_what_is_refused(self):
        for texts in (["a"] * 5, ["bad", "a", "bad"], ["a", "crash", "a", "bad"], ["crash"], []):
            expected = [text == "a" for text in texts]
            self.assertEqual(self.Fake().taken("sm_90", texts), expected)


class Sample(unittest.TestCase):
    def test_committed_cells_hold(self):
        try:
            assembler = forms.Assembler(forms.pinned_ptxas())
        except SystemExit as missing:
            self.skipTest(str(missing))
        rows, _ = forms.read_table()
        rows = forms.random.Random(7).sample(rows, SAMPLE)
        answers = forms.cells(assembler, forms.Operands(), rows, TARGETS, 4)
        wrong = [f"{rows[number]['form']} on {target}"
                 for (number, target), taken in answers.items()
                 if (rows[number][target] == "ok") != taken]
        self.assertEqual(len(answers), SAMPLE * len(TARGETS))
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
