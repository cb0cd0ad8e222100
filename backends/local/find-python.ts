import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { BenchError } from '../../domain/errors.js';

const CANDIDATES = ['/usr/bin/python3', '/usr/local/bin/python3', '/bin/python3', 'python3'];
/** What the supervisor needs; prints the program behind a shim. */
const PROBE = 'import ctypes, sys; assert sys.version_info >= (3, 9); print(sys.executable)';

/** A Python 3.9+ that `uid` (null: our user) may run. By trying: PATH may name a shim in /root. */
export async function findPython(preferred: string | undefined, uid: number | null): Promise<string> {
  const candidates = preferred === undefined ? CANDIDATES : [preferred, ...CANDIDATES];
  for (const candidate of candidates) {
    const found = await probe(candidate, uid);
    if (found !== null) return found;
  }
  throw new BenchError('failed', `no Python 3.9 or newer that user ${uid ?? 'id of this process'} can run`, {
    remedy: 'install one for all users (on Debian: apt-get install python3)',
  });
}

async function probe(python: string, uid: number | null): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(python, ['-EsSc', PROBE], {
      cwd: '/',
      timeout: 20_000,
      ...(uid !== null && { uid, gid: uid }),
    });
    return stdout.trim();
  } catch {
    return null;
  }
}

/** Remembers it while the program exists, since each probe costs a process. */
export function pythonFinder(preferred: string | undefined): (uid: number | null) => Promise<string> {
  const known = new Map<boolean, string>();
  return async (uid) => {
    const before = known.get(uid === null);
    if (before !== undefined && existsSync(before)) return before;
    const found = await findPython(preferred, uid);
    known.set(uid === null, found);
    return found;
  };
}
