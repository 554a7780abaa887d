"""Compiles the peers of bench/peers by nvcc and writes a head above each entry."""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import peers

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "bench" / "peers"
# What every peer is compiled with; --flags are those that a reader may change.
FIXED_FLAGS = ["-ptx", "-std=c++20", "-lineinfo", "--frandom-seed=phasebit",
               "-diag-suppress", "20054"]


def fail(text):
    sys.exit(f"peers: {text}")


def first_line_with(text, pattern, what):
    found = re.search(pattern, text)
    if not found:
        fail(f"{what} says no version")
    return found


def nvcc_version(nvcc):
    try:
        said = subprocess.run([nvcc, "--version"], capture_output=True, text=True,
                              check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        fail(f"{nvcc}: {error}")
    return first_line_with(said, r"V(\d+\.\d+\.\d+)", nvcc).group(1)


def include_folders(nvcc, cutlass):
    """Of libcu++, which lies next to nvcc, and of CUTLASS."""
    own = Path(nvcc).resolve().parent.parent / "include"
    folders = [ROOT] + [folder for folder in (own / "cccl", own) if folder.is_dir()]
    return folders + ([Path(cutlass)] if cutlass else [])


def number_of(folder, header, name):
    """A number that a header of the folders defines, or None."""
    try:
        text = (folder / header).read_text()
    except OSError:
        return None
    found = re.search(rf"#\s*define\s+{name}\s+(\d+)", text)
    return int(found.group(1)) if found else None


def library_version(library, folders, nvcc):
    """The value of the axis `library`; None when the library is not there."""
    if library == "toolkit":
        return f"cuda-{nvcc}"
    for folder in folders:
        if library == "cccl":
            number = number_of(folder, "cuda/std/__cccl/version.h", "CCCL_VERSION")
            if number:
                return f"cccl-{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"
        else:
            parts = [number_of(folder, "cutlass/version.h", f"CUTLASS_{part}")
                     for part in ("MAJOR", "MINOR", "PATCH")]
            if None not in parts:
                return "cutlass-" + ".".join(map(str, parts))
    return None


def plain_files(text, folders):
    """The same text wherever it was compiled: places below the folders of includes."""
    prefixes = sorted((str(folder.resolve()) + "/" for folder in folders), key=len, reverse=True)

    def plain(match):
        path = os.path.realpath(match.group(2))
        for prefix in prefixes:
            if path.startswith(prefix):
                path = path[len(prefix):]
                break
        return f'{match.group(1)}"{path}"'
    return re.sub(r'^(\s*\.file\s+\d+\s+)"([^"]*)".*$', plain, text, flags=re.MULTILINE)


def with_head(text, head):
    before, entry, after = text.partition(".visible .entry ")
    if not entry or ".visible .entry " in after:
        fail("nvcc wrote no entry, or several")
    return before + head + entry + after


def compile_one(table, kernel, options, built):
    folders = include_folders(options.nvcc, options.cutlass)
    command = [options.nvcc, *FIXED_FLAGS, f"-arch={options.target}", *shlex.split(options.flags),
               *peers.defines(table, kernel)]
    for folder in folders:
        command += ["-I", str(folder)]
    made = Path(options.out) / f"{kernel.name}.ptx"
    raw = made.with_suffix(".nvcc")
    command += [str(SOURCES / kernel.peer["source"]), "-o", str(raw)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"{kernel.name}: nvcc failed\n{done.stderr.strip()}"
    made.write_text(with_head(plain_files(raw.read_text(), folders),
                              peers.head(table, kernel, built)))
    raw.unlink()
    return None


def arguments():
    parser = argparse.ArgumentParser(prog="tools/peers")
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--cutlass", default="")
    parser.add_argument("--out", required=True)
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--flags", default="-O3 -DNDEBUG")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def chosen(table, only):
    """Kernels whose name has one of these words in it; of no words all."""
    found = [kernel for kernel in peers.kernels(table)
             if not only or any(word in kernel.name for word in only)]
    if not found:
        fail(f"--only {', '.join(only)}: no peer has that in its name; "
             f"names are like {peers.kernels(table)[0].name}")
    return found


def main():
    options = arguments()
    table = peers.read(SOURCES / "peers.toml")
    version = nvcc_version(options.nvcc)
    folders = include_folders(options.nvcc, options.cutlass)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    flags = ",".join(shlex.split(options.flags))
    work, skipped = [], {}
    for kernel in chosen(table, options.only):
        library = library_version(kernel.peer["library"], folders, version)
        if library is None:
            skipped.setdefault(kernel.peer["library"], []).append(kernel)
        else:
            work.append((kernel, peers.Built(version, flags or "none", library)))
    for library, without in skipped.items():
        print(f"skipped: {len(without)} kernels: no headers of {library} "
              f"(--{library} FOLDER, or let tools/peers fetch them)", file=sys.stderr)
    for old in out.glob("*.ptx"):
        old.unlink()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        failures = [said for said in pool.map(
            lambda one: compile_one(table, one[0], options, one[1]), work) if said]
    if failures:
        fail(f"{len(failures)} of {len(work)} failed; the first:\n{failures[0]}")
    print(f"{len(work)} kernels in {options.out}, nvcc {version}")


if __name__ == "__main__":
    main()
