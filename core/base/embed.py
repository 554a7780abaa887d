"""Writes a file as a C++ string literal, for `#include` in the place of the text.

Tables that the program cannot do without are part of it, so that program and table are always of
one version. Usage: embed.py INPUT OUTPUT
"""

import sys
from pathlib import Path

MARK = "embedded"


def literal(text):
    if f'){MARK}"' in text:
        raise ValueError(f'the text holds ){MARK}", which ends the literal')
    return f'R"{MARK}({text}){MARK}"\n'


def main():
    source, target = map(Path, sys.argv[1:3])
    target.write_text(literal(source.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
