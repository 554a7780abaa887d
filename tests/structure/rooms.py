"""Keeps the rooms small and the arrows one way: prints every room that is too full, every circle.

A room is a folder of sources. A .h and its .cpp are one node. No circle may run through nodes, nor
through rooms.
"""

import argparse
import sys
from pathlib import Path

from include_rules import SOURCE_FOLDERS, SOURCE_SUFFIXES, includes_of

MOST_FILES = 40


def sources(root):
    for folder in SOURCE_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SOURCE_SUFFIXES:
                yield path.relative_to(root)


def graphs(root):
    """Which node, and which room, includes which others: two dictionaries of sets."""
    nodes, rooms = {}, {}
    for path in sources(root):
        node, room = path.with_suffix("").as_posix(), path.parent.as_posix()
        for _, quoted, _ in includes_of(root / path):
            if not quoted or Path(quoted).suffix not in SOURCE_SUFFIXES:
                continue
            target = Path(quoted)
            other, other_room = target.with_suffix("").as_posix(), target.parent.as_posix()
            if other != node:
                nodes.setdefault(node, set()).add(other)
            if other_room != room:
                rooms.setdefault(room, set()).add(other_room)
    return nodes, rooms


def circle(graph):
    """One circle as a list whose last element includes its first; [] when there is none."""
    done, path, on_path = set(), [], set()

    def visit(node):
        path.append(node)
        on_path.add(node)
        for other in sorted(graph.get(node, ())):
            if other in on_path:
                return path[path.index(other):]
            if other not in done:
                found = visit(other)
                if found:
                    return found
        done.add(path.pop())
        on_path.discard(node)
        return []

    for node in sorted(graph):
        if node not in done:
            found = visit(node)
            if found:
                return found
    return []


def check(root):
    counts = {}
    for path in sources(root):
        counts[path.parent.as_posix()] = counts.get(path.parent.as_posix(), 0) + 1
    if not counts:
        yield f"{root}: no source files"
    for room, count in sorted(counts.items()):
        if count > MOST_FILES:
            yield f"{room}: {count} files; a room has at most {MOST_FILES}"
    for what, graph in zip(("files", "rooms"), graphs(root)):
        found = circle(graph)
        if found:
            yield f"{what} in a circle: {' -> '.join(found + found[:1])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    sys.setrecursionlimit(10000)
    problems = list(check(parser.parse_args().root))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} rooms or circles to mend")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
