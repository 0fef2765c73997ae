#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""forks.py METHOD PROCESSES N: processes of multiprocessing that launch N kernels each, by the method fork or spawn.

Only the children use CUDA, by the driver's functions. Prints "kernels", the number of launches of all children, as JSON.
"""
import ctypes
import multiprocessing
import sys

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry nothing()
{
	ret;
}
"""


def check(code):
    if code:
        raise OSError(f"CUDA returned {code}")


def launch(n):
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"nothing"))
    for _ in range(n):
        check(cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None))


def main():
    method, processes, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    multiprocessing.set_start_method(method)
    children = [multiprocessing.Process(target=launch, args=(n,)) for _ in range(processes)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    if any(child.exitcode for child in children):
        sys.exit("a child failed")
    print(f'{{"kernels":{processes * n}}}')


if __name__ == "__main__":
    main()
