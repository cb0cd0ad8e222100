import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import type { HomeLayout } from '../../domain/home/layout.js';
import type { CommandOutcome, SandboxRef } from '../../domain/ports/sandbox-port.js';
import type { Backend } from '../../domain/run/run.js';
import { OUTCOME_FILE_LIMIT, parseOutcome } from './protocol.js';

/** Identifies the run of a control directory, even when its container is gone. */
const BACKEND_FILE = 'backend';

/** Only root may enter: the supervisor writes here, out of the agent's reach. */
export async function makeControlDirectory(control: string, backend: Backend): Promise<void> {
  await mkdir(control, { recursive: true, mode: 0o700 });
  await writeFile(join(control, BACKEND_FILE), backend, { mode: 0o600 });
}

/** Sandboxes of a backend that have a control directory in this home. */
export async function controlDirectories(layout: HomeLayout, backend: Backend): Promise<SandboxRef[]> {
  const found: SandboxRef[] = [];
  for (const runId of await namesIn(layout.runs)) {
    for (const name of await namesIn(join(layout.runs, runId))) {
      const epoch = Number(/^epoch-(\d+)$/.exec(name)?.[1] ?? NaN);
      if (Number.isNaN(epoch)) continue;
      const marker = join(layout.run(runId, epoch).control, BACKEND_FILE);
      if ((await readFile(marker, 'utf8').catch(() => null)) === backend) found.push({ runId, epoch });
    }
  }
  return found;
}

const namesIn = async (dir: string): Promise<string[]> => await readdir(dir).catch(() => []);

export async function controlDirectoryExists(control: string): Promise<boolean> {
  return await lstat(control).then(
    (stat) => stat.isDirectory(),
    () => false,
  );
}

/** Synchronous: each command waits for it, and the thread pool is slower for a small local file. */
export function readOutcome(control: string, n: number): CommandOutcome | null {
  const path = join(control, 'steps', String(n), 'outcome.json');
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > OUTCOME_FILE_LIMIT) throw new Error(`${path} is not a supervisor's outcome`);
    return parseOutcome(readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

/** Rejects with ENOENT or ECONNREFUSED when no supervisor listens. */
export async function connectToSupervisor(control: string): Promise<Socket> {
  if (process.platform !== 'linux') return await connected(join(control, 'sock'));
  // Socket paths above 107 bytes are cut silently; the path through a descriptor is short.
  const directory = openSync(control, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await connected(`/proc/self/fd/${directory}/sock`);
  } finally {
    closeSync(directory);
  }
}

const connected = (path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
