"""Kernels of a user who took a header of `phasebit emit`: a ring in C++ around its functions.

emitted.py --nvcc NVCC --out FOLDER [--target sm_90a] ID...
  FOLDER/NAME.cuh, .ptx   what `phasebit emit` gives
  FOLDER/NAME.cu          the ring: the loops of templates/probes/ring in C++ (bench/peers/frame.cuh)
  FOLDER/nvcc/NAME.ptx    what nvcc makes of it, with a head: `pack`, `check`, `assemble --gate` take it
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import make

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("PHASEBIT_PROGRAM", str(ROOT / "build" / "app" / "phasebit"))
FLAGS = ["-O3", "-DNDEBUG"]
# What a caller has for each parameter of the header's functions.
ARGUMENTS = {"storage": "storage", "thread": "frame.tid", "tid": "frame.tid", "lane": "frame.lane",
             "rank": "rank", "unit": "unit", "items": "frame.items", "token": "token",
             "state": "state", "destination": "place", "source": "source"}
VERBS = {"producer": ["try_acquire", "acquire", "copy", "commit", "tail"],
         "consumer": ["try_wait", "wait", "release", "tail"]}


class Header:
    """The functions of a header, and how each is called."""

    def __init__(self, path):
        self.path = Path(path)
        self.text = self.path.read_text()
        self.space = re.search(r"^namespace (phasebit::\w+) {", self.text, re.MULTILINE).group(1)
        self.stages = int(re.search(r"unsigned Stages = (\d+)", self.text).group(1))
        self.least = int(re.search(r"__CUDA_ARCH__ < (\d+)", self.text).group(1))
        self.release = int(re.search(r"VER_MINOR__ < (\d+)", self.text).group(1))
        self.functions = {name: (bool(template), parameters) for template, name, parameters in
                          re.findall(r"^(template <unsigned Slot>\s)?PHASEBIT_INLINE\s[\w<> ]+?\s"
                                     r"(\w+)\(([^)]*)\)", self.text, re.MULTILINE)}

    def call(self, name, slot=""):
        """The call of a function, or nothing where the header has none."""
        if name not in self.functions:
            return ""
        template, parameters = self.functions[name]
        values = [ARGUMENTS[one.split()[-1].strip("&")] for one in parameters.split(",")
                  if one.strip()]
        token = "token = " if "_try_" in name else ""
        return f"{token}{name}{f'<{slot}>' if template else ''}({', '.join(values)});"

    @property
    def unrolled(self):
        return "next_lap" in self.text

    def has_token(self, role):
        return f"struct {role.capitalize()}Token" in self.text


class Ring:
    """A variant as its head says it."""

    def __init__(self, path):
        text = Path(path).read_text()
        self.head_text = "".join(line[4:] + "\n" if len(line) > 3 else "\n"
                                 for line in text.splitlines() if line.startswith("//@"))
        self.head = tomllib.loads(self.head_text)
        self.payload = self.head["expects"]["payload"]
        self.vector = self.payload.get("vector", 1)
        self.axes = {"num_stages": 4, "granularity": "warp", "sharing": "share", **self.head["key"]}
        self.offset = int(re.search(r"add.u32 p_payload_base, p_payload_base, (\d+);", text).group(1))
        made = re.search(r"mad.lo.u32 p_payload_base, (rank|part), (\d+), ring;", text)
        self.part, self.fill_bytes = made.group(1), int(made.group(2))

    def why_not(self):
        """Why it has no ring here, or None."""
        if self.axes["granularity"] not in ("warp", "warpgroup"):
            return f"granularity={self.axes['granularity']}"
        return None if self.axes["work"] == "none" else f"work={self.axes['work']}"

    def warps(self, role):
        """[(first warp, warps)] of each unit."""
        return [row["warps"] for row in self.head["roles"] if row["role"] == role]

    def turns(self):
        return self.axes["sharing"] == "round_robin"


def loop(header, ring, role):
    """The verbs of one item, or of each stage in an unrolled loop, as lines."""
    lines = []
    ahead = int(ring.axes.get("ahead", 0))
    tries, waits, hands = VERBS[role][0], VERBS[role][1], VERBS[role][-2]
    for slot in range(header.stages if header.unrolled else 1):
        asks = f"{tries}(state, token, frame);" if header.has_token(role) else ""
        token = ", token" if header.has_token(role) else ""
        at = f", place + {slot} * slot_bytes" if header.unrolled else ", place"
        stage = f"<{slot}>" if header.unrolled else ""
        asks = asks.replace("(", f"{stage}(", 1)
        move = f"fill{stage}(state{at}, value);" if role == "producer" else \
            f"drain(words{at}); checksum(words, window.checksum);"
        if "producer_copy" in header.functions and role == "producer":
            move = f"fill{stage}(state, place, source);"
        lines += [asks if ahead == 0 else "", f"{waits}{stage}(state{token});",
                  asks if ahead > 0 else "", move, f"{hands}{stage}(state);"]
    lines.append("advance_lap(state);" if header.unrolled else
                 "advance(state, place, base, own);")
    return [line for line in lines if line]


def wrappers(header, role):
    """The verbs as functions of their names: by these the gate knows whose each instruction is."""
    out = []
    tag = role.capitalize()
    token = f", {tag}Token& token" if header.has_token(role) else ""
    out.append(f"PEER_INLINE PipelineState<{tag}> {'start' if role == 'producer' else 'prime'}"
               "(SharedStorage& storage, const Frame& frame, unsigned rank, unsigned unit) { return "
               f"{header.call(f'make_{role}_start_state')} }}")
    for verb in VERBS[role]:
        call = header.call(f"{role}_{verb}", "Slot")
        template = "template <unsigned Slot>\n" if header.unrolled and verb != "tail" else ""
        if verb.startswith("try_"):
            extra = f", {tag}Token& token, const Frame& frame"
        else:
            extra = token if "token" in call else ", const Token&" if verb in ("acquire", "wait") \
                else ""
        if verb == "copy" or (not call and verb.startswith("try_")):
            continue
        extra = extra if "const Token" not in extra or header.has_token(role) else ""
        extra = extra.replace("const Token", f"const {tag}Token")
        name = "tail" if verb == "tail" else verb
        out.append(f"{template}PEER_INLINE void {name}(PipelineState<{tag}>& state{extra}) {{ "
                   f"{call} }}")
    return out


def moves(header, ring):
    """How the payload gets into a slot and out of it."""
    words = ring.payload["words"]
    units = ring.warps("producer")
    writers = 32 * sum(map(len, units)) // (len(units) if ring.turns() else 1)
    readers, vector = ring.payload["threads"], ring.vector
    out = []
    if "producer_copy" in header.functions:
        template = "template <unsigned Slot>\n" if header.unrolled else ""
        out.append(f"{template}PEER_INLINE void fill(PipelineState<Producer>& state, unsigned place, "
                   "const unsigned char*& source) { "
                   f"{header.call('producer_copy', 'Slot')} }}")
    else:
        own = words // writers
        step = 4 if own % 4 == 0 else 1
        stores = []
        for move in range(own // step):
            at = move * writers * step
            values = ", ".join(f'"r"(value + {at + n})' for n in range(step))
            names = ", ".join(f"%{n + 1}" for n in range(step))
            kind, names = ("v4.b32", f"{{{names}}}") if step == 4 else ("b32", names)
            stores.append(f'asm volatile("st.shared.{kind} [%0+{4 * at}], {names};" '
                          f':: "r"(place), {values} : "memory");')
        template = "template <unsigned Slot>\n" if header.unrolled else ""
        out.append(f"{template}PEER_INLINE void fill(PipelineState<Producer>&, unsigned place, unsigned& value) "
                   "{\n  " + "\n  ".join(stores) + "\n  value += value_step;\n}")
    loads = []
    count = words // readers
    for move in range(count // vector):
        names = ", ".join(f"%{n}" for n in range(vector))
        into = ", ".join(f'"=r"(words[{move * vector + n}])' for n in range(vector))
        kind, names = ("v4.b32", f"{{{names}}}") if vector == 4 else ("b32", names)
        loads.append(f'asm volatile("ld.shared.{kind} {names}, [%{vector}+{4 * move * readers * vector}];" '
                     f': {into} : "r"(place) : "memory");')
    out.append(f"PEER_INLINE void drain(unsigned (&words)[{count}], unsigned place) {{\n  "
               + "\n  ".join(loads) + "\n}")
    out.append(f"PEER_INLINE void checksum(const unsigned (&words)[{count}], unsigned& sum) {{\n"
               "#pragma unroll\n  for (unsigned word : words)\n"
               "    sum = sum * launch::payload_checksum_multiplier + word;\n}")
    return out


def role_function(header, ring, role):
    """A role's loop between its clocks."""
    producer = role == "producer"
    copies = "producer_copy" in header.functions
    turns = len(ring.warps("producer" if producer else "consumer")) if ring.turns() else 1
    bytes_of = ring.fill_bytes if producer else 4 * ring.vector
    part = "rank / 32" if producer and ring.part == "part" else "rank"
    lines = [f"PEER_INLINE Window {role}(SharedStorage& storage, const KernelParams& params, "
             "const Frame& frame, unsigned rank, unsigned unit) {",
             f"  auto state = {'start' if producer else 'prime'}(storage, frame, rank, unit);"
             "  const unsigned base = shared_base();",
             f"  const unsigned own = {ring.offset} + {bytes_of} * ({part});",
             f"  unsigned place = base + slot_bytes * {'unit' if turns > 1 else '0'} + own;"]
    if header.has_token(role):
        lines.append(f"  {role.capitalize()}Token token;")
    if producer and copies:
        lines += [f"  const unsigned char* const images = reinterpret_cast<const unsigned char*>"
                  f"(params.payload_in) + {bytes_of} * ({part});",
                  "  unsigned image = unit;", "  const unsigned char* source = images + image * slot_bytes;"]
    elif producer:
        lines.append(f"  unsigned value = frame.seed + rank * {bytes_of // 4} + "
                     "unit * launch::payload_item_step;")
    else:
        lines += [f"  unsigned words[{ring.payload['words'] // ring.payload['threads']}];",
                  "  start_late(params, frame, 1);"]
    body = loop(header, ring, role)
    if producer and copies:
        move = next(n for n, line in enumerate(body) if line.startswith("fill"))
        next_image = (f"image += {turns}; if (image >= {ring.payload['period']}) image -= "
                      f"{ring.payload['period']}; source = images + image * slot_bytes;")
        body = [line if not line.startswith("fill") else line + " " + next_image for line in body]
        assert move >= 0
    lines += ["  Window window = clock_start(frame);", "  if (state.count() < frame.items) {",
              "#pragma unroll 1", "    do {", *("      " + line for line in body),
              "    } while (state.count() < frame.items);", "  }",
              '  asm volatile("mov.u32 %0, %1;" : "=r"(window.handled) : "r"(' +
              (f"(state.count() - unit) / {turns}" if turns > 1 else "state.count()") + "));"]
    if f"{role}_tail" in header.functions:
        lines.append("  tail(state);")
    return lines + ["  clock_end(frame, window);", "  return window;", "}"]


def source_of(header, ring, entry):
    """The text of NAME.cu."""
    words = ring.payload["words"]
    turns = {role: len(ring.warps(role)) if ring.turns() else 1 for role in VERBS}
    first = sum(map(len, ring.warps("producer")))
    copies = "producer_copy" in header.functions
    lines = ["#define PHASEBIT_NOT_MEASURED", f"#define PEER_STAGES {header.stages}", '#include "bench/peers/frame.cuh"',
             f'#include "{header.path.name}"', "", f"namespace {header.space} {{",
             "using namespace phasebit::peers;",
             f"inline constexpr unsigned slot_bytes = {4 * words};",
             f"inline constexpr unsigned value_step = {turns['producer']}u * "
             "launch::payload_item_step;", "",
             "extern __shared__ __align__(128) unsigned char dynamic_shared[];",
             "PEER_INLINE unsigned shared_base() {",
             "  return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));", "}",
             *moves(header, ring)]
    for role in VERBS:
        lines += wrappers(header, role)
    if header.unrolled:
        lines += ["template <class State>",
                  "PEER_INLINE void advance_lap(State& state) { state.next_lap(); }"]
    else:
        lines += ["template <class State>",
                  "PEER_INLINE void advance(State& state, unsigned& place, unsigned base, unsigned own) {",
                  "  ++state;",
                  '  asm("add.u32 %0, %1, %2;" : "=r"(place) '
                  ': "r"(base + state.index() * slot_bytes), "r"(own));', "}"]
    for role in VERBS:
        lines += ["", *role_function(header, ring, role)]
    lines += ["", f'extern "C" __global__ void {entry}(const __grid_constant__ KernelParams params) {{',
              "  auto& storage = reinterpret_cast<SharedStorage&>(dynamic_shared);",
              "  Frame frame;", "  if (!begin(params, frame)) return;"]
    if copies:
        lines += ["  auto* images = reinterpret_cast<std::uint32_t*>(params.payload_in);",
                  "#pragma unroll 1",
                  f"  for (unsigned at = frame.tid; at < {ring.payload['period'] * words}; "
                  f"at += {ring.head['launch']['threads']})",
                  f"    images[at] = frame.seed + at / {words} * launch::payload_item_step + at % {words};"]
    lines += ["  " + header.call("init")] if "init" in header.functions else []
    unit = {role: "warp" if turns[role] > 1 else "0" for role in VERBS}
    lines += ["  __syncthreads();",
              f"  const bool produces = frame.warp < {first};",
              f"  const unsigned warp = produces ? frame.warp : frame.warp - {first};",
              "  Window window;", "  if (produces)",
              "    window = producer(storage, params, frame, " +
              ("frame.lane" if turns["producer"] > 1 else "frame.tid") +
              f", {unit['producer']});",
              "  else",
              "    window = consumer(storage, params, frame, " +
              ("frame.lane" if turns["consumer"] > 1 else f"frame.tid - {32 * first}") +
              f", {unit['consumer']});",
              "  record(params, frame, window, produces ? Role::producer : Role::consumer);", "}",
              "", f"}}  // namespace {header.space}", ""]
    return "\n".join(lines)


def toml(value):
    """A value of a head as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key if re.fullmatch(r'[A-Za-z_]+', key) else make.peers.quoted(key)}"
                                f" = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return make.peers.quoted(value) if isinstance(value, str) else str(value).lower()


def head_of(ring, key_hash, version):
    """That of the variant, without what is of its PTX alone: registers, rules of statements."""
    head = ring.head
    key = {**head["key"], "num_stages": ring.axes["num_stages"], "protocol": "emitted_" + head["key"]["protocol"], "emitted": key_hash,
           "nvcc": version, "flags": ",".join(FLAGS), "library": "phasebit"}
    verbs = []
    for rule in head["rules"]["verbs"]:
        rule = {name: value for name, value in rule.items() if name != "ptx"}
        if set(rule) - {"verb", "role", "families", "ptxas"} and rule.get("role") != "-":
            verbs.append("  " + toml(rule) + ",")
    expects = {name: value for name, value in head["expects"].items() if name != "phases"}
    lines = ["format = 1", 'origin = "nvcc"', "roles = [",
             *("  " + toml(row) + "," for row in head["roles"]), "]", "", "[key]",
             *(f"{name} = {make.peers.quoted(value)}" for name, value in key.items())]
    for table, values in (("launch", head["launch"]), ("expects", expects),
                          ("resources", head.get("resources", {}))):
        lines += ["", f"[{table}]", *(f"{name} = {toml(value)}" for name, value in values.items())]
    rules = {name: value for name, value in head["rules"].items() if name != "verbs"}
    lines += ["", "[rules]", *(f"{name} = {toml(value)}" for name, value in rules.items()),
              "verbs = [", *verbs, "]"]
    return "".join(f"//@ {line}".rstrip() + "\n" for line in lines)


def release_of(nvcc):
    """1305 of nvcc 13.5."""
    major, minor = make.nvcc_version(str(nvcc)).split(".")[:2]
    return 100 * int(major) + int(minor)


def emit(ids, out, results=None):
    """The headers of these variants, as paths."""
    command = [PROGRAM, "emit", *ids, "-o", str(out)]
    command += ["--results", str(results)] if results else []
    subprocess.run(command, check=True)
    return [Path(out) / (one.replace("/", ".") + ".cuh") for one in ids]


def compile_ring(nvcc, path, target):
    """Writes NAME.cu and nvcc/NAME.ptx with its head; the path of the latter, or why there is none."""
    header, ring = Header(path), Ring(path.with_suffix(".ptx") if path.suffix == ".cuh" else path)
    reason = ring.why_not()
    if reason:
        return reason
    key_hash = header.space.rpartition("_")[2]
    source = Path(str(path)[:-len(".cuh")] + ".cu")
    source.write_text(source_of(header, ring, "emitted_" + key_hash))
    made = path.parent / "nvcc" / (path.name[:-len(".cuh")] + ".ptx")
    made.parent.mkdir(exist_ok=True)
    command = [nvcc, *make.FIXED_FLAGS, *FLAGS, f"-arch={target}", "-I", str(ROOT), str(source),
               "-diag-suppress", "177", "-o", str(made)]
    subprocess.run(command, check=True)
    text = make.plain_files(made.read_text(), [ROOT, path.parent])
    made.write_text(make.with_head(text, head_of(ring, key_hash, make.nvcc_version(nvcc))))
    return made


def main():
    parser = argparse.ArgumentParser(prog="emitted.py")
    parser.add_argument("ids", nargs="+")
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--results", default="")
    options = parser.parse_args()
    for path in emit(options.ids, options.out, options.results):
        made = compile_ring(options.nvcc, path, options.target)
        print(made if isinstance(made, Path) else f"{path}: no ring here: {made}", file=sys.stdout)


if __name__ == "__main__":
    main()
