import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, signal } from '../../services/process-identity.js';
import type { BenchHome } from '../setup/bench-home.js';
import { withDescendants } from '../setup/process-tree.js';
import { runningService, type Victim } from './kill-service.js';

const QUOTA_US = 10_000;
const PERIOD_US = 100_000;

/** Has a service run on a tenth of a CPU for a while. False: it did not run at this moment. */
export async function starveService(home: BenchHome, victim: Victim, ms: number): Promise<boolean> {
  const service = runningService(home, victim);
  if (service === null) return false;
  const group = makeGroup(`bench-starved-${process.pid}-${service.pid}`);
  if (group === null) {
    // Stopped for nine tenths of the time instead.
    for (const end = Date.now() + ms; Date.now() < end;) {
      signal(service, 'SIGSTOP');
      await sleep((PERIOD_US - QUOTA_US) / 1000);
      signal(service, 'SIGCONT');
      await sleep(QUOTA_US / 1000);
    }
    return true;
  }
  const before = groupOf(service.pid);
  try {
    for (const pid of withDescendants(service.pid)) moveTo(group, pid);
    await sleep(ms);
  } finally {
    await removeGroup(group, before ?? join(group, '..'));
  }
  return true;
}

const V1 = '/sys/fs/cgroup/cpu';
const V2 = '/sys/fs/cgroup';

/** A group of processes with the quota; null: this machine lets us make none. */
function makeGroup(name: string): string | null {
  const isV1 = existsSync(join(V1, 'cpu.cfs_quota_us'));
  const group = join(isV1 ? V1 : V2, name);
  try {
    mkdirSync(group);
    if (isV1) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(QUOTA_US));
    } else writeFileSync(join(group, 'cpu.max'), `${QUOTA_US} ${PERIOD_US}`);
    return group;
  } catch {
    if (existsSync(group)) rmdirSync(group);
    return null;
  }
}

/** The group that it is in now. */
function groupOf(pid: number): string | null {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n');
  const own = (controllers: string) => lines.find((line) => line.split(':')[1]?.split(',').includes(controllers));
  const [root, line] = existsSync(join(V1, 'cpu.cfs_quota_us')) ? [V1, own('cpu')] : [V2, own('')];
  const group = join(root, line?.split(':')[2] ?? '/');
  return existsSync(join(group, 'cgroup.procs')) ? group : null;
}

const members = (group: string): number[] =>
  readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);

/** It may have ended. */
function moveTo(group: string, pid: number): void {
  if (identify(pid) === null) return;
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch (error) {
    if (identify(pid) !== null) throw error;
  }
}

async function removeGroup(group: string, parent: string): Promise<void> {
  for (let left = 50; ; left -= 1) {
    try {
      // A process may fork while the others are moved.
      for (const pid of members(group)) moveTo(parent, pid);
      return rmdirSync(group);
    } catch (error) {
      // One that has ended leaves the group in its own time.
      if (left === 0) throw error;
      await sleep(100);
    }
  }
}
