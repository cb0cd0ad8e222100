"""Whether the sandbox may still open its GPUs.

A host takes them from a running container: systemd's daemon-reload writes the rules of control
groups again, without the devices that NVIDIA's container toolkit added. Nvidia-smi then fails with
"Unknown Error" until the container starts again.
"""

from __future__ import annotations

import errno
import os

# Every CUDA program opens it first. An open costs microseconds, and wakes no GPU.
CONTROL_DEVICE = "/dev/nvidiactl"
# Remembers across the restart why there was one; in the control directory.
NOTE = "gpus-lost"
_REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOENT, errno.ENXIO, errno.ENODEV)


class GpuAccess:
    """Expects to be made in the control directory."""

    def __init__(self, device: str = CONTROL_DEVICE) -> None:
        self._device = device
        # Without it at the start a restart would not help.
        self._had = self._opens()

    def _opens(self) -> bool:
        try:
            os.close(os.open(self._device, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK))
        except OSError as error:
            return error.errno not in _REFUSALS
        return True

    def lost(self) -> bool:
        return self._had and not self._opens()

    def note(self) -> None:
        with open(NOTE, "wb"):
            pass

    def noted(self) -> bool:
        """A supervisor before this one ended because the GPUs were lost."""
        return os.path.exists(NOTE)

    def forget(self) -> None:
        if self.noted():
            os.unlink(NOTE)
