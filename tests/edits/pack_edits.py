#!/usr/bin/env python3
"""Packs the edits of left.txt for a GPU machine: pack_edits.py OUT [TARGET].

OUT gets a bundle, and edits.json with the edit of each of its variants. PHASEBIT_PROGRAM makes it.
"""
import json
import pathlib
import sys
import tempfile

import judge
import left_list


def main(out, target="sm_90a"):
    with tempfile.TemporaryDirectory() as folder:
        listed = left_list.read()
        texts = judge.render(pathlib.Path(folder) / "sound")
        wanted = [edit for _, where, edit in judge.all_edits(texts)
                  if where == target and edit.name in listed]
        files = {}
        for number, edit in enumerate(wanted):
            path = pathlib.Path(folder) / f"e{number}.ptx"
            path.write_text(edit.text)
            files[path.stem] = edit.name
        done = judge.run("pack", "--target", target, "--no-anchors", "-o", out,
                         *(f"{folder}/{stem}.ptx" for stem in files))
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        manifest = json.loads((pathlib.Path(out) / "manifest.json").read_text())
        ids = [one["key"]["id"] for one in manifest["variants"]]
        names = {one: files[judge.name_of(one)] for one in ids}
        (pathlib.Path(out) / "edits.json").write_text(json.dumps(names, indent=1) + "\n")
        print(f"{len(names)} edits packed into {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
