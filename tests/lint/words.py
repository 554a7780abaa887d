"""Counts the project's dialect (turns of phrase that a stranger stumbles over) in its prose.

Fails when more than a tenth of the count at 84f2ef1f is left. Prose is documents without their
code, texts of help and errors (strings of C++, templates' TOML, specs and SQL), claims, and
comments. Names do not count: a word in backticks or quotes, a string of one word, a part of a path
or of `key=value`. Generated parts of documents count where their text is written.
"""

import argparse
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

from files import CPP_SUFFIXES, tracked_files

PLACES = ("docs", "help and errors", "claims", "comments")
PEOPLE = ("anyone", "author", "authors", "engineer", "engineers", "people", "reader", "readers",
          "those", "user", "users")
NOT_PEOPLE = "".join(rf"(?<!\b{word} )" for word in PEOPLE)
# Pattern: occurrences at 84f2ef1f in each of PLACES, as this script counts them there.
BASELINE = {
    "beside": (110, 52, 4, 157),
    "behind": (97, 38, 4, 256),
    "in front of": (17, 4, 0, 56),
    "stands": (122, 22, 0, 246),
    "who": (44, 37, 3, 100),
    "somebody's": (64, 30, 3, 147),
    "of today": (10, 5, 0, 11),
    "held against": (23, 1, 1, 24),
    "takes": (6, 4, 33, 13),
    "once for all": (3, 2, 0, 6),
    "for ever": (1, 0, 0, 9),
    "is no": (37, 46, 1, 135),
    "has none": (8, 3, 0, 52),
}
PATTERNS = {
    "beside": r"beside",
    "behind": r"(?<!lag )(?<!lags )behind(?! a link)",
    "in front of": r"in front of",
    "stands": r"(?:stands?|stood)(?! for\b)|standing",
    "who": rf"{NOT_PEOPLE}who|whom|whoever",
    "somebody's": r"(?:some|any|every|no)body(?:'s)?",
    "of today": r"of (?:before|today|the day)",
    "held against": r"(?:held|holds?|holding) (?:[\w-]+ ){0,4}?against",
    "takes": r"takes? (?:[\w.,{}]+ ){0,3}?cycles|takes? (?:no|none|neither|(?:the|a|this) form)",
    "once for all": r"once for all",
    "for ever": r"for ever",
    "is no": r"(?<!there )(?:is|are|was|were) no(?! (?:more|less|longer|\w+er than)\b)",
    "has none": r"(?:has|have|had) none",
}
PATTERNS = {name: re.compile(rf"(?<![\w./=-])(?:{text})(?![\w/=(]|\.\w|-\w)", re.IGNORECASE)
            for name, text in PATTERNS.items()}

GENERATED_FOLDERS = ("ptx/", "results/", "tests/fuzz/corpus/", "tests/golden/", "tests/gen/guard/")
SELF = ("tests/lint/words.py", "tests/lint/words_test.py")
CPP_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*(?:\\\n[^\n]*)*|/\*.*?\*/)"
    r'|R"(?P<tag>[^()\s\\]{0,16})\((?P<raw>.*?)\)(?P=tag)"'
    r'|"(?P<string>(?:[^"\\\n]|\\.)*)"'
    r"|'(?:[^'\\\n]|\\.)+'(?!\w)", re.DOTALL)
TOML_TOKEN = re.compile(
    r'"""(?P<long>.*?)"""|"(?P<string>(?:[^"\\\n]|\\.)*)"'
    r"|'''(?P<raw>.*?)'''|'[^'\n]*'|\#(?P<comment>[^\n]*)", re.DOTALL)
SQL_TOKEN = re.compile(
    r"--(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|'(?P<string>(?:[^']|'')*)'|\"[^\"\n]*\"", re.DOTALL)
CODE_SPAN = re.compile(r"(`+)(?:(?!\1).)+?\1", re.DOTALL)
QUOTED_WORD = re.compile(r"""(["'])[\w.:/=-]+\1""")


def without_names(text):
    """The prose of a text: joined lines without code spans, quoted words and link targets."""
    text = CODE_SPAN.sub("`code`", text)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    return re.sub(r"\s+", " ", QUOTED_WORD.sub("'name'", text))


def markdown(text):
    text = re.sub(r"<!-- (phasebit:|names: begin).*?<!-- (/phasebit|names: end) -->", "", text,
                  flags=re.DOTALL)
    text = re.sub(r"^ *(```|~~~).*?^ *\1[^\n]*$", "", text, flags=re.DOTALL | re.MULTILINE)
    yield "docs", text


def comment_runs(tokens):
    """Neighbouring line comments as one text, so that a phrase may run over the line."""
    run, last = [], None
    for line, text in tokens:
        if last is not None and line != last + 1:
            yield "comments", " ".join(run)
            run = []
        run.append(text)
        last = line + text.count("\n")
    yield "comments", " ".join(run)


def cpp(text):
    comments, line, end, strings = [], 1, 0, []
    last_string_end = None
    for token in CPP_TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        end = token.start()
        if token["comment"]:
            comments.append((line, token["comment"].lstrip("/*! ")))
            continue
        string = token["raw"] if token["raw"] is not None else token["string"]
        if string is None:
            continue
        # Neighbouring literals are one.
        if last_string_end is not None and not text[last_string_end:token.start()].strip():
            strings[-1] += string
        else:
            strings.append(string)
        last_string_end = token.end()
    yield from comment_runs(comments)
    for string in strings:
        if " " in string:
            yield "help and errors", string.replace("\\n", " ")


def toml(text):
    comments, line, end = [], 1, 0
    for token in TOML_TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        end = token.start()
        if token["comment"] is not None:
            comments.append((line, token["comment"]))
        string = token["long"] or token["raw"] or token["string"]
        if string and " " in string:
            yield "help and errors", string
    yield from comment_runs(comments)


def sql(text):
    for token in SQL_TOKEN.finditer(text):
        if token["block"]:
            yield from toml(token["block"])
        elif token["line"]:
            yield "comments", token["line"]
        elif token["string"] and " " in token["string"]:
            yield "help and errors", token["string"]


def python(text):
    comments, start_of_statement = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string.lstrip("# ")))
        elif token.type == tokenize.STRING and start_of_statement:
            yield "comments", token.string
        if token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            start_of_statement = True
        elif token.type not in (tokenize.NL, tokenize.COMMENT):
            start_of_statement = False
    yield from comment_runs(comments)


def line_comments(mark):
    def find(text):
        found = ((number, re.match(rf"(?:.*\s)?{mark}+[%!]?\s(.*)$", f" {line}"))
                 for number, line in enumerate(text.splitlines(), 1))
        yield from comment_runs([(number, match[1]) for number, match in found if match])
    return find


READERS = {".md": markdown, ".py": python, ".toml": toml, ".sql": sql, ".ptx": line_comments("//"),
           ".ll": line_comments(";"), ".sh": line_comments("#"), ".txt": line_comments("#"),
           **dict.fromkeys(CPP_SUFFIXES, cpp)}


def prose(name, text):
    """(place, text) of each piece of prose in a file."""
    reader = READERS.get(Path(name).suffix)
    if reader is None:
        shell = text.startswith("#!") or Path(name).name.startswith("meson")
        reader = line_comments("#") if shell else lambda _: ()
    for place, piece in reader(text):
        if place == "help and errors":
            if name.startswith("claims/"):
                place = "claims"
            elif name.startswith(("tests/", "tools/")):
                continue  # names of tests, expectations
        yield place, without_names(piece)


def count_text(name, text):
    """[(place, pattern, the words around it)] of one file."""
    return [(place, pattern, piece[max(0, match.start() - 40):match.end() + 40])
            for place, piece in prose(name, text)
            for pattern, expression in PATTERNS.items() for match in expression.finditer(piece)]


def count_tree(root, listing):
    counts, checked = Counter(), 0
    for name in tracked_files(root):
        if name.startswith(GENERATED_FOLDERS) or name in SELF:
            continue
        try:
            text = Path(root, name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        for place, pattern, around in count_text(name, text):
            counts[place, pattern] += 1
            if listing:
                print(f"{name}: {place}: {pattern}: {around}")
    return counts, checked


def report(title, count):
    print(f"{title:14}" + "".join(f"{place:>17}" for place in (*PLACES, "all")))
    for pattern in PATTERNS:
        row = [count(place, pattern) for place in PLACES]
        print(f"{pattern:14}" + "".join(f"{figure:17}" for figure in (*row, sum(row))))
    row = [sum(count(place, pattern) for pattern in PATTERNS) for place in PLACES]
    print(f"{'all':14}" + "".join(f"{figure:17}" for figure in (*row, sum(row))))
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    counts, checked = count_tree(str(given.root.resolve()), given.list)
    first = report("at 84f2ef1f", lambda place, pattern:
                   BASELINE.get(pattern, (0,) * len(PLACES))[PLACES.index(place)])
    print()
    left = report("now", lambda place, pattern: counts[place, pattern])
    allowed, total = sum(first) // 10, sum(left)
    print(f"\n{checked} files checked: {total} left, at most {allowed} may be"
          + ("; --list shows them" if total > allowed else ""))
    return 1 if total > allowed or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
