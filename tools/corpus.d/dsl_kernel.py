"""Compiles one kernel of CUTLASS's Python DSL without a GPU: a copy through shared memory that a
loop repeats.

Usage: dsl_kernel.py FOLDER ARCHITECTURE. Leaves FOLDER/*.cubin and its PTX, or says why not.
"""

import os
import sys
from pathlib import Path

FOLDER, ARCHITECTURE = Path(sys.argv[1]), sys.argv[2]
FOLDER.mkdir(parents=True, exist_ok=True)
# Read when the DSL is imported.
os.environ |= {"CUTE_DSL_ARCH": ARCHITECTURE, "CUTE_DSL_KEEP": "ptx,cubin",
               "CUTE_DSL_LINEINFO": "1", "CUTE_DSL_DUMP_DIR": str(FOLDER.resolve())}

import cutlass  # noqa: E402
from cutlass import cute  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402

TILE = 128


@cute.kernel
def scale(source: cute.Tensor, result: cute.Tensor, rounds: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    shared = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(TILE))
    place = block * TILE + thread
    for _ in range(rounds):
        shared[thread] = source[place]
        cute.arch.sync_threads()
        result[place] = result[place] + shared[TILE - 1 - thread] * 2.0
        cute.arch.sync_threads()


@cute.jit
def launch(source: cute.Tensor, result: cute.Tensor, rounds: cutlass.Int32):
    scale(source, result, rounds).launch(grid=(cute.size(source) // TILE, 1, 1),
                                         block=(TILE, 1, 1))


def main():
    tensors = [make_fake_compact_tensor(cutlass.Float32, (4096,)) for _ in range(2)]
    cute.compile(launch, *tensors, cutlass.Int32(3))
    print(*sorted(FOLDER.glob("*.cubin")), sep="\n")


if __name__ == "__main__":
    main()
