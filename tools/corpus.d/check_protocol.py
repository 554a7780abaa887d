"""Checks the protocol of every PTX kernel of a corpus: a table of kernel, front end, verdict and
reason.

Usage: check_protocol.py FOLDER PHASEBIT [PART...]. The launch of a kernel is what NAME.launch next
to NAME.ptx says. Without one it is guessed from the parameters: a pointer is a buffer, a number is
what SIZES says of the kernel or of its front end. Nothing of the corpus is run on a GPU, so that a
wrong guess shows as an access out of bounds.
"""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUFFER = 1 << 20
SECONDS = 60
# Parameters that are numbers, in order, by the beginning of a kernel's name; and CTAs.
SIZES = {
    "matmul": ([256, 256, 256], "2,2"),
    "matmul_tma": ([256, 256, 512], "2"),
    "attention": ([256, 1], "2"),
    "softmax": ([2048, 2048], "2"),
    "layernorm": ([2048, 2048, 0], "2"),
    "locked_sums": ([1024], "2"),
    "cutlass": ([3], "2"),
}
# Whose buffers are not 0: it waits for flags that the host raises.
FILLED = ("waits_for_flags",)
ENTRY = re.compile(r"\.entry\s+([\w$]+)\s*\((.*?)\)(.*?)\{", re.S)
PARAMETER = re.compile(r"\.param\s+([^,]*)")


def launches_of(path):
    """Flags for each entry of a file."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    told = path.with_suffix(".launch")
    launches = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
    for name, parameters, directives in ENTRY.findall(text):
        flags = next((one for begin, one in launches.items() if name.startswith(begin)), None)
        if flags is not None:
            yield name, ["--kernel", name, *flags]
            continue
        stem = max((one for one in SIZES if name.startswith(one)), key=len, default="")
        numbers, grid = SIZES.get(stem, ([], "1"))
        numbers = list(numbers)
        buffer = f"buffer:{BUFFER}" + (":1" if name.startswith(FILLED) else "")
        flags = ["--kernel", name, "--grid", grid]
        for number, parameter in enumerate(PARAMETER.findall(parameters)):
            if parameter.strip().endswith("[8]"):
                flags += ["--param", f"{number}+0={buffer}"]  # a struct of a pointer
                continue
            if "[" in parameter:
                continue  # another one: zeros, or a tensor map that only its launch knows
            is_address = re.search(r"\.[ubs]64\b", parameter)
            value = buffer if is_address else numbers.pop(0) if numbers else 64
            flags += ["--param", f"{number}={value}"]
        if ".reqntid" not in directives and not path.with_suffix(".json").exists():
            most = re.search(r"\.maxntid\s+([\d, ]+)", directives)
            flags += ["--block", most.group(1).replace(" ", "").rstrip(",") if most else "128"]
        if ".extern .shared" in text and not path.with_suffix(".json").exists():
            flags += ["--shared", "65536"]
        yield name, flags


def check(program, path, name, flags):
    words = [program, "check", path, "--json", "--schedules", "3", "--steps", "3000000", "-j", "1",
             *flags]
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        checked = json.loads(done.stdout)[0]
    except subprocess.TimeoutExpired:
        return "timeout", f"more than {SECONDS} s"
    except (ValueError, KeyError, IndexError):
        return "not launched", done.stderr.strip().splitlines()[-1][:160]
    reason = checked["reason"]
    found = [one for one in checked["found"] if "note" not in one["grade"]]
    if found and not reason:
        reason = f"{found[0]['kind']}: {found[0]['what']} ({found[0]['place']})"
    return checked["verdict"], reason


def main():
    folder, program, parts = Path(sys.argv[1]), sys.argv[2], sys.argv[3:] or ["*"]
    work = [(path, name, flags) for part in parts for path in sorted(folder.glob(f"{part}/*.ptx"))
            for name, flags in launches_of(path)]
    counts = {}
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda one: check(program, *one), work)
        for (path, name, _), (verdict, reason) in zip(work, results):
            front_end = path.parent.name
            counts.setdefault(front_end, {}).setdefault(verdict, 0)
            counts[front_end][verdict] += 1
            print(f"{front_end}\t{path.stem}\t{name[:40]}\t{verdict}\t{reason[:200]}", flush=True)
    for front_end, one in counts.items():
        print(front_end, ", ".join(f"{number} {verdict}" for verdict, number in one.items()))


if __name__ == "__main__":
    main()
