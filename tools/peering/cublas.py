#!/usr/bin/env python3
"""Times torch.matmul (cuBLAS) on the shapes of the sweep `gemm`, as phasebit-bench times a workload.

tools/peering/cublas.py                 on a machine with a GPU and torch

Each launch finds the output as a fill has left it, between two events; p50 of 40 after five that
warm up. Normal bf16 numbers, B transposed, the output given. Run it before and after
phasebit-bench: the clock depends on the power that was drawn before.
"""

import torch

SHAPES = ((8192, 8192, 8192), (4096, 8192, 4096))
WARM, LAUNCHES = 5, 40


def microseconds(multiply, out):
    """The median duration of a launch."""
    durations = []
    for launch in range(WARM + LAUNCHES):
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
    print(f"{torch.cuda.get_device_name(0)}, torch {torch.__version__}")
    for m, n, k in SHAPES:
        torch.manual_seed(1)
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        us = microseconds(lambda: torch.matmul(a, b.t(), out=out), out)  # noqa: B023
        print(f"{m} x {n} x {k}: {us:.1f} us, {2e-6 * m * n * k / us:.1f} TFLOP/s")


if __name__ == "__main__":
    main()
