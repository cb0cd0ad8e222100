import { execa } from 'execa';
import { BenchError } from '../../domain/errors.js';

/** nobody: any user that owns nothing. */
const UNPRIVILEGED = 65534;

/**
 * A Python 3.9 or newer that processes without our rights can run. As root, the one on PATH may lie in root's own folders;
 * then the system's is meant.
 */
export async function findPython(): Promise<string> {
  const root = process.getuid?.() === 0;
  const candidates = root
    ? ['/usr/bin/python3', '/usr/local/bin/python3', 'python3']
    : ['python3', '/usr/bin/python3', '/usr/local/bin/python3'];
  const user = root ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  for (const candidate of candidates) {
    const probe = await execa(candidate, ['-c', 'import sys; print(sys.version_info >= (3, 9), sys.executable)'], {
      ...user,
      cwd: '/',
      reject: false,
      stdin: 'ignore',
    });
    // The path of the program itself, not of a version manager's shim.
    if (probe.exitCode === 0 && probe.stdout.startsWith('True ')) return probe.stdout.slice('True '.length).trim();
  }
  throw new BenchError('failed', `no Python 3.9 or newer that an unprivileged user can run`, {
    remedy: 'install python3 (Debian: apt-get install python3), or use --backend docker',
  });
}
