"""Which loops of a PTX text wait, found by running them: the polls of the loop give the same value
each time, and in no trial do turns lead to an end. It shares nothing with phasebit's guard, which
follows dependences, and against which it is checked.

Usage: ptx_waits.py FILE.ptx... Prints file:line, function and opcode of what each wait polls.
"""

import re
import sys
import time
from dataclasses import dataclass

from ptx_machine import Machine, destinations, is_poll, loads, names_of, parts_of_call
from ptx_text import functions_of, loops_of

TRIALS = 16
MOST_TURNS = 1500
MOST_STEPS = 15000
POLLED = ((0, 0), (1, 1), (3, 1), (1 << 20, 1), None)  # of a register, of a predicate
LOST, WEAK = -1, -2
MOST_LOST = 4
LEAVES = ("ret", "exit", "trap")
AT_ONCE = 2  # turns: what was waited for was there
BARRIER = re.compile(r"(bar|barrier)\.(cta\.)?(sync|red)|barrier\.cluster\.wait")
UNSEEN = re.compile(r"cp\.async\.wait_(group|all)|cp\.async\.bulk\.wait_group|wgmma\.wait_group|"
                    r"griddepcontrol\.wait|tcgen05\.(wait|alloc)|bar\.warp\.sync|setmaxnreg\.inc")


@dataclass
class Wait:
    function: str
    line: int  # of the loop's first statement, or of the instruction
    lines: tuple  # of what it polls
    body: tuple  # first and last line
    kind: str  # "loop", or an opcode


class Judge:
    """One loop: whether it ends while its polls stay."""

    def __init__(self, functions, function, loop, free):
        self.functions, self.function, self.loop = functions, function, loop
        self.free = free
        self.slice = self.deciding()
        self.polls = [n for n in sorted(self.slice) if self.asks(n)]
        # Ordinary loads alone.
        self.plain = all(loads(function.statements[n]) and not is_poll(function.statements[n])
                         for n in self.polls)
        self.over = self.steps_over()
        self.reads_clock = any("%clock" in word or "%globaltimer" in word for n in self.slice
                               for word in function.statements[n].operands)

    def asks(self, n):
        made = self.function.statements[n]
        if (self.function.name, n) in self.free:
            return False
        if made.opcode.startswith("call"):
            callee, _ = parts_of_call(made)
            return "@" in callee or callee in self.functions and self.functions[callee].polls
        return is_poll(made) or loads(made)

    def deciding(self):
        """The loop's branches, and all that these depend on."""
        writers, stores, open_ones, found = {}, [], [], set()
        for n in self.loop.statements:
            made = self.function.statements[n]
            stem = made.opcode.split(".")[0]
            for name in destinations(made):
                writers.setdefault(name, []).append(n)
            if stem in ("st", "red", "call"):
                stores.append(n)
            if made.targets or stem in LEAVES:
                open_ones.append(n)
        while open_ones:
            n = open_ones.pop()
            if n in found:
                continue
            found.add(n)
            made = self.function.statements[n]
            for name in self.reads(made):
                open_ones += writers.pop(name, [])
            if made.opcode.split(".")[0] in ("ld", "ldu", "call") and not is_poll(made):
                open_ones += stores
                stores = []
        return found

    def steps_over(self):
        """Of each statement the next one that has a part in it."""
        over, after = {}, None
        for n in sorted(self.loop.statements, reverse=True):
            if n + 1 not in self.loop.statements:
                after = n + 1
            own = n in self.slice or n == self.loop.header or (
                self.function.statements[n].opcode.split(".")[0] in LEAVES + ("bra", "brx"))
            after = n if own else after
            over[n] = after
        return over

    @staticmethod
    def reads(made):
        names = {made.guard} if made.guard else set()
        for word in made.operands[1 if destinations(made) else 0:]:
            names |= set(names_of(word))
        return names

    def turns(self, trial, polled, changing=False):
        """Turns until it is left; nothing where it is not, LOST where that did not show."""
        machine = Machine(self.functions, trial, polled, self.free, changing)
        registers, seen, turns, at, last = {}, set(), 0, self.loop.header, None
        while at in self.loop.statements:
            at = self.over[at]
            if at == self.loop.header:
                state = hash((frozenset(registers.items()), frozenset(machine.memory.items()),
                              machine.asked))
                # A count that goes round the whole of its range comes to an end; a clock does not
                # come back to what it was.
                if state in seen or turns > MOST_TURNS:
                    if self.plain and state in seen and state != last:
                        return turns + AT_ONCE  # it walks: what it walks along is a ring
                    return None if state in seen or self.reads_clock else LOST
                seen.add(state)
                last = state
                turns += 1
            if at not in self.loop.statements:
                break
            machine.steps += 1
            if machine.steps > MOST_STEPS:
                return None if turns > MOST_TURNS // 10 and self.reads_clock else LOST
            after = machine.next_of(self.function, at, registers)
            if after is None:
                at = machine.branch(self.function, at, registers)
            else:
                if at in self.slice:
                    machine.run(self.function, at, registers)
                at = after
        return turns

    def end(self, trial, polled):
        """What goes on while polls change as well may do so for another reason: WEAK."""
        turns = self.turns(trial, polled)
        if turns is None and self.turns(trial, polled, True) in (None, LOST):
            return WEAK
        return turns

    def waits(self):
        """Whether some polls that stay hold it; nothing where too much runs in it to say."""
        lost = False
        # A loop that compares what it loads may stay by chance, where its step happens to be 0.
        least = TRIALS // 5 if self.plain else 1
        for polled in POLLED:
            ends = []
            for trial in range(TRIALS):
                turns = self.end(trial, polled)
                if turns not in (None, LOST, WEAK) and turns > AT_ONCE:
                    break
                ends.append(turns)
                lost = lost or turns == LOST
                if ends.count(LOST) >= MOST_LOST:
                    break
            else:
                if ends.count(None) >= least or ends.count(WEAK) > TRIALS // 2:
                    return True
        return None if lost else False


def waits_of(text):
    """Of every function: (waits, how many loops, loops that are not judged)."""
    functions = {one.name: one for one in functions_of(text)}
    for one in functions.values():
        one.polls = any(is_poll(made) or loads(made) for made in one.statements)
        one.parameter_names = [re.sub(r"\[.*", "", text.split()[-1]) for text in one.parameters]
        one.result_names = [re.sub(r"\[.*", "", text.split()[-1]) for text in one.results]
    for _ in functions:
        for one in functions.values():
            one.polls = one.polls or any(
                made.opcode.startswith("call") and
                getattr(functions.get(parts_of_call(made)[0]), "polls", False)
                for made in one.statements)
    found, loops, lost = [], 0, []
    in_loops = {(one.name, n) for one in functions.values() for loop in loops_of(one)
                for n in loop.statements}
    for function in functions.values():
        own, count, without = waits_in(functions, function, in_loops)
        found += own
        loops += count
        lost += without
    return found, loops, lost


def waits_in(functions, function, in_loops):
    found, all_loops, lost = [], loops_of(function), []
    # Polls of other functions' loops, and of waits within, end at some time.
    free = {one for one in in_loops if one[0] != function.name}
    for loop in all_loops:
        judge = Judge(functions, function, loop, free)
        waits = judge.waits() if judge.polls else False
        if waits is None:
            lost.append(function.statements[loop.header].line)
        if not waits:
            continue
        lines = [function.statements[n].line for n in loop.statements]
        first = min(loop.statements)
        # A label before it is a part of it.
        lines.append((function.statements[first - 1].line if first else function.line) + 1)
        polls = tuple(function.statements[n].line for n in sorted(loop.statements)
                      if judge.asks(n))
        found.append(Wait(function.name, function.statements[loop.header].line, polls,
                          (min(lines), max(lines)), "loop"))
        free |= {(function.name, n) for n in loop.statements}
    for made in function.statements:
        if BARRIER.match(made.opcode) or UNSEEN.match(made.opcode):
            found.append(Wait(function.name, made.line, (made.line,), (made.line, made.line),
                              made.opcode))
    return found, len(all_loops), lost


def main():
    for path in sys.argv[1:]:
        began = time.monotonic()
        with open(path, encoding="utf-8", errors="replace") as file:
            found, loops, lost = waits_of(file.read())
        for one in found:
            print(f"{path}:{one.line}: {one.function[:60]}: {one.kind} {one.lines[:6]}")
        print(f"{path}: {len(found)} waits, {loops} loops, {len(lost)} not judged, "
              f"{time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
