#!/usr/bin/env python3
"""headers.py - does each declaration stand where one looks for it?

A global of ROOM/x.c is declared in ROOM/x.h or ROOM/x_impl.h. If a header has the globals of
several files, each stands in the section of its file, which begins with a comment `---- x.c`, or
has its file behind it: `/* x.c */`. A file of another room has its path. repl/api/runnel.h has sections by subject.
"""
import os
import re
import subprocess
import sys

from findings import complain, done

LAYERS = ['lang', 'planner', 'exec', 'probes', 'repl']
SECTION = re.compile(r'/\* (?:---- )?([a-z0-9_/]+)\.(?:c|re|y)\b')
build = os.environ.get('B', 'build')


def definitions():
    """{name: source} of each global that the objects define."""
    objects = []
    for layer in LAYERS:
        for where, _, names in os.walk(os.path.join(build, 'obj', layer)):
            source = os.path.relpath(where, os.path.join(build, 'obj'))
            objects += [os.path.join(where, n) for n in names if n.endswith('.o') and
                        os.path.exists(os.path.join(source, n[:-2] + '.c'))]
    out = subprocess.run(['nm', '-A', '--defined-only', '--extern-only', *objects],
                         capture_output=True, text=True).stdout
    found = {}
    for line in out.splitlines():
        where, _, rest = line.partition(':')
        found[rest.split()[-1]] = os.path.relpath(where, os.path.join(build, 'obj'))[:-2]
    return found


def declarations(path):
    """(line, name, section) of each prototype and extern object of a header."""
    with open(path) as f:
        text = f.read()
    section = None
    code = re.sub(r'/\*.*?\*/', lambda m: m[0] if SECTION.match(m[0]) else re.sub(r'[^\n]', ' ', m[0]), text,
                  flags=re.S)
    depth = 0
    for number, line in enumerate(code.splitlines(), 1):
        m = SECTION.match(line)
        if m:
            section = m[1]
            continue
        if depth == 0:
            m = re.match(r'(?!typedef|static|return|#)(?:extern )?[\w][\w\s\*]*?\b(\w+)\s*(?:\(|\[[^]]*\];|;)', line)
            own = re.search(r';\s+/\* ([a-z0-9_]+)\.c \*/$', line)
            if m:
                yield number, m[1], own[1] if own else section
        depth += line.count('{') - line.count('}')


defined = definitions()
if not defined:
    sys.exit(f'headers.py: there is no object below {build}/obj: run `make` first')
for layer in LAYERS:
    for where, _, names in os.walk(layer):
        if where.startswith('probes/bpf'):
            continue
        for header in sorted(n for n in names if n.endswith('.h')):
            path = os.path.join(where, header)
            stem = re.sub(r'(_impl)?\.h$', '', path)
            for number, name, section in declarations(path):
                source = defined.get(name)
                here = stem if section is None else section if '/' in section else os.path.join(where, section)
                if source and source != here and path != 'repl/api/runnel.h':
                    complain(f'{path}:{number}: {name} of {source}.c is declared in the part of {here}.c')
done()
