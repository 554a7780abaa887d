#!/usr/bin/env python3
"""Edits that the gate leaves (left.txt), run: which of them `check` and the executions leave, too.

survivors.py [TARGET]: prints each with what became of it on a GPU, and the share of all edits.
PHASEBIT_PROGRAM runs them: it interprets each kernel, so this takes minutes.
"""
import collections
import pathlib
import sys
import tempfile

import judge
import left_list


def main(target="sm_90a"):
    listed, outcomes = left_list.read(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        texts = judge.render(pathlib.Path(folder) / "sound")
        edits = [edit for _, where, edit in judge.all_edits(texts) if where == target]
        left, files = [edit for edit in edits if edit.name in listed], []
        for number, edit in enumerate(left):
            files.append(pathlib.Path(folder) / f"e{number}.ptx")
            files[-1].write_text(edit.text)
        refused = {}
        for begin in range(0, len(files), judge.BATCH):
            refused |= judge.gate(files[begin:begin + judge.BATCH], target, "--check")
    for path, edit in zip(files, left):
        if path.stem not in refused:
            outcomes[listed[edit.name]] += 1
            print(f"{edit.name}\n    {listed[edit.name]}")
    print(f"{target}: {len(edits)} edits, {len(left)} left by the gate, "
          f"{sum(outcomes.values())} by check and executions")
    for outcome, count in outcomes.items():
        print(f"{count:4} {outcome}")


if __name__ == "__main__":
    main(*sys.argv[1:])
