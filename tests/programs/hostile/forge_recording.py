#!/usr/bin/env python3
"""forge_recording.py FROM TO HOW: a recording of many rows, changed in a way that SQLite itself would not write.

endless  the pages of `events` are made to lie at many places: to read them all takes longer than the world will last
"""
import shutil, sqlite3, struct, sys

def page(data, size, n):
    return data[(n - 1) * size:n * size]

def endless(path):
    db = sqlite3.connect(path)
    root, = db.execute("select rootpage from sqlite_schema where name = 'events'").fetchone()
    db.close()
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        size = struct.unpack(">H", data[16:18])[0]
        top = bytes(page(data, size, root))
        assert top[0] == 5, "the table has one page only"
        cells = struct.unpack(">H", top[3:5])[0]
        children = [struct.unpack(">I", top[at:at + 4])[0]
                    for at in struct.unpack(">%dH" % cells, top[12:12 + 2 * cells])]
        assert all(data[(c - 1) * size] == 13 for c in children), "the table has more than two levels"
        levels = [root] + children[:15]                # the depth that SQLite allows is 20
        for this, below in zip(levels, levels[1:] + [children[20]]):
            copy = bytearray(top)
            for at in struct.unpack(">%dH" % cells, top[12:12 + 2 * cells]):
                copy[at:at + 4] = struct.pack(">I", below)
            copy[8:12] = struct.pack(">I", below)
            data[(this - 1) * size:this * size] = copy
        f.seek(0)
        f.write(data)

source, to, how = sys.argv[1:]
shutil.copy(source, to)
{"endless": endless}[how](to)
