import { expect, it } from 'vitest';
import { runPython } from './run-python.js';

const CALLS = `
import ctypes, errno, os, platform
NUMBERS = {"x86_64": (283, 286, 287), "aarch64": (85, 86, 87)}[platform.machine()] + (425, 426, 427, 447)
libc = ctypes.CDLL(None, use_errno=True)
def refused():
    found = []
    for number in NUMBERS:
        ctypes.set_errno(0)
        # Arguments that make no sense: none of them has an effect where it is allowed.
        libc.syscall(number, -1, -1, -1, -1, -1, -1)
        found.append(errno.errorcode[ctypes.get_errno()])
    return found
`;

it.skipIf(process.platform !== 'linux')(
  'takes timers, rings and secret memory from a player and all that it starts',
  async () => {
    const found = await runPython(`${CALLS}
import subprocess
from forbidden_calls import forbid
before = refused()
forbid()
inner = subprocess.run([sys.executable, "-c", ${JSON.stringify(CALLS)} + "print(refused())"], capture_output=True, text=True).stdout
print(json.dumps({"before": before[0], "after": refused(), "inner": inner.strip() == repr(refused()), "sum": sum(os.read(os.open("/dev/zero", 0), 3))}))`);
    expect(found).toEqual({
      before: 'EINVAL',
      after: Array(7).fill('ENOSYS'),
      inner: true,
      sum: 0,
    });
  },
);
