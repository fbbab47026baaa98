#!/usr/bin/env python3
"""prose.py [-m] [FILE...] - is the English of documents and of comments plain?

It refuses a sentence of more than 40 words, a sentence that begins with "Of ", and what english.py lists. A page whose sentences have a median of more than 16 words is refused too; -m prints the
median of each page instead. Without FILE it looks at all documents and all comments. It leaves out
tables, code and generated pages. A span of code, or a link's address, is one word.
"""
import os
import re
import statistics
import sys

from english import faults, sentences, words
from findings import complain, done

MEDIAN = 16
FOLDERS_OUT = ('./build', './.git', './docs/generated', './tests/fuzz/corpus', './tests/bogons')
found = []


class Page:
    """The paragraphs of a file, each with the line that it begins on."""

    def __init__(self, path):
        self.path, self.lengths, self.lines, self.at = path, [], [], 0

    def line(self, number, text):
        if not self.lines:
            self.at = number
        self.lines.append(text)

    def end(self):
        """Judges the paragraph that ends here."""
        text, self.lines = ' '.join(self.lines), []
        for s in sentences(text):
            n = words(s)
            self.lengths.append(n)
            for fault in faults(s):
                self.complain(fault, s)

    def complain(self, what, sentence):
        found.append(f'{self.path}:{self.at}: {what}: {sentence[:80]}')


ITEM = re.compile(r'\s*([-*+]|\d+[.)])\s+')


def document(page, text):
    fenced = code = False
    before = ''
    for number, line in enumerate(text.split('\n'), 1):
        if line.strip().startswith('```'):
            fenced = not fenced
            page.end()
            continue
        code = line.startswith('    ') and (code or not before.strip()) and not page.lines
        blank = not line.strip()
        before = line
        if fenced or code or blank or re.match(r'\s*(\||#|<|\[[^]]+\]:)', line):
            page.end()
            continue
        if ITEM.match(line):
            page.end()
            line = ITEM.sub('', line, count=1)
        page.line(number, line.lstrip('> '))
    page.end()


def block(page, number, text):
    """A comment: paragraphs between empty lines; columns and lines set in are no sentences."""
    lines = text.split('\n')
    after = [len(x) - len(x.lstrip()) for x in lines[1:] if x.strip()]
    base = min(after, default=0)
    item = False
    for k, line in enumerate(lines):
        deep = k > 0 and len(line) - len(line.lstrip()) > base + (3 if item else 1)
        columns = re.search(r'[^.!?:\s]\s{2,}\S|\t', line.strip())
        if not line.strip() or deep or columns or re.match(r'\s*[|+=-]{3}', line):
            page.end()
            item = item and bool(line.strip())
            continue
        if ITEM.match(line):
            page.end()
            item = True
            line = ITEM.sub('', line, count=1)
        page.line(number + k, line.strip())
    page.end()


C_TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def joined(page, comments):
    """Comments of one line, of which those below each other in one column are one text."""
    run, last, column = [], 0, -1
    first = 0
    for number, at, text in comments + [(0, -1, '')]:
        if run and (number != last + 1 or at != column):
            block(page, first, '\n'.join(run))
            run = []
        if not run:
            first, column = number, at
        run.append(text)
        last = number


def c(page, text):
    lone = []
    for m in C_TOKENS.finditer(text):
        if m[0][0] != '/' or m[0].startswith('/*!'):
            continue
        start = text.rfind('\n', 0, m.start()) + 1
        number = text.count('\n', 0, start) + 1
        column = len(text[start:m.start()].expandtabs(8))
        if m[0].startswith('//'):
            lone.append((number, column, m[0][2:]))
        else:
            body = re.sub(r'\n[ \t]*\*?(?=[ \n]|$)', '\n', m[0][2:-2].strip('*'))
            block(page, number, body)
    joined(page, lone)


def hashes(page, text):
    """Comments of shell, awk, make and Python: lines of `#`, and `#` behind code without quotes open."""
    lone = []
    for number, line in enumerate(text.split('\n'), 1):
        m = re.match(r'(\s*)#(?!!)\s?(.*)', line) or re.match(r'(.*?\s)#\s(.*)', line)
        if m and m[1].count('"') % 2 == m[1].count("'") % 2 == 0:
            lone.append((number, len(m[1].expandtabs(8)), m[2]))
    joined(page, lone)


def python(page, text):
    hashes(page, text)
    for m in re.finditer(r'^[ \t]*(?:#!.*\n)?"""(.*?)"""', text, re.S | re.M):
        block(page, text.count('\n', 0, m.start()) + 1, m[1])


def dashes(page, text):
    """Comments of the language itself; a parameter or a column has a paragraph of its own."""
    lone = []
    for number, line in enumerate(text.split('\n'), 1):
        m = re.match(r'--\|?\s?(.*)', line)
        if m:
            lone += [(number, 0, '')] if re.match(r'[\w:., ]{1,40}: ', m[1]) else []
            lone.append((number, 0, m[1]))
    joined(page, lone)


READERS = [
    (r'.*\.md', document), (r'.*\.(c|h|y|re|proto)', c), (r'.*\.py', python), (r'.*\.rnl', dashes),
    (r'.*\.(sh|bash|awk|mk)|.*/(Makefile|deps)', hashes),
]


def files():
    for where, folders, names in os.walk('.'):
        folders[:] = sorted(f for f in folders if os.path.join(where, f) not in FOLDERS_OUT)
        yield from (os.path.join(where, n) for n in sorted(names))


def judge(path, medians):
    reader = next((r for pattern, r in READERS if re.fullmatch(pattern, path)), None)
    if not reader:
        return
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    page = Page(path.removeprefix('./'))
    reader(page, text)
    if reader is document and page.lengths:
        median = statistics.median(page.lengths)
        if medians:
            print(f'{median:5} {page.path}')
        elif median > MEDIAN:
            found.append(f'{page.path}: sentences have a median of {median} words, not {MEDIAN}')


arguments = sys.argv[1:]
medians = '-m' in arguments
for path in [a for a in arguments if a != '-m'] or files():
    judge(path, medians)
if not medians:
    for line in found:
        complain(line)
done()
