import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { InfrastructureError } from '../../domain/errors.js';

/** What is mounted on this host, and the programs that mount. */

export interface Mount {
  /** Of the file system, not of this mount of it. */
  options: string[];
  /** Major and minor number. */
  device: string;
}

/** The uppermost there; null: none. */
export async function mountAt(path: string): Promise<Mount | null> {
  const found = written(path);
  const fields = (await table()).findLast((line) => line[4] === found);
  return fields === undefined ? null : { device: fields[2] ?? '', options: (fields.at(-1) ?? '').split(',') };
}

/**
 * Major and minor number of the file system that is mounted there, as in Mount; null: none, or the one that it lies in. Asked
 * before and after each command: the table of all mounts is long where many containers are, and takes dozens of reads.
 */
export async function deviceAt(path: string): Promise<string | null> {
  try {
    const [here, above] = await Promise.all([stat(path), stat(dirname(path))]);
    return here.dev === above.dev ? null : numbersOf(here.dev);
  } catch {
    // One that cannot be asked is in the table all the same.
    return (await mountAt(path))?.device ?? null;
  }
}

/** As Linux puts them into one number. */
const numbersOf = (dev: number): string => `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;

/** Names in a directory at which something is mounted, the latest first. */
export async function mountsIn(dir: string): Promise<string[]> {
  const above = `${written(dir)}/`;
  const paths = (await table()).flatMap((line) =>
    line[4]?.startsWith(above) === true ? [line[4].slice(above.length)] : [],
  );
  return paths.filter((path) => !path.includes('/')).reverse();
}

const table = async (): Promise<string[][]> =>
  (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' '));

/** Spaces and the like are written in octal there. */
const written = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Run one of the system's programs, for a minute at most by default. Throws InfrastructureError with its output. */
export async function system(
  program: string,
  args: string[],
  { cwd = '/', timeoutMs = 60_000 }: { cwd?: string; timeoutMs?: number } = {},
): Promise<void> {
  try {
    await execa(program, args, { stdin: 'ignore', preferLocal: false, timeout: timeoutMs, cwd });
  } catch (error) {
    const { shortMessage, stderr } = error as { shortMessage?: string; stderr?: string };
    throw new InfrastructureError(`the workspace's disk: ${stderr?.trim() || shortMessage || program}`, {
      cause: error,
    });
  }
}
