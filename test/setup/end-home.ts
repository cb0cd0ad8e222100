import { join } from 'node:path';
import {
  commandLine,
  findProcesses,
  isAlive,
  type ProcessIdentity,
  signal,
  waitUntilGone,
  workingDirectory,
} from '../../services/process-identity.js';
import { readServicesFile } from '../../services/services-file.js';

const GONE_MS = 60_000;

/**
 * Ends what runs for a home that is to be removed, at once: `bench down` has tests of its own, and hands back work that nobody wants.
 * So do its unfinished runs on the backend `local` end, which outlive the services and would write into what is removed.
 */
export async function endHome(dir: string): Promise<void> {
  const read = () => readServicesFile(join(dir, 'services.json'));
  // Each of the two starts the other again.
  for (let file = read(); isAlive(file?.supervisor) || isAlive(file?.supervisor?.guardian); file = read())
    await end([file?.supervisor?.guardian, file?.supervisor]);
  const { worker, temporal, postgres } = read()?.services ?? {};
  // What PostgreSQL shares with its processes is freed by itself alone.
  signal(postgres?.process, 'SIGQUIT');
  await end([worker?.process, temporal?.process]);
  if (postgres?.process) await waitUntilGone(postgres.process, GONE_MS);
  const inside = (path: string | null): boolean => path === dir || path?.startsWith(`${dir}/`) === true;
  const ours = (pid: number): boolean => inside(workingDirectory(pid)) || commandLine(pid).some(inside);
  for (let left = findProcesses(ours); left.length > 0; left = findProcesses(ours)) await end(left);
}

async function end(processes: (ProcessIdentity | null | undefined)[]): Promise<void> {
  const hit = processes.filter((one): one is ProcessIdentity => signal(one, 'SIGKILL'));
  await Promise.all(hit.map((one) => waitUntilGone(one, GONE_MS)));
}
