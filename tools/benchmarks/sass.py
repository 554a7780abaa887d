"""the SASS matrix of the curated set, diffs of 10,000 and of 80,000 instructions, 1,300 classes"""

import json
import random
import re
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

from measure import Run, show, stop

ROOT = Path(__file__).resolve().parent.parent.parent
STATEMENTS = 17_500  # become 10,000 instructions: ptxas leaves out what is overwritten
LONG_STATEMENTS = 140_000  # 80,000 instructions
KERNELS, KERNEL_STATEMENTS = 1_300, 200
REPEATS = 3


def phasebit(*words):
    run = Run([sys.argv[1], *map(str, words)])
    if run.status != 0:
        stop(f"phasebit {words[0]} {words[1]} exited with {run.status}: {run.err.strip()[-500:]}")
    return run


def matrix(cache):
    return phasebit("sass", "matrix", "--spec", ROOT / "specs" / "curated.toml", "--sweep",
                    "curated", "--format", "json", "--cache", cache)


def cold_and_cached(name, command, cache):
    """Seconds with an empty cache and the median of three with a full one; the peak of all."""
    first = command(cache)
    again = [command(cache) for _ in range(REPEATS)]
    show(f"{name}_cold", first.seconds, "s")
    show(f"{name}_cold_cores", first.core_seconds, "core_s")
    show(f"{name}_cached", statistics.median(run.seconds for run in again), "s")
    show(f"{name}_cached_cores", statistics.median(run.core_seconds for run in again), "core_s")
    show(f"{name}_peak_memory", max(run.peak_bytes for run in [first, *again]) / 2**20, "MiB")
    return first


def whole_matrix(folder):
    cache = folder / "matrix"
    full = json.loads(cold_and_cached("matrix", matrix, cache).out)
    cells = [cell for row in full["rows"] for cell in row["cells"]]
    codes = {(cell["text_hash"], cell["column"].rstrip("af"))
             for cell in cells if cell["text_hash"]}
    show("matrix_variants", len(full["rows"]), "variants")
    show("matrix_targets", len(full["columns"]), "targets")
    show("matrix_images", sum(bool(cell["text_hash"]) for cell in cells), "images")
    show("matrix_codes", len(codes), "codes")
    shutil.rmtree(cache)


OPERATIONS = ("mad.lo.u32 a{0}, a{1}, a{2}, a{3};", "xor.b32 a{0}, a{1}, a{2};",
              "shf.l.wrap.b32 a{0}, a{1}, a{2}, 7;", "fma.rn.f32 f{0}, f{1}, f{2}, f{3};",
              "min.u32 a{0}, a{1}, a{2};", "prmt.b32 a{0}, a{1}, a{2}, 0x5410;",
              "popc.b32 a{0}, a{1};", "add.f32 f{0}, f{1}, f{2};",
              "st.shared.u32 [base+{4}], a{1};", "ld.shared.u32 a{0}, [base+{4}];")


def statements(seed, count):
    """Random work on sixteen integers and sixteen floats, all of which are stored at the end."""
    dice = random.Random(seed)
    return [dice.choice(OPERATIONS).format(*dice.choices(range(16), k=4), 4 * dice.randrange(256))
            for _ in range(count)]


HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"


def entry(body, name="k"):
    lines = [f".visible .entry {name}(.param .u64 out, .param .u32 seed) {{", ".reg .b64 at;",
             ".reg .b32 a<16>, base;", ".reg .f32 f<16>;", ".shared .align 16 .b8 sm[1024];",
             "ld.param.u64 at, [out];", "mov.u32 base, sm;"]
    for n in range(16):
        lines += [f"ld.global.u32 a{n}, [at+{4 * n}];", f"ld.global.f32 f{n}, [at+{64 + 4 * n}];"]
    lines += body
    for n in range(16):
        lines += [f"st.global.u32 [at+{4 * n}], a{n};", f"st.global.f32 [at+{64 + 4 * n}], f{n};"]
    return "\n".join(lines + ["ret;", "}", ""])


def kernel(body):
    return HEAD + entry(body)


def assemble(file, text, level=3):
    """A cubin of that text by the pinned ptxas."""
    version = re.search(r'nvidia-cuda-nvcc==([0-9.]+)"',
                        (ROOT / "pyproject.toml").read_text()).group(1)
    ptxas = ROOT / ".toolchains" / version / "nvidia" / "cu13" / "bin" / "ptxas"
    file.with_suffix(".ptx").write_text(text)
    run = Run([str(ptxas), "-arch", "sm_90a", f"-O{level}", str(file.with_suffix(".ptx")), "-o",
               str(file)])
    if run.status != 0:
        stop(f"ptxas exited with {run.status}: {run.err.strip()[-500:]}")
    return file


def long_diffs(folder):
    """Pairs of kernels: one statement in twenty changed; other -O level; nothing in common."""
    body = statements(1, STATEMENTS)
    other = statements(2, STATEMENTS)
    dice = random.Random(3)
    edited = [mine if dice.random() > 0.05 else yours for mine, yours in zip(body, other)]
    base = assemble(folder / "base.cubin", kernel(body))
    rights = {"edited": assemble(folder / "edited.cubin", kernel(edited)),
              "unoptimised": assemble(folder / "unoptimised.cubin", kernel(body), level=1),
              "unrelated": assemble(folder / "unrelated.cubin", kernel(other))}
    for name, right in rights.items():
        def diff(cache, right=right):
            return phasebit("sass", "diff", base, right, "--json", "--cache", cache)
        counts = json.loads(cold_and_cached(f"diff_{name}", diff, folder / name).out)["counts"]
        aligned = sum(counts[word] for word in ("identical", "schedule", "operands",
                                                "instructions"))
        show(f"diff_{name}_instructions", aligned + counts["only_left"], "instructions")
        show(f"diff_{name}_unaligned", counts["only_left"] + counts["only_right"], "instructions")


def longest_diffs(folder):
    """80,000 instructions, as text: every tenth statement another; nothing in common."""
    body, other = statements(1, LONG_STATEMENTS), statements(2, LONG_STATEMENTS)
    tenth = [yours if n % 10 == 0 else mine for n, (mine, yours) in enumerate(zip(body, other))]
    base = assemble(folder / "long.cubin", kernel(body), level=1)
    for name, text in (("tenth", tenth), ("long_unrelated", other)):
        right = assemble(folder / f"{name}.cubin", kernel(text), level=1)

        def diff(cache, right=right):
            return phasebit("sass", "diff", base, right, "--cache", cache)
        cold_and_cached(f"diff_{name}", diff, folder / name)


def many_classes(folder):
    """The classes of a file of kernels that all differ."""
    text = HEAD + "".join(entry(statements(n, KERNEL_STATEMENTS), f"k{n}") for n in range(KERNELS))
    file = assemble(folder / "kernels.cubin", text)

    def classes(cache):
        return phasebit("sass", "classes", file, "--json", "--cache", cache)
    found = json.loads(cold_and_cached("classes", classes, folder / "classes").out)
    show("classes_found", len(found), "classes")


def main():
    with tempfile.TemporaryDirectory() as folder:
        whole_matrix(Path(folder))
        long_diffs(Path(folder))
        longest_diffs(Path(folder))
        many_classes(Path(folder))


if __name__ == "__main__":
    main()
