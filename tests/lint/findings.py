"""findings.py - what a check of lint has found: a line each, and a status that says so."""
import sys

count = 0


def complain(text):
    """Prints a finding. done() fails after it."""
    global count
    count += 1
    print(text)


def done():
    """Ends the program: 0 if nothing was found, else 1."""
    sys.exit(count > 0)
