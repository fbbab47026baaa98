#!/bin/bash
# functions_61.sh - functions of the kernel and of programs on Linux 6.1, whose probes are single.
. tests/kernels/functions.bash
functions_on linux-image-cloud-amd64 kernel user usdt tools
