"""System calls of which a host has few, counted per user: the agents of all its runs are one user."""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

# inotify_init, inotify_init1, fanotify_init: 128 instances a user by default, and programs that
# wait for files poll without.
_WATCHES = {"x86_64": (253, 294, 300), "aarch64": (26, 262)}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000  # the bit of x86's third way to make calls, which has numbers of its own

# Of linux/filter.h and linux/seccomp.h.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE = 0, 4
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_SET_FILTER = 1
_KEEP_SPECULATION = 4  # older kernels slow filtered processes down otherwise


def forbid() -> bool:
    """For this process and all that it starts, for good: the calls fail as on a kernel without
    them. False: not here.
    """
    machine = platform.machine()
    if sys.platform != "linux" or machine not in _ARCHITECTURES:
        return False
    program = _program_for(machine)
    code = ctypes.create_string_buffer(program)
    header = ctypes.create_string_buffer(
        struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    )
    syscall = ctypes.CDLL(None, use_errno=True).syscall
    number = ctypes.c_long(_SECCOMP[machine])
    flags = (ctypes.c_long(_SET_FILTER), ctypes.c_long(_KEEP_SPECULATION))
    result: int = syscall(number, *flags, header)
    return result == 0


def _program_for(machine: str) -> bytes:
    """A filter of packed instructions (code, steps on if true, if false, operand)."""
    refused = _WATCHES[machine]
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _ARCHITECTURES[machine]),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, len(refused) + 1, 0, _X32),
        *((_EQUAL, len(refused) - index, 0, number) for index, number in enumerate(refused)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("@HBBI", *step) for step in steps)
