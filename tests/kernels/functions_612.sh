#!/bin/bash
# functions_612.sh - functions of the kernel on Linux 6.12, with links that hold many. Functions of
# programs take the same way there as on this kernel.
. tests/kernels/functions.bash
functions_on linux-image-6.12-cloud-amd64 kernel members tools all_functions
