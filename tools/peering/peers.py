"""The peers of bench/peers/peers.toml: which kernels there are, and the head of each."""

import dataclasses
import itertools
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LANES = 32
# Items whose copied payload differs.
COPIED_PERIOD = int(re.search(r"copied_payload_period = (\d+);",
                              (ROOT / "core" / "launch" / "launch.h").read_text()).group(1))


def most_shared_bytes():
    """Of all slots: what the rule of templates/axes.toml says of our rings."""
    with open(ROOT / "templates" / "axes.toml", "rb") as file:
        rules = tomllib.load(file)["rule"]
    return next(int(rule["prune"].split(">")[1]) for rule in rules
                if rule["reason"].startswith("the slots must fit"))


MOST_SHARED_BYTES = most_shared_bytes()
# Axes that few peers have, and what all others do: the warps of each role, whether they take turns,
# the loop, whether a role asks before it waits, and how many items ahead.
DEFAULTS = {"producers": 1, "consumers": 1, "sharing": "share", "addressing": "runtime",
            "early_token": "off", "ahead": 0}
COPIES = ("memcpy_async", "cp_async_bulk")
FAMILIES = ["hopper"]


class BadPeers(Exception):
    """peers.toml, or what was asked of it, makes no sense."""


@dataclasses.dataclass
class Built:
    """By what a kernel was made: three axes of its key."""
    nvcc: str
    flags: str
    library: str


@dataclasses.dataclass
class Kernel:
    """One combination of the axes of a peer."""
    peer: dict
    axes: dict

    @property
    def name(self):
        """A part of file names and, with underscores, of the entry's name."""
        return "-".join([self.peer["protocol"], self.peer["roles"], *map(str, self.told.values())])

    @property
    def told(self):
        """The axes without those that few peers have, where they are at their default."""
        return {axis: value for axis, value in self.axes.items()
                if DEFAULTS.get(axis) != value}

    @property
    def entry(self):
        return "".join(c if c.isalnum() else "_" for c in "peer_" + self.name)

    def axis(self, name):
        """The value of an axis, or the default; None of an axis that the peer lacks."""
        return self.axes.get(name, DEFAULTS.get(name))

    @property
    def unified(self):
        return self.peer["roles"] == "unified"

    def turns(self, role):
        """Units of a role, "producers" or "consumers", that take turns."""
        return self.axis(role) if self.axis("sharing") == "round_robin" else 1

    @property
    def readers(self):
        """Threads that read a slot."""
        return LANES * self.axis("consumers") // self.turns("consumers")

    @property
    def granule(self):
        """Items of a turn of the loop, of all units together."""
        if self.axis("addressing") == "unrolled":
            return self.axes["num_stages"]
        return max(self.turns("producers"), self.turns("consumers"))

    def slot_words(self):
        return self.axes["payload_bytes"] // 4

    def shared_bytes(self):
        """Of the slots, which are the dynamic shared memory."""
        return self.axes["num_stages"] * 4 * self.slot_words()

    def meets(self, condition):
        """Whether each axis of the condition has one of the values there."""
        def listed(value):
            return value if isinstance(value, list) else [value]
        return all(self.axes.get(axis, self.peer.get(axis, DEFAULTS.get(axis))) in listed(value)
                   for axis, value in condition.items())


def read(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def left_out(kernel, without=()):
    """Why a combination is none, or None. `without`: what no peer has."""
    for row in [*without, *kernel.peer.get("without", [])]:
        if kernel.meets({axis: value for axis, value in row.items() if axis != "reason"}):
            return row["reason"]
    if kernel.slot_words() % kernel.readers != 0:
        return "not every thread has a word to read"
    if any(kernel.axes["num_stages"] % kernel.turns(role) != 0
           for role in ("producers", "consumers")):
        return "units that take turns each have as many slots"
    if 0 < kernel.axes["num_stages"] <= kernel.axis("ahead") * kernel.turns("producers"):
        return "a slot that is asked for ahead is another one"
    if kernel.shared_bytes() > MOST_SHARED_BYTES:
        return "the slots do not fit into the shared memory of an SM"
    return None


def kernels(table):
    """Every kernel, in the order of the file."""
    found = []
    for peer in table["peer"]:
        axes = peer["axes"]
        for values in itertools.product(*axes.values()):
            kernel = Kernel(peer, dict(zip(axes, values)))
            if left_out(kernel, table.get("without", ())) is None:
                found.append(kernel)
    return found


def defines(table, kernel):
    """What the source is told, as words of nvcc's command line."""
    words = [f"-DPEER_ENTRY={kernel.entry}"]
    for axis, value in kernel.axes.items():
        spelled = table["defines"].get(axis)
        if spelled is None:
            raise BadPeers(f"axis {axis}: [defines] does not have it")
        word = spelled.format(value) if isinstance(spelled, str) else spelled.get(value)
        if word is None:
            raise BadPeers(f"axis {axis}: [defines] has no value '{value}'")
        words.append("-D" + word)
    return words


def quoted(value):
    return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def counts(table):
    return "{ " + ", ".join(
        f"{quoted(pattern)} = {count if isinstance(count, int) else quoted(count)}"
        for pattern, count in table.items()) + " }"


def rule_line(rule):
    """A rule as a head writes it; `when` chose it and is not part of it."""
    words = [f"verb = {quoted(rule['verb'])}"]
    for key in ("role", "passes"):
        if key in rule:
            words.append(f"{key} = {quoted(rule[key])}")
    for key in ("require", "cold", "pass", "beside"):
        if key in rule:
            words.append(f"{key} = {counts(rule[key])}")
    if "forbid" in rule:
        words.append("forbid = [" + ", ".join(map(quoted, rule["forbid"])) + "]")
    return "  { " + ", ".join(words) + " },"


def rules(table, kernel):
    """Those of all peers, then the peer's own, that hold for this kernel."""
    both = table.get("rule", []) + kernel.peer.get("rule", [])
    return [rule_line(rule) for rule in both if kernel.meets(rule.get("when", {})) and
            not ("unless" in rule and kernel.meets(rule["unless"]))]


def payload(kernel):
    """`[expects] payload`: the law of core/launch/launch.h."""
    words, readers = kernel.slot_words(), kernel.readers
    vector = 4 if words // readers % 4 == 0 else 1
    law = f"words = {words}, threads = {readers}, vector = {vector}"
    if kernel.axes["mover"] in COPIES:
        law += f", period = {COPIED_PERIOD}"
    return "payload = { " + law + " }"


def key_lines(kernel, built):
    own = {"probe": "ring", "protocol": kernel.peer["protocol"], "mover": kernel.axes["mover"],
           "work": "none", "roles": kernel.peer["roles"]}
    axes = {**({} if kernel.unified else DEFAULTS), **kernel.axes}
    if axes.get("early_token") == "off":
        del axes["ahead"]
    own.update((axis, value) for axis, value in axes.items() if axis != "mover")
    if not kernel.unified:
        own["uniform_role"] = "on"
    own.update(dataclasses.asdict(built))
    return [f"{axis} = {quoted(value)}" for axis, value in own.items()]


def role_lines(kernel):
    """The roles: warps that share the slots are one unit, those that take turns one each."""
    if kernel.unified:
        return ['  { role = "both", warps = [0] },']
    lines, first = [], 0
    for role, many in (("producer", "producers"), ("consumer", "consumers")):
        warps = list(range(first, first + kernel.axis(many)))
        first += len(warps)
        if kernel.turns(many) == 1:
            lines.append(f"  {{ role = {quoted(role)}, warps = {warps} }},")
        else:
            lines += [f"  {{ role = {quoted(role)}, warps = [{warp}], unit = {unit} }},"
                      for unit, warp in enumerate(warps)]
    return lines


def launch_lines(kernel):
    warps = 1 if kernel.unified else kernel.axis("producers") + kernel.axis("consumers")
    lines = ["[launch]", f"threads = {LANES * warps}", f"shared_bytes = {kernel.shared_bytes()}"]
    if kernel.granule > 1:
        lines += [f"granule = {kernel.granule}", f"min_items = {kernel.granule}"]
    for role in ("producers", "consumers"):
        if kernel.turns(role) > 1:
            lines.append(f"{role[:-1]}_turns = {kernel.turns(role)}")
    timed = "both" if kernel.unified else "consumer"
    return lines + [f"timed_role = {quoted(timed)}", 'unit = "cycles per item"']


def items_line(kernel):
    """Items of a turn of each role's loop."""
    if kernel.axis("addressing") != "unrolled":
        return []
    counts_of = {role: kernel.axes["num_stages"] // kernel.turns(role + "s")
                 for role in ("consumer", "producer")}
    return ["items_per_iteration = " + counts(counts_of)]


def head(table, kernel, built):
    """The lines `//@ ` above the entry."""
    lines = ["format = 1", 'origin = "nvcc"', f"doc = {quoted(kernel.peer['doc'])}", "roles = [",
             *role_lines(kernel), "]", "", "[key]", *key_lines(kernel, built), "",
             *launch_lines(kernel), "", "[expects]", payload(kernel), "", "[rules]",
             *items_line(kernel),
             "covers = [{ part = " + quoted(kernel.peer["protocol"]) + ", families = [" +
             ", ".join(map(quoted, FAMILIES)) + "] }]",
             "verbs = [", *rules(table, kernel), "]"]
    return "".join(f"//@ {line}".rstrip() + "\n" for line in lines)
