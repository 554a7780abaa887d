"""Edits of a rendered PTX file: every statement of a verb of a protocol or mover, changed.

An operator changes one thing that a figure means: where a statement is (in the timed window or out
of it), which slot it speaks of, with which operand, and from where it copies. It knows no template;
it sees text alone.
"""
import dataclasses
import re

HEADING = re.compile(r"\s*// \[([^\]]*)\] (templates/\S+):\d+$")
ROLES = {"producer", "consumer", "both", "victim"}
SHAPE = re.compile(r"\s*(?P<guard>@!?\w+ )?(?P<name>[\w.:]+)(?: (?P<operands>.*))?;")
# What waits, arrives, orders, copies, loads or stores: by itself it means something elsewhere.
ACTS = re.compile(r"(?:@!?\w+ )?(?:ld|st|cp|red|atom|mbarrier|bar|barrier|fence|elect|nanosleep"
                  r"|clusterlaunchcontrol|tcgen05|multimem|prefetch)\b")
NUMBER = re.compile(r"(?<![\w.%:])(?:0x[0-9a-fA-F]+|\d+)(?![\w.])")


@dataclasses.dataclass
class Line:
    text: str
    role: str
    verb: str
    template: str  # "protocols/mbarrier/wait", "" outside of the templates
    depth: int  # braces around it

    @property
    def is_heading(self):
        return HEADING.match(self.text) is not None

    @property
    def statement(self):
        """The statement without blanks around it, "" where the line has no statement."""
        text = self.text.strip()
        if not text.endswith(";") or text.startswith(("//", ".", "{")):
            return ""
        return text

    @property
    def is_edited(self):
        """Whether it is of a verb, or of what prepares one, of a protocol or a mover."""
        return self.template.startswith(("protocols/", "movers/")) and self.statement != ""


@dataclasses.dataclass
class Edit:
    template: str
    role: str
    verb: str
    operator: str
    before: str
    after: str  # "" where the statement is gone or elsewhere
    text: str  # the file

    @property
    def name(self):
        what = f"{self.before}  =>  {self.after}" if self.after else self.before
        where = f"{self.template} [{self.role or '-'}]"
        return f"{where} {self.operator}: {what}"


def read_lines(text):
    lines, role, verb, template, depth = [], "", "", "", 0
    for one in text.splitlines():
        if found := HEADING.match(one):
            words = [word for word in found[1].split() if word != "-"]
            role = words.pop(0) if words and words[0] in ROLES else ""
            verb = words[0] if words else ""
            template = found[2].removeprefix("templates/").removesuffix(".ptx")
        lines.append(Line(one, role, verb, template, depth))
        code = one.split("//")[0]
        if code.strip() in ("{", "}"):
            depth += 1 if code.strip() == "{" else -1
            lines[-1].depth = min(depth, lines[-1].depth)
    return lines


def kind_of(line):
    """What makes two statements one: numbers, whose registers they are, the scope, dimensions and
    the operation of a reduction do not count."""
    text = re.sub(r"\b[pc]_", "r_", line.statement)
    text = re.sub(r"\b(word|L_[a-z]+|token|tile)\d+\b", r"\1", text)
    text = re.sub(r"(?<!shared::)\.(cta|cluster|gpu|sys)\b(?!::)|\.[1-5]d\b", "", text)
    text = re.sub(r"\.(add|inc|dec|and|or|xor|min|max)"
                  r"(?=(?:\.\w+)*\.bulk_group|\.noftz|\.[usbf]\d+ \[)", ".op", text)
    text = re.sub(r"(?<=\.op)(\.noftz)?\.[usbf]\d+\b", "", text)
    text = re.sub(r"\{[^{}]*\}(?=\])|, \{[^{}]*\}(?=[,;])", "", text)
    return f"{line.template}: " + re.sub(r"\+#|, #(?=;)", "", NUMBER.sub("#", text))


def kinds_of(text):
    """{kind: the first line of it}"""
    kinds = {}
    lines = read_lines(text)
    for index, line in enumerate(lines):
        if line.is_edited:
            kinds.setdefault(kind_of(line), index)
    return kinds


# Where statements move to.

def regions_of(lines):
    """[(heading, end)] of each line: the verb around it, with all that this verb holds."""
    spans, open_at, found = {}, 0, []
    for index, line in enumerate(lines):
        around = lines[open_at]
        other = line.is_heading and (line.role, line.verb) != (around.role, around.verb)
        if line.depth < around.depth or other and (line.depth <= around.depth or not around.verb):
            open_at = index
        spans[open_at] = index + 1
        found.append(open_at)
    return [(start, spans[start]) for start in found]


def heading_before(lines, index):
    while index > 0 and not lines[index].is_heading:
        index -= 1
    line = lines[index]
    return line.text if line.is_heading else "// [-] templates/common/prologue.ptx:1"


def clock_places(lines, regions, role):
    """(line that the role's first clock read begins at, line after its last), None without both"""
    starts, ends = ([span for one, span in zip(lines, regions)
                     if (one.role, one.verb) == (role, verb)]
                    for verb in ("clock_start", "clock_end"))
    return (starts[0][0], ends[-1][1]) if starts and ends else None


def declarations(lines, index):
    """The registers of the braces around a statement, those of the kernel left out."""
    found, depth = [], lines[index].depth
    for at in range(index, -1, -1):
        one = lines[at]
        if one.depth < depth:
            depth = one.depth
        if depth <= 1:
            break
        if one.depth == depth and one.text.strip().startswith(".reg"):
            found.append(one.text)
    return found


def moved(lines, first, end, place, around=()):
    texts = [one.text for one in lines]
    block = [heading_before(lines, first), "{", *around, *texts[first:end], "}",
             heading_before(lines, place - 1)]
    if place <= first:
        return texts[:place] + block + texts[place:first] + texts[end:]
    return texts[:first] + texts[end:place] + block + texts[place:]


def moves(lines, index):
    line, regions = lines[index], regions_of(lines)
    if ACTS.match(line.statement) or re.search(r"\bbra\b", line.statement):
        yield "dropped", [one.text for i, one in enumerate(lines) if i != index]
    places = clock_places(lines, regions, line.role) if line.role and line.verb else None
    first, end = regions[index]
    if not places or not places[0] <= first < places[1]:
        return
    statements = [i for i in range(first, end) if lines[i].is_edited]
    for name, place in (("before the clock", places[0]), ("after the clock", places[1])):
        if ACTS.match(line.statement):
            yield name, moved(lines, index, index + 1, place, declarations(lines, index))
        if statements[0] == index and len(statements) > 1:
            yield "verb " + name, moved(lines, first, end, place)


# What a statement becomes where it is: {operator: its new texts}

FIXED = (("_barrier", "ring"), ("_payload", "{}_payload_base"), ("_slot", "0"), ("_image", "0"),
         ("_source", "{}_source_base"), ("_stored", "{}_stored_base"))


def fixed_slot(text, facts):
    for name, put in FIXED:
        for role in "pc":
            was = re.compile(rf"(?:(?<=\[)|(?<=, )){role}{name}\b")
            if was.search(text):
                yield was.sub(put.format(role), text)
    for name in ("address", "remote", "target", "part", "slot", "response", "source"):
        if re.search(rf"\[{name}\b", text):
            yield re.sub(rf"\[{name}\b", "[ring", text)


def other_slot(text, facts):
    """The next slot's barrier, the other barrier of the slot, words elsewhere in the payload."""
    for found in re.finditer(r"\[(\w+)(?:\+(\d+))?\]", text):
        base, offset = found[1], int(found[2] or 0)
        if base in ("pb", "samples", "status"):
            continue
        if re.search("payload|source|stored|slot|part|target", base):
            steps = {facts.get("slot_bytes", 16)}
        else:
            across = facts.get("empty", 0) - facts.get("full", 0)
            steps = {8, across if offset < across else -across} - {0}
        for step in sorted(steps):
            if offset + step >= 0:
                yield text[:found.start()] + f"[{base}+{offset + step}]" + text[found.end():]


def other_number(text, facts):
    """Counts, bytes, ids and masks: one more, half of it, none."""
    for found in NUMBER.finditer(text):
        if "[" in text[:found.start()] and "]" not in text[text.rfind("["):found.start()]:
            continue
        value = int(found[0], 0)
        more = [value + 1] if ACTS.match(text) or value >= 2 ** 16 or value == 0 else []
        for put in (*more, value // 2):
            if put != value and put < 2 ** 32 and (put > value or value < 2 ** 16):
                yield text[:found.start()] + str(put) + text[found.end():]


def other_parity(text, facts):
    for put in ("0", "1"):
        for role in "pc":
            if f"{role}_parity" in text:
                yield text.replace(f"{role}_parity", put)


WORDS = {
    "order": [(".release", ".relaxed"), (".acquire", ".relaxed"), (".acq_rel", ".sc"),
        (".sc", ".acq_rel"), (".volatile", ""), (".relaxed", ".weak"), (".aligned", ""),
        (".mbarrier_init", ""), ("fence.acq_rel.cta", "fence.sc.cta"),
        (".proxy.async.shared::cta", ".acq_rel.cta"), (".proxy.async", ".acq_rel.cta")],
    "scope": [(".cta", ".cluster"), (".cta", ".gpu"), (".cluster", ".cta"), (".cluster", ".gpu"),
        (".gpu", ".cta"), (".sys", ".gpu"), (".gpu", ".sys")],
    "policy": [("evict_first", "evict_last"), ("evict_last", "evict_first"),
        ("evict_normal", "evict_first"), (".ca.", ".cg."), (".cg.", ".ca."), (".nc.", "."),
        ("no_allocate", "evict_last")],
    "kind": [("try_wait", "test_wait"), ("test_wait", "try_wait"), (".noinc", ""),
        ("arrive_drop", "arrive"), ("mbarrier.arrive.", "mbarrier.arrive_drop."),
        ("bar.sync", "bar.arrive"), ("bar.arrive", "bar.sync"), ("wait_group.read", "wait_group"),
        ("cp.async.bulk.wait_group", "cp.async.bulk.wait_group.read"), (".v4.", ".v2."),
        (".noComplete", ""), ("cp.async.wait_group", "cp.async.wait_all"),
        (".multicast::cluster", "")],
    "source": [(".global", ".shared::cta"), (".shared::cta", ".global")],
}


def other_word(kind):
    def words(text, facts):
        name = SHAPE.match(text)
        for was, put in WORDS[kind]:
            end = r"(?![a-z_])" if kind in ("order", "scope") else ""
            pattern = re.compile(re.escape(was) + end)
            for found in pattern.finditer(text):
                if name and (kind != "scope" or not text[:found.start()].endswith("shared::")):
                    yield text[:found.start()] + put + text[found.end():]
    return words


def no_hint(text, facts):
    if ".L2::cache_hint" in text:
        yield re.sub(r", \w+_policy;", ";", text.replace(".L2::cache_hint", ""))
        yield re.sub(r", \w+_policy;", ", 0;", text)
    if found := re.match(r"(.*mbarrier\.try_wait.*, \w+), \d+;", text):
        yield found[1] + ";"


def fewer_bytes(text, facts):
    """A copy of the half, where its bytes are the last number but one."""
    if found := re.search(r"(, )(\d+)(, \[)", text):
        yield text[:found.start(2)] + str(int(found[2]) // 2) + text[found.end(2):]


def other_thread(text, facts):
    found = re.match(r"@(!?)(\w+) (?!bra)(.*)", text)
    if found:
        yield found[3]
        yield f"@{'' if found[1] else '!'}{found[2]} {found[3]}"


def other_register(text, facts):
    """The last operand that is read becomes the one before it, and the other way round."""
    shape = SHAPE.match(text)
    if not shape or not shape["operands"] or re.search(r"[\[{|]", shape["operands"]):
        return
    names = [one for one in shape["operands"].split(", ")]
    read = [i for i in range(1, len(names)) if re.fullmatch(r"[a-z]\w*", names[i])]
    for one, other in zip(read, read[1:]):
        for put, instead in ((one, other), (other, one)):
            if names[put] != names[instead]:
                edited = [*names[:put], names[instead], *names[put + 1:]]
                yield text[:shape.start("operands")] + ", ".join(edited) + ";"


OPERATORS = {
    "fixed slot": fixed_slot, "other slot": other_slot, "other number": other_number,
    "other parity": other_parity, "other order": other_word("order"),
    "other scope": other_word("scope"), "other policy": other_word("policy"),
    "other kind": other_word("kind"), "other source": other_word("source"), "no hint": no_hint,
    "fewer bytes": fewer_bytes, "other thread": other_thread, "other register": other_register,
}


def facts_of(text):
    """What the operators know of the file: where its barriers lie, and how long a slot is."""
    facts = {}
    barriers = r'//@ +\{ name = "(full|empty)\w*", kind = "\w+", base = (\d+)'
    for name, base in re.findall(barriers, text):
        facts.setdefault(name, int(base))
    if found := re.search(r"mad\.lo\.u32 [pc]_payload, [pc]_slot, (\d+)", text):
        facts["slot_bytes"] = int(found[1])
    return facts


def edits_of(text, kinds):
    """All edits of the statements of these kinds in a file."""
    lines, facts, places = read_lines(text), facts_of(text), kinds_of(text)
    for kind in kinds:
        index = places[kind]
        line, seen = lines[index], set()
        facts_here = (line.template, line.role, line.verb)
        for operator, edited in moves(lines, index):
            yield Edit(*facts_here, operator, line.statement, "", "\n".join(edited) + "\n")
        for operator, change in OPERATORS.items():
            for after in change(line.statement, facts):
                if after in seen or after == line.statement:
                    continue
                seen.add(after)
                edited = [one.text for one in lines]
                edited[index] = after
                yield Edit(*facts_here, operator, line.statement, after, "\n".join(edited) + "\n")
