#!/usr/bin/env python3
"""What items draw: the text of the work `jitter`, item by item, in plain integers."""
import collections
import os
import re
import subprocess
import unittest

PROGRAM = os.environ["PHASEBIT_PROGRAM"]
WORD = 0xffffffff
ITEMS = 256
SEEDS = (0, 1, 0x12345678, 0x9e3779b9, 0xffffffff)
OPERATIONS = {"shr.u32": lambda a, b: a >> b, "and.b32": lambda a, b: a & b,
              "or.b32": lambda a, b: a | b, "xor.b32": lambda a, b: a ^ b,
              "add.u32": lambda a, b: a + b, "mul.lo.u32": lambda a, b: a * b,
              "mad.lo.u32": lambda a, b, c: a * b + c, "mov.u32": lambda a: a,
              "neg.s32": lambda a: -a, "setp.lt.u32": lambda a, b: int(a < b),
              "selp.b32": lambda a, b, p: a if p else b}


def text_of(jitter, spread, role):
    """The statements of the draw, from the first one to the loop over the blocks."""
    axes = f"/jitter={jitter}/jitter_spread={spread}" if jitter != "none" else ""
    ring = f"ring/mbarrier/st_shared/jitter{axes}/work_role=both"
    shown = subprocess.run([PROGRAM, "show", ring], capture_output=True, text=True,
                           check=True).stdout
    part = shown[shown.index(f"[{role} work] templates/work/jitter/work.ptx"):]
    lines = [line.strip() for line in part.splitlines()]
    first = next(n for n, line in enumerate(lines) if line.startswith("shr.u32 key"))
    return lines[first:lines.index("mov.u32 block, 0;")]


def draw(lines, role, item, seed):
    """Blocks of one item."""
    known = {f"{role[0]}_item": item, "seed": seed, "zero": 0}
    for line in lines:
        if line.startswith("//"):
            continue
        opcode, operands = re.fullmatch(r"(\S+) (.*);", line).groups()
        target, *given = [word.strip() for word in operands.split(",")]
        values = [known[one] if one in known else int(one, 0) for one in given]
        known[target] = OPERATIONS[opcode](*values) & WORD
    return known["blocks"]


class Jitter(unittest.TestCase):
    def check(self, jitter, spread, expected):
        for role in ("producer", "consumer"):
            lines = text_of(jitter, spread, role)
            for seed in SEEDS:
                drawn = [draw(lines, role, item, seed) for item in range(ITEMS)]
                for first in range(0, ITEMS, 64):
                    self.assertEqual(collections.Counter(drawn[first:first + 64]), expected)
                self.assertEqual(sum(drawn), 16 * ITEMS)
                again = [draw(lines, role, ITEMS + item, seed) for item in range(ITEMS)]
                self.assertEqual(again, drawn)

    def test_none_is_the_mean(self):
        self.check("none", 7, {16: 64})

    def test_bimodal_is_both_ends(self):
        self.check("bimodal", 14, {2: 32, 30: 32})

    def test_heavy_tail_halves_with_each_doubling(self):
        self.check("heavy_tail", 14, {6: 32, 10: 16, 18: 8, 34: 4, 66: 2, 130: 2})

    def test_uniform_has_every_length_about_as_often(self):
        lines = text_of("uniform", 7, "consumer")
        drawn = collections.Counter(draw(lines, "consumer", item, 5) for item in range(64))
        self.assertEqual(sorted(drawn), list(range(9, 24)))
        self.assertLessEqual(max(drawn.values()) - min(drawn.values()), 1)
        self.assertEqual(sum(length * times for length, times in drawn.items()), 16 * 64)

    def test_order_differs_by_seed_and_role(self):
        lines = {role: text_of("uniform", 14, role) for role in ("producer", "consumer")}
        orders = {(role, seed): tuple(draw(lines[role], role, item, seed) for item in range(64))
                  for role in lines for seed in SEEDS}
        self.assertEqual(len(set(orders.values())), len(orders))


if __name__ == "__main__":
    unittest.main()
