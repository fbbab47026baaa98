# names.py DIR - reads files while they are renamed, linked, mounted and removed. Each read has a size of its own, which is printed with what
# /proc says at that moment that the descriptor is open on. stderr names what cannot be made here.
import ctypes, os, subprocess, sys

libc = ctypes.CDLL(None, use_errno=True)
RENAMEAT2, EXCHANGE, MS_BIND, MNT_DETACH, TMPFILE, EMPTY_PATH = 316, 2, 4096, 2, 0o20200000, 0x1000
top, size = os.path.realpath(sys.argv[1]), 100

def look(fd, of="self", at=None):
    """One read, and how /proc names what was read."""
    global size
    size += 1
    os.pread(fd, size, 0)
    print(size, os.readlink(f"/proc/{of}/fd/{fd if at is None else at}"), flush=True)

def file(path):
    with open(path, "w") as f:
        f.write("x" * 5000)
    return path

def path(*parts): return os.path.join(top, *parts)

def mount(source, target, kind, flags, data=None):
    if libc.mount(source.encode(), target.encode(), kind and kind.encode(), flags, data and data.encode()):
        print("no", kind or "bind", os.strerror(ctypes.get_errno()), file=sys.stderr)
        return False
    return True

def open_on(p, flags=os.O_RDWR): return os.open(p, flags)

def renames():
    fd = open_on(file(path("a")))
    look(fd)
    os.rename(path("a"), path("b"))
    look(fd)
    look(open_on(path("b")))
    os.link(path("b"), path("h"))
    look(fd)
    look(open_on(path("h")))
    other = open_on(file(path("c")))
    libc.syscall(RENAMEAT2, -100, path("b").encode(), -100, path("c").encode(), EXCHANGE)
    look(fd)
    look(other)
    os.rename(path("b"), path("c"))
    look(fd)
    look(other)
    os.unlink(path("c"))
    look(other)
    look(open_on(path("h")))

def directories():
    os.makedirs(path("D1/e"))
    fd = open_on(file(path("D1/e/f")))
    look(fd)
    os.rename(path("D1"), path("D2"))
    look(fd)
    os.mkdir(path("B"))
    if mount(path("D2"), path("B"), None, MS_BIND):
        bound = open_on(path("B/e/f"))
        look(bound)
        look(fd)
        os.rename(path("D2/e"), path("D2/g"))
        look(bound)
        libc.umount2(path("B").encode(), MNT_DETACH)
        look(bound)
        look(fd)

def nameless():
    try:
        fd = os.open(top, os.O_RDWR | TMPFILE, 0o600)
    except OSError as e:
        print("no O_TMPFILE", e, file=sys.stderr)
        return
    os.write(fd, b"x" * 5000)
    look(fd)
    libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, path("linked").encode(), 0x400)
    look(fd)
    look(open_on(path("linked")))
    fd = os.memfd_create("some memory")
    os.write(fd, b"x" * 5000)
    look(fd)

def overlay():
    for d in "tmp", "tmp/l", "tmp/u", "tmp/w", "m":
        os.makedirs(path(d), exist_ok=True)
    if not mount("t", path("tmp"), "tmpfs", 0):
        return
    for d in "l", "u", "w":
        os.mkdir(path("tmp", d))
    file(path("tmp/l/f"))
    if not mount("o", path("m"), "overlay", 0, f"lowerdir={path('tmp/l')},upperdir={path('tmp/u')},workdir={path('tmp/w')}"):
        return
    low = open_on(path("m/f"), os.O_RDONLY)
    look(low)
    up = open_on(path("m/f"))
    look(up)
    os.rename(path("m/f"), path("m/n"))
    look(low)
    look(up)

def fuse():
    os.makedirs(path("fs"), exist_ok=True)
    os.makedirs(path("under"), exist_ok=True)
    file(path("under/f"))
    try:
        subprocess.run(["bindfs", path("under"), path("fs")], check=True, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as e:
        print("no fuse", e, file=sys.stderr)
        return
    fd = open_on(path("fs/f"))
    look(fd)
    os.rename(path("fs/f"), path("fs/g"))
    look(fd)
    os.close(fd)
    libc.umount2(path("fs").encode(), MNT_DETACH)

def container():
    """A child with a root of its own, whose names are those that it sees itself."""
    os.makedirs(path("box/old"), exist_ok=True)
    if not mount("b", path("box"), "tmpfs", 0):
        return
    os.mkdir(path("box/old"))
    file(path("box/f"))
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    libc.unshare(0x20000)
    os.chdir(path("box"))
    if libc.syscall(155, b".", b"old"):
        os._exit(1)
    os.chdir("/")
    mount("proc", "/old/proc", "proc", 0)
    fd = open_on("/f")
    global size
    size += 20
    os.pread(fd, size, 0)
    print(size, os.readlink(f"/old/proc/{os.getpid()}/fd/{fd}"), flush=True)
    os.rename("/f", "/g")
    size += 1
    os.pread(fd, size, 0)
    print(size, os.readlink(f"/old/proc/{os.getpid()}/fd/{fd}"), flush=True)
    os._exit(0)

for case in renames, directories, nameless, overlay, fuse, container:
    case()
