"""runnel.py - librunnel for Python, through ctypes: a session, and queries as iterators over named tuples.

    import runnel
    with runnel.open() as session:
        for row in session.query("count of syscall by proc for 2s"):
            print(row.proc, row.count)

It needs nothing but librunnel.so.1 (RUNNEL_LIBRARY names another file). A query that is wrong raises runnel.Error, which has the places of all
mistakes; Ctrl-C, and leaving the loop, end a query that runs. Several queries of a session may be iterated at once (zip), and one again: that runs it again.
Parameters are given by name: session.query("count of read where latency > $t", t="10ms") would be a string; t=runnel.value("10ms") is a duration.
"""
import collections
import ctypes
import json
import keyword
import os
import re
import weakref

_lib = ctypes.CDLL(os.environ.get("RUNNEL_LIBRARY", "librunnel.so.1"))

OK, ROW, DONE, TIMEOUT, INTERRUPTED = range(5)
BOOL, INT, FLOAT, TEXT, ADDRESS, BYTES, STACK, HIST, LIST = range(9)
NO_UNIT, NS, BYTE, EPOCH, ERRNO, DEV, PER_S, BYTE_PER_S, HASH = range(9)


class _Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("hosts", ctypes.c_char_p), ("catalog", ctypes.c_char_p), ("pids", ctypes.POINTER(ctypes.c_int32)),
                ("npids", ctypes.c_size_t), ("queue_bytes", ctypes.c_size_t), ("program", ctypes.c_char_p), ("lease_ms", ctypes.c_int64)]


class _Error(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("code", ctypes.c_char_p), ("message", ctypes.c_char_p), ("hint", ctypes.c_char_p),
                ("source", ctypes.c_char_p), ("line", ctypes.c_uint), ("column", ctypes.c_uint), ("start", ctypes.c_size_t), ("end", ctypes.c_size_t)]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("unit", ctypes.c_int), ("role", ctypes.c_int), ("type_name", ctypes.c_char_p),
                ("unit_name", ctypes.c_char_p)]


class _Bucket(ctypes.Structure):
    _fields_ = [("low", ctypes.c_double), ("high", ctypes.c_double), ("count", ctypes.c_int64)]


_pointer, _text, _int, _uint, _int64, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint, ctypes.c_int64, ctypes.POINTER(ctypes.c_size_t)
for _name, _result, *_args in [
        ("runnel_open", _pointer, ctypes.POINTER(_Options)), ("runnel_close", None, _pointer), ("runnel_session_error", ctypes.POINTER(_Error), _pointer),
        ("runnel_stop", None, _pointer), ("runnel_cancel", None, _pointer),
        ("runnel_query_stop", None, _pointer), ("runnel_query_cancel", None, _pointer), ("runnel_reset", _int, _pointer), ("runnel_version", _text),
        ("runnel_query_new", _pointer, _pointer, _text), ("runnel_query_free", None, _pointer), ("runnel_prepare", _int, _pointer),
        ("runnel_bind_int64", _int, _pointer, _text, _int64), ("runnel_bind_double", _int, _pointer, _text, ctypes.c_double),
        ("runnel_bind_text", _int, _pointer, _text, _text, _int64), ("runnel_bind_value", _int, _pointer, _text, _text),
        ("runnel_error_count", _uint, _pointer), ("runnel_error", ctypes.POINTER(_Error), _pointer, _uint), ("runnel_error_text", _text, _pointer),
        ("runnel_column_count", _uint, _pointer), ("runnel_column", ctypes.POINTER(_Column), _pointer, _uint), ("runnel_explain_query", _text, _pointer),
        ("runnel_start", _int, _pointer, _int), ("runnel_step", _int, _pointer, _int), ("runnel_is_null", _int, _pointer, _uint),
        ("runnel_get_int64", _int64, _pointer, _uint), ("runnel_get_double", ctypes.c_double, _pointer, _uint),
        ("runnel_get_text", _pointer, _pointer, _uint, _size), ("runnel_get_hist", ctypes.POINTER(_Bucket), _pointer, _uint, _size),
        ("runnel_ledger_json", _text, _pointer), ("runnel_complete", _int, _pointer)]:
    getattr(_lib, _name).restype, getattr(_lib, _name).argtypes = _result, _args

Place = collections.namedtuple("Place", "code message hint source line column start end")
Column = collections.namedtuple("Column", "name type unit type_name unit_name")
Bucket = collections.namedtuple("Bucket", "low high count")


class Error(Exception):
    """What is wrong with a query: str() is the text for people, places has each mistake, code and hint are those of the first."""

    def __init__(self, text, places=()):
        super().__init__(text)
        self.places = places
        self.code, self.hint = (places[0].code, places[0].hint) if places else ("", "")


class value(str):
    """A parameter as on the command line: "10ms" is a duration, "4KiB" a size, "17" a number. A plain str is a string, whatever it looks like."""


def version():
    return _lib.runnel_version().decode()


def _bytes(text, what):
    """For the library a text ends at its first NUL: what stands behind one must not be left out unsaid."""
    data = text.encode()
    if b"\0" in data:
        raise ValueError("%s has a NUL inside" % what)
    return data


def _identifiers(names):
    """Names of columns as Python can say them: p99(latency) is p99_latency."""
    out = []
    for i, name in enumerate(names):
        word = re.sub(r"\W+", "_", name).strip("_") or "column"
        if word[0].isdigit() or keyword.iskeyword(word) or word in out:
            word = "c%d_%s" % (i + 1, word)
        out.append(word)
    return out


class Query:
    """A prepared query; iterating runs it. Columns are known before. One that is wrong is not made: Error."""

    def __init__(self, session, text, params):
        self._q = None
        self._session, self._q = session, _lib.runnel_query_new(session._open(), _bytes(text, "the query"))
        session._queries.add(self)
        self._ended = False
        try:
            for name, given in params.items():
                self._bind(_bytes(name, "the name of a parameter"), given)
            if _lib.runnel_prepare(self._q) != OK:
                raise self._error()
        except BaseException:
            self.close()
            raise
        self.columns = [Column(c.name.decode(), c.type, c.unit, c.type_name.decode(), c.unit_name.decode())
                        for c in (_lib.runnel_column(self._q, i).contents for i in range(_lib.runnel_column_count(self._q)))]
        self.Row = collections.namedtuple("Row", _identifiers([c.name for c in self.columns]))

    def _bind(self, name, given):
        if isinstance(given, (bool, int)):
            if not -2**63 <= given < 2**63:
                raise OverflowError("the parameter %s does not fit into 64 bits" % name.decode())
            status = _lib.runnel_bind_int64(self._q, name, int(given))
        elif isinstance(given, float):
            status = _lib.runnel_bind_double(self._q, name, given)
        elif isinstance(given, value):
            status = _lib.runnel_bind_value(self._q, name, _bytes(given, "the parameter " + name.decode()))
        elif isinstance(given, (str, bytes)):
            data = given if isinstance(given, bytes) else given.encode()
            status = _lib.runnel_bind_text(self._q, name, data, len(data))
        else:
            raise TypeError("the parameter %s is a %s: a number, a string or runnel.value(...) is wanted" % (name.decode(), type(given).__name__))
        if status != OK:
            raise self._error()

    def _open(self):
        if not self._q:
            raise Error("the query is closed, or its session")
        return self._q

    def _error(self):
        errors = [_lib.runnel_error(self._q, i).contents for i in range(_lib.runnel_error_count(self._q))]
        return Error(_lib.runnel_error_text(self._q).decode().rstrip(),
                     [Place(e.code.decode(), e.message.decode(), e.hint.decode(), e.source.decode(), e.line, e.column, e.start, e.end) for e in errors])

    def _value(self, i):
        if _lib.runnel_is_null(self._q, i):
            return None
        n, kind, unit = ctypes.c_size_t(), self.columns[i].type, self.columns[i].unit
        if kind == FLOAT:
            return _lib.runnel_get_double(self._q, i)
        if kind == HIST:
            buckets = _lib.runnel_get_hist(self._q, i, ctypes.byref(n))
            return [Bucket(b.low, b.high, b.count) for b in buckets[:n.value]] if n.value else []
        if kind in (BOOL, INT) and unit not in (ERRNO, DEV, HASH):
            value = _lib.runnel_get_int64(self._q, i)
            return bool(value) if kind == BOOL else value
        data = ctypes.string_at(_lib.runnel_get_text(self._q, i, ctypes.byref(n)), n.value)
        if kind == BYTES:
            return data
        text = data.decode("utf-8", "replace")
        return json.loads(text) if kind == LIST else text

    def start(self):
        """Returns when all probes are attached: what happens from then on is in the answer."""
        status = TIMEOUT
        while status == TIMEOUT:  # in turns, so that Python sees its signals
            status = _lib.runnel_start(self._open(), 200)
        if status < 0:
            raise self._error()
        return self

    def __iter__(self):
        if self._ended:
            _lib.runnel_reset(self._open())
        self._ended = False
        try:
            while True:
                status = _lib.runnel_step(self._open(), 200)
                if status == ROW:
                    yield self.Row(*(self._value(i) for i in range(len(self.columns))))
                elif status < 0:
                    raise self._error()
                elif status != TIMEOUT:
                    return
        except BaseException:
            if self._q:
                _lib.runnel_query_cancel(self._q)
            raise
        finally:
            self._ended = True

    def stop(self):
        """Ends it as Ctrl-C ends it in the program: what there is of the answer still comes. From any thread, as cancel()."""
        _lib.runnel_query_stop(self._open())

    def cancel(self):
        """Ends it at once: no row follows."""
        _lib.runnel_query_cancel(self._open())

    def explain(self):
        return _lib.runnel_explain_query(self._open()).decode()

    def ledger(self):
        """The ledger, as its JSON has it: of the answer once all rows have been taken ("complete": True or False); while it runs, so far (None).
        {}: nothing is known."""
        text = _lib.runnel_ledger_json(self._open())
        return json.loads(text)["ledger"] if text else {}

    def complete(self):
        return bool(_lib.runnel_complete(self._open()))

    def close(self):
        if self._q:
            _lib.runnel_query_free(self._q)
        self._q = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    __del__ = close


class Session:
    """One thread at a time uses it; stop() and cancel() may come from any."""

    def __init__(self, hosts=None, catalog=None, pids=(), program=None):
        options = _Options(size=ctypes.sizeof(_Options), hosts=os.fsencode(hosts) if hosts else None, catalog=os.fsencode(catalog) if catalog else None,
                           pids=(ctypes.c_int32 * len(pids))(*pids), npids=len(pids), program=os.fsencode(program) if program else None)
        self._queries = weakref.WeakSet()
        self._r = _lib.runnel_open(ctypes.byref(options))
        error = _lib.runnel_session_error(self._r)
        if error:
            text = error.contents.message.decode()
            self.close()
            raise Error(text)

    def query(self, text, /, **params):
        return Query(self, text, params)

    def _open(self):
        if not self._r:
            raise Error("the session is closed")
        return self._r

    def stop(self):
        """All queries that run; as Query.stop()."""
        _lib.runnel_stop(self._open())

    def cancel(self):
        _lib.runnel_cancel(self._open())

    def close(self):
        for query in list(self._queries):
            query.close()
        if self._r:
            _lib.runnel_close(self._r)
        self._r = None

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


open = Session
