#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
mlp.py [--profiler] [--turns]: trains an MLP of 12 layers by AdamW without foreach: some 580 small kernels in each
iteration, which is bound by their launches. Prints a line of JSON: "ms", the median time of an iteration, and
"iterations". With --profiler torch.profiler records the iterations. With --turns it prints "ready" after some
iterations, and a line of JSON for each line of stdin, which has the number of iterations; "end" ends it.
"""
import argparse
import contextlib
import json
import statistics
import sys
import time

import torch
from torch import nn

LAYERS, WIDTH, BATCH = 12, 128, 32
WARM, ITERATIONS = 10, 40
TURN_WARM = 2


def training():
    """A function that does an iteration"""
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

    return step


def loop(step, n):
    """The median ms of n iterations"""
    times = []
    for _ in range(n):
        begin = time.monotonic_ns()
        step()
        torch.cuda.synchronize()
        times.append(time.monotonic_ns() - begin)
    return statistics.median(times) / 1e6


def measure(step, warm, iterations):
    loop(step, warm)
    print(json.dumps({"load": "mlp", "ms": round(loop(step, iterations), 4), "iterations": iterations},
                     separators=(",", ":")), flush=True)


def take_turns(step):
    print("ready", flush=True)
    for line in sys.stdin:
        if line.strip() == "end":
            return
        measure(step, TURN_WARM, int(line))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profiler", action="store_true")
    parser.add_argument("--turns", action="store_true")
    options = parser.parse_args()
    step = training()
    loop(step, WARM)
    with torch.profiler.profile() if options.profiler else contextlib.nullcontext():
        if options.turns:
            take_turns(step)
        else:
            measure(step, WARM, ITERATIONS)


if __name__ == "__main__":
    main()
