#!/usr/bin/env python3
"""golden.py GOLDEN ROWS    prints how the flow ROWS (-o json) differs from the golden
golden.py --query GOLDEN   prints the query of the golden

docs/cases/README.md describes the file. A placeholder {name} stands for one text without blanks and
slashes, the same in the whole golden. Two placeholders of process ids are two ids.
"""
import difflib
import json
import re
import sys

COLUMNS = 'hop node process call dir object bytes tags match from link choices'.split()
PLACEHOLDER = re.compile(r'\{([a-z0-9-]+)\}')


class Row:
    def __init__(self, values, line=0):
        self.values, self.line = values, line

    def key(self):
        """What a row keeps if numbers differ: it finds the row of the other side."""
        v = self.values
        process = v['process'].split('/')[0]
        return v['node'], process, v['call'], v['dir'], re.sub(r':(\d+|\{[^}]*\})', '', v['object'])

    def text(self):
        return '  '.join(self.values[c] for c in COLUMNS)


def read_golden(path):
    query, rows = '', []
    for number, line in enumerate(open(path), 1):
        line = re.split(r'(?:^|\s\s+)#', line)[0].strip()
        if not line:
            continue
        if not query:
            query = line
            continue
        values = re.split(r'\t+| {2,}', line)
        if len(values) != len(COLUMNS):
            sys.exit(f'{path}:{number}: {len(values)} columns, not {len(COLUMNS)}: '
                     'two blanks or more separate them')
        rows.append(Row(dict(zip(COLUMNS, values)), number))
    if not query:
        sys.exit(f'{path}: the first line must be the query, as in: flow of tag fix283')
    return query, rows


def read_rows(path):
    for line in open(path):
        row = json.loads(line)
        row['process'] = f'{row["proc"]}/{row["pid"]}'
        row['call'] = row['name']
        yield Row({c: str(row[c]) or '-' for c in COLUMNS})


def bind(bound, column, want, got):
    """Does the text fit, with placeholders as they are bound? It binds those that are new."""
    pattern, names, at = '', [], 0
    for m in PLACEHOLDER.finditer(want):
        pattern += re.escape(want[at:m.start()])
        if m[1] in bound:
            pattern += re.escape(bound[m[1]])
        elif m[1] in names:
            pattern += f'(?P=p{names.index(m[1])})'
        else:
            pattern += f'(?P<p{len(names)}>[^\\s/]+?)'
            names.append(m[1])
        at = m.end()
    found = re.fullmatch(pattern + re.escape(want[at:]), got)
    if not found:
        return False
    new = {n: found[f'p{i}'] for i, n in enumerate(names)}
    if column == 'process' and set(new.values()) & set(bound.values()):
        return False
    bound.update(new)
    return True


def filled(bound, want):
    return PLACEHOLDER.sub(lambda m: bound.get(m[1], m[0]), want)


def compare(path, want, got):
    bound, hops = {}, {'0': '0'}
    matcher = difflib.SequenceMatcher(None, [w.key() for w in want], [g.key() for g in got], False)
    for what, w0, w1, g0, g1 in matcher.get_opcodes():
        if what != 'equal':
            for w in want[w0:w1]:
                yield f'{path}:{w.line}: not in the recording: {filled(bound, w.text())}'
            for g in got[g0:g1]:
                yield f'{path}: not in the golden: {g.text()}'
            continue
        for w, g in zip(want[w0:w1], got[g0:g1]):
            hops[w.values['hop']] = g.values['hop']
            for c in COLUMNS:
                wanted, is_ = w.values[c], g.values[c]
                if c == 'from' and hops.get(wanted) == is_:
                    continue  # the column `hop` says that it has another number
                if not bind(bound, c, wanted, is_):
                    yield (f'{path}:{w.line}: hop {w.values["hop"]}: {c} is '
                           f'{filled(bound, wanted)} in the golden, {is_} in the recording')


if len(sys.argv) == 3 and sys.argv[1] == '--query':
    print(read_golden(sys.argv[2])[0])
elif len(sys.argv) == 3:
    golden = sys.argv[1]
    differences = list(compare(golden, read_golden(golden)[1], list(read_rows(sys.argv[2]))))
    print('\n'.join(differences), end='\n' if differences else '')
    sys.exit(bool(differences))
else:
    sys.exit(__doc__)
