"""PTX as Python sees it: functions, statements with their lines, blocks and loops.

It shares nothing with phasebit's own reader (core/ptx), against which it is checked.
"""

import re
from dataclasses import dataclass, field

OPEN_ENDED = (".version", ".target", ".address_size", ".file", ".loc", ".maxntid", ".reqntid",
              ".maxnreg", ".minnctapersm", ".maxnctapersm", ".noreturn", ".explicitcluster",
              ".reqnctapercluster", ".maxclusterrank", ".blocksareclusters")
NAME = r"[%$A-Za-z_][$\w]*"
LABEL = re.compile(rf"\s*({NAME})\s*:(?!:)")
SIGNATURE = re.compile(rf"(?:[^({{;]*?\.(?:entry|func))\s*(\([^)]*\))?\s*{NAME}\s*")
HEAD = re.compile(r"(?:\.visible|\.extern|\.weak|\s)*\.(entry|func)\b")


@dataclass
class Statement:
    line: int
    scope: tuple  # numbers of the braces around it, the outermost first
    guard: str = ""  # name of a register, resolved
    inverted: bool = False
    opcode: str = ""
    operands: list = field(default_factory=list)  # words, with registers resolved
    targets: list = field(default_factory=list)  # statement numbers of a branch


@dataclass
class Function:
    name: str
    entry: bool
    line: int
    statements: list = field(default_factory=list)
    directives: list = field(default_factory=list)
    parameters: list = field(default_factory=list)
    results: list = field(default_factory=list)


def without_comments(text):
    """Blanks in the place of comments, so that every character keeps its line."""
    def blank(found):
        if found[0].startswith('"'):
            return found[0]
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'"[^"\n]*"|//[^\n]*|/\*.*?\*/', blank, text, flags=re.S)


def pieces_of(text):
    """(line, piece): a brace, a label with its colon, a directive or an instruction."""
    at, line = 0, 1
    size = len(text)
    while at < size:
        if text[at] in " \t\r\n\f\v;\0":
            line += text[at] == "\n"
            at += 1
            continue
        end = end_of_piece(text, at)
        yield line, text[at:end].strip().rstrip(";").strip()
        line += text.count("\n", at, end)
        at = end


def end_of_piece(text, at):
    if text[at] in "{}":
        return at + 1
    if text.startswith("@@", at):
        return line_end(text, at)
    if label := LABEL.match(text, at):
        if not text.startswith("@", at):
            return label.end()
    if text[at] == ".":
        if HEAD.match(text, at):
            return end_of_head(text, at)
        word = re.match(r"\.[\w:]+", text[at:at + 80])
        if word and word[0] in OPEN_ENDED:
            return line_end(text, at)
        if word and word[0] == ".section":
            return matching(text, text.index("{", at)) + 1
    return end_of_statement(text, at)


def line_end(text, at):
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def end_of_statement(text, at):
    found = text.find(";", at)
    return len(text) if found < 0 else found + 1


def end_of_head(text, at):
    """After the list of parameters, or the name where there is none."""
    found = SIGNATURE.match(text, at)
    if not found:
        return end_of_statement(text, at)
    at = found.end()
    return matching(text, at) + 1 if text[at:at + 1] == "(" else at


def matching(text, at):
    depth = 0
    for n in range(at, len(text)):
        depth += text[n] in "({["
        depth -= text[n] in ")}]"
        if depth == 0:
            return n
    return len(text) - 1


class Reader:
    """One pass over the pieces; registers and labels get the number of the brace they are in."""

    def __init__(self, text):
        self.functions, self.function, self.scope, self.braces = [], None, (), 0
        self.registers, self.labels, self.tables, self.last_label = {}, {}, {}, None
        for line, piece in pieces_of(without_comments(text)):
            self.take(line, piece)

    def take(self, line, piece):
        if HEAD.match(piece):
            self.begin(line, piece)
        elif self.function is None:
            return
        elif piece == "{":
            self.braces += 1
            self.scope += (self.braces,)
        elif piece == "}":
            self.scope = self.scope[:-1]
            if not self.scope:
                self.end()
        elif piece.startswith("."):
            self.directive(piece)
        elif LABEL.fullmatch(piece):
            self.last_label = (self.scope, piece[:-1].strip())
            self.labels[self.last_label] = len(self.function.statements)
        elif self.scope:
            self.instruction(line, piece)

    def begin(self, line, piece):
        found = re.match(rf".*?\.(entry|func)\s*(\([^)]*\))?\s*({NAME})\s*(\((.*)\))?", piece, re.S)
        if not found:
            return
        self.function = Function(found[3], found[1] == "entry", line)
        self.function.parameters = [one.strip() for one in (found[5] or "").split(",")
                                    if one.strip()]
        self.function.results = [one.strip() for one in (found[2] or "").strip("()").split(",")
                                 if one.strip()]
        self.registers, self.labels, self.tables, self.scope = {}, {}, {}, ()

    def directive(self, piece):
        if not self.scope:
            self.function.directives.append(piece)
        if piece.startswith(".branchtargets"):
            self.tables[self.last_label] = split(piece.split(None, 1)[1])
        if not piece.startswith(".reg"):
            return
        for name, many in re.findall(rf"({NAME})(?:<(\d+)>)?\s*(?:\[[^\]]*\]\s*)*(?:,|$)", piece):
            for n in range(int(many)) if many else [""]:
                self.registers[self.scope, f"{name}{n}"] = True

    def resolved(self, name, known):
        for depth in range(len(self.scope), 0, -1):
            if (self.scope[:depth], name) in known:
                return self.scope[:depth]
        return None

    def word(self, text):
        def own(found):
            scope = self.resolved(found[0], self.registers)
            return f"{found[0]}@{scope[-1]}" if scope else found[0]
        return re.sub(rf"(?<![\w.$%]){NAME}", own, text)

    def instruction(self, line, piece):
        made = Statement(line, self.scope)
        if piece.startswith("@"):
            found = re.match(rf"@\s*(!?)\s*({NAME})\s*", piece)
            made.inverted, made.guard = found[1] == "!", self.word(found[2])
            piece = piece[found.end():]
        words = piece.split(None, 1)
        made.opcode = words[0]
        made.operands = [self.word(one) for one in split(words[1])] if len(words) > 1 else []
        self.function.statements.append(made)

    def end(self):
        for made in self.function.statements:
            self.scope = made.scope
            if made.opcode.startswith("brx"):
                name = made.operands[-1]
                table = self.tables[self.resolved(name, self.labels), name]
                made.targets = [self.label(one) for one in table]
            elif made.opcode.split(".")[0] == "bra":
                made.targets = [self.label(made.operands[0])]
        self.scope = ()
        self.functions.append(self.function)
        self.function = None

    def label(self, name):
        scope = self.resolved(name, self.labels)
        if scope is None:
            raise ValueError(f"no label {name}")
        return self.labels[scope, name]


def split(text):
    parts, depth, begin = [], 0, 0
    for n, c in enumerate(text):
        depth += c in "({["
        depth -= c in ")}]"
        if c == "," and depth == 0:
            parts.append(text[begin:n].strip())
            begin = n + 1
    return parts + [text[begin:].strip()]


def functions_of(text):
    return Reader(text).functions


def ways_out(function, n):
    """Numbers of the statements that may follow; one after the last means that it leaves."""
    made = function.statements[n]
    stem = made.opcode.split(".")[0]
    ways = list(made.targets)
    leaves = stem in ("bra", "brx", "ret", "exit", "trap")
    if not leaves or made.guard:
        ways.append(n + 1)
    return ways


@dataclass
class Loop:
    header: int
    statements: set


def loops_of(function):
    """Every set of statements that reach each other, and those within each without its header."""
    size = len(function.statements)
    after = [[way for way in ways_out(function, n) if way < size] for n in range(size)]
    before = [[] for _ in range(size)]
    for n, ways in enumerate(after):
        for way in ways:
            before[way].append(n)
    loops, open_sets = [], [set(range(size))]
    while open_sets:
        inside = open_sets.pop()
        for circle in circles_of(after, inside):
            heads = [n for n in sorted(circle)
                     if n == 0 or any(one not in circle for one in before[n])]
            header = (heads or sorted(circle))[0]
            loops.append(Loop(header, circle))
            open_sets.append(circle - {header})
    return sorted(loops, key=lambda loop: len(loop.statements))


def circles_of(after, inside):
    """Strongly connected sets with a way round in them (Tarjan, without recursion)."""
    number, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(inside):
        if root in number:
            continue
        work = [(root, iter(after[root]))]
        number[root] = low[root] = len(number)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, ways = work[-1]
            step = next((way for way in ways if way in inside), None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == number[here]:
                    circle = take_circle(stack, on_stack, here)
                    if len(circle) > 1 or here in after[here]:
                        found.append(circle)
            elif step not in number:
                number[step] = low[step] = len(number)
                stack.append(step)
                on_stack.add(step)
                work.append((step, iter(after[step])))
            elif step in on_stack:
                low[here] = min(low[here], number[step])
    return found


def take_circle(stack, on_stack, until):
    circle = set()
    while True:
        one = stack.pop()
        on_stack.discard(one)
        circle.add(one)
        if one == until:
            return circle
