import { setTimeout as sleep } from 'node:timers/promises';
import { bootId, isAlive, isStopped, kill, processesOfUser } from './host-processes.js';
import { readSupervisor } from './run-world.js';

const FREEZE_MS = 5_000;

/**
 * Pauses a local run's processes, the supervisor first, or it would take stopped shells for hanging
 * ones. False: they have no user of their own to find them by, or some still run.
 */
export async function freezeRun(control: string): Promise<boolean> {
  const record = await current(control);
  if (record === null) return true;
  if (record.uid === null) return false;
  const { uid, pid } = record;
  kill(pid, 'SIGSTOP');
  const begun = performance.now();
  for (;;) {
    const running: number[] = [];
    for (const one of await processesOfUser(uid)) if (!(await isStopped(one))) running.push(one);
    if (running.length === 0) return true;
    if (performance.now() - begun > FREEZE_MS) return false;
    for (const one of running) kill(one, 'SIGSTOP');
    await sleep(5);
  }
}

export async function thawRun(control: string): Promise<void> {
  const record = await current(control);
  if (record === null || record.uid === null) return;
  for (const pid of await processesOfUser(record.uid)) kill(pid, 'SIGCONT');
  kill(record.pid, 'SIGCONT');
}

async function current(control: string) {
  const record = await readSupervisor(control);
  // After a reboot the ids belong to other processes.
  if (record === null || record.boot !== (await bootId())) return null;
  return (await isAlive(record.pid, record.started)) ? record : null;
}
