#!/usr/bin/env python3
"""arrows.py [--print] - which room of the code stands on which.

A room is a folder. An arrow from one to another is an include, or a call as the linker sees it. The
table tests/lint/arrows says which there are: lint fails on any other one, and on one that is not
used any more. It also fails on a private header (*_impl.h) that is included from outside of its
room, on a circle, on a room of more than 25 files, and on one without a README.md of at most 40
lines. --print prints the arrows that are there, ground first.

B is the directory with the objects (build).
"""
import os
import re
import subprocess
import sys

from findings import complain, done

LAYERS = ['lang', 'planner', 'exec', 'probes', 'repl']
TABLE = 'tests/lint/arrows'
FILES_MAX, README_LINES_MAX = 25, 40
# Headers that are a room of their own: the face of a layer, which the layer's rooms implement.
FACES = {'probes/probes.h'}
# It stands in for the C library: everybody calls its malloc.
LEFT_OUT = {'repl/heap'}
# Rooms whose files, too, must not call one another in a circle.
NO_CIRCLE_OF_FILES = ['exec/coord', 'exec/fleet']


def room(path):
    return path if path in FACES else os.path.dirname(path)


def sources():
    found = []
    for layer in LAYERS:
        for where, _, names in os.walk(layer):
            found += [os.path.join(where, n) for n in sorted(names) if re.search(r'\.(c|h|y|re|proto)$', n)]
    return sorted(found)


def includes(files):
    """(including file, included file) between our files."""
    for path in files:
        with open(path) as f:
            for line, text in enumerate(f, 1):
                m = re.match(r'#include "((?:%s)/[^"]+)"' % '|'.join(LAYERS), text)
                if m:
                    yield path, m[1], line


def calls(files, objects):
    """(calling file, function, its file), for objects whose sources are still there."""
    here = {re.sub(r'\.(c|y|re|proto)$', '', f) for f in files if not f.endswith('.h')}
    paths = []
    for top in [*LAYERS, 'gen']:
        for where, _, names in os.walk(os.path.join(objects, top)):
            paths += [os.path.relpath(os.path.join(where, n), objects) for n in names if n.endswith('.o')]
    name_of = {}
    for p in sorted(paths):
        source = re.sub(r'^gen/', '', p)[:-2]
        source = re.sub(r'\.pb-c$', '', source)
        if source in LEFT_OUT or not (source in here or p.startswith('gen/stdlib/')):
            continue
        name_of[p] = source
    home, used = {}, []
    if not name_of:
        return
    out = subprocess.run(['nm', '-A', '--extern-only', *name_of], cwd=objects, check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        m = re.match(r'([^:]+):\s*[0-9a-f]* ([A-Za-z]) (\S+)$', line)
        if m and m[2] == 'U':
            used.append((name_of[m[1]], m[3]))
        elif m and m[2] not in 'wv':
            home[m[3]] = name_of[m[1]]
    for user, name in used:
        if name in home:
            yield user, name, home[name]


def circles(graph):
    """Strongly connected parts of more than one node (Tarjan 1972)."""
    number, low, stack, found = {}, {}, [], []

    def visit(v):
        number[v] = low[v] = len(number)
        stack.append(v)
        for w in sorted(graph.get(v, ())):
            if w not in number:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], number[w])
        if low[v] == number[v]:
            part = []
            while not part or part[-1] != v:
                part.append(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))

    for v in sorted(graph):
        if v not in number:
            visit(v)
    return found


def ground_first(graph):
    order, begun = [], set()

    def visit(v):
        if v not in begun:
            begun.add(v)
            for w in sorted(graph.get(v, ())):
                visit(w)
            order.append(v)

    for layer in LAYERS:
        for v in sorted(graph):
            if v.split('/')[0] == layer:
                visit(v)
    return order


def read_table():
    table = {}
    with open(TABLE) as f:
        for line in f:
            line = line.split('#')[0].strip()
            if line:
                name, _, to = line.partition(':')
                table[name] = set(to.split())
    return table


def main():
    files = sources()
    graph = {room(f): set() for f in files}
    seen = []
    for path, to, line in includes(files):
        if room(path) != room(to):
            seen.append((room(path), room(to), f'{path}:{line}', f'include {to}'))
            if to.endswith('_impl.h'):
                complain(f'{path}:{line}: {to} is private to {room(to)}/')
    by_file = {}
    for user, name, home in calls(files, os.path.join(os.environ.get('B', 'build'), 'obj')):
        by_file.setdefault(user, {}).setdefault(home, name)
        if room(user) != room(home):
            seen.append((room(user), room(home), f'{user}.c', f'call {name} of {home}.c'))
    for a, b, _, _ in seen:
        graph.setdefault(a, set()).add(b)
        graph.setdefault(b, set())
    if '--print' in sys.argv:
        for v in ground_first(graph):
            print(f'{v}: ' + ' '.join(sorted(graph[v])) if graph[v] else f'{v}:')
        for part in circles(graph):
            print('circle: ' + ' '.join(part))
        return
    table = read_table()
    missing = {}
    for a, b, where, what in seen:
        if b not in table.get(a, ()):
            missing.setdefault((a, b), []).append((where, what))
    for (a, b), found in sorted(missing.items()):
        where, what = found[0]
        more = f' (and {len(found) - 1} more such)' if len(found) > 1 else ''
        complain(f'{where}: {a} must not {what}{more}: {TABLE} has no arrow from {a} to {b}')
    for a in sorted(table):
        if a not in graph:
            complain(f'{TABLE}: there is no room {a}')
        for b in sorted(table[a] - graph.get(a, set()) if by_file else ()):
            complain(f'{TABLE}: nothing in {a} uses {b} any more')
    for part in circles(table):
        complain(f'{TABLE}: a circle: ' + ' '.join(part))
    for inside in NO_CIRCLE_OF_FILES:
        own = {u: {h for h in to if room(h) == inside and h != u} for u, to in by_file.items() if room(u) == inside}
        for part in circles(own):
            complain(f'{inside}: its files call one another in a circle: ' + ' '.join(part))
    for name in sorted({os.path.dirname(f) for f in files}):
        n = len([f for f in os.listdir(name) if os.path.isfile(os.path.join(name, f)) and f != 'README.md'])
        if n > FILES_MAX:
            complain(f'{name}: {n} files; a room has at most {FILES_MAX}')
        readme = os.path.join(name, 'README.md')
        if not os.path.exists(readme):
            complain(f'{name}: it has no README.md')
        elif len(open(readme).readlines()) > README_LINES_MAX:
            complain(f'{readme}: more than {README_LINES_MAX} lines')
    done()


main()
