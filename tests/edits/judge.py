"""What becomes of edits: refused by the gate or ptxas, the same code, or left to verification."""
import collections
import json
import os
import pathlib
import re
import subprocess
import tomllib

import ptx_edits

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("PHASEBIT_PROGRAM", "build/app/phasebit")
FILES = tomllib.loads((HERE / "files.toml").read_text())["file"]
BATCH = 96  # files that one process reads: all are read again when the head of one is refused

REFUSED, SAME, NO_CODE, LEFT = "refused", "same code", "no code", "left"


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True)


def render(folder):
    """{id: text} of the files that are edited"""
    words = [word for one in FILES for word in ("--id", one["id"])]
    done = run("generate", *words, "-o", str(folder))
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return {re.search(r'^//@ id = "(.*)"$', text, re.M)[1]: text
            for text in (one.read_text() for one in sorted(pathlib.Path(folder).glob("*.ptx")))}


def all_edits(texts):
    """[(id, target, edit)]: each kind of statement once, in the first file that has it"""
    edits, seen = [], set()
    for one in FILES:
        text = texts[one["id"]]
        kinds = [kind for kind in ptx_edits.kinds_of(text) if kind not in seen]
        seen.update(kinds)
        edits += [(one["id"], one["target"], edit) for edit in ptx_edits.edits_of(text, kinds)]
    return edits


def name_of(variant):
    """The file's name, of an id that ends with /file=NAME@HASH"""
    return re.search(r"/file=([^@/]*)@", variant)[1]


def gate(files, target, how="--gate"):
    """{file: why it is refused} of those that are: by the reader, ptxas or the gate"""
    refused = {}
    while files:
        done = run("assemble", how, "--json", "--target", target, *map(str, files))
        if done.stdout:
            for one in json.loads(done.stdout)["failures"]:
                refused[name_of(one["variant"])] = one["error"]
            return refused
        # A head that its text contradicts: nothing is assembled, and the message names the file.
        found = re.search(r"(\w+)\.ptx", done.stderr)
        if not found or found[1] not in [one.stem for one in files]:
            raise AssertionError(done.stderr)
        refused[found[1]] = done.stderr.strip()
        files = [one for one in files if one.stem != found[1]]
    return refused


def codes(files, target):
    """{file: hash of its .text}"""
    if not files:
        return {}
    done = run("sass", "classes", "--json", "--target", target, *map(str, files))
    if "no variant has code" in done.stderr:
        return {}
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return {name_of(variant): one["text_hash"]
            for one in json.loads(done.stdout) for variant in one["variants"]}


def judge(texts, edits, folder):
    """[(verdict, why)] of each edit"""
    folder, verdicts = pathlib.Path(folder), [None] * len(edits)
    groups = collections.defaultdict(list)
    for index, (variant, target, _) in enumerate(edits):
        groups[target].append(index)
    for target, indices in groups.items():
        for begin in range(0, len(indices), BATCH):
            judge_batch(texts, edits, indices[begin:begin + BATCH], target, folder, verdicts)
    return verdicts


def judge_batch(texts, edits, indices, target, folder, verdicts):
    files = {}
    for index in indices:
        files[index] = folder / f"e{index}.ptx"
        files[index].write_text(edits[index][2].text)
    sound = {variant: folder / f"s{number}.ptx"
             for number, variant in enumerate(sorted({edits[index][0] for index in indices}))}
    for variant, path in sound.items():
        path.write_text(texts[variant])
    refused = gate(list(files.values()), target)
    passed = [index for index in indices if files[index].stem not in refused]
    hashes = codes([*sound.values(), *(files[index] for index in passed)], target)
    for index in indices:
        why = refused.get(files[index].stem)
        if why is not None:
            verdicts[index] = (NO_CODE if why.startswith("assemble:") else REFUSED, why)
        elif files[index].stem not in hashes:
            verdicts[index] = (NO_CODE, "its form is of another target")
        else:
            same = hashes[files[index].stem] == hashes[sound[edits[index][0]].stem]
            verdicts[index] = (SAME if same else LEFT, "")
