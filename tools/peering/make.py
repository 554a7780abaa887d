"""Compiles the peers of bench/peers by nvcc and writes a head above each entry."""

import argparse
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import zlib
from pathlib import Path

import peers

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "bench" / "peers"
# What every peer is compiled with; --flags are those that a reader may change.
KERNELS_A_UNIT = 24
# Axes that a source has a default for (frame.cuh).
OPTIONAL = re.findall(r"^#ifndef (PEER_(?!HEADER)\w+)", (SOURCES / "frame.cuh").read_text(),
                      re.MULTILINE)
FIXED_FLAGS = ["-ptx", "-std=c++20", "-lineinfo", "--frandom-seed=phasebit",
               "-diag-suppress", "20054,186"]


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


def defines(table, kernel):
    """What the source is told of one kernel, and what is forgotten again for the next."""
    words = [f"PEER_SPACE=peers_{zlib.crc32(kernel.name.encode()):08x}"]
    words += [word.removeprefix("-D") for word in peers.defines(table, kernel)]
    guards = [f"PEER_HEADER_{path.stem.upper()}" for path in sorted(SOURCES.glob("*.cuh"))]
    return [word.split("=") for word in words], guards


def unit(table, kernels):
    """One file for kernels of one source: parsing the library takes longer than all else."""
    lines = []
    for kernel in kernels:
        words, guards = defines(table, kernel)
        lines += [f"#define {name} {value}" for name, value in words]
        lines += [f'#include "bench/peers/{kernel.peer["source"]}"']
        lines += [f"#undef {name}" for name in [name for name, _ in words] + guards + OPTIONAL]
    return "\n".join(lines) + "\n"


def numbered(text, pattern, form):
    """Numbers in the order in which they are met: the same whatever else was compiled with it."""
    seen = {}

    def number(match):
        return form(match, seen.setdefault(match.group(0), len(seen)))
    return re.sub(pattern, number, text)


def split(text):
    """{entry: a module of it alone}: its code, the variables, files and names that it uses."""
    parts = re.split(r"^(?=\t// \.globl|\.visible \.entry )", text, flags=re.MULTILINE)
    last = re.search(r"^\t\.file\t", parts[-1], flags=re.MULTILINE)
    parts[-1], tail = parts[-1][:last.start()], parts[-1][last.start():]
    prefix = parts[0].splitlines(keepends=True)
    start = "".join(line for line in prefix if line.startswith((".version", ".target", ".address")))
    variables = {re.search(r"([\w$]+)(\[\d*\])?;$", line.strip()).group(1): line
                 for line in "".join(parts).splitlines(keepends=True)
                 if line.startswith((".global", ".extern .shared", ".shared"))}
    files = dict(re.findall(r"^(?=\t\.file\t(\d+) )(.*\n)", tail, flags=re.MULTILINE))
    names = dict(re.findall(r"^(\$L__info_string\d+):\n((?:\.b8 .*\n)+)", tail, flags=re.MULTILINE))
    found = {}
    for part in parts[1:]:
        entry = re.search(r"^\.visible \.entry (\w+)\(", part, flags=re.MULTILINE)
        if not entry:
            continue
        code = "".join(line for line in part[entry.start():].splitlines(keepends=True)
                       if not line.startswith((".global", ".extern", ".shared", "//")))
        code = re.sub(r"\$L__BB\d+_", "$L__BB0_", code)
        words = list(dict.fromkeys(re.findall(r"[\w$]+", code)))
        places = dict.fromkeys(number for pair in
                               re.findall(r"\.loc\s+(\d+)|inlined_at (\d+)", code)
                               for number in pair if number)
        module = start + "".join(variables[word] for word in words if word in variables)
        module += code + "".join(files[number] for number in places)
        module += "\t.section\t.debug_str\n\t{\n"
        module += "".join(f"{word}:\n{names[word]}" for word in words if word in names)
        module = numbered(module + "\n\t}\n", r"\$L__info_string(\d+)",
                          lambda match, n: f"$L__info_string{n}")
        module = numbered(module, r"(?<=\.loc\t)(\d+)|(?<=inlined_at )(\d+)|(?<=\.file\t)(\d+)",
                          lambda match, n: str(n + 1))
        found[entry.group(1)] = module
    return found


def compile_unit(table, number, kernels, options, built):
    folders = include_folders(options.nvcc, options.cutlass)
    command = [options.nvcc, *FIXED_FLAGS, f"-arch={options.target}", *shlex.split(options.flags)]
    for folder in folders:
        command += ["-I", str(folder)]
    source = Path(options.out) / f"unit{number}.cu"
    raw = source.with_suffix(".nvcc")
    source.write_text(unit(table, kernels))
    done = subprocess.run(command + [str(source), "-o", str(raw)], capture_output=True, text=True,
                          check=False)
    source.unlink()
    if done.returncode != 0:
        return f"{kernels[0].name} to {kernels[-1].name}: nvcc failed\n{done.stderr.strip()}"
    modules = split(plain_files(raw.read_text(), folders))
    for kernel in kernels:
        made = Path(options.out) / f"{kernel.name}.ptx"
        made.write_text(with_head(modules[kernel.entry], peers.head(table, kernel, built)))
    raw.unlink()
    return None


def units(work):
    """[(kernels of one source, how they are built)], not too many in each."""
    by_source = {}
    for kernel, built in work:
        by_source.setdefault((kernel.peer["source"], built.library), []).append((kernel, built))
    return [([kernel for kernel, _ in part], part[0][1])
            for all_of in by_source.values()
            for part in (all_of[at:at + KERNELS_A_UNIT] for at in range(0, len(all_of),
                                                                        KERNELS_A_UNIT))]


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
            lambda one: compile_unit(table, one[0], one[1][0], options, one[1][1]),
            enumerate(units(work))) if said]
    if failures:
        fail(f"{len(failures)} files of kernels failed; the first:\n{failures[0]}")
    print(f"{len(work)} kernels in {options.out}, nvcc {version}")


if __name__ == "__main__":
    main()
