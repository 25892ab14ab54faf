"""An extension in plain Python that tries what a sandbox forbids. Its tool `attempt` names what; what fails is an error
of the tool, in the words of Python or with the name of the error of the system."""

import ctypes
import errno
import json
import os
import platform
import socket
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
# Of the system's calls: io_uring_setup, memfd_create, execveat, process_vm_readv, ptrace.
CALLS = (425, 319, 322, 310, 101) if X86 else (425, 279, 281, 270, 117)
IO_URING, MEMFD, EXECVEAT, READV, PTRACE = CALLS


def call(number, *args):
    result = libc.syscall(ctypes.c_long(number), *args)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{errno.errorcode.get(code, code)} {os.strerror(code)}")
    return result


def datagram(path):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))


def stream(path):
    socket.create_connection(("127.0.0.1", 9), timeout=2)


def raw(path):
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


def local(path):
    socket.socket(socket.AF_UNIX).connect(path)


def pair(path):
    one, other = socket.socketpair()
    one.send(b"x")
    return other.recv(1).decode()


def x32(path):
    call(0x40000000 + 41, 2, 1, 0)


def ring(path):
    call(IO_URING, 8, ctypes.create_string_buffer(256))


def run(path):
    return subprocess.run([path], capture_output=True, text=True).stdout


def loader(path):
    name = "/lib64/ld-linux-x86-64.so.2" if X86 else "/lib/ld-linux-aarch64.so.1"
    return subprocess.run([name, path], check=True, capture_output=True, text=True).stdout


def in_memory(path):
    file = call(MEMFD, b"x", 0)
    with open(path, "rb") as program, os.fdopen(file, "wb", closefd=False) as copy:
        copy.write(program.read())
    child = os.fork()
    if child == 0:
        args = (ctypes.c_char_p * 2)(b"x", None)
        none = (ctypes.c_char_p * 1)(None)
        try:
            call(EXECVEAT, file, b"", args, none, 0x1000)
        except OSError as error:
            os._exit(error.errno)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(code, errno.errorcode.get(code, str(code)))


def write(path):
    with open(path, "w") as file:
        file.write("x")


def append(path):
    with open(path, "a") as file:
        file.write("x")


def truncate(path):
    os.truncate(path, 0)


def remove(path):
    os.remove(path)


def make_folder(path):
    os.mkdir(path)


def rename_out(path):
    with open("in.txt", "w") as file:
        file.write("x")
    os.rename("in.txt", path)


def move(path):
    for folder in ("from", "to"):
        os.makedirs(os.path.join(path, folder), exist_ok=True)
    here, there = os.path.join(path, "from/x"), os.path.join(path, "to/x")
    write(here)
    os.rename(here, there)
    os.link(there, here)
    return read(here)


def rename_in(path):
    os.rename(path, "stolen.txt")


def link_in(path):
    os.link(path, "linked.txt")
    with open("linked.txt", "a") as file:
        file.write("x")


def through_link(path):
    os.symlink(path, "link.txt")
    try:
        append("link.txt")
    finally:
        os.remove("link.txt")


def read(path):
    with open(path) as file:
        return file.read()


def read_by_process(path):
    return read(f"/proc/self/root{path}")


def environment_of_host(path):
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        return str(len(file.read()))


def memory_of_host(path):
    call(READV, os.getppid(), None, 0, None, 0, 0)


def trace_host(path):
    call(PTRACE, 16, os.getppid(), 0, 0)


def signal_host(path):
    os.kill(os.getppid(), 0)


def type_into(path):
    import fcntl
    import pty

    terminal = pty.openpty()[1]
    for request in (0x5412, 0x541C, 0x5412 | 1 << 32):
        try:
            call(16 if X86 else 29, terminal, ctypes.c_ulong(request), b"x")
        except OSError as error:
            if error.errno != errno.EPERM:
                raise
        else:
            return "typed"
    fcntl.ioctl(terminal, 0x5413, bytes(8))
    return "refused"


def temporary(path):
    import tempfile

    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        file.write("x")
        return file.name


ATTEMPTS = {name: value for name, value in globals().items() if callable(value) and not name.startswith("_")}


def emit(**frame):
    print(json.dumps(frame), flush=True)


schema = {"type": "object", "properties": {"what": {"type": "string"}, "path": {"type": "string"}}}
emit(type="hello", name="attempts", version="1.0.0")
emit(type="register_tool", name="attempt", description="Tries something.", schema=schema)
emit(type="register_command", name="run", description="Runs something.")
emit(type="ready")
for line in sys.stdin:
    frame = json.loads(line)
    if frame["type"] == "shutdown":
        break
    if frame["type"] == "command_invoked":
        try:
            emit(type="command_response", id=frame["id"], action="display", display=run(frame["args"]))
        except Exception as error:
            emit(type="command_response", id=frame["id"], error=str(error))
        continue
    if frame["type"] != "tool_call":
        continue
    try:
        text, is_error = ATTEMPTS[frame["args"]["what"]](frame["args"].get("path", "")) or "done", False
    except Exception as error:
        text, is_error = f"{type(error).__name__}: {error}", True
    emit(type="tool_result", id=frame["id"], content=[{"type": "text", "text": text}], is_error=is_error)
