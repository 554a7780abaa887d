"""Compiles kernels of Triton for a list of architectures without a GPU: one cubin each, its PTX and
what Triton says of its launch.

Usage: triton_kernels.py FOLDER. Prints a line for each cubin, or why there is none.
"""

import json
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

ARCHITECTURES = (80, 90, 100, 120)


@triton.jit
def matmul(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr, TILE_K: tl.constexpr):
    rows = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    columns = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    inner = tl.arange(0, TILE_K)
    left = a + rows[:, None] * k + inner[None, :]
    right = b + inner[:, None] * n + columns[None, :]
    total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, TILE_K)):
        there = inner < k - step * TILE_K
        total = tl.dot(tl.load(left, mask=there[None, :], other=0.0),
                       tl.load(right, mask=there[:, None], other=0.0), total)
        left += TILE_K
        right += TILE_K * n
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)


@triton.jit
def matmul_tma(a, b, c, m, n, k, TILE_M: tl.constexpr, TILE_N: tl.constexpr,
               TILE_K: tl.constexpr, SPECIALIZE: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [m, k], [k, 1], [TILE_M, TILE_K])
    right = tl.make_tensor_descriptor(b, [n, k], [k, 1], [TILE_N, TILE_K])
    result = tl.make_tensor_descriptor(c, [m, n], [n, 1], [TILE_M, TILE_N])
    tiles_n = tl.cdiv(n, TILE_N)
    tiles = tl.cdiv(m, TILE_M) * tiles_n
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0),
                         warp_specialize=SPECIALIZE):
        row = tile // tiles_n * TILE_M
        column = tile % tiles_n * TILE_N
        total = tl.zeros((TILE_M, TILE_N), dtype=tl.float32)
        for step in range(tl.cdiv(k, TILE_K)):
            total = tl.dot(left.load([row, step * TILE_K]),
                           right.load([column, step * TILE_K]).T, total)
        result.store([row, column], total.to(tl.float16))


@triton.jit
def softmax(out, data, stride, columns, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    places = tl.arange(0, WIDTH)
    values = tl.load(data + row * stride + places, mask=places < columns, other=-float("inf"))
    raised = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + places, raised / tl.sum(raised, axis=0), mask=places < columns)


@triton.jit
def layernorm(out, data, weight, bias, stride, columns, eps, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([WIDTH], dtype=tl.float32)
    squares = tl.zeros([WIDTH], dtype=tl.float32)
    for begin in range(0, columns, WIDTH):
        places = begin + tl.arange(0, WIDTH)
        x = tl.load(data + row * stride + places, mask=places < columns, other=0.0)
        total += x.to(tl.float32)
        squares += x.to(tl.float32) * x.to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns - mean * mean + eps)
    for begin in range(0, columns, WIDTH):
        places = begin + tl.arange(0, WIDTH)
        inside = places < columns
        x = tl.load(data + row * stride + places, mask=inside, other=0.0).to(tl.float32)
        y = (x - mean) * scale * tl.load(weight + places, mask=inside)
        tl.store(out + row * stride + places, y + tl.load(bias + places, mask=inside), mask=inside)


@triton.jit
def attention(q, k, v, out, length, scale, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
              WIDTH: tl.constexpr, SPECIALIZE: tl.constexpr):
    queries = tl.make_tensor_descriptor(q, [length, WIDTH], [WIDTH, 1], [ROWS, WIDTH])
    keys = tl.make_tensor_descriptor(k, [length, WIDTH], [WIDTH, 1], [COLUMNS, WIDTH])
    values = tl.make_tensor_descriptor(v, [length, WIDTH], [WIDTH, 1], [COLUMNS, WIDTH])
    result = tl.make_tensor_descriptor(out, [length, WIDTH], [WIDTH, 1], [ROWS, WIDTH])
    row = tl.program_id(0) * ROWS
    own = queries.load([row, 0])
    largest = tl.full([ROWS], -float("inf"), tl.float32)
    weight = tl.zeros([ROWS], tl.float32)
    total = tl.zeros([ROWS, WIDTH], tl.float32)
    for column in tl.range(0, length, COLUMNS, warp_specialize=SPECIALIZE):
        scores = tl.dot(own, keys.load([column, 0]).T) * scale
        now = tl.maximum(largest, tl.max(scores, 1))
        raised = tl.exp2(scores - now[:, None])
        factor = tl.exp2(largest - now)
        weight = weight * factor + tl.sum(raised, 1)
        total = tl.dot(raised.to(tl.float16), values.load([column, 0]), total * factor[:, None])
        largest = now
    result.store([row, 0], (total / weight[:, None]).to(tl.float16))


# Triton's tutorial on layer norms has the lock; the last program of a row is told by a count.
@triton.jit
def locked_sums(data, out, locks, counts, columns, GROUP: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0)
    lock = locks + row % GROUP
    places = tl.arange(0, WIDTH)
    values = tl.load(data + row * columns + places, mask=places < columns, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    into = out + row % GROUP * columns + places
    tl.store(into, tl.load(into, mask=places < columns) + values, mask=places < columns)
    tl.debug_barrier()
    tl.atomic_add(counts + row % GROUP, 1)
    tl.atomic_xchg(lock, 0)


@triton.jit
def waits_for_flags(flags, data, out, WIDTH: tl.constexpr):
    program = tl.program_id(0)
    places = tl.arange(0, WIDTH)
    while tl.atomic_add(flags + program, 0, sem="acquire") == 0:
        pass
    tl.store(out + program * WIDTH + places, tl.load(data + program * WIDTH + places) * 2)


@triton.jit
def lookback(data, sums, flags, out, WIDTH: tl.constexpr):
    program = tl.program_id(0)
    places = program * WIDTH + tl.arange(0, WIDTH)
    values = tl.load(data + places)
    before = 0.0
    if program > 0:
        while tl.atomic_add(flags + program - 1, 0, sem="acquire", scope="gpu") == 0:
            pass
        before = tl.load(sums + program - 1, volatile=True)
    tl.store(sums + program, before + tl.sum(values, 0))
    tl.atomic_xchg(flags + program, 1, sem="release")
    tl.store(out + places, tl.cumsum(values, 0) + before)


HALVES = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "m": "i32", "n": "i32", "k": "i32"}
ATTENTION = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp16", "length": "i32",
             "scale": "fp32"}
ROWS = {"ROWS": 128, "COLUMNS": 64, "WIDTH": 64}
TILES = {"TILE_M": 128, "TILE_N": 128, "TILE_K": 64}
ALIGNED = ("a", "b", "c", "m", "n", "k", "out", "data", "weight", "bias", "stride", "columns")

# Name, kernel, signature, constants, options.
KERNELS = (
    ("matmul", matmul, HALVES, TILES, {"num_warps": 8, "num_stages": 3}),
    ("matmul_tma", matmul_tma, HALVES, TILES | {"SPECIALIZE": False},
     {"num_warps": 8, "num_stages": 3}),
    ("matmul_tma_ws", matmul_tma, HALVES, TILES | {"SPECIALIZE": True},
     {"num_warps": 4, "num_stages": 3}),
    ("softmax", softmax, {"out": "*fp32", "data": "*fp32", "stride": "i32", "columns": "i32"},
     {"WIDTH": 2048}, {"num_warps": 4}),
    ("layernorm", layernorm,
     {"out": "*fp16", "data": "*fp16", "weight": "*fp32", "bias": "*fp32", "stride": "i32",
      "columns": "i32", "eps": "fp32"}, {"WIDTH": 1024}, {"num_warps": 4}),
    ("attention", attention, ATTENTION, ROWS | {"SPECIALIZE": False},
     {"num_warps": 4, "num_stages": 3}),
    ("attention_ws", attention, ATTENTION, ROWS | {"SPECIALIZE": True},
     {"num_warps": 4, "num_stages": 2}),
    ("locked_sums", locked_sums,
     {"data": "*fp32", "out": "*fp32", "locks": "*i32", "counts": "*i32", "columns": "i32"},
     {"GROUP": 8, "WIDTH": 1024}, {"num_warps": 4}),
    ("waits_for_flags", waits_for_flags, {"flags": "*i32", "data": "*fp32", "out": "*fp32"},
     {"WIDTH": 256}, {"num_warps": 4}),
    ("lookback", lookback, {"data": "*fp32", "sums": "*fp32", "flags": "*i32", "out": "*fp32"},
     {"WIDTH": 512}, {"num_warps": 4}),
)


def compile_one(folder, name, kernel, signature, constants, options, sm):
    words = signature | {constant: "constexpr" for constant in constants}
    order = kernel.arg_names
    source = ASTSource(kernel, {word: words[word] for word in order},
                       {(order.index(constant),): value for constant, value in constants.items()},
                       {(order.index(word),): [["tt.divisibility", 16]]
                        for word in signature if word in ALIGNED})
    made = triton.compile(source, target=GPUTarget("cuda", sm, 32), options=options)
    path = folder / f"{name}_sm_{sm}.cubin"
    path.write_bytes(made.asm["cubin"])
    path.with_suffix(".ptx").write_text(made.asm["ptx"], encoding="utf-8")
    known = {key: getattr(made.metadata, key, None)
             for key in ("name", "num_warps", "num_ctas", "shared")}
    path.with_suffix(".json").write_text(json.dumps(known), encoding="utf-8")
    return path


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for sm in ARCHITECTURES:
        for name, *what in KERNELS:
            try:
                print(compile_one(folder, name, *what, sm))
            except Exception as error:  # whatever the compiler raises
                first = str(error).strip().splitlines() or [type(error).__name__]
                print(f"no {name} for sm_{sm}: {first[0]}")


if __name__ == "__main__":
    main()
