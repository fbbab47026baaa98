#!/usr/bin/env python3
"""golden.py GOLDEN ROWS    prints how the flow ROWS (-o json) differs from the golden
golden.py --query GOLDEN   prints the query of the golden

docs/cases/README.md describes the file. A placeholder {name} stands for one text without blanks and
slashes, the same in the whole golden. Two placeholders of process ids are two ids.
"""
import json
import re
import sys

COLUMNS = 'hop node process call dir object bytes tags match from link choices'.split()
PLACEHOLDER = re.compile(r'\{([a-z0-9-]+)\}')


def name(values):
    return values['process'].split('/')[0]


def bare(values):
    """The object without its ports."""
    return re.sub(r':(\d+|\{[^}]*\})', '', values['object'])


class Row:
    def __init__(self, values, line=0):
        self.values, self.line = values, line

    def is_about(self, other):
        """Are both the same call of the same program, whatever the numbers are?"""
        v, o = self.values, other.values
        return (v['node'], v['call'], v['dir'], name(v)) == (
            o['node'], o['call'], o['dir'], name(o)) and bind({}, '', bare(v), bare(o))

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


def pairs(want, got):
    """The longest list of pairs of rows, in both orders; None stands for a row that is missing."""
    length = [[0] * (len(got) + 1) for _ in range(len(want) + 1)]
    for i in reversed(range(len(want))):
        for k in reversed(range(len(got))):
            length[i][k] = (length[i + 1][k + 1] + 1 if want[i].is_about(got[k]) else
                            max(length[i + 1][k], length[i][k + 1]))
    i = k = 0
    while i < len(want) or k < len(got):
        if i < len(want) and k < len(got) and want[i].is_about(got[k]):
            yield want[i], got[k]
            i, k = i + 1, k + 1
        elif k == len(got) or (i < len(want) and length[i + 1][k] >= length[i][k + 1]):
            yield want[i], None
            i += 1
        else:
            yield None, got[k]
            k += 1


def compare(path, want, got):
    bound, hops = {}, {'0': '0'}
    for w, g in pairs(want, got):
        if not g:
            yield f'{path}:{w.line}: not in the recording: {filled(bound, w.text())}'
            continue
        if not w:
            yield f'{path}: not in the golden: {g.text()}'
            continue
        hops[w.values['hop']] = g.values['hop']
        for c in COLUMNS:
            wanted, is_ = w.values[c], g.values[c]
            if c == 'from' and hops.get(wanted) == is_:
                continue  # the column `hop` says that it has another number
            if not bind(bound, c, wanted, is_):
                yield (f'{path}:{w.line}: hop {w.values["hop"]}: {c} is {filled(bound, wanted)} '
                       f'in the golden, {is_} in the recording')


if len(sys.argv) == 3 and sys.argv[1] == '--query':
    print(read_golden(sys.argv[2])[0])
elif len(sys.argv) == 3:
    golden = sys.argv[1]
    differences = list(compare(golden, read_golden(golden)[1], list(read_rows(sys.argv[2]))))
    print('\n'.join(differences), end='\n' if differences else '')
    sys.exit(bool(differences))
else:
    sys.exit(__doc__)
