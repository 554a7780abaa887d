"""Runs clang-tidy with .clang-tidy over the program's own files (not its tests).

A file that passed is not checked again until it, a header or .clang-tidy changes: a stamp in the
build folder says so. Usage: tidy.py CLANG_TIDY ROOT BUILD
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from files import require_program, tracked_files

FOLDERS = ("core/", "gen/", "analysis/", "pipeline/", "bench/", "cli/")


def content_key(root, names):
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(name.encode() + b"\0" + Path(root, name).read_bytes() + b"\0")
    return digest.hexdigest()


def without_pch(compiled, stamps):
    """Writes the commands without the precompiled header, which is gcc's, into the stamps' folder:
    so each source must include what it uses."""
    commands = json.loads(compiled)
    for one in commands:
        one["command"] = re.sub(r" -include \S+| -Winvalid-pch| -fpch-preprocess", "",
                                one["command"])
    (stamps / "compile_commands.json").write_text(json.dumps(commands), encoding="utf-8")


def check(program, root, build, name):
    """What clang-tidy says about one file; empty when it has nothing to say."""
    done = subprocess.run([program, "--quiet", "-p", str(build), name], cwd=root, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main():
    require_program(sys.argv[1])
    program, root, build = sys.argv[1], str(Path(sys.argv[2]).resolve()), sys.argv[3]
    names = [name for name in tracked_files(root) if name.startswith(FOLDERS)]
    common = content_key(root, [".clang-tidy", *(n for n in names if n.endswith(".h"))])
    compiled = Path(build, "compile_commands.json").read_text(encoding="utf-8")
    sources = [n for n in names if n.endswith(".cpp") and n in compiled]
    stamps = Path(build, "tidy")
    stamps.mkdir(exist_ok=True)
    without_pch(compiled, stamps)
    stamp = {n: stamps / (common[:16] + content_key(root, [n])[:16]) for n in sources}
    todo = [n for n in sources if not stamp[n].exists()]
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, said in zip(todo, pool.map(lambda n: check(program, root, stamps, n), todo)):
            if said:
                failed += 1
                print(said)
            else:
                stamp[name].touch()
    print(f"{len(sources)} files, {len(todo)} checked now, {failed} with findings")
    return 1 if failed or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
