#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
mlp.py [--profiler]: trains an MLP of 12 layers by AdamW without foreach: some 580 small kernels in each iteration, which
is bound by their launches. Prints a line of JSON: "ms", the median time of an iteration, and "iterations". With
--profiler torch.profiler records the iterations.
"""
import contextlib
import json
import statistics
import sys
import time

import torch
from torch import nn

LAYERS, WIDTH, BATCH = 12, 128, 32
WARM, ITERATIONS = 10, 40


def main():
    torch.manual_seed(0)
    layers = []
    for _ in range(LAYERS):
        layers += [nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.ReLU()]
    model = nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=False)
    data = torch.randn(BATCH, WIDTH, device="cuda")
    want = torch.randn(BATCH, WIDTH, device="cuda")

    def step():
        optimizer.zero_grad()
        nn.functional.mse_loss(model(data), want).backward()
        optimizer.step()

    def loop(n):
        times = []
        for _ in range(n):
            begin = time.monotonic_ns()
            step()
            torch.cuda.synchronize()
            times.append(time.monotonic_ns() - begin)
        return statistics.median(times) / 1e6

    loop(WARM)
    recorded = torch.profiler.profile() if "--profiler" in sys.argv[1:] else contextlib.nullcontext()
    with recorded:
        loop(WARM)
        ms = loop(ITERATIONS)
    print(json.dumps({"load": "mlp", "ms": round(ms, 4), "iterations": ITERATIONS, "all": ITERATIONS + 2 * WARM},
                     separators=(",", ":")))


if __name__ == "__main__":
    main()
