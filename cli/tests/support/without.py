"""Runs a program as on a kernel that has not all calls of the system: those that are missing end with ENOSYS.

without.py WHAT,... PROGRAM ARGS...: WHAT is `landlock` (no rules about files), `seccomp` (no filters at all) or
`filters` (they are there, and none can be laid on a process). The kernel answers so by a filter on this process, which all
that it starts inherit.
"""

import ctypes
import os
import platform
import struct
import sys

LANDLOCK_CREATE_RULESET = 444
SECCOMP, PRCTL = {"x86_64": (317, 157), "aarch64": (277, 167)}[platform.machine()]
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2
# Calls, with the first argument for which one is missing.
MISSING = {
    "landlock": [(LANDLOCK_CREATE_RULESET, None)],
    "seccomp": [(SECCOMP, None), (PRCTL, PR_SET_SECCOMP)],
    "filters": [(SECCOMP, 1)],
}
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER, FIRST = 0, 16
ENOSYS, ALLOW = 0x0005_0026, 0x7FFF_0000


def line(code, value, yes=0, no=0):
    return struct.pack("=HBBI", code, yes, no, value)


program = b""
for what in sys.argv[1].split(","):
    for number, first in MISSING[what]:
        argument = b"" if first is None else line(LOAD, FIRST) + line(EQUAL, first, 0, 1)
        program += line(LOAD, NUMBER) + line(EQUAL, number, 0, len(argument) // 8 + 1)
        program += argument + line(RETURN, ENOSYS)
program += line(RETURN, ALLOW)

libc = ctypes.CDLL(None, use_errno=True)
lines = ctypes.create_string_buffer(program)
prog = ctypes.create_string_buffer(struct.pack("@HP", len(program) // 8, ctypes.addressof(lines)))
for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, FILTER, ctypes.addressof(prog), 0, 0)):
    if libc.prctl(*(ctypes.c_ulong(word) for word in words)) != 0:
        sys.exit(f"prctl {words[0]}: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[2], sys.argv[2:])
