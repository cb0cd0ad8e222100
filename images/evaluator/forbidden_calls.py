"""System calls that no submission needs, and with which one works against the measure of its
neighbours on the same processor: timers whose interrupts are charged to whoever runs, work that the
kernel does in its own name, memory that nobody can look at."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

TIMERFD = {"x86_64": (283, 286, 287), "aarch64": (85, 86, 87)}
# The same on all machines: io_uring_setup, io_uring_enter, io_uring_register, memfd_secret.
NEWER = (425, 426, 427, 447)
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # the bit of x86's third way to make calls, which has numbers of its own

# Of linux/filter.h and linux/seccomp.h.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
NUMBER, ARCHITECTURE = 0, 4
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, FILTER = 22, 38, 2


def forbid() -> None:
    """For this process and all that it starts, for good: the calls fail as on a kernel without
    them. Raises OSError.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ARCHITECTURES:
        return
    program = program_for(machine)
    code = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(
        struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    )
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    for call in (
        (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
        (PR_SET_SECCOMP, FILTER, ctypes.c_void_p(ctypes.addressof(header)), 0, 0),
    ):
        if prctl(call[0], *map(unsigned, call[1:])) != 0:
            raise OSError(ctypes.get_errno(), "the submission's system calls cannot be restricted")


def unsigned(value: object) -> object:
    return ctypes.c_ulong(value) if isinstance(value, int) else value


def program_for(machine: str) -> bytes:
    """A filter of packed instructions (code, steps on if true, if false, operand)."""
    refused = (*TIMERFD[machine], *NEWER)
    steps = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
        (AT_LEAST, len(refused) + 1, 0, X32),
        *((EQUAL, len(refused) - index, 0, number) for index, number in enumerate(refused)),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("@HBBI", *step) for step in steps)
