"""tune: its choice and its points where recorded rows stand for a GPU, hidden from its ranking."""

import json
import sys
import tempfile
import time

import advise

QUESTIONS = 20
SEED = 41
LEAST_ANSWERS = 12  # of fewer a tenth of the points is hardly a search
SHARE = 10          # one point in so many


def ask(phasebit, question, hidden, rows, choices, device, conditions):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(sorted(hidden)) + "\n")
        file.flush()
        words = advise.command_of(phasebit, question, rows, choices)
        points = len(question.rows) * conditions // SHARE
        start = time.monotonic()
        made = advise.asked(phasebit, "tune", "--replay", "--json", "--device", device,
                            "--without", file.name, "--points", str(points), *words)
        taken = time.monotonic() - start
    return (json.loads(made.stdout) if made.returncode == 0 else None), made.stderr.strip(), taken


def main(phasebit, seed=SEED, device="H200", verbose=False):
    choices = advise.choices_of(phasebit)
    rows = advise.rows_of(phasebit, device)
    advise.LEAST_ANSWERS = LEAST_ANSWERS
    questions = advise.draw(rows, choices, seed, QUESTIONS)
    right = few = points = known = 0
    by_chance, times = 0.0, []
    for number, question in enumerate(questions):
        whole = number % 3 == 2
        hidden = advise.hidden_from(question, whole, rows, choices)
        hidden |= {row.id for row in question.rows}
        answer, error, taken = ask(phasebit, question, hidden, rows, choices, device, 8)
        times.append(taken)
        by_chance += len(question.right) / len(question.rows)
        truth = {row.id: row.cycles for row in question.rows}
        if answer is None:
            good, note = False, error
        else:
            first = answer["advice"]["first"]["id"]
            own = truth.get(first)
            all_points = len(question.rows) * 8
            good = own is not None and own <= advise.NEAR * question.best
            known += answer["known"]
            few += SHARE * answer["points"] <= all_points
            points += answer["points"] / all_points
            note = (f"{own} for {question.best:.1f}, {answer['points']} of {all_points} points, "
                    f"{answer['ended']}")
        right += good
        if verbose or not good:
            problem = "/".join(f"{axis}={value}" for axis, value in question.problem
                               if axis != "probe")
            print(f"# {'problem' if whole else 'answers'} hidden, {'right' if good else 'WRONG'}: "
                  f"{problem}: {','.join(question.varied)}: {note}"[:300])
    print(f"questions {len(questions)} count")
    print(f"choice_within_3_percent {right} count")
    print(f"by_chance {by_chance:.1f} count")
    print(f"at_most_a_tenth_of_the_points {few} count")
    print(f"points_measured {100 * points / max(1, len(questions)):.1f} %")
    print(f"known_before {known} count")
    print(f"slowest_search {max(times):.2f} s")


if __name__ == "__main__":
    main(sys.argv[1], *(int(word) for word in sys.argv[2:3]), verbose="-v" in sys.argv)
