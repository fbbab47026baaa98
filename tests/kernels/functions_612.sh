#!/bin/bash
# functions_612.sh - functions of the kernel and of programs on Linux 6.12: kprobe.session, and
# uprobe.multi before 6.13. Static probes take the same way there as on this kernel.
. tests/kernels/functions.bash
functions_on linux-image-6.12-cloud-amd64 kernel members user tools all_functions
