"""PTX of front ends that are Python packages, without a GPU.

Usage: ptx_kernels.py PART FOLDER [NVCC INCLUDE...]. PART is tilelang, warp, tinygrad, numba or
gimmik; NVCC compiles what tilelang writes in CUDA C++. Prints what could not be made. NAME.launch,
of what says its launch, has for the beginning of an entry's name how `phasebit check` launches it.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

TARGETS = ("sm_80", "sm_90a")


def try_all(kernels):
    """Each by itself: a kernel that a version of a package cannot make is named, and left out."""
    for name, make in kernels:
        try:
            make()
        except Exception as error:  # whatever the package raises
            first = (str(error).strip().splitlines() or [type(error).__name__])[-1]
            print(f"no {name}: {first[:160]}", flush=True)


def write_launches(path, launches):
    path.with_suffix(".launch").write_text(json.dumps(launches, indent=1), encoding="utf-8")


def by_nvcc(folder, name, text, target, nvcc, includes):
    source = folder / f"{name}_{target}.cu"
    source.write_text(text, encoding="utf-8")
    words = [nvcc, "-std=c++17", "-w", "-ptx", f"-arch={target}", "--expt-relaxed-constexpr"]
    for one in includes:
        words += ["-I", one]
    done = subprocess.run([*words, source, "-o", source.with_suffix(".ptx")], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(next(line for line in done.stderr.splitlines() if "error" in line))


def gemm_of_tiles(T, m, n, k, stages, threads, kind):
    @T.prim_func
    def gemm(a: T.Tensor((1024, 1024), kind), b: T.Tensor((1024, 1024), kind),
             c: T.Tensor((1024, 1024), "float32")):
        with T.Kernel(1024 // n, 1024 // m, threads=threads) as (column, row):
            left = T.alloc_shared((m, k), kind)
            right = T.alloc_shared((k, n), kind)
            total = T.alloc_fragment((m, n), "float32")
            T.clear(total)
            for step in T.Pipelined(1024 // k, num_stages=stages):
                T.copy(a[row * m, step * k], left)
                T.copy(b[step * k, column * n], right)
                T.gemm(left, right, total)
            T.copy(total, c[row * m, column * n])
    return gemm


def attention_of_tiles(T, rows, columns, width, stages):
    shape = (1, 8, 1024, width)

    @T.prim_func
    def attention(q: T.Tensor(shape, "float16"), k: T.Tensor(shape, "float16"),
                  v: T.Tensor(shape, "float16"), out: T.Tensor(shape, "float16")):
        with T.Kernel(1024 // rows, 8, threads=128) as (block, head):
            query = T.alloc_shared((rows, width), "float16")
            key = T.alloc_shared((columns, width), "float16")
            value = T.alloc_shared((columns, width), "float16")
            scores = T.alloc_fragment((rows, columns), "float32")
            weights = T.alloc_fragment((rows, columns), "float16")
            total = T.alloc_fragment((rows, width), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            T.copy(q[0, head, block * rows, 0], query)
            T.clear(total)
            for step in T.Pipelined(1024 // columns, num_stages=stages):
                T.copy(k[0, head, step * columns, 0], key)
                T.clear(scores)
                T.gemm(query, key, scores, transpose_B=True)
                T.reduce_max(scores, largest, dim=1)
                for i, j in T.Parallel(rows, columns):
                    scores[i, j] = T.exp2(scores[i, j] - largest[i])
                T.copy(scores, weights)
                T.copy(v[0, head, step * columns, 0], value)
                T.gemm(weights, value, total)
            T.copy(total, out[0, head, block * rows, 0])
    return attention


def softmax_of_tiles(T, rows, columns):
    @T.prim_func
    def softmax(data: T.Tensor((1024, columns), "float32"),
                out: T.Tensor((1024, columns), "float32")):
        with T.Kernel(1024 // rows, threads=128) as row:
            own = T.alloc_fragment((rows, columns), "float32")
            largest = T.alloc_fragment((rows,), "float32")
            total = T.alloc_fragment((rows,), "float32")
            T.copy(data[row * rows, 0], own)
            T.reduce_max(own, largest, dim=1)
            for i, j in T.Parallel(rows, columns):
                own[i, j] = T.exp2(own[i, j] - largest[i])
            T.reduce_sum(own, total, dim=1)
            for i, j in T.Parallel(rows, columns):
                own[i, j] = own[i, j] / total[i]
            T.copy(own, out[row * rows, 0])
    return softmax


# What its host calls: "__tvm_tensormap_create_tiled" with the numbers of cuTensorMapEncodeTiled,
# and the kernel with its arguments, grid, block and bytes of shared memory. Two CTAs are enough.
def launch_of_tiles(host, source):
    elements = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16")
    swizzles = ("none", "32B", "64B", "128B")
    maps = {}
    encoded = r'call_packed\("__tvm_tensormap_create_tiled", (\w+), (.*)\)'
    for name, words in re.findall(encoded, host):
        element, rank, _, *numbers = words.split(", ")
        rank = int(rank)
        lists = [numbers[n * rank:(n + 1) * rank] for n in range(4)]
        sizes, strides, box = ("x".join(one) for one in (lists[0], lists[1][1:], lists[2]))
        maps[name] = ",".join([elements[int(element)], sizes, strides, box,
                               swizzles[int(numbers[4 * rank + 1])], "none"])
    name, words = re.search(r'call_packed\("(\w+_kernel)", (.*)\)', host).groups()
    words = words.split(", ")
    threads = re.search(r"__launch_bounds__\((\d+)", source)[1]
    at = max(n for n, word in enumerate(words) if word == threads)
    flags = ["--grid", "2", "--block", threads]
    if len(words) > at + 3:
        flags += ["--shared", words[at + 3]]
    for n, word in enumerate(one for one in words[:at] if not one.isdigit()):
        flags += (["--tensor-map", f"{name}_param_{n}={maps[word]}"] if word in maps else
                  ["--param", f"{n}=buffer:{1 << 22}"])
    return {name: flags}


def make_tilelang(folder, nvcc, *includes):
    import tilelang
    import tilelang.language as T
    from tilelang import tvm
    own = Path(tilelang.__file__).parent
    includes = [*includes, own / "src" / "cuda", own / "src",
                own / "3rdparty" / "cutlass" / "include"]
    programs = [(f"gemm_{m}x{n}x{k}_{stages}_{kind}",
                 lambda shape=(m, n, k, stages, threads, kind): gemm_of_tiles(T, *shape))
                for m, n, k, stages, threads, kind in (
                    (128, 128, 32, 3, 128, "float16"), (64, 64, 64, 2, 128, "bfloat16"),
                    (128, 256, 64, 4, 256, "float16"), (128, 128, 64, 3, 256, "float8_e4m3fn"),
                    (64, 128, 32, 0, 128, "float16"), (128, 64, 64, 5, 128, "bfloat16"))]
    programs += [(f"attention_{rows}x{columns}_{stages}",
                  lambda shape=(rows, columns, 64, stages): attention_of_tiles(T, *shape))
                 for rows, columns, stages in ((64, 64, 2), (128, 64, 3), (64, 128, 0))]
    programs += [(f"softmax_{rows}", lambda rows=rows: softmax_of_tiles(T, rows, 1024))
                 for rows in (1, 4)]

    def lower(name, program, arch):
        target = tvm.target.Target({"kind": "cuda", "arch": arch})
        with target:
            made = tilelang.lower(program(), target=target)
        by_nvcc(folder, name, made.kernel_source, arch, nvcc, includes)
        write_launches(folder / f"{name}_{arch}.ptx",
                       launch_of_tiles(made.host_mod.script(), made.kernel_source))

    try_all((f"{name} for {arch}", lambda one=(name, program, arch): lower(*one))
            for name, program in programs for arch in TARGETS)


# Of Warp's kernels: launch_bounds_t, and array_t with its gradient, by the numbers of dimensions.
def launches_of_warp():
    def bounds(at, tile):
        return [f"{at}+{place}={word}" for place, word in (
            (0, "u32:2"), (4, "u32:2"), (8, f"u64:{4 * tile}"), (16, f"u64:{tile}"))]

    def array(at, rank):
        strides = {1: ((32, 4),), 2: ((32, 512), (36, 4))}[rank]
        return [f"{at}+0=buffer:{1 << 20}", f"{at}+8=buffer:{1 << 20}",
                *(f"{at}+{16 + 4 * n}=s32:128" for n in range(rank)),
                *(f"{at}+{place}=s32:{word}" for place, word in strides), f"{at}+48=s32:{rank}"]

    # Of each kernel: threads that share a place, and its parameters; backward they come twice.
    shapes = {"axpy": (1, (0, 1, 1)), "histogram": (1, (1, 1)), "lock": (1, (1, 1)),
              "tiles": (256, (2, 2, 2)), "sums": (256, (2, 1))}
    launches = {}
    for name, (tile, ranks) in shapes.items():
        for way, times in (("forward", 1), ("backward", 2)):
            words = bounds(0, tile)
            for n, rank in enumerate(ranks * times, 1):
                words += array(n, rank) if rank else [f"{n}=f32:2"]
            launches[f"make_warp__locals__{name}_cuda_kernel_{way}"] = [
                "--grid", "2", "--block", "256", *(f"--param={word}" for word in words)]
    return launches


def make_warp(folder):
    import warp as wp
    wp.config.quiet = True

    @wp.kernel
    def axpy(by: float, x: wp.array(dtype=float), y: wp.array(dtype=float)):
        i = wp.tid()
        y[i] = y[i] + by * x[i]

    @wp.kernel
    def histogram(x: wp.array(dtype=int), out: wp.array(dtype=int)):
        wp.atomic_add(out, x[wp.tid()] % 64, 1)

    @wp.kernel
    def lock(word: wp.array(dtype=int), out: wp.array(dtype=float)):
        while wp.atomic_cas(word, 0, 0, 1) != 0:
            pass
        out[0] = out[0] + 1.0
        wp.atomic_exch(word, 0, 0)

    @wp.kernel
    def tiles(a: wp.array2d(dtype=float), b: wp.array2d(dtype=float), c: wp.array2d(dtype=float)):
        i, j = wp.tid()
        total = wp.tile_zeros(shape=(16, 16), dtype=float)
        for k in range(8):
            left = wp.tile_load(a, shape=(16, 16), offset=(i * 16, k * 16))
            right = wp.tile_load(b, shape=(16, 16), offset=(k * 16, j * 16))
            wp.tile_matmul(left, right, total)
        wp.tile_store(c, total, offset=(i * 16, j * 16))

    @wp.kernel
    def sums(x: wp.array2d(dtype=float), out: wp.array(dtype=float)):
        i = wp.tid()
        row = wp.tile_load(x, shape=(1, 256), offset=(i, 0))
        wp.tile_store(out, wp.tile_sum(row), offset=(i,))

    # All of them are one module.
    def compile_for(arch):
        wp.compile_aot_module(axpy.module, arch=arch, module_dir=str(folder), use_ptx=True,
                              strip_hash=True)
        launches = launches_of_warp()
        meta = json.loads(next(folder.glob("*.meta")).read_text(encoding="utf-8"))
        shared = {name: ["--shared", str(meta.get(f"{name}_smem_bytes", 0))] for name in launches}
        for path in folder.glob(f"*sm{arch}.ptx"):
            write_launches(path, {name: one + shared[name] for name, one in launches.items()})

    try_all((f"sm_{arch}", lambda arch=arch: compile_for(arch)) for arch in (80, 90))


# Numba's array is the object, its parent, its number of elements and their size, the data, sizes
# and strides.
def launch_of_arrays(signature, block):
    words = []
    for kind in signature:
        places = [0, 0, 128 ** kind.ndim, 4, "buffer:65536:1"]
        places += [128] * kind.ndim + [4 * 128 ** n for n in reversed(range(kind.ndim))]
        words += [f"--param={len(words) + n}={place}" for n, place in enumerate(places)]
    return {"": ["--grid", "2", "--block", block, *words]}


def make_numba(folder):
    from numba import cuda, float32, int32

    def histogram(values, out):
        i = cuda.grid(1)
        if i < values.size:
            cuda.atomic.add(out, values[i] % 64, 1)

    def lock(word, out):
        while cuda.atomic.cas(word, 0, 0, 1) != 0:
            pass
        out[0] += 1
        cuda.threadfence()
        cuda.atomic.exch(word, 0, 0)

    def transpose(source, out):
        tile = cuda.shared.array((32, 33), float32)
        x, y = cuda.grid(2)
        tile[cuda.threadIdx.y, cuda.threadIdx.x] = source[y, x]
        cuda.syncthreads()
        out[x, y] = tile[cuda.threadIdx.x, cuda.threadIdx.y]

    def ready(flags, out):
        i = cuda.grid(1)
        while cuda.atomic.add(flags, i, 0) == 0:
            cuda.nanosleep(40)
        out[i] = 1

    def vote(values, out):
        i = cuda.grid(1)
        while not cuda.all_sync(0xffffffff, cuda.atomic.max(values, i, 0) > 0):
            cuda.syncwarp()
        out[i] = 1

    kernels = ((histogram, (int32[:], int32[:])), (lock, (int32[:], int32[:])),
               (transpose, (float32[:, :], float32[:, :])), (ready, (int32[:], int32[:])),
               (vote, (int32[:], int32[:])))

    # One lock is not for threads of one warp.
    blocks = {transpose: "32,32", lock: "1"}

    def compile_one(function, signature, arch, debug):
        text, _ = cuda.compile_ptx(function, signature, cc=arch, debug=debug, opt=not debug)
        name = f"{function.__name__}_{arch[0]}{arch[1]}{'_debug' if debug else ''}.ptx"
        (folder / name).write_text(text, encoding="utf-8")
        write_launches(folder / name,
                       launch_of_arrays(signature, blocks.get(function, "64")))

    try_all((f"{function.__name__} for {arch}",
             lambda one=(function, signature, arch, debug): compile_one(*one))
            for function, signature in kernels for arch in ((8, 0), (9, 0))
            for debug in (False, True))


def make_gimmik(folder):
    import numpy
    from gimmik import PTXMatMul
    draw = numpy.random.default_rng(1)

    def make(rows, columns, dtype, capability):
        matrix = draw.random((rows, columns)) * (draw.random((rows, columns)) < 0.4)
        made = PTXMatMul(matrix, n=4096, ldb=4096, ldc=4096, aligne=4)
        name = f"mm_{rows}x{columns}_{dtype.__name__}_{capability[0]}{capability[1]}"
        for n, (text, _) in enumerate(made.kernels(dtype, compute_capability=capability)):
            path = folder / f"{name}_{n}.ptx"
            path.write_text(text, encoding="utf-8")
            block = re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", text)
            write_launches(path, {"": [
                "--grid", "1", "--block", block[1].replace(" ", "") if block else "128",
                *(f"--param={place}=buffer:{rows_of * 4096 * 8}"
                  for place, rows_of in enumerate((columns, rows)))]})

    try_all((f"{rows}x{columns}", lambda one=(rows, columns, dtype, capability): make(*one))
            for rows, columns, dtype in ((16, 32, numpy.float32), (48, 64, numpy.float64),
                                         (96, 64, numpy.float32))
            for capability in ((8, 0), (9, 0), (10, 0)))


def make_tinygrad(folder):
    import os
    os.environ["DEV"] = "NULL"
    from tinygrad import Tensor, dtypes
    from tinygrad.codegen import to_program
    from tinygrad.helpers import Target
    from tinygrad.renderer.ptx import PTXRenderer

    def programs_of(name, tensor, arch):
        renderer = PTXRenderer(Target("CUDA", "PTX", arch))
        kernels = [one for one in tensor.schedule_linear().toposort() if one.op.name == "SINK"]
        for n, kernel in enumerate(kernels):
            program = to_program(kernel, renderer)
            text = next(one.arg for one in program.src if one.op.name == "SOURCE")
            # As its compiler writes them.
            text = text.replace("VERSION", "8.0", 1).replace("TARGET", arch, 1)
            path = folder / f"{name}_{n}_{arch}.ptx"
            path.write_text(text, encoding="utf-8")
            flags = ["--grid", str(min(2, program.arg.global_size[0])),
                     "--block", ",".join(map(str, program.arg.local_size or (1,)))]
            write_launches(path, {"": flags + [
                f"--param={place}=buffer:{1 << 20}" for place in range(text.count(".param .u64"))]})

    a, b = Tensor.empty(256, 512), Tensor.empty(512, 128)
    image, weight = Tensor.empty(4, 8, 32, 32), Tensor.empty(16, 8, 3, 3)
    tensors = {"matmul": a @ b, "softmax": a.softmax(), "sum": a.sum(), "argmax": a.argmax(1),
               "half": a.cast(dtypes.half) @ b.cast(dtypes.half), "layernorm": a.layernorm(),
               "cumsum": a.cumsum(1), "sort": Tensor.empty(8, 64).sort(1)[0],
               "conv": image.conv2d(weight), "std": a.std()}
    try_all((f"{name} for {arch}", lambda one=(name, tensor, arch): programs_of(*one))
            for name, tensor in tensors.items() for arch in ("sm_80", "sm_90"))


MAKERS = {"tilelang": make_tilelang, "warp": make_warp, "tinygrad": make_tinygrad,
          "numba": make_numba, "gimmik": make_gimmik}


def main():
    part, folder, *rest = sys.argv[1:]
    Path(folder).mkdir(parents=True, exist_ok=True)
    MAKERS[part](Path(folder), *rest)


if __name__ == "__main__":
    main()
