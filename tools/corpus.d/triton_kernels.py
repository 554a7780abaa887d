"""Compiles kernels of Triton for a list of architectures without a GPU: one cubin each.

Usage: triton_kernels.py FOLDER. Prints a line for each cubin, or why there is none.
"""

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


HALVES = {"a": "*fp16", "b": "*fp16", "c": "*fp16", "m": "i32", "n": "i32", "k": "i32"}
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
