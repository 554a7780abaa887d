"""Tables that a tool writes into a document, between `<!-- BLOCK -->` and `<!-- /BLOCK -->`."""

import re
import sys

from counting import Wrong


def markdown(heads, rows):
    """Heads that begin with a colon are of columns of words."""
    lines = ["| " + " | ".join(head.lstrip(":") for head in heads) + " |",
             "|" + "|".join("---" if head.startswith(":") else "---:" for head in heads) + "|"]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def replaced(path, text, block, lines):
    """The document with these lines in its block; `path` is what messages call it."""
    pattern = re.compile(rf"(<!-- {block} -->\n).*?(<!-- /{block} -->\n)", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise Wrong(f"{path}: not one '<!-- {block} -->' with a '<!-- /{block} -->' behind it")
    body = "\n" + "\n".join(lines) + "\n\n"
    return pattern.sub(lambda found: found[1] + body + found[2], text)


def compared(path, old, new, command):
    """What is wrong with the committed document, which the command makes, or None."""
    old, new = old.splitlines(), new.splitlines()
    for number, (here, made) in enumerate(zip(old + [""], new + [""]), 1):
        if here != made:
            return (f"{path}:{number}: differs from the results: {here[:90]!r} would be "
                    f"{made[:90]!r}; {command} makes it")
    return None


def settle(root, path, text, check, command):
    """Writes the document, or with `check` ends the program where the committed one differs."""
    if not check:
        (root / path).write_text(text)
    elif wrong := compared(path, (root / path).read_text(), text, command):
        sys.exit(wrong)
