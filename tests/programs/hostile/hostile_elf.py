#!/usr/bin/env python3
"""hostile_elf.py FILE overlap SYMBOLS | sparse GIB | honest: an ELF file that costs its reader dearly.

At 0x1000 lies a function that calls getppid. `overlap`: the names of so many functions are the ends of one
name of a megabyte. `sparse`: a table of symbols of so many GiB, which is a hole. `honest`: the function is
called honest_function, and that is all."""
import os, struct, sys

file, kind, n = sys.argv[1], sys.argv[2], int((sys.argv + ["0"])[3])
code = b"\x55\x48\x89\xe5\xb8\x6e\x00\x00\x00\x0f\x05\x5d\xc3"
names = b"\0" + (b"honest_function" if kind == "honest" else b"A" * ((1 << 20) - 16)) + b"\0"
symbol = lambda name, address, size: struct.pack("<IBBHQQ", name, 0x12, 0, 1, address, size)
symbols = b"\0" * 24 + symbol(1, 0x1000, len(code))
for i in range(n if kind == "overlap" else 0):
    symbols += symbol(1 + i, 0x1000 + i, 1)
up = lambda at: (at + 4095) & ~4095
at_names = 0x2000
at_symbols = up(at_names + len(names))
bytes_symbols = n << 30 if kind == "sparse" else len(symbols)
at_sections = 0x200
section = lambda kind, flags, address, at, size, link, each: struct.pack(
    "<IIQQQQIIQQ", 0, kind, flags, address, at, size, link, 0, 1, each)
sections = b"\0" * 64 + section(1, 6, 0x1000, 0x1000, 0x1000, 0, 0) + section(3, 0, 0, at_names, len(names), 0, 0) + \
    section(2, 0, 0, at_symbols, bytes_symbols, 2, 24)
segment = struct.pack("<IIQQQQQQ", 1, 5, 0x1000, 0x1000, 0x1000, 0x1000, 0x1000, 4096)
header = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack(
    "<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, at_sections, 0, 64, 56, 1, 64, 4, 0)
with open(file, "wb") as f:
    for at, what in (0, header + segment), (at_sections, sections), (0x1000, code), (at_names, names), (at_symbols, symbols):
        f.seek(at)
        f.write(what)
os.truncate(file, at_symbols + max(bytes_symbols, len(symbols)))
os.chmod(file, 0o755)
