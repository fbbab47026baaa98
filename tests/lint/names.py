#!/usr/bin/env python3
"""names.py - do names say whose they are, and objects what they are?

Each global function and object begins with `rn_`, or with `runnel_` if it is of the library; so does
the tag of each struct, union and enum in a header, and no two of these have one tag. In a header, no parameter and no member that
points to a struct has a name of one letter. Two parameters of one type may be `a` and `b`. No two views of the
standard library have one name.

Objects are those below $B/obj (build/obj); the linker's view of a name is the one that counts.
"""
import os
import re
import subprocess
import sys

from findings import complain, done

LAYERS = ['lang', 'planner', 'exec', 'probes', 'repl']
PREFIX = re.compile(r'rn_|runnel(_|$)')
# repl/heap.c replaces functions of libc; SQLite looks for its names in an extension.
OTHERS = {'repl/main.c': 'main', 'repl/heap.c': 'aligned_alloc calloc free malloc memalign posix_memalign realloc',
          'repl/sqlite/runnel_sqlite.c': 'sqlite3_api sqlite3_runnelsqlite_init'}
build = os.environ.get('B', 'build')


def files(ends):
    for layer in LAYERS:
        for where, _, names in os.walk(layer):
            # What runs in the kernel is one program without a linker; bpf.h has its own rules.
            if not where.startswith('probes/bpf'):
                yield from (os.path.join(where, n) for n in sorted(names) if n.endswith(ends))


def globals_of(objects):
    """(object, name) of each global that these objects define."""
    out = subprocess.run(['nm', '-A', '--defined-only', '--extern-only', *objects],
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        where, _, rest = line.partition(':')
        yield where, rest.split()[-1]


def without_comments(text):
    blank = lambda m: re.sub(r'[^\n]', ' ', m[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*', blank, text, flags=re.S)


def at(text, offset):
    return text.count('\n', 0, offset) + 1


sources = {os.path.join(build, 'obj', f[:-2] + '.o'): f for f in files('.c')}
objects = [o for o in sources if os.path.exists(o)]
if not objects:
    sys.exit(f'names.py: there is no object below {build}/obj: run `make` first')
for obj, name in globals_of(objects):
    source = sources[obj]
    if not PREFIX.match(name) and name not in OTHERS.get(source, '').split():
        complain(f'{source}: the global {name} does not begin with rn_: rn_<module>_<verb>')

tags = {}
for path in files('.h'):
    with open(path) as f:
        text = without_comments(f.read())
    for m in re.finditer(r'\b(struct|union|enum) (\w+)\s*\{', text):
        if not PREFIX.match(m[2]):
            complain(f'{path}:{at(text, m.start())}: the tag {m[2]} does not begin with rn_')
        if tags.setdefault(m[2], path) != path:
            complain(f'{path}:{at(text, m.start())}: the tag {m[2]} stands in {tags[m[2]]} too')
    for m in re.finditer(r'\bstruct (\w+) \**(\w)(\[[^]]*\])?;', text):
        complain(f'{path}:{at(text, m.start())}: the member {m[2]} of type struct {m[1]} is one letter: give it a word')
    for call in re.finditer(r'\(([^()]*\bstruct \w+ \*+\w\b[^()]*)\)', text):
        objects_of = re.findall(r'\bstruct (\w+) \*+(\w)\s*(?=,|$)', call[1])
        for kind, letter in objects_of:
            pair = [l for k, l in objects_of if k == kind]
            if pair != ['a', 'b']:
                complain(f'{path}:{at(text, call.start())}: the parameter {letter} points to a struct {kind}: '
                         'give it a word')
views = {}
for module in sorted(os.listdir('stdlib')):
    if not module.endswith('.rnl'):
        continue
    with open(os.path.join('stdlib', module)) as f:
        for number, line in enumerate(f, 1):
            m = re.match(r'view (\w+)\(', line)
            if m and views.setdefault(m[1], module) != module:
                complain(f'stdlib/{module}:{number}: the view {m[1]} stands in stdlib/{views[m[1]]} too')
done()
