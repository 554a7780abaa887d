#!/usr/bin/env python3
"""Times torch.matmul (cuBLAS) on the shapes of the sweep gemm, as phasebit-bench times workloads.

tools/peering/cublas.py [MILLISECONDS]     on a machine with a GPU and torch

Each launch finds the output as a fill has left it, between two events; p50 of 40 after five that
warm up. Normal bf16 numbers, B transposed, the output given. The clock depends on the power that
was drawn before: MILLISECONDS is how long the GPU has nothing to do between two launches, as while
phasebit-bench looks at records. Run it before and after phasebit-bench.
"""

import sys
import time

import torch

SHAPES = ((8192, 8192, 8192), (4096, 8192, 4096))
WARM, LAUNCHES = 5, 40


def microseconds(multiply, out, pause):
    """The median duration of a launch."""
    durations = []
    for launch in range(WARM + LAUNCHES):
        time.sleep(pause)
        out.fill_(0.5)
        before = torch.cuda.Event(enable_timing=True)
        behind = torch.cuda.Event(enable_timing=True)
        before.record()
        multiply()
        behind.record()
        torch.cuda.synchronize()
        if launch >= WARM:
            durations.append(1000 * before.elapsed_time(behind))
    return sorted(durations)[LAUNCHES // 2]


def main():
    pause = float(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0
    name = torch.cuda.get_device_name(0)
    print(f"pauses of {1000 * pause:g} ms, {name}, torch {torch.__version__}")
    for m, n, k in SHAPES:
        torch.manual_seed(1)
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        us = microseconds(lambda: torch.matmul(a, b.t(), out=out), out, pause)  # noqa: B023
        print(f"{m} x {n} x {k}: {us:.1f} us, {2e-6 * m * n * k / us:.1f} TFLOP/s")


if __name__ == "__main__":
    main()
