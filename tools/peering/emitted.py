"""Kernels of a user who took a header of `phasebit emit`: a ring in C++ around its functions.

emitted.py --nvcc NVCC --out FOLDER [--target sm_90a] ID...
  FOLDER/NAME.cuh, .ptx   what `phasebit emit` gives
  FOLDER/NAME.cu          the ring: the loops of templates/probes/ring in C++
  FOLDER/nvcc/NAME.ptx    what nvcc makes of it, with a head: for `pack`, `check`, `assemble --gate`
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
        """The call of a function; of one that the header lacks nothing."""
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

    @property
    def copies(self):
        return "producer_copy" in self.functions

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
        self.offset = int(re.search(r"add.u32 p_payload_base, p_payload_base, (\d+);",
                                    text).group(1))
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

    def turns(self, role):
        """Units of the role that take turns."""
        return len(self.warps(role)) if self.axes["sharing"] == "round_robin" else 1

    def threads(self, role):
        """Threads of the role that share a slot."""
        return 32 * sum(map(len, self.warps(role))) // self.turns(role)


def loop(header, ring, role):
    """The verbs of one item, or of each stage in an unrolled loop, as lines."""
    lines = []
    ahead = int(ring.axes.get("ahead", 0))
    tries, waits, hands = VERBS[role][0], VERBS[role][1], VERBS[role][-2]
    token = ", token" if header.has_token(role) else ""
    for slot in range(header.stages if header.unrolled else 1):
        stage = f"<{slot}>" if header.unrolled else ""
        asks = f"{tries}{stage}(state, token, frame);" if token else ""
        place = f"place + {slot} * slot_bytes" if header.unrolled else "place"
        move = f"drain(words, {place}); checksum(words, window.checksum);"
        if role == "producer" and header.copies:
            move = f"fill{stage}(state, place, source); next_image(image, source, images);"
        elif role == "producer":
            move = f"fill({place}, value);"
        lines += [asks if ahead == 0 else "", f"{waits}{stage}(state{token});",
                  asks if ahead > 0 else "", move, f"{hands}{stage}(state);"]
    lines.append("advance_lap(state);" if header.unrolled else
                 "advance(state, place, base, own);")
    return [line for line in lines if line]


def wrappers(header, role):
    """The verbs as functions of their names: by these the gate knows whose each instruction is."""
    tag = role.capitalize()
    out = [f"PEER_INLINE PipelineState<{tag}> {'start' if role == 'producer' else 'prime'}"
           "(SharedStorage& storage, const Frame& frame, unsigned rank, unsigned unit) {",
           f"  return {header.call(f'make_{role}_start_state')}", "}"]
    for verb in VERBS[role]:
        call = header.call(f"{role}_{verb}", "Slot")
        if verb == "copy" or not call:
            continue
        parameters = f"PipelineState<{tag}>& state"
        if verb.startswith("try_"):
            parameters += f", {tag}Token& token, const Frame& frame"
        elif "token" in call:
            parameters += f", const {tag}Token& token"
        out += ["template <unsigned Slot>"] if header.unrolled and verb != "tail" else []
        out.append(f"PEER_INLINE void {verb}({parameters}) {{ {call} }}")
    return out


def vector(words, first):
    """("v4.b32", "{%1, %2, %3, %4}") of four operands from number `first` on."""
    names = ", ".join(f"%{first + n}" for n in range(words))
    return ("v4.b32", f"{{{names}}}") if words == 4 else ("b32", names)


def stores(ring):
    """What a producer's thread writes of a slot, next to the threads before it."""
    writers = ring.threads("producer")
    own = ring.payload["words"] // writers
    step = 4 if own % 4 == 0 else 1
    kind, names = vector(step, 1)
    lines = ["PEER_INLINE void fill(unsigned place, unsigned& value) {"]
    for at in range(0, own * writers, writers * step):
        values = ", ".join(f'"r"(value + {at + n})' for n in range(step))
        lines += [f'  asm volatile("st.shared.{kind} [%0+{4 * at}], {names};"',
                  f'               :: "r"(place), {values} : "memory");']
    return lines + ["  value += value_step;", "}"]


def copies(header, ring):
    """The header's copy, and what it copies next."""
    return (["template <unsigned Slot>"] if header.unrolled else []) + [
        "PEER_INLINE void fill(PipelineState<Producer>& state, unsigned place,",
        "                      const unsigned char* source) {",
        f"  {header.call('producer_copy', 'Slot')}", "}",
        "PEER_INLINE void next_image(unsigned& image, const unsigned char*& source,",
        "                            const unsigned char* images) {",
        f"  image += {ring.turns('producer')};",
        f"  if (image >= {ring.payload['period']}) image -= {ring.payload['period']};",
        "  source = images + image * slot_bytes;", "}"]


def loads(ring):
    """What a consumer's thread reads of a slot, and its checksum."""
    count, step = ring.payload["words"] // ring.payload["threads"], ring.vector
    kind, names = vector(step, 0)
    lines = [f"PEER_INLINE void drain(unsigned (&words)[{count}], unsigned place) {{"]
    for move in range(count // step):
        into = ", ".join(f'"=r"(words[{move * step + n}])' for n in range(step))
        at = 4 * move * ring.payload["threads"] * step
        lines += [f'  asm volatile("ld.shared.{kind} {names}, [%{step}+{at}];"',
                  f'               : {into} : "r"(place) : "memory");']
    return lines + ["}", f"PEER_INLINE void checksum(const unsigned (&words)[{count}], "
                    "unsigned& sum) {", "#pragma unroll", "  for (unsigned word : words)",
                    "    sum = sum * launch::payload_checksum_multiplier + word;", "}"]


def role_function(header, ring, role):
    """A role's loop between its clocks."""
    producer = role == "producer"
    turns = ring.turns(role)
    bytes_of = ring.fill_bytes if producer else 4 * ring.vector
    part = "rank / 32" if producer and ring.part == "part" else "rank"
    lines = [f"PEER_INLINE Window {role}(SharedStorage& storage, const KernelParams& params,",
             "                            const Frame& frame, unsigned rank, unsigned unit) {",
             f"  auto state = {'start' if producer else 'prime'}(storage, frame, rank, unit);",
             "  const unsigned base = shared_base();",
             f"  const unsigned own = {ring.offset} + {bytes_of} * ({part});",
             f"  unsigned place = base + slot_bytes * {'unit' if turns > 1 else '0'} + own;"]
    if header.has_token(role):
        lines.append(f"  {role.capitalize()}Token token;")
    if producer and header.copies:
        lines += ["  const unsigned char* const images =",
                  "      reinterpret_cast<const unsigned char*>(params.payload_in) +",
                  f"      {bytes_of} * ({part});", "  unsigned image = unit;",
                  "  const unsigned char* source = images + image * slot_bytes;"]
    elif producer:
        lines.append(f"  unsigned value = frame.seed + rank * {bytes_of // 4} + "
                     "unit * launch::payload_item_step;")
    else:
        lines += [f"  unsigned words[{ring.payload['words'] // ring.payload['threads']}];",
                  "  start_late(params, frame, 1);"]
    lines += ["  Window window = clock_start(frame);", "  if (state.count() < frame.items) {",
              "#pragma unroll 1", "    do {",
              *("      " + line for line in loop(header, ring, role)),
              "    } while (state.count() < frame.items);", "  }",
              '  asm volatile("mov.u32 %0, %1;" : "=r"(window.handled)',
              '               : "r"(' + (f"(state.count() - unit) / {turns}" if turns > 1 else
                                         "state.count()") + "));"]
    if f"{role}_tail" in header.functions:
        lines.append("  tail(state);")
    return lines + ["  clock_end(frame, window);", "  return window;", "}"]


def helpers(header, ring):
    """What the loops need besides the header."""
    lines = [f"inline constexpr unsigned slot_bytes = {4 * ring.payload['words']};",
             f"inline constexpr unsigned value_step = {ring.turns('producer')}u * "
             "launch::payload_item_step;", "",
             "extern __shared__ __align__(128) unsigned char dynamic_shared[];",
             "PEER_INLINE unsigned shared_base() {",
             "  return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared));", "}",
             *(copies(header, ring) if header.copies else stores(ring)), *loads(ring),
             "template <class State>"]
    if header.unrolled:
        return lines + ["PEER_INLINE void advance_lap(State& state) { state.next_lap(); }"]
    return lines + ["PEER_INLINE void advance(State& state, unsigned& place, unsigned base,",
                    "                         unsigned own) {", "  ++state;",
                    '  asm("add.u32 %0, %1, %2;" : "=r"(place)',
                    '      : "r"(base + state.index() * slot_bytes), "r"(own));', "}"]


def source_of(header, ring, entry):
    """The text of NAME.cu."""
    words, first = ring.payload["words"], sum(map(len, ring.warps("producer")))
    lines = ["#define PHASEBIT_NOT_MEASURED", f"#define PEER_STAGES {header.stages}",
             '#include "bench/peers/frame.cuh"', f'#include "{header.path.name}"', "",
             f"namespace {header.space} {{", "using namespace phasebit::peers;",
             *helpers(header, ring)]
    for role in VERBS:
        lines += wrappers(header, role)
    for role in VERBS:
        lines += ["", *role_function(header, ring, role)]
    lines += ["", f'extern "C" __global__ void {entry}(',
              "    const __grid_constant__ KernelParams params) {",
              "  auto& storage = reinterpret_cast<SharedStorage&>(dynamic_shared);",
              "  Frame frame;", "  if (!begin(params, frame)) return;"]
    if header.copies:
        lines += ["  auto* images = reinterpret_cast<std::uint32_t*>(params.payload_in);",
                  "#pragma unroll 1",
                  f"  for (unsigned at = frame.tid; at < {ring.payload['period'] * words}; "
                  f"at += {ring.head['launch']['threads']})",
                  f"    images[at] = frame.seed + at / {words} * launch::payload_item_step + "
                  f"at % {words};"]
    lines += ["  " + header.call("init"), "  __syncthreads();",
              f"  const bool produces = frame.warp < {first};",
              f"  const unsigned warp = produces ? frame.warp : frame.warp - {first};"]
    calls = []
    for role in VERBS:
        taken = ring.turns(role) > 1
        calls.append(f"{role}(storage, params, frame, "
                     f"{'frame.lane' if taken else '32 * warp + frame.lane'}, "
                     f"{'warp' if taken else '0'})")
    return "\n".join(lines + ["  Window window;", "  if (produces)", f"    window = {calls[0]};",
                              "  else", f"    window = {calls[1]};",
                              "  record(params, frame, window, "
                              "produces ? Role::producer : Role::consumer);", "}",
                              "", f"}}  // namespace {header.space}", ""])


def toml(value):
    """A value of a head as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{make.peers.quoted(key)} = {toml(one)}"
                                for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return make.peers.quoted(value) if isinstance(value, str) else str(value).lower()


def head_of(ring, key_hash, version):
    """That of the variant, without what is of its PTX alone: registers, rules of statements."""
    head = ring.head
    key = {**head["key"], "num_stages": ring.axes["num_stages"],
           "protocol": "emitted_" + head["key"]["protocol"], "emitted": key_hash,
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
    """Writes NAME.cu and nvcc/NAME.ptx with its head: the latter, or why there is none."""
    header, ring = Header(path), Ring(path.with_suffix(".ptx"))
    reason = ring.why_not()
    if reason:
        return reason
    key_hash = header.space.rpartition("_")[2]
    source = path.with_suffix(".cu")
    source.write_text(source_of(header, ring, "emitted_" + key_hash))
    made = path.parent / "nvcc" / path.with_suffix(".ptx").name
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
