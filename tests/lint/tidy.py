"""Runs clang-tidy with .clang-tidy over the program's own files (not its tests), several sources of
a library in one translation unit. That each source includes what it uses is the matter of
tests/structure/own_includes.py.

What passed is not checked again until it, a header or .clang-tidy changes: a stamp in the build
folder says so.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from files import require_program, tracked_files

FOLDERS = ("core/", "gen/", "analysis/", "join/", "bench/", "app/")
# What is read for one source, its headers, is read once for so many: a third of the time.
GROUP = 24


def content_key(root, names):
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + Path(root, name).read_bytes() + b"\0")
    return digest.hexdigest()


def sources_of(one):
    """The sources of a compile command: a unity build's includes them (`#include<PATH>`)."""
    path = Path(one["directory"], one["file"])
    if not re.search(r"-unity\d+\.cpp$", path.name):
        return [path.resolve()]
    return [Path(name) for name in re.findall(r"#include\s*<(.*)>", path.read_text("utf-8"))]


def plain_command(one):
    """Without the precompiled header, which is gcc's, and without what only gcc knows."""
    return re.sub(r" -include \S+| -Winvalid-pch| -fpch-preprocess| --param=\S+", "",
                  one["command"])


def groups_of(commands, root):
    """[(command, [source])] of a library or program each, at most GROUP sources in one."""
    targets = {}
    for one in commands:
        target = targets.setdefault(one["output"].split(".p/")[0], (one, []))
        target[1].extend(path for path in sources_of(one) if path.suffix == ".cpp")
    groups = []
    for one, sources in targets.values():
        names = [str(path.relative_to(root)) for path in sources if path.is_relative_to(root)]
        names = sorted(name for name in names if name.startswith(FOLDERS))
        groups += [(one, names[i:i + GROUP]) for i in range(0, len(names), GROUP)]
    return groups


class Checker:
    def __init__(self, program, root, stamps):
        self.program, self.root, self.stamps = program, root, stamps

    def tidy(self, one, names):
        """What clang-tidy says of these sources in one translation unit."""
        unit = self.stamps / (hashlib.sha256("\0".join(names).encode()).hexdigest()[:16] + ".cpp")
        unit.write_text("".join(f'#include "{self.root}/{name}"\n' for name in names), "utf-8")
        arguments = shlex.split(plain_command(one))
        compiler = next(i for i, word in enumerate(arguments) if not word.endswith("ccache"))
        flags = arguments[compiler + 1:arguments.index("-o")]
        done = subprocess.run(
            [self.program, "--quiet", f"--config-file={self.root}/.clang-tidy", unit, "--",
             *flags], cwd=one["directory"], check=False, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def check(self, group):
        """What there is to say about a group; empty when there is nothing."""
        one, names = group
        said = self.tidy(one, names)
        if not said or len(names) == 1:
            return said
        alone = "".join(self.tidy(one, [name]) for name in names)
        return alone or "each passes alone, but not together:\n" + said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clang_tidy")
    parser.add_argument("root", type=Path)
    parser.add_argument("build", type=Path)
    given = parser.parse_args()
    program, root, build = given.clang_tidy, str(given.root.resolve()), given.build
    require_program(program)
    names = [name for name in tracked_files(root) if name.startswith(FOLDERS)]
    common = content_key(root, [".clang-tidy", *(n for n in names if n.endswith(".h"))])
    commands = json.loads(Path(build, "compile_commands.json").read_text(encoding="utf-8"))
    groups = groups_of(commands, root)
    stamps = Path(build, "tidy").resolve()
    stamps.mkdir(exist_ok=True)
    checker = Checker(program, root, stamps)

    def stamp(group):
        return stamps / (common[:16] + content_key(root, group[1])[:16])

    todo = [group for group in groups if not stamp(group).exists()]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, said in zip(todo, pool.map(checker.check, todo)):
            if said:
                failed += 1
                print(said)
            else:
                stamp(group).touch()
    sources, checked = (sum(len(names) for _, names in some) for some in (groups, todo))
    print(f"{sources} files, {checked} checked now, {failed} groups of them with findings")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
