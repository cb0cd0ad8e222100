import { chmod, lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';
import { bootId, isAlive, kill, killUntilNone, processesOfSession, processesOfUser } from './host-processes.js';
import { readSupervisor } from './run-world.js';

const POLITE_MS = 5000;
const KILL_MS = 20_000;

export async function endProcesses(control: string): Promise<void> {
  const record = await readSupervisor(control);
  // After a reboot the ids belong to other processes.
  if (record === null || record.boot !== (await bootId())) return;
  const supervisor = async () => ((await isAlive(record.pid, record.started)) ? [record.pid] : []);
  if (!record.ownsProcesses && (await supervisor()).length > 0) {
    // It kills its descendants, daemons included.
    kill(record.pid, 'SIGTERM');
    const begun = performance.now();
    while ((await supervisor()).length > 0 && performance.now() - begun < POLITE_MS)
      await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const rest = async () => [
    ...(await supervisor()),
    ...(record.uid === null ? await leftInSessions(control) : await processesOfUser(record.uid)),
  ];
  if (!(await killUntilNone(rest, KILL_MS)))
    throw new InfrastructureError(
      `processes of the local sandbox ${control} cannot be killed: ${(await rest()).join(', ')}`,
    );
}

async function leftInSessions(control: string): Promise<number[]> {
  const steps = join(control, 'steps');
  const found: number[] = [];
  for (const n of await readdir(steps).catch(() => [])) {
    const text = await readFile(join(steps, n, 'request.json'), 'utf8').catch(() => null);
    if (text === null) continue;
    const { pid, started } = JSON.parse(text) as { pid: number; started: number };
    found.push(...(await processesOfSession(pid, started)));
  }
  return found;
}

/** Removes a directory of the agent, who may have made parts of it inaccessible. */
export async function removeTree(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await openUp(dir);
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function openUp(dir: string): Promise<void> {
  await chmod(dir, 0o700).catch(unlessGone);
  for (const name of (await readdir(dir).catch(unlessGone)) ?? []) {
    const path = join(dir, name);
    if ((await lstat(path).catch(unlessGone))?.isDirectory() === true) await openUp(path);
  }
}

/** Another call may be removing the same tree. */
function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}
