import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { execa } from 'execa';
import { InfrastructureError } from '../../domain/errors.js';

export interface Mount {
  /** Of the file system, not of this mount. */
  options: string[];
  /** Major and minor number. */
  device: string;
}

/** The uppermost mount there; null: none. */
export async function mountAt(path: string): Promise<Mount | null> {
  const found = written(path);
  const fields = (await table()).findLast((line) => line[4] === found);
  return fields === undefined ? null : { device: fields[2] ?? '', options: (fields.at(-1) ?? '').split(',') };
}

/** As in Mount; null: it cannot be read. Much cheaper than the long table of all mounts. */
export async function deviceAt(path: string): Promise<string | null> {
  try {
    const [here, above] = await Promise.all([stat(path), stat(dirname(path))]);
    return here.dev === above.dev ? null : numbersOf(here.dev);
  } catch {
    // The table has it even where stat fails.
    return (await mountAt(path))?.device ?? null;
  }
}

const numbersOf = (dev: number): string => `${(dev >>> 8) & 0xfff}:${(dev & 0xff) | ((dev >>> 12) & 0xfff00)}`;

export async function mountsIn(dir: string): Promise<string[]> {
  const above = `${written(dir)}/`;
  const paths = (await table()).flatMap((line) =>
    line[4]?.startsWith(above) === true ? [line[4].slice(above.length)] : [],
  );
  return paths.filter((path) => !path.includes('/')).reverse();
}

const table = async (): Promise<string[][]> =>
  (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').map((line) => line.split(' '));

/** The table writes spaces and the like in octal. */
const written = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** Runs a system program, by default for up to a minute. Throws InfrastructureError. */
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
