#!/usr/bin/env python3
"""Checks the machine code of the timed loops, so that another nvcc cannot silently break a figure.

usage: check_sass.py --tool PATH FILE     (cuobjdump with the program, or nvdisasm with a cubin)
       check_sass.py --sass FILE          (text that one of them printed)

For each kernel it finds the timed loop of each role and compares the number of its key operations
with the size of the unrolled body, looks for what must not be there (spills, clock reads, set-up,
addresses computed anew), and checks that a clock is read before the loop and after it.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field

FORBIDDEN = ("LDL", "STL", "CLOCKLO", "S2R ", "S2UR ", "CALL", "LDG", "STG",
             "BAR.SYNC.DEFER_BLOCKING 0xf")

# Counted operations: name -> regular expression over one instruction.
OPERATIONS = {
    "fma": r"\bFFMA\b",
    "load": r"\bLDS\b",
    "store": r"\bSTS\b",
    "arrive": r"\bSYNCS\.ARRIVE\b",
    "check": r"\bSYNCS\.PHASECHK\b",
    "try_wait": r"\bSYNCS\.PHASECHK\S*TRYWAIT\b",
    "remote": r"\bSYNCS\.ARRIVE\S*\.RED\b",
    "bar_sync": r"\bBAR\.SYNC\b",
    "bar_arrive": r"\bBAR\.ARV\b",
    "cluster_arrive": r"\bUCGABAR_ARV\b",
    "cluster_wait": r"\bUCGABAR_WAIT\b",
    "fence_cta": r"\bMEMBAR\.\S*CTA\b",
    "fence_gpu": r"\bMEMBAR\.\S*GPU\b",
    "invalidate": r"\bCCTL\.IVALL\b",
    "jump": r"\bBRX\b",
}

# Counter, compare, branch, and constants that ptxas makes anew each time: largest allowed number.
MAX_LOOP_INSTRUCTIONS = 12

# A wait polls in a small loop of its own, so these do not tell which loop is the timed one.
POLLED = ("load", "check", "try_wait")


@dataclass
class Instruction:
    address: int
    text: str
    target: int | None = None  # of a direct branch


@dataclass
class Kernel:
    name: str
    instructions: list = field(default_factory=list)
    labels: dict = field(default_factory=dict)


@dataclass
class Rule:
    roles: int      # timed loops
    counts: dict    # operation -> number in one loop


def rule_for(name):
    """The rule of a kernel by its mangled name, or None if it is not a kernel of ours."""
    body = re.search(r"Li(\d+)EEEvNS_10LaunchPlan", name)
    if not body:
        return None
    u = int(body.group(1))
    if "FmaChain" in name:
        return Rule(1, {"fma": u})
    if "SharedChase" in name:
        return Rule(1, {"load": u})
    if "CtaBarrierHandOff" in name:
        return Rule(2, {"bar_sync": u, "bar_arrive": u})
    if "CtaBarrier" in name:
        return Rule(1, {"bar_sync": u, "bar_arrive": 0})
    if m := re.search(r"FlagOrderE(\d)", name):
        return Rule(2, {"load": u, "store": u, "fence_cta": u if m.group(1) == "1" else 0})
    if m := re.search(r"measure_cluster_barrierILi\d+ELNS_5OrderE(\d)", name):
        fences = u if m.group(1) == "0" else 0
        return Rule(1, {"cluster_arrive": u, "cluster_wait": u, "fence_gpu": fences,
                        "invalidate": u, "bar_sync": 0})
    if m := re.search(r"measure_clusterILNS_5OrderE(\d)ELS\d_(\d)E", name):
        return Rule(2, {"remote": u, "arrive": u, "check": u, "try_wait": u,
                        "fence_gpu": u if m.group(1) == "0" else 0,
                        "invalidate": u if m.group(2) == "0" else 0})
    if m := re.search(r"EntangleILi(\d+)ELNS_13EntangleShapeE(\d)", name):
        groups, shape = int(m.group(1)), int(m.group(2))
        counts = {"check": u, "try_wait": u, "arrive": u if shape == 1 else u * groups}
        if shape != 2:
            counts["jump"] = 0 if groups == 1 else u
        return Rule(1, counts)
    if m := re.search(r"WaitE(\d)", name):
        try_waits = u if m.group(1) == "0" else 0
        return Rule(2 if "HandOff" in name else 1,
                    {"arrive": u, "check": u, "try_wait": try_waits, "remote": 0, "fence_cta": 0})
    return None


def parse(text):
    """Kernels of a disassembly by cuobjdump -sass or nvdisasm -c."""
    kernels, labels, pending = [], {}, []
    for line in text.splitlines():
        header = re.match(r"\s*Function : (\S+)", line) or re.match(r"\.text\.(\S+):", line)
        if header:
            kernels.append(Kernel(header.group(1)))
            labels, pending = {}, []
            continue
        if label := re.match(r"(\.L_x_\d+):", line):
            pending.append(label.group(1))
            continue
        instruction = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line)
        if not instruction or not kernels:
            continue
        address = int(instruction.group(1), 16)
        labels.update((label, address) for label in pending)
        pending = []
        kernels[-1].instructions.append(Instruction(address, instruction.group(2)))
        kernels[-1].labels = labels
    for kernel in kernels:
        resolve(kernel)
    return kernels


def resolve(kernel):
    for instruction in kernel.instructions:
        branch = re.search(r"\bBRA\b(?!\.DIV).*?(?:`\((\.L_x_\d+)\)|\b0x([0-9a-f]+))",
                           instruction.text)
        if branch and branch.group(1):
            instruction.target = kernel.labels.get(branch.group(1))
        elif branch:
            instruction.target = int(branch.group(2), 16)


def count(instructions, operation):
    pattern = re.compile(OPERATIONS[operation])
    return sum(1 for i in instructions if pattern.search(i.text))


def timed_loops(kernel, rule):
    """(start, end) indexes of the largest loops that hold a key operation and read no clock."""
    index = {i.address: n for n, i in enumerate(kernel.instructions)}
    key = max(rule.counts, key=lambda name: (name not in POLLED, rule.counts[name] > 0))
    found = []
    for end, instruction in enumerate(kernel.instructions):
        if instruction.target is None or instruction.target > instruction.address:
            continue
        start = index.get(instruction.target)
        inside = kernel.instructions[start:end + 1] if start is not None else []
        if count(inside, key) and not any("CLOCKLO" in i.text for i in inside):
            found.append((start, end))
    return [a for a in found
            if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in found)]


def branch_depends_on_first(instructions):
    """Whether a conditional branch waits for what the first instruction writes."""
    tainted = set()
    for n, instruction in enumerate(instructions):
        registers = re.findall(r"\b(?:UR|R|UP|P)\d+\b", instruction.text)
        if re.match(r"@!?U?P\d BRA\b", instruction.text):
            if registers[0] in tainted:
                return True
        elif registers and (n == 0 or tainted.intersection(registers[1:])):
            tainted.add(registers[0])
    return False


def check_clocks(kernel, start, end):
    """(clock read before and tied to the loop, clock read after it)"""
    before = kernel.instructions[max(0, start - 30):start]
    reads = [n for n, i in enumerate(before) if "CLOCKLO" in i.text]
    tied = bool(reads) and branch_depends_on_first(before[reads[-1]:])
    for instruction in kernel.instructions[end + 1:end + 60]:
        if "CLOCKLO" in instruction.text:
            return tied, True
        if re.search(r"BAR\.SYNC\.DEFER_BLOCKING 0xf|UCGABAR_ARV", instruction.text):
            break
    return tied, False


def check_kernel(kernel, rule):
    """Texts of all that is wrong with a kernel."""
    errors = []
    loops = timed_loops(kernel, rule)
    if len(loops) != rule.roles:
        return [f"{len(loops)} timed loops, expected {rule.roles}"]
    num_ends = 0
    for start, end in loops:
        inside = kernel.instructions[start:end + 1]
        where = f"loop at 0x{kernel.instructions[start].address:x}: "
        for operation, expected in rule.counts.items():
            got = count(inside, operation)
            if got != expected:
                errors.append(f"{where}{got} {operation}, expected {expected}")
        for word in FORBIDDEN:
            errors += [f"{where}{i.text}" for i in inside if word in i.text]
        tied, ends = check_clocks(kernel, start, end)
        num_ends += ends
        if not tied:
            errors.append(f"{where}not tied to a clock read before it")
    if num_ends != 1:
        errors.append(f"{num_ends} clock reads behind the loops, expected 1")
    if any(re.search(r"\b(LDL|STL)\b", i.text) for i in kernel.instructions):
        errors.append("registers are spilled")
    return errors


def check_bodies(sizes):
    """Texts of what is wrong between the two bodies of one kernel: {body: instructions a loop}.

    A loop of U items must be U times the same number of instructions and a small constant part."""
    if len(sizes) != 2:
        return ["one of the two bodies is missing"]
    (small, of_small), (large, of_large) = sorted(sizes.items())
    errors = []
    for in_small, in_large in zip(of_small, of_large):
        item, rest = divmod(in_large - in_small, large - small)
        own = in_small - small * item
        if rest or not 0 <= own <= MAX_LOOP_INSTRUCTIONS:
            errors.append(f"{in_small} and {in_large} instructions are not {small} and {large} "
                          "items and the same loop")
    return errors


def disassemble(tool, path):
    option = "-c" if "nvdisasm" in os.path.basename(tool) else "-sass"
    return subprocess.run([tool, option, path], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description="checks the SASS of the timed loops")
    parser.add_argument("file")
    parser.add_argument("--tool", help="cuobjdump or nvdisasm")
    parser.add_argument("--sass", action="store_true", help="FILE is a disassembly")
    parser.add_argument("--kernels", type=int, default=82, help="kernels that must be there")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    if not arguments.sass and not arguments.tool:
        parser.error("--tool or --sass is needed")
    if arguments.sass:
        with open(arguments.file, encoding="utf-8") as file:
            text = file.read()
    else:
        text = disassemble(arguments.tool, arguments.file)
    num_checked, num_failed, bodies = 0, 0, {}
    for kernel in parse(text):
        rule = rule_for(kernel.name)
        if rule is None:
            continue
        errors = check_kernel(kernel, rule)
        num_checked += 1
        stem, size = re.fullmatch(r"(.*Li)(\d+)(EEEvNS_10LaunchPlan.*)", kernel.name).group(1, 2)
        lengths = [end + 1 - start for start, end in timed_loops(kernel, rule)]
        bodies.setdefault(stem, {})[int(size)] = lengths
        num_failed += bool(errors)
        if errors or arguments.verbose:
            print(kernel.name, "FAILED" if errors else f"ok {rule.counts}")
        for error in errors:
            print("  " + error)
    for stem, sizes in bodies.items():
        for error in check_bodies(sizes):
            print(stem, error)
            num_failed += 1
    if num_checked != arguments.kernels:
        print(f"{num_checked} kernels found, expected {arguments.kernels}")
        num_failed += 1
    print(f"{num_checked} kernels checked, {num_failed} failed")
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
