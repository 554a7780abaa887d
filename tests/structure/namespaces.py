"""Holds a namespace to its folder: prints every file that declares in another's.

docs/decisions/namespaces.md has the rule.
"""

import argparse
import re
import sys
from pathlib import Path

from include_rules import SOURCE_FOLDERS

# Their rooms have names that no other room has, so the floor is not a part of a namespace.
FLOORS = ("core", "gen", "analysis")
# All folders below are one namespace.
WHOLE = {"app": "phasebit::app", "tests": "phasebit::test"}
# It shares nothing with the program, and has a namespace of its own.
APART = "tests/independent/"
BLOCK = re.compile(r"^namespace ([\w:]+) \{\n(.*?)^\}  // namespace \1$", re.MULTILINE | re.DOTALL)
OPENING = re.compile(r"^namespace ([\w:]+) \{$", re.MULTILINE)
AHEAD = re.compile(r"(template <.*>|(struct|class|enum class) \w+( : [\w:]+)?;)?")
LENT = re.compile(r"(//.*|using [\w:]+;|namespace \w+ = [\w:]+;)?")
DIRECTIVE = re.compile(r"^\s*using namespace ", re.MULTILINE)


def namespace_of(folder):
    """phasebit::cubin::change of analysis/cubin/change."""
    floor, *rooms = folder.split("/")
    if floor in WHOLE:
        return WHOLE[floor]
    if floor in FLOORS and rooms:
        return "::".join(["phasebit", *rooms])
    return "::".join(["phasebit", floor, *rooms])


def whole_lines(pattern, text):
    return all(pattern.fullmatch(line.strip()) for line in text.splitlines())


def is_other(own, name, body):
    """Whether a block of another namespace may be in a file: types of another room that are
    declared ahead, or words that core/base lends to phasebit."""
    if name == "phasebit":
        return own == "phasebit::base" and whole_lines(LENT, body)
    return name.startswith("phasebit::") and whole_lines(AHEAD, body)


def problems_of(name, text):
    """Of one file."""
    own = namespace_of(name.rpartition("/")[0])
    bodies = {(match.start(), match.group(1)): match.group(2) for match in BLOCK.finditer(text)}
    found_own = False
    for match in OPENING.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        body = bodies.get((match.start(), match.group(1)))
        if match.group(1) == own:
            found_own = True
        elif body is None or not is_other(own, match.group(1), body):
            yield f"{name}:{line}: namespace {match.group(1)}; the folder's is {own}"
    if not found_own and OPENING.search(text):
        yield f"{name}: nothing in {own}, its folder's namespace"
    if name.endswith(".h") and DIRECTIVE.search(text):
        yield f"{name}: using namespace in a header opens it to everybody who includes it"


def check(root):
    homes, files = {}, 0
    for folder in [*SOURCE_FOLDERS, "tests"]:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".h", ".cpp") or name.startswith(APART):
                continue
            files += 1
            yield from problems_of(name, path.read_text(encoding="utf-8"))
            if folder not in WHOLE:
                homes.setdefault(namespace_of(name.rpartition("/")[0]), set()).add(
                    name.rpartition("/")[0])
    for space, folders in sorted(homes.items()):
        if len(folders) > 1:
            yield f"{space} is the namespace of {' and '.join(sorted(folders))}"
    if files == 0:
        yield f"{root}: no source files"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    problems = list(check(parser.parse_args().root))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} namespaces to mend")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
