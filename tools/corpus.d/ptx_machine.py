"""Runs PTX of one thread as far as loops need it: integers, predicates, memory, calls.

What is not known (parameters, memory, results of operations that are not listed) is a small number
that depends on the trial and on the operands alone, so that the same turn comes to the same end.
"""

import re
import zlib

SMALL = 6
CLOCK_STEP = 1 << 28
POLL = re.compile(r"mbarrier\.(try|test)_wait|atom\.|(ld|multimem\.ld_reduce)\."
                  r"(.*\.)?(volatile|acquire|relaxed|mmio|cv)\b")
OWN = re.compile(r"\.(local|param|const)\b")
LEFT_ALONE = re.compile(r"\.(local|param|const|nc)\b")
NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?$")
COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
               "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
COMPARISONS |= {"lo": COMPARISONS["lt"], "ls": COMPARISONS["le"], "hi": COMPARISONS["gt"],
                "hs": COMPARISONS["ge"]}
COMPARISONS |= {name + "u": COMPARISONS[name] for name in ("eq", "ne", "lt", "le", "gt", "ge")}


def is_poll(made):
    return bool(POLL.match(made.opcode) and not OWN.search(made.opcode) and made.operands and
                made.operands[0] != "_")


def loads(made):
    """An ordinary load of what others may write."""
    return made.opcode.startswith(("ld.", "ldu.")) and not LEFT_ALONE.search(made.opcode)


def small(*words):
    mixed = zlib.crc32(repr(words).encode()) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
    mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9 & (1 << 64) - 1
    return (mixed >> 32) % SMALL


def type_of(opcode):
    """Bits and whether signed, of the last type that the opcode names."""
    for part in reversed(opcode.split(".")):
        if part == "pred":
            return 1, False
        if re.fullmatch(r"[bsuf]\d+", part):
            return int(part[1:]), part[0] == "s"
    return 64, False


def fitted(value, bits, signed):
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def names_of(operand):
    """Registers and variables that a word of an instruction names."""
    return re.findall(r"(?<![\w.$%@])[%$A-Za-z_][$\w]*(?:@\d+)?", operand)


def place_of(variable):
    """Of a variable or a parameter, by its name."""
    return zlib.crc32(variable.encode()) * 4096


def destinations(made):
    stem = made.opcode.split(".")[0]
    none = ("st", "red", "bra", "brx", "call", "bar", "barrier", "fence", "membar", "ret", "exit",
            "trap", "nanosleep", "prefetch", "setmaxnreg", "cp")
    if not made.operands or made.operands[0].startswith("["):
        return []
    if stem == "call":
        return names_of(made.operands[0]) if made.operands[0].startswith("(") else []
    if stem in none and ".red." not in made.opcode:
        return []
    return [name for name in names_of(made.operands[0]) if name != "_"]


def parts_of_call(made):
    """Callee and its arguments."""
    words = made.operands[1:] if made.operands[0].startswith("(") else made.operands
    arguments = names_of(words[1]) if len(words) > 1 and words[1].startswith("(") else []
    return words[0], arguments


class Machine:
    """`polled`: what a poll gives a register and a predicate, each time. `free`: statements (by
    function's name and number) whose polls give another value each time; `changing`: all polls and
    loads do."""

    def __init__(self, functions, trial, polled, free, changing=False):
        self.functions, self.trial, self.polled, self.free = functions, trial, polled, free
        self.changing, self.stored = changing, set()
        self.memory, self.clock, self.asked, self.steps = {}, 0, 0, 0

    def register(self, registers, name):
        if name not in registers:
            if name.startswith("%clock") or name.startswith("%globaltimer"):
                self.clock += CLOCK_STEP
                return self.clock
            # Steps and sizes are not 0, in half of the trials; a predicate is one or the other.
            number = small(self.trial, name)
            registers[name] = number & 1 if name.startswith("%p") else number + self.trial % 2
        return registers[name]

    def holds(self, registers, predicate):
        if predicate not in registers:
            registers[predicate] = small(self.trial, predicate) & 1
        return bool(registers[predicate])

    def value(self, registers, word):
        if NUMBER.match(word):
            return int(word.rstrip("U"), 0) if not re.match(r"-?0\d", word) else int(word, 8)
        if word.startswith("!"):
            return int(not self.register(registers, word[1:].strip()))
        if re.match(r"0[fFdD][0-9a-fA-F]", word):
            return int(word[2:], 16)
        if names_of(word) == [word]:
            return self.register(registers, word)
        return small(self.trial, word, *[self.register(registers, name)
                                         for name in names_of(word)])

    def address(self, registers, operand):
        inner = operand[1:operand.rindex("]")].split(",")[0]
        found = re.match(r"\s*([^+\s]+)\s*(?:\+\s*(-?\s*\w+))?", inner)
        base = found[1]
        offset = int(found[2].replace(" ", ""), 0) if found[2] else 0
        if names_of(base) == [base] and "@" not in base and not base.startswith("%"):
            return place_of(base) + offset
        return self.value(registers, base) + offset

    def loaded(self, place):
        if place not in self.memory:
            number = small(self.trial, "memory", place)
            self.memory[place] = number if self.trial % 2 else number % 2
        return self.memory[place]

    # One statement of a function; what a branch does is the caller's.
    def run(self, function, n, registers):
        made = function.statements[n]
        self.steps += 1
        if made.guard and self.holds(registers, made.guard) == made.inverted:
            return
        stem = made.opcode.split(".")[0]
        if stem == "call":
            return self.call(made, registers)
        if is_poll(made):
            return self.poll(function, n, registers)
        if stem == "ld" or stem == "ldu":
            return self.load(made, registers)
        if stem in ("st", "red"):
            return self.store(made, registers)
        names = destinations(made)
        if names:
            self.compute(made, stem, names, registers)

    def poll(self, function, n, registers):
        made = function.statements[n]
        number, predicate = self.polls_as(n)
        if self.changing or (function.name, n) in self.free:
            number = self.another()
            predicate = number & 1
        waits = made.opcode.startswith("mbarrier")
        for name in destinations(made):
            registers[name] = predicate if waits else number

    def another(self):
        self.asked += 1
        return small(self.trial, self.asked)

    def polls_as(self, which):
        """Nothing: each poll has a value of its own."""
        number = small("poll", which) if self.polled is None else 0
        return self.polled or (number, number & 1)

    def load(self, made, registers):
        names = destinations(made)
        place = self.address(registers, made.operands[1])
        bits, signed = type_of(made.opcode)
        for k, name in enumerate(names):
            one = place + k * bits // 8
            others = self.changing and loads(made) and one not in self.stored
            registers[name] = fitted(self.another() if others else self.loaded(one), bits, signed)

    def store(self, made, registers):
        if made.opcode.startswith("st.async") or len(made.operands) < 2:
            return
        place = self.address(registers, made.operands[0])
        bits, _ = type_of(made.opcode)
        words = made.operands[1].strip("{}").split(",")
        for k, word in enumerate(words):
            value = self.value(registers, word.strip())
            if made.opcode.startswith("red"):
                value = small(self.trial, value, self.loaded(place))
            self.memory[place + k * bits // 8] = value
            self.stored.add(place + k * bits // 8)

    def call(self, made, registers):
        callee, arguments = parts_of_call(made)
        results = destinations(made)
        function = self.functions.get(callee)
        if function is None:
            seen = [self.loaded(place_of(one)) for one in arguments]
            indirect = "@" in callee or callee.startswith("%")
            for name in results:
                self.memory[place_of(name)] = (
                    self.another() if indirect and self.changing else
                    self.polls_as(name)[0] if indirect else small(self.trial, callee, *seen))
            return
        for given, own in zip(arguments, function.parameter_names):
            self.copy(registers, given, own)
        self.call_body(function)
        for given, own in zip(results, function.result_names):
            self.copy({}, own, given)

    def copy(self, registers, given, own):
        """Parameters are memory by their names."""
        begin, end = place_of(given), place_of(own)
        if given in registers:
            self.memory[end] = registers[given]
        for k in range(64):
            if begin + k in self.memory:
                self.memory[end + k] = self.memory[begin + k]

    def call_body(self, function):
        registers, at, steps = {}, 0, 0
        while at < len(function.statements) and steps < 2000:
            steps += 1
            after = self.next_of(function, at, registers)
            self.run(function, at, registers)
            at = after if after is not None else self.branch(function, at, registers)

    def next_of(self, function, at, registers):
        """The next statement; nothing for one that may go elsewhere."""
        stem = function.statements[at].opcode.split(".")[0]
        return None if stem in ("bra", "brx", "ret", "exit", "trap") else at + 1

    def branch(self, function, at, registers):
        made = function.statements[at]
        if made.guard and self.holds(registers, made.guard) == made.inverted:
            return at + 1
        if made.opcode.startswith("brx"):
            return made.targets[self.value(registers, made.operands[0]) % len(made.targets)]
        return made.targets[0] if made.targets else len(function.statements)

    def compute(self, made, stem, names, registers):
        words = made.operands[1:]
        if stem == "mov" and len(words) == 1 and (len(names) > 1 or words[0].startswith("{")):
            return self.move_parts(made, names, words[0], registers)
        values = [self.value(registers, word) for word in words]
        bits, signed = type_of(made.opcode)
        values = [fitted(value, bits, signed) for value in values]
        result = computed(made.opcode, stem, values)
        if result is None:
            result = small(self.trial, made.opcode, *values)
        if stem == "elect":
            result = small(self.trial, "elect") & 1
        elif stem == "mov" and re.fullmatch(r"[A-Za-z_$][\w$]*", words[0]):
            result = place_of(words[0])
        wide = 64 if ".wide" in made.opcode or stem in ("mov", "cvta") else bits
        for k, name in enumerate(names):
            one = result if k == 0 or stem not in ("setp",) else int(not result)
            registers[name] = one if stem in ("setp", "elect") else fitted(one, wide, False)

    def move_parts(self, made, names, word, registers):
        bits, _ = type_of(made.opcode)
        if word.startswith("{"):
            parts = [self.value(registers, one.strip()) for one in word.strip("{}").split(",")]
            each = bits // len(parts)
            registers[names[0]] = sum(fitted(one, each, False) << (k * each)
                                      for k, one in enumerate(parts))
            return
        value = self.value(registers, word)
        each = bits // len(names)
        for k, name in enumerate(names):
            registers[name] = value >> (k * each) & ((1 << each) - 1)


def computed(opcode, stem, values):
    """Of integers; nothing for what is not listed. Signs are those of the values."""
    a, b, c = (values + [0, 0, 0])[:3]
    if stem in ("setp", "set"):
        return compared(opcode, values)
    if stem in ("mov", "cvt", "cvta", "shfl", "redux"):
        return a
    simple = {"add": a + b, "sub": a - b, "and": a & b, "or": a | b, "xor": a ^ b, "not": ~a,
              "neg": -a, "abs": abs(a), "min": min(a, b), "max": max(a, b), "selp": a if c else b,
              "activemask": 0xffffffff, "popc": bin(a & (1 << 64) - 1).count("1")}
    if stem in simple:
        return int(not a) if opcode == "not.pred" else simple[stem]
    if stem == "mul":
        return a * b >> type_of(opcode)[0] if ".hi" in opcode else a * b
    if stem == "mad":
        return a * b + c
    if stem == "shl":
        return a << b if 0 <= b < 64 else 0
    if stem == "shr":
        return a >> b if 0 <= b < 64 else 0
    if stem in ("div", "rem"):
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
        return quotient if stem == "div" else a - quotient * b
    if stem == "bfe":
        return a >> (b & 63) & ((1 << (c & 63)) - 1)
    if stem == "lop3" and len(values) > 3:
        return lop3(a, b, c, values[3])
    if stem == "vote":
        return (0xffffffff if a else 0) if ".ballot" in opcode else a
    return None


def lop3(a, b, c, table):
    result = 0
    for index in range(8):
        if table >> index & 1:
            result |= ((a if index & 4 else ~a) & (b if index & 2 else ~b) &
                       (c if index & 1 else ~c))
    return result


def compared(opcode, values):
    parts = opcode.split(".")
    order = next((one for one in parts[1:] if one in COMPARISONS), None)
    if order is None:
        return None
    result = COMPARISONS[order](values[0], values[1])
    if len(values) > 2:
        third = bool(values[2])
        for name, joined in (("and", result and third), ("or", result or third),
                             ("xor", result != third)):
            if name in parts:
                result = joined
    return int(result)
