"""Refuses files over 300 lines, functions over 60 lines and lines over 100 columns.

A template's line may be longer: alternatives of one PTX statement stand on one line.

Functions are found by their braces: comments, strings and preprocessor lines are blanked, and a
brace that opens behind a parameter list, outside any other function, opens a function. A lambda
counts as a part of the function that it stands in. Usage: sizes.py ROOT
"""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_COLUMNS = 300, 60, 100
CPP_SUFFIXES = {".h", ".cpp", ".cu"}
SOURCE_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".ptx"}
# Made by a command, not written: no limits on them.
GENERATED_FOLDERS = ("ptx/", "results/", "tests/gen/guard/")

BLANKED = re.compile(
    r'R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'"  # a character, not the quote of 1'000
    r"|//[^\n]*|/\*.*?\*/"
    r"|^[ \t]*#(?:\\\n|[^\n])*",  # preprocessor, with its continued lines
    re.DOTALL | re.MULTILINE)
CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")


def blank(text):
    """The text with comments, strings and preprocessor lines as spaces, line breaks kept."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def opens_function(head):
    """Whether the brace behind this text (from the last ; { or }) opens a function's body."""
    if "(" not in head or re.search(r"=\s*$", head):
        return False
    return not CONTAINER.search(head.split("(")[0]) or head.rstrip().endswith(")")


def skip_macros(head):
    """Where the declaration begins: behind macro calls without a semicolon of their own."""
    at = len(head) - len(head.lstrip())
    while re.compile(r"[A-Z][A-Z0-9_]+\(").match(head, at):
        end, depth = head.index("(", at), 0
        while end < len(head):
            depth += (head[end] == "(") - (head[end] == ")")
            end += 1
            if depth == 0:
                break
        rest = head[end:]
        if not rest.strip():
            break  # the macro is the function: TEST(Suite, name) {
        at = end + len(rest) - len(rest.lstrip())
    return at


def cpp_functions(text):
    """(name, first line, last line) of every function of a C++ file."""
    text = blank(text)
    stack, start, parens = [], 0, 0
    for at, character in enumerate(text):
        if character in "()":
            parens += 1 if character == "(" else -1
        elif parens > 0:
            continue  # a lambda or a braced value in an argument list
        elif character == "{":
            first = start + skip_macros(text[start:at])
            head = text[first:at]
            inside = any(kind for kind, _, _ in stack)
            stack.append((opens_function(head) and not inside, first, head))
            start = at + 1
        elif character == "}":
            is_function, first, head = stack.pop()
            if is_function:
                name = re.search(r"([~\w:]+|operator\W+)\s*\(", head).group(1).strip()
                yield name, text.count("\n", 0, first) + 1, text.count("\n", 0, at) + 1
            start = at + 1
        elif character == ";":
            start = at + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno


def shell_functions(text):
    start = name = None
    for number, line in enumerate(text.splitlines(), 1):
        opened = re.match(r"(\w+)\(\) \{$", line)
        if opened:
            name, start = opened.group(1), number
        elif line in ("}", ")") and start:
            yield name, start, number
            start = None


def language(name, text):
    suffix = Path(name).suffix
    if suffix in CPP_SUFFIXES:
        return cpp_functions
    if suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        return python_functions
    if suffix == ".sh" or text.startswith(("#!/bin/bash", "#!/usr/bin/env bash")):
        return shell_functions
    return None


def check_text(name, text):
    """The violations of one file, as `file:line: what`."""
    functions, lines = language(name, text), text.splitlines()
    if functions is None and Path(name).suffix not in SOURCE_SUFFIXES:
        if Path(name).name != "meson.build":
            return []
    found = []
    if len(lines) > MAX_FILE_LINES:
        found.append(f"{name}:{len(lines)}: {len(lines)} lines, at most {MAX_FILE_LINES}")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS and not name.endswith(".ptx"):
            found.append(f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
    for function, first, last in functions(text) if functions else []:
        if last - first + 1 > MAX_FUNCTION_LINES:
            found.append(f"{name}:{first}: {function} has {last - first + 1} lines, "
                         f"at most {MAX_FUNCTION_LINES}")
    return found


def tracked_files(root):
    # Files that git does not ignore: the tracked ones and those about to be.
    listed = subprocess.run(
        ["git", "-C", root, "-c", f"safe.directory={root}", "ls-files", "-z", "--cached",
         "--others", "--exclude-standard"], check=True, capture_output=True, text=True).stdout
    return [name for name in listed.split("\0") if name and Path(root, name).is_file()]


def require_program(name):
    """Leaves with meson's exit status for a skipped test when a program is missing."""
    if shutil.which(name) is None:
        print(f"skipped: {name} is not installed")
        sys.exit(77)


def main():
    root = str(Path(sys.argv[1]).resolve())
    found, checked = [], 0
    for name in tracked_files(root):
        if name.startswith(GENERATED_FOLDERS):
            continue
        try:
            text = Path(root, name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        checked += 1
        found += check_text(name, text)
    for violation in found:
        print(violation)
    print(f"{checked} files checked, {len(found)} violations")
    return 1 if found or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
