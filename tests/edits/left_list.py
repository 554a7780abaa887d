"""left.txt: the edits that are left to guard and verification, under what became of them on a GPU.

    # caught: refused there by the guard or the verification
    EDIT
    # passes: why its figure is not wrong
    EDIT
"""
import pathlib

FILE = pathlib.Path(__file__).parent / "left.txt"
NEW = "not run on a GPU yet"


def may_pass(outcome):
    return not outcome.startswith("caught")


def read():
    """{edit: outcome}"""
    listed, outcome = {}, NEW
    for line in FILE.read_text().splitlines() if FILE.exists() else []:
        if line.startswith("# "):
            outcome = line[2:]
        elif line:
            listed[line] = outcome
    return listed


def write(names, known):
    """The edits in their order, each under the outcome that is known of it"""
    groups = {outcome: [] for outcome in [*dict.fromkeys(known.values()), NEW]}
    for name in names:
        groups[known.get(name, NEW)].append(name)
    FILE.write_text("\n\n".join("\n".join([f"# {outcome}", *group])
                                for outcome, group in groups.items() if group) + "\n")
