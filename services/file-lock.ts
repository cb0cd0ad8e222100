import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { BenchError } from '../domain/errors.js';

export interface FileLock {
  release(): void;
}

/**
 * Programs that take `flock(2)` on descriptor 3, as Node cannot. The lock belongs to the open file,
 * so it outlives the program, and the kernel frees it when we die.
 */
const LOCKERS: readonly (readonly [string, ...string[]])[] = [
  ['flock', '-n', '3'],
  ['perl', '-e', 'open(my $f, "+<&=", 3) or exit 2; exit(flock($f, 6) ? 0 : 1)'],
  ['python3', '-c', 'import fcntl,sys\ntry: fcntl.flock(3, 6)\nexcept BlockingIOError: sys.exit(1)'],
];

export function tryLock(path: string): FileLock | null {
  const descriptor = openSync(path, 'a+', 0o600);
  for (const [command, ...args] of LOCKERS) {
    const result = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'ignore', descriptor] });
    if (result.status === 0) return { release: () => closeSync(descriptor) };
    if (result.status === 1) {
      closeSync(descriptor);
      return null;
    }
  }
  closeSync(descriptor);
  throw new BenchError('services', `cannot lock ${path}: none of flock, perl and python3 works here`, {
    code: 'home.unusable',
    remedy: 'install util-linux (flock), perl or python3',
  });
}

export async function lock(path: string, options: { onWait?: () => void; timeoutMs: number }): Promise<FileLock> {
  const deadline = performance.now() + options.timeoutMs;
  let notified = false;
  for (;;) {
    const held = tryLock(path);
    if (held) return held;
    if (!notified) options.onWait?.();
    notified = true;
    if (performance.now() > deadline) {
      throw new BenchError('services', `another process is holding the lock ${path}`, {
        code: 'home.in_use',
        remedy: `find it (fuser ${path}), end it, and try again`,
      });
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
