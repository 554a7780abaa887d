"""advise: its first choice and its interval over questions whose answers are hidden from it."""

import collections
import csv
import io
import json
import random
import subprocess
import sys
import tempfile
import time

QUESTIONS = 20
SEED = 41
NEAR = 1.03        # a choice is right within 3 % of the best
WIDEST = 0.10      # an interval counts up to so much of the figure on each side
LEAST_SPREAD = 1.1  # between the best and the worst answer: else any choice is right
LEAST_ANSWERS = 6

QUERY = """SELECT id, spelled, cycles, sass_class FROM figure
WHERE kind = 'point' AND quantity = 'cycles' AND newest
AND declared AND cycles > 0 AND probe = 'ring' ORDER BY id"""


def asked(phasebit, *words):
    return subprocess.run([phasebit, *words], capture_output=True, text=True, check=False)


class Row:
    def __init__(self, fields):
        first, *rest = fields["spelled"].split("\n")
        self.id, self.cycles = fields["id"], float(fields["cycles"])
        self.code = fields["sass_class"]
        self.axes = dict(zip(("probe", "protocol", "mover", "work"), first.split("/")))
        self.axes.update(line.split("=", 1) for line in rest)


def rows_of(phasebit, device):
    made = asked(phasebit, "sql", QUERY, "--format", "csv", "--device", device)
    return [Row(fields) for fields in csv.DictReader(io.StringIO(made.stdout))]


def choices_of(phasebit):
    """The axes that advise answers: what it says to a problem of two values."""
    made = asked(phasebit, "advise", "-a", "mover=bulk,st_shared")
    return made.stderr.split("it answers ", 1)[1].split(")", 1)[0].strip().split(", ")


class Question:
    """A whole cross of some answered axes over one problem: every combination was measured."""

    def __init__(self, problem, varied, rows):
        self.problem, self.varied, self.rows = problem, varied, rows
        self.best = min(row.cycles for row in rows)
        self.right = [row for row in rows if row.cycles <= NEAR * self.best]

    def name(self):
        return (self.problem, tuple(sorted(self.varied)))


def question_from(rng, problem, rows, choices):
    """Two or three axes vary, the others are as in a row that is drawn; None without a cross."""
    named = sorted({axis for row in rows for axis in row.axes if axis in choices})
    if len(named) < 2:
        return None
    varied = rng.sample(named, min(len(named), rng.choice((2, 2, 3))))
    base = rng.choice(rows).axes
    left = [row for row in rows
            if all(row.axes.get(axis) == base.get(axis) for axis in named if axis not in varied)]
    values = {axis: {row.axes.get(axis) for row in left} for axis in varied}
    varied = [axis for axis in varied if len(values[axis]) > 1]
    combinations = 1
    for axis in varied:
        combinations *= len(values[axis])
    if len(varied) < 2 or len(left) < max(LEAST_ANSWERS, combinations):
        return None
    if max(row.cycles for row in left) < LEAST_SPREAD * min(row.cycles for row in left):
        return None
    return Question(problem, varied, left)


def draw(rows, choices, seed, count):
    """Of each mover and work equally often, no two of the same problem and axes."""
    rng = random.Random(seed)
    problems = collections.defaultdict(list)
    for row in rows:
        if row.axes["protocol"] != "none" and row.axes["mover"] not in ("none", "prefilled"):
            problem = tuple(sorted((axis, value) for axis, value in row.axes.items()
                                   if axis not in choices))
            problems[problem].append(row)
    kinds = collections.defaultdict(list)
    for problem in sorted(problems):
        kinds[dict(problem)["mover"], dict(problem)["work"]].append(problem)
    questions, seen = [], set()
    for _ in range(100000):
        problem = rng.choice(kinds[rng.choice(sorted(kinds))])
        question = question_from(rng, problem, problems[problem], choices)
        if question is None or question.name() in seen:
            continue
        seen.add(question.name())
        questions.append(question)
        if len(questions) == count:
            break
    return questions


def hidden_from(question, whole, rows, choices):
    """All rows of the problem, or all that would be right; and what has their code."""
    if whole:
        hidden = [row for row in rows if tuple(sorted(
            (axis, value) for axis, value in row.axes.items()
            if axis not in choices)) == question.problem]
    else:
        hidden = question.right
    codes = {row.code for row in hidden}
    return {row.id for row in rows if row.code in codes} | {row.id for row in hidden}


def full_axes(phasebit, question):
    """The values that all answers have of the axes that do not vary, defaults too, by `sql`."""
    ids = ", ".join(f"'{row.id}'" for row in question.rows)
    query = (f"SELECT * FROM figure WHERE id IN ({ids}) AND kind = 'point' AND "
             "quantity = 'cycles'")
    made = asked(phasebit, "sql", query, "--format", "csv")
    return list(csv.DictReader(io.StringIO(made.stdout)))


def command_of(phasebit, question, rows, choices):
    """Every axis that rows of this mover and work differ in, those at their default too."""
    problem = dict(question.problem)
    full = full_axes(phasebit, question)
    for row in rows:
        if row.axes["mover"] == problem["mover"] and row.axes["work"] == problem["work"]:
            for axis in row.axes:
                if axis not in choices and axis not in problem and full[0].get(axis):
                    problem[axis] = full[0][axis]
    words = []
    for axis, value in problem.items():
        words += ["-a", f"{axis}={value}"]
    for axis in choices:
        values = sorted({row[axis] for row in full if row.get(axis)})
        if values:
            words += ["-a", f"{axis}={','.join(values)}"]
    return words


def ask(phasebit, question, hidden, rows, choices, device):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(sorted(hidden)) + "\n")
        file.flush()
        words = command_of(phasebit, question, rows, choices)
        start = time.monotonic()
        made = asked(phasebit, "advise", "--json", "--device", device, "--without", file.name,
                     *words)
        taken = time.monotonic() - start
    return (json.loads(made.stdout) if made.returncode == 0 else None), made.stderr.strip(), taken


def judge(question, answer):
    """Whether the first choice is right, whether its interval holds its figure, how wide it is."""
    truth = {row.id: row.cycles for row in question.rows}
    first = answer["first"]
    period = first["periods"][0]
    if first["id"] not in truth:
        return False, False, None, first["id"]
    own = truth[first["id"]]
    wide = max(period["high"] / period["value"] - 1, 1 - period["low"] / period["value"])
    inside = period["low"] <= own <= period["high"]
    note = (f"{own:.1f} for {question.best:.1f}, said {period['value']:.1f} "
            f"({period['low']:.1f} to {period['high']:.1f})")
    return own <= NEAR * question.best, inside, wide, note


def main(phasebit, seed=SEED, device="H200", verbose=False):
    choices = choices_of(phasebit)
    rows = rows_of(phasebit, device)
    questions = draw(rows, choices, seed, QUESTIONS)
    right = inside = narrow = 0
    by_chance, times = 0.0, []
    for number, question in enumerate(questions):
        whole = number % 3 == 2
        hidden = hidden_from(question, whole, rows, choices)
        answer, error, taken = ask(phasebit, question, hidden, rows, choices, device)
        times.append(taken)
        by_chance += len(question.right) / len(question.rows)
        if answer is None:
            good, holds, wide, note = False, False, None, error
        else:
            good, holds, wide, note = judge(question, answer)
        right += good
        inside += holds
        narrow += holds and wide <= WIDEST
        if verbose or not good or not holds:
            problem = "/".join(f"{axis}={value}" for axis, value in question.problem
                               if axis != "probe")
            print(f"# {'problem' if whole else 'answers'} hidden, "
                  f"{'right' if good else 'WRONG'}, {'inside' if holds else 'OUTSIDE'}"
                  f"{'' if wide is None else f' of {100 * wide:.0f} %'}: {problem}: "
                  f"{','.join(question.varied)}: {note}"[:300])
    print(f"questions {len(questions)} count")
    print(f"first_choice_within_3_percent {right} count")
    print(f"by_chance {by_chance:.1f} count")
    print(f"interval_holds {inside} count")
    print(f"interval_holds_and_within_10_percent {narrow} count")
    print(f"slowest_answer {max(times):.2f} s")


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:3]), verbose="-v" in sys.argv)
