"""What a turn of each peer's loop holds, verb by verb, against ours: from the census of a bundle.

tools/peering/turns.py BUNDLE OURS PEER...   each an id, or words of one id joined by commas;
                                             -WORD: not in it; "NAME: WORDS" is shown as NAME
"""

import json
import sys
from pathlib import Path

# The verbs of a turn in their order; what belongs to none of them is the loop itself.
VERBS = ["acquire", "fill", "commit", "wait", "drain", "checksum", "release", "advance", ""]


def fail(text):
    sys.exit(f"turns: {text}")


def variant_of(manifest, words):
    """The variant of that id, or the only one whose id has all of the words in it."""
    exact = [one for one in manifest["variants"] if one["key"]["id"] == words]

    def has(one, word):
        parts = one["key"]["id"].split("/")
        return word[1:] not in parts if word.startswith("-") else word in parts
    found = exact or [one for one in manifest["variants"]
                      if all(has(one, word) for word in words.split(","))]
    if len(found) != 1:
        fail(f"{len(found)} variants have '{words}' in their id" +
             "".join(f"\n  {one['key']['id']}" for one in found[:8]))
    return found[0]


def census_of(variant):
    """Opcodes on the path of a turn of one item, by verb, of both roles together."""
    turns = {}
    items = variant["launch"]["item_granule"]
    for image in variant["images"]:
        if image["build"] != "timed":
            continue
        for one in image["census"]:
            verb = one["verb"] if one["verb"] in VERBS else ""
            opcodes = turns.setdefault(verb, {})
            for opcode, count in one["hot"].items():
                opcodes[opcode] = opcodes.get(opcode, 0) + count / items
    return turns


def total(opcodes):
    return round(sum(opcodes.values()))


def short(turns):
    """Opcodes of all verbs together, without their modifiers."""
    made = {}
    for opcodes in turns.values():
        for opcode, count in opcodes.items():
            name = opcode.split(".")[0]
            made[name] = made.get(name, 0) + count
    return made


def more_than(ours, theirs):
    """Opcodes of which theirs has more: "4 LOP3, SYNCS"; the most first."""
    own, other = short(ours), short(theirs)
    more = {name: round(count - own.get(name, 0)) for name, count in other.items()}
    return ", ".join(f"{count} {name}" if count > 1 else name
                     for name, count in sorted(more.items(), key=lambda one: (-one[1], one[0]))
                     if count > 0)


def row(name, turns, more):
    cells = [total(turns.get(verb, {})) for verb in VERBS]
    return f"| {name} | " + " | ".join(map(str, [*cells, sum(cells), more])) + " |"


def named(words):
    """(name, words) of "NAME: WORDS" or of words alone."""
    name, colon, rest = words.rpartition(": ")
    return (name, rest) if colon else (words.replace(",", ", "), words)


def table(manifest, ours, peers):
    name, ours = named(ours)
    own = census_of(variant_of(manifest, ours))
    verbs = " | ".join(verb or "loop" for verb in VERBS)
    rows = [f"| ring | {verbs} | all | more than ours |",
            "|---|" + "--:|" * (len(VERBS) + 1) + "---|", row(name, own, "")]
    for name, words in map(named, peers):
        turns = census_of(variant_of(manifest, words))
        rows.append(row(name, turns, more_than(own, turns)))
    return "\n".join(rows)


def main():
    if len(sys.argv) < 4:
        fail("say BUNDLE OURS PEER...: parts of ids, joined by commas")
    manifest = json.loads((Path(sys.argv[1]) / "manifest.json").read_text())
    print(table(manifest, sys.argv[2], sys.argv[3:]))


if __name__ == "__main__":
    main()
