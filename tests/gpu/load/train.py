#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
train.py MODE: a small PyTorch program. "train": ten steps in NVTX ranges, with two data loader workers, and five
replays of a graph. "profiler": the same under torch.profiler. "spawn": two processes that multiply matrices.
Prints a line of JSON.
"""
import json
import sys

import torch
from torch import nn

STEPS, GRAPHS, TIMES = 10, 5, 20


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * 64

    def __getitem__(self, index):
        return torch.full((256,), float(index)), index % 10


def train():
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(Numbers(), batch_size=64, num_workers=2, pin_memory=True)
    for data, want in loader:
        torch.cuda.nvtx.range_push("train step")
        loss = nn.functional.cross_entropy(model(data.cuda(non_blocking=True)), want.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        torch.cuda.nvtx.range_pop()
    x = torch.ones(1024, 1024, device="cuda")
    for _ in range(3):
        x @ x
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = x @ x
        y += 1
    for _ in range(GRAPHS):
        graph.replay()
    torch.cuda.synchronize()
    return float(y[0, 0])


def multiply(rank):
    x = torch.ones(1024, 1024, device="cuda")
    for _ in range(TIMES):
        torch.mm(x, x)
    torch.cuda.synchronize()
    return rank


def main():
    if sys.argv[1] == "spawn":
        torch.multiprocessing.spawn(multiply, nprocs=2)
        value = None
    elif sys.argv[1] == "profiler":
        with torch.profiler.profile() as profile:
            value = train()
        value = len(profile.events())
    else:
        value = train()
    print(json.dumps({"load": "train", "steps": STEPS, "graphs": GRAPHS, "times": TIMES, "value": value},
                     separators=(",", ":")))


if __name__ == "__main__":
    main()
