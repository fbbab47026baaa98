# renames.py replace     50 times: a file is written as conf.tmp, renamed to conf, and read under that name
# renames.py race READS  reads one descriptor so often, 77 bytes each time, while another process renames the file between two names
# renames.py flood N     gives a file N names, and reads it under each; then reads 77 bytes of /etc/passwd
import os, sys

def replace():
    for i in range(50):
        with open("conf.tmp", "w") as f:
            f.write("secret")
        os.rename("conf.tmp", "conf")
        fd = os.open("conf", os.O_RDONLY)
        os.read(fd, 100)
        os.close(fd)

def race(reads):
    with open("this", "w") as f:
        f.write("x" * 100)
    fd = os.open("this", os.O_RDONLY)
    child = os.fork()
    if not child:
        while os.getppid() != 1:
            os.rename("this", "that")
            os.rename("that", "this")
        os._exit(0)
    for i in range(reads):
        os.pread(fd, 77, 0)
    os.kill(child, 9)
    os.waitpid(child, 0)

def flood(n):
    os.makedirs("flood", exist_ok=True)
    fd = os.open("flood/0", os.O_RDWR | os.O_CREAT)
    for i in range(n):
        os.rename(f"flood/{i}", f"flood/{i + 1}")
        os.pread(fd, 1, 0)
    os.pread(os.open("/etc/passwd", os.O_RDONLY), 77, 0)

if sys.argv[1] == "replace":
    replace()
elif sys.argv[1] == "flood":
    flood(int(sys.argv[2]))
else:
    race(int(sys.argv[2]))
