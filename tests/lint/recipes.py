#!/usr/bin/env python3
"""recipes.py - is each row of the tables that recipes name complete?

A recipe (add a field, a format, a frame) is a row in a table and a few places more: documentation,
help, a test that asks for it. Each recipe here says what its rows are, and what each place has to
hold for a row. What a place lacks is named. That rows of fields, frames, hooks and calls fit
together in the code is tested by tests/unit.
"""
import glob
import re

from findings import complain, done


def read(*patterns):
    """The texts of all files that match; a page may move within docs/."""
    paths = sorted({p for g in patterns for p in glob.glob(g, recursive=True)})
    if not paths:
        complain(f'recipes: there is no {patterns[0]}')
    texts = []
    for p in paths:
        with open(p, errors='replace') as f:
            texts.append(f.read())
    return '\n'.join(texts)


def between(text, begin, end):
    at = text.find(begin)
    return text[at:text.find(end, at + len(begin))] if at >= 0 else ''


def macro(path, name):
    """The body of a #define over several lines."""
    m = re.search(r'#define %s\(.*?\)((?:.*\\\n)*.*\n)' % name, read(path))
    return m[1] if m else ''


def names(path, macro_name):
    """The names, in quotes, of a macro's rows: X(ID, "name", ... or OWN("name", ..."""
    return re.findall(r'\t(?:X|N|OWN)\((?:\w+, )?"(\w+)"', macro(path, macro_name))


def reference(title):
    """The text below that heading of the language reference, without its examples."""
    found, level = [], 0
    for line in read('docs/language/*.md').split('\n'):
        heading = re.match(r'(#+) (.*)', line)
        if heading:
            deep = len(heading[1])
            level = deep if heading[2] == title else level if level and deep > level else 0
        elif level and not line.startswith('    '):
            found.append(line)
    if not found:
        complain(f'recipes: the language reference has no heading {title}')
    return '\n'.join(found)


def first_cells(text):
    """The first cells of a text's tables."""
    return '\n'.join(re.findall(r'^\| *([^|]*)\|', text, re.M))


def code(c, shell):
    """Files of C and of shell, without their comments: a word there asks for nothing."""
    return (re.sub(r'(?:^|(?<=\s))/\*.*?\*/', '', read(*c), flags=re.M | re.S) +
            re.sub(r'^\s*#.*$', '', read(*shell), flags=re.M))


def asked(*patterns):
    """The queries of files of tests, without titles and without what another language says."""
    return '\n'.join(re.findall(r'^-- query\n((?:(?!-- |== ).*\n)*)', read(*patterns), re.M))


def literals(text):
    """Rows' first string in braces: {"name", ..."""
    return re.findall(r'^\t\{"([^"]+)"', text, re.M)


LIVE = ('tests/live/**/*.c', 'tests/live/*.h', 'tests/live/**/*.sh', 'tests/live/*.bash')
LIVE_CODE = code(LIVE[:2], LIVE[2:])
ASKED = asked('tests/diff/*.q').replace('p07(', 'pNN(')  # one of the many
CATALOG = 'probes/catalog/catalog.h'
QUOTED = r'`NAME[`( ]'  # how the reference begins what it says of a name
FIELDS = names(CATALOG, 'RN_FIELDS')
CLASSES = names(CATALOG, 'RN_CLASSES')
FAMILIES = names(CATALOG, 'RN_FAMILIES')
MANUAL = ('docs/**/runnel.1', 'docs/**/runnel-agent.8')
FUNCS = between(read('lang/catalog/funcs.c'), 'rn_funcs[]', '\n};')
GROUP_FUNCS = re.findall(r'&rn_func_(\w+)', between(read('lang/catalog/funcs.c'), 'rn_group_funcs[]', ';'))
KERNEL_FUNCS = [m[1] for m in re.finditer(r'^\t\{"(\w+)"((?:.|\n(?!\t\{))*)', FUNCS, re.M)
                if re.search(r',\s*true,', m[2])]


def hints():
    """The first words of each hint of a syntax error, up to what is filled in."""
    text = read('lang/syntax/mistakes.c')
    rows = between(text, 'mistakes[] = {', '\n};')
    found = [m.replace('\\"', '"').replace("\\\\", "\\") for m in re.findall(r'\.hint = "((?:[^"\\]|\\.)*)"', rows)]
    found += re.findall(r'#define \w+ (?:\\\n\t)?"((?:[^"\\]|\\.)*)"', text)
    found = [max(re.split(r'%[bxn]|\\"', h), key=len).strip() for h in found]
    return sorted(set(found))


def subcommands():
    rows = between(read('repl/cli/commands.c'), 'rn_commands[] = {', '\n};')
    return sorted(set(re.findall(r'\.name = "(\w+)"', rows)))


# The recipe; its rows; for each place its name, its text, and what the row NAME must be found by.
RECIPES = [
    ('a field', [f for f in FIELDS if not re.match('arg([1-4]|[7-9]|1.)$', f)], [  # they share a row with arg0
        ('the language reference, Fields,', first_cells(reference('Fields')), QUOTED),
    ]),
    ('a field', FIELDS, [
        ('usual[] of repl/sqlite/runnel_sqlite.c',
         between(read('repl/sqlite/runnel_sqlite.c'), 'usual[]', '};'), r'"NAME"'),
        ('tests/live', LIVE_CODE, r'\bNAME\b'),
    ]),
    ('a column of a table', names(CATALOG, 'RN_PROC_FIELDS') + names(CATALOG, 'RN_CLOCK_FIELDS'), [
        ('the language reference, Tables,', reference('Tables'), QUOTED),
    ]),
    ('an aggregate', re.findall(r'X\((\w+)\)', macro('planner/agg/agg_impl.h', 'RN_AGGS')), [
        ('planner/agg', read('planner/agg/*.c'), r'\bNAME\b'),
        ('tests/diff', ASKED, r'\b(?<!as )NAME\b'),
        ('the language reference, Aggregates,', first_cells(reference('Aggregates')), QUOTED),
        ('\\h aggregates of repl/shell/help.c',
         between(read('repl/shell/help.c'), '\n\t{"aggregates"', '},'), r'\bNAME\b'),
    ]),
    ('a scalar function', literals(FUNCS), [
        ('exec/eval', read('exec/eval/*.c'), r'"NAME"'),
        ('tests/diff', ASKED, r'\bNAME\('),
        ('the language reference, Functions,', first_cells(reference('Functions')), QUOTED),
    ]),
    ('a function of groups', GROUP_FUNCS, [
        ('lang/catalog/funcs.c', read('lang/catalog/funcs.c'), r'rn_func_NAME = \{\s*"NAME"'),
        ('exec/answer', read('exec/answer/*.c'), r'&rn_func_NAME\b'),
        ('tests/diff', ASKED, r'\bNAME\('),
        ('the language reference, Beside other groups,', reference('Beside other groups'), QUOTED),
        ('\\h aggregates of repl/shell/help.c',
         between(read('repl/shell/help.c'), '\n\t{"aggregates"', '},'), r'\bNAME\('),
    ]),
    ('a function that the kernel has too', KERNEL_FUNCS, [
        ('probes/gen/expr.c', read('probes/gen/expr.c'), r'"NAME"'),
        ('tests/live', LIVE_CODE, r'\bNAME\('),
    ]),
    ('an event class', re.findall(r'X\((\w+), "', macro(CATALOG, 'RN_CLASSES')), [
        ('probes/gen/hooks.c', read('probes/gen/hooks.c'), r'\bRN_CLS_NAME\b'),
    ]),
    ('an event class', CLASSES, [
        ('tests/live', LIVE_CODE, r'\b(of|and) NAME\b'),
        ('the language reference, Event classes,', first_cells(reference('Event classes')), QUOTED),
    ]),
    ('a family of system calls', FAMILIES, [
        ('test_catalog.c', read('tests/unit/**/test_catalog.c'), r'"NAME"'),
        ('tests/live', LIVE_CODE, r'\bof NAME\b'),
        ('the language reference, Event classes,', first_cells(reference('Event classes')), QUOTED),
    ]),
    ('a system call that moves data',
     re.findall(r'X\((\w+), ', macro('lang/catalog/direction.h', 'RN_CALL_DIRS')), [
         ('tests/live or tests/programs', read(*LIVE, 'tests/programs/**/*.c'), r'\bNAME\b'),
     ]),
    ('a column of a flow', re.findall(r'X\(\w+, "(\w+)", \w+, \w+,', read('lang/catalog/flow*.h')), [
        ('exec/flow/show.c', re.sub(r'RN_FLOW_(\w+)', lambda m: m[1].lower(), read('exec/flow/show.c')), r'\bNAME\b'),
        ('the language reference', read('docs/language/*.md'), r'\bNAME\b'),
        ('tests/live', read(*LIVE), r'\bNAME\b'),
    ]),
    ('a transport', re.findall(r'\{"(\w+)", make_', read('exec/hosts/hosts.c')), [
        ('docs/cluster.md', read('docs/cluster.md'), r'\bNAME:'),
        ('tests/cluster or tests/unit', read('tests/cluster/*.sh', 'tests/unit/exec/fleet/test_hosts.c'), r'\bNAME:'),
    ]),
    ('a frame', [m.upper() for m in
                 re.findall(r'^    \w+ (\w+) = \d+;', between(read('exec/wire/wire.proto'), 'oneof body', '}'), re.M)], [
        ('exec/serve or exec/fleet', read('exec/serve/*.c', 'exec/fleet/*.c'),
         r'(case|kind [!=]=) RN_FRAME_NAME\b'),
        ('exec/wire/frames.c', read('exec/wire/frames.c'), r'FORM\(NAME,'),
    ]),
    ('a picture', re.findall(r'X\((\w+), ', macro('repl/out/output.h', 'RN_PICTURES')), [
        ('repl/picture', '\n'.join(glob.glob('repl/picture/*.c')), r'repl/picture/NAME\.c'),
        ('runnel.1', between(read('docs/**/runnel.1'), r'\-\-format', '.TP'), r'\bNAME\b'),
        ('docs/pictures.md', read('docs/pictures.md'), r'`(-o )?NAME`'),
        ('tests/cli/pictures.sh', read('tests/cli/pictures.sh'), r'\bNAME\b'),
    ]),
    ('an output format', re.findall(r'X\((\w+), ', macro('repl/out/output.h', 'RN_ROW_FORMATS')), [
        ('repl/out', '\n'.join(glob.glob('repl/out/*.c')), r'repl/out/NAME\.c'),
        ('runnel.1', between(read('docs/**/runnel.1'), r'\-\-format', '.TP'), r'\bNAME\b'),
        ('the language reference', read('docs/**/*.md'), r'`format NAME`'),
        ('tests/cli/formats.sh', read('tests/cli/formats.sh'), r'\bNAME\b'),
        ('.mode of repl/shell/foreign_commands.c',
         between(read('repl/shell/foreign_commands.c'), '".mode"', '}'), r'f NAME\b'),
    ]),
    ('a subcommand', subcommands(), [
        ('the manual', read(*MANUAL), r'(\.B [^\n]*|runnel )\bNAME\b'),
        ('tests', read('tests/cli/*.sh', 'tests/cluster/*.sh', 'tests/live/**/*.sh'),
         r'(run|ends|usage|runnel|RN"?)\b[^\n|]* NAME\b'),
    ]),
    ('an option of the program',
     re.findall(r'^\t\{"([\w-]+)", (?:required|no)_arg', read('repl/cli/options.c'), re.M), [
         ('runnel.1', read('docs/**/runnel.1').replace('\\-', '-'), r'--NAME\b'),
         ('_runnel', read('docs/**/_runnel'), r'--NAME\b'),
         ('tests', read('tests/cli/*.sh', 'tests/cluster/*.sh', 'tests/live/**/*.sh', 'tests/api/*.sh',
                        'tests/fuzz/*.sh', 'tests/demo/*.sh'), r'--NAME\b| -[cpHoOqvh] '),
     ]),
    ('a command of the prompt',
     [n for n in literals(between(read('repl/shell/commands.c'), 'rn_shell_commands[] = {', '\n};'))], [
         ('runnel.1', read('docs/**/runnel.1').replace('\\e', '\\').replace('\\(rs', '\\'), r'\\NAME(?!\w)'),
         ('tests/shell', read('tests/shell/*.sh'), r'\\NAME(?!\w)'),
     ]),
    ('a rule', re.findall(r'rn_rule_(\w+)\}', read('planner/rules/rules.c').replace('\n\t ', ' ')), [
        ('planner/rules', read('planner/rules/*.c'), r'\bvoid rn_rule_NAME\('),
        ('planner/rules, in a file of its own', '\n'.join(glob.glob('planner/rules/*.c')), r'/NAME\.c'),
    ]),
    ('a setting of a policy', literals(between(read('exec/node/policy.c'), 'globs[]', '\n};')), [
        ('runnel-agent.8', read('docs/**/runnel-agent.8'), r'\bNAME\b'),
        ('test_policy.c', read('tests/unit/**/test_policy.c'), r'\bNAME\b'),
    ]),
    ('a hint of a syntax error', hints(), [
        ('tests/golden/errors', read('tests/golden/errors/*.t'), r'NAME'),
    ]),
    ('a function of the library',
     re.findall(r'^RUNNEL_API [^;(]*?\b(\w+)\(', read('repl/api/runnel.h'), re.M), [
         ('librunnel.3', read('docs/**/librunnel.3').replace('\\-', '-'), r'\bNAME\b'),
         ('tests', read('tests/unit/**/test_api*.c', 'tests/api/*.c', 'tests/live/**/*.c'), r'\bNAME\('),
     ]),
]

for recipe, rows, places in RECIPES:
    if not rows:
        complain(f'recipes: no rows are found that are {recipe}')
    for place, text, pattern in places:
        for row in rows:
            if not re.search(pattern.replace('NAME', re.escape(row).replace('\\\\ ', ' ')), text):
                complain(f'{recipe}: {place} does not have {row}')
done()
