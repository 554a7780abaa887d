"""Refuses C++ that knows a protocol, a mover or a work by its name: each is its folder alone.
"""

import argparse
import re
import sys
from pathlib import Path

from include_rules import SOURCE_FOLDERS

KINDS = ("protocols", "movers", "work")
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
# The word for nothing, of axes too.
NOTHING = "none"
# The same word for something else: where, and what it is there.
OTHERS = {
    ("core/launch/guard_sites.cpp", "cluster_barrier"): "a kind of wait",
    ("core/ptx/head/head.cpp", "mbarrier"): "a kind of barrier in a head",
    ("core/ptx/head/text_check.cpp", "mbarrier"): "a kind of barrier in a head",
    ("gen/kernel/variant_head.cpp", "mbarrier"): "a kind of barrier in a head",
    ("gen/guard/helpers.cpp", "mbarrier"): "a name in the guard's own template",
    ("bench/campaign/anchors.cpp", "fma"): "an anchor",
    ("core/ptx/run/opcode_table.cpp", "fma"): "an opcode",
}


def component_names(root):
    return {folder.name for kind in KINDS for folder in (root / "templates" / kind).iterdir()
            if folder.is_dir()} - {NOTHING}


def literals(text):
    """(line, content) of every string literal outside comments."""
    code = COMMENT.sub(lambda found: found.group(1) or re.sub(r"[^\n]", " ", found.group()), text)
    for found in LITERAL.finditer(code):
        yield code.count("\n", 0, found.start()) + 1, found.group(1)


def names_in(text, names):
    """(line, name) where a literal names a component, alone or as a part of an id."""
    for line, content in literals(text):
        for name in names.intersection(re.split(r"[/= ,]", content)):
            if name == content or "/" in content:
                yield line, name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root
    names = component_names(root)
    found, seen, files = [], set(), 0
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".cpp", ".h"):
                continue
            # Examples in --help name what there is; a test runs each of them.
            if folder == "app" and path.name == "arguments.cpp":
                continue
            files += 1
            file = path.relative_to(root).as_posix()
            for line, name in names_in(path.read_text(encoding="utf-8"), names):
                if (file, name) in OTHERS:
                    seen.add((file, name))
                else:
                    found.append(f"{file}:{line}: names the component '{name}'; what it can and "
                                 "has belongs into its TOML file")
    found += [f"component_names.py: {file} has no \"{name}\" any more"
              for file, name in sorted(OTHERS.keys() - seen)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(names)} components, {files} files, {len(found)} violations")
    return 1 if found or not names or not files else 0


if __name__ == "__main__":
    sys.exit(main())
